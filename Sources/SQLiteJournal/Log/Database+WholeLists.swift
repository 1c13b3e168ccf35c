internal import ListModel
internal import ListStore

// Writes lists of another journal, in one transaction.

/// A list that is taken over, with the rows that it gets.
private struct PlacedList {
    let whole: WholeList
    /// The number of the first row. The life of the list begins with it.
    let start: Int
    let rows: [LogRow]

    init(_ whole: WholeList, start: Int) {
        (self.whole, self.start) = (whole, start)
        var (rows, position) = (LogRow.rows(whole.entries), whole.covered)
        for index in rows.indices {
            rows[index].position = position + 1
            position = rows[index].last
        }
        self.rows = rows
    }

    /// The numbers of the rows. A list that has none gets one for its life, which counts as a row that was removed.
    var numbers: Range<Int> { start..<start + max(1, rows.count) }

    var end: LogPlace { LogPlace(life: start, position: whole.position) }
}

extension Database {
    func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        _ = try writableMark()
        var outcomes: [CommitOutcome] = []
        var placed: [PlacedList] = []
        var names: Set<ListID> = []
        var next = end
        for whole in lists {
            guard index.lives[whole.list] == nil, names.insert(whole.list).inserted else {
                outcomes.append(.moved)
                continue
            }
            let one = PlacedList(whole, start: next.log + 1)
            next.log = one.numbers.upperBound - 1
            placed.append(one)
            outcomes.append(.written(one.end))
        }
        guard !placed.isEmpty else { return outcomes }
        var headers: [(list: ListID, header: LogIndex.Header)] = []
        try piece { () throws(JournalError) in headers = try insert(placed) }
        for (list, header) in headers {
            nextSnapshot = max(nextSnapshot, header.id + 1)
            index.lives[list] = LogIndex.Life(start: header.since, covered: header.position)
            index.replaceHeader(of: list, with: header)
        }
        for one in placed {
            for (seq, row) in zip(one.numbers, one.rows) {
                index.add(row, seq: seq)
                if let record = row.ahead { ahead[record.number] = nil }
            }
        }
        try acknowledge(next)
        return outcomes
    }

    /// Inserts everything of some lists. Returns the headers of their snapshots.
    private func insert(
        _ lists: [PlacedList]
    ) throws(JournalError) -> [(list: ListID, header: LogIndex.Header)] {
        var headers: [(list: ListID, header: LogIndex.Header)] = []
        for one in lists {
            if !one.whole.chunks.isEmpty {
                headers.append((one.whole.list, try insertChunks(of: one, id: nextSnapshot + headers.count)))
            }
            for (seq, row) in zip(one.numbers, one.rows) { try statements.insert(row, seq: seq) }
        }
        if !headers.isEmpty { try setHeaders(headers) }
        let unused = lists.filter(\.rows.isEmpty).map(\.start)
        if let last = unused.last {
            try set([
                .logRemovedLast: max(numbers[.logRemovedLast] ?? 0, last),
                .logRemovedCount: (numbers[.logRemovedCount] ?? 0) + unused.count,
                .logRemovedSum: unused.reduce(numbers[.logRemovedSum] ?? 0, &+),
            ])
        }
        return headers
    }

    private func insertChunks(of one: PlacedList, id: Int) throws(JournalError) -> LogIndex.Header {
        let chunks = one.whole.chunks
        guard chunks.count <= SnapshotChunk.countMax else { throw .tooLarge("a snapshot of \(chunks.count) chunks") }
        var content = CRC32C()
        for (number, chunk) in chunks.enumerated() {
            content.add(try statements.insert(chunk: chunk, id: SnapshotChunk.id(id, number)))
        }
        return LogIndex.Header(
            id: id, since: one.start, position: one.whole.covered, chunks: chunks.count, content: Int(content.value))
    }
}
