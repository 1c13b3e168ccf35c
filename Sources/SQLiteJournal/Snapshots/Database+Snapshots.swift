internal import ListModel
internal import ListStore

// Writes snapshots, and removes what they make superfluous. Both are done in pieces, between commits.

extension Database {
    /// A snapshot of which not all chunks are written yet.
    struct Unfinished {
        let id: Int
        /// The number that its parts share.
        let number: Int
        /// The row that began the life of the list.
        let start: Int
        var count = 0
        var content = CRC32C()
    }

    /// The most rows and chunks that one piece removes.
    private static let rowsOfPiece = 512
    private static let chunksOfPiece = 8
    /// Rows that snapshots stand for are removed once they are one in so many of all rows.
    private static let coveredShare = 3

    func write(_ part: SnapshotPart) throws(JournalError) {
        _ = try writableMark()
        guard let life = index.lives[part.list], part.life ?? life.start == life.start, part.position > life.covered,
            // The entry that says that a list is deleted stays in the log for as long as the list is deleted.
            part.position <= life.position - (life.retired == nil ? 0 : 1)
        else { return forget(part.list) }
        if part.first == 0 {
            forget(part.list)
            unfinished[part.list] = Unfinished(id: nextSnapshot, number: part.number, start: life.start)
            nextSnapshot += 1
        }
        guard var snapshot = unfinished[part.list], snapshot.start == life.start,
            snapshot.number == part.number, snapshot.count == part.first,
            snapshot.count + part.chunks.count <= SnapshotChunk.countMax
        else { return forget(part.list) }
        unfinished[part.list]?.count += part.chunks.count
        do {
            let header = try insert(part, &snapshot)
            unfinished[part.list] = snapshot
            guard let header else { return }
            unfinished[part.list] = nil
            index.replaceHeader(of: part.list, with: header)
        } catch {
            forget(part.list)
            throw error
        }
    }

    /// Gives up a snapshot that will not be finished, and allows its chunks to be removed.
    private func forget(_ list: ListID) {
        guard let snapshot = unfinished.removeValue(forKey: list) else { return }
        index.removeChunks(of: snapshot.id, count: snapshot.count)
    }

    /// Writes a part. Returns the header if it was the last part.
    private func insert(_ part: SnapshotPart, _ snapshot: inout Unfinished) throws(JournalError) -> LogIndex.Header? {
        var header: LogIndex.Header?
        try piece { () throws(JournalError) in
            for chunk in part.chunks {
                let checksum = try statements.insert(chunk: chunk, id: SnapshotChunk.id(snapshot.id, snapshot.count))
                snapshot.content.add(checksum)
                snapshot.count += 1
            }
            guard part.isLast else { return }
            let whole = LogIndex.Header(
                id: snapshot.id, since: snapshot.start, position: part.position, chunks: snapshot.count,
                content: Int(snapshot.content.value))
            try setHeaders([(part.list, whole)])
            header = whole
        }
        return header
    }

    /// Replaces the headers of lists on the disk.
    func setHeaders(_ headers: [(list: ListID, header: LogIndex.Header)]) throws(JournalError) {
        var count = numbers[.snapshotCount] ?? 0
        var sum = numbers[.snapshotSum] ?? 0
        for (list, header) in headers {
            if let old = index.headers[list] {
                try statements.deleteHeader.run([.integer(old.id)])
                count -= 1
                sum &-= old.id
            }
            try statements.insert(header, list: list)
            count += 1
            sum &+= header.id
        }
        try set([.snapshotCount: count, .snapshotSum: sum])
    }

    // MARK: Removing

    func removeSome(all: Bool) throws(JournalError) -> Bool {
        _ = try writableMark()
        if try closeLives() { return false }
        if all || index.coveredCount >= rowCount / Self.coveredShare { index.sweep() }
        if try removeRows() { return false }
        if try removeChunks() { return false }
        return try !removeEmptyHeaders()
    }

    /// Writes headers that say which lives are over, so that their rows may be removed in any order.
    private func closeLives() throws(JournalError) -> Bool {
        // Two lives may have one end: one ended with a row, and the next row begins another list anew.
        let ended = index.ended.prefix(Self.rowsOfPiece).sorted {
            ($0.value.end, $0.key.rawValue) < ($1.value.end, $1.key.rawValue)
        }
        guard !ended.isEmpty else { return false }
        var headers: [(list: ListID, header: LogIndex.Header)] = []
        for (list, life) in ended {
            headers.append(
                (list, LogIndex.Header(id: nextSnapshot, since: life.end, position: 0, chunks: 0, content: 0)))
            nextSnapshot += 1
        }
        try piece { () throws(JournalError) in try setHeaders(headers) }
        for (list, header) in headers { index.replaceHeader(of: list, with: header) }
        return true
    }

    /// The number of rows of the log.
    var rowCount: Int { end.log - (numbers[.logRemovedCount] ?? 0) }

    private func removeRows() throws(JournalError) -> Bool {
        let rows = index.removableRows.suffix(Self.rowsOfPiece)
        guard !rows.isEmpty else { return false }
        try piece { () throws(JournalError) in
            try removeRuns(rows)
            try set([
                .logRemovedLast: max(numbers[.logRemovedLast] ?? 0, rows.max() ?? 0),
                .logRemovedCount: (numbers[.logRemovedCount] ?? 0) + rows.count,
                .logRemovedSum: rows.reduce(numbers[.logRemovedSum] ?? 0, &+),
            ])
        }
        index.removableRows.removeLast(rows.count)
        return true
    }

    /// Removes rows. Rows with consecutive numbers are removed by one statement.
    private func removeRuns(_ rows: ArraySlice<Int>) throws(JournalError) {
        let rows = rows.sorted()
        var first = 0
        for index in rows.indices where index + 1 == rows.count || rows[index + 1] != rows[index] + 1 {
            try statements.deleteRows.run([.integer(rows[first]), .integer(rows[index])])
            first = index + 1
        }
    }

    private func removeChunks() throws(JournalError) -> Bool {
        guard let range = index.removableChunks.popLast() else { return false }
        // The number of an unneeded chunk may be as great as a number can be, so this avoids an overflow.
        let isLast = range.upperBound - range.lowerBound < Self.chunksOfPiece
        let last = isLast ? range.upperBound : range.lowerBound + Self.chunksOfPiece - 1
        do {
            try piece { () throws(JournalError) in
                try statements.deleteChunks.run([.integer(range.lowerBound), .integer(last)])
            }
        } catch {
            index.removableChunks.append(range)
            throw error
        }
        if last < range.upperBound { index.removableChunks.append(last + 1...range.upperBound) }
        return true
    }

    /// Removes headers that only marked lives as over, once the rows of those are gone.
    private func removeEmptyHeaders() throws(JournalError) -> Bool {
        let empty = index.headers.filter { $0.value.chunks == 0 }.prefix(Self.rowsOfPiece)
            .sorted { $0.value.id < $1.value.id }
        guard !empty.isEmpty else { return false }
        try piece { () throws(JournalError) in
            for (_, header) in empty { try statements.deleteHeader.run([.integer(header.id)]) }
            try set([
                .snapshotCount: (numbers[.snapshotCount] ?? 0) - empty.count,
                .snapshotSum: empty.reduce(numbers[.snapshotSum] ?? 0) { $0 &- $1.value.id },
            ])
        }
        for (list, _) in empty { index.headers.remove(list) }
        return true
    }

    // MARK: Pieces

    /// Runs `body` as one transaction. If that fails, `numbers` is as it was before.
    func piece(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        let old = numbers
        do {
            try poisoningUnlessHarmless { () throws(JournalError) in
                try checkpointIfDue()
                try transaction(body)
            }
        } catch {
            numbers = old
            throw error
        }
    }

    func set(_ new: [Schema.Name: Int]) throws(JournalError) {
        for (name, value) in new.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try Schema.set(name, value, in: connection)
            numbers[name] = value
        }
    }
}
