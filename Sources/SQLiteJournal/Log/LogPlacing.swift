internal import ListModel
internal import ListStore

/// Decides which commits are written, and gives their rows places in the log, which does not have them yet.
struct LogPlacing {
    /// The end of the log of a list, commits before included.
    private struct End {
        /// Nil if there is no such list.
        var place: LogPlace?
        var isRetired = false
        /// Whether a commit before has moved, so that all further ones have.
        var hasMoved = false

        init() {}

        init(_ life: LogIndex.Life) { (place, isRetired) = (life.end, life.retired != nil) }
    }

    private let firstRow: Int
    private let isLone: Bool
    /// The ends that the index does not have yet, of the lists that it has, by their indexes, and of other lists.
    private var ends: [Int: End] = [:]
    private var otherEnds: [ListID: End] = [:]
    private(set) var rows: [LogRow] = []
    private(set) var outcomes: [CommitOutcome] = []
    private var unorderedReceipts: [Receipt] = []
    /// The keyed records of the commits, in their order.
    private(set) var records: [RecordWrite] = []
    /// The records that were written ahead for entries that the log does not have yet.
    private var ahead: [Int: AheadRecord]

    /// - Parameters:
    ///   - firstRow: The number that the next row of the log gets.
    ///   - count: The number of commits that will come.
    ///   - ahead: The records that were written ahead and have no entries yet, by their numbers.
    init(firstRow: Int, count: Int, ahead: [Int: AheadRecord]) {
        (self.firstRow, isLone, self.ahead) = (firstRow, count == 1, ahead)
        rows.reserveCapacity(count)
        outcomes.reserveCapacity(count)
        if !isLone { ends.reserveCapacity(count) }
    }

    var isEmpty: Bool { rows.isEmpty && unorderedReceipts.isEmpty && records.isEmpty }

    /// The receipts, oldest first. They come in the order of their lists, which is another one if a second begins
    /// meanwhile.
    var receipts: [Receipt] {
        let all = unorderedReceipts
        guard !zip(all, all.dropFirst()).allSatisfy({ $0.time <= $1.time }) else { return all }
        return all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// - Parameter index: The index of the log, which is the same for all commits. It is `inout` so that it is not copied.
    mutating func add(_ commit: Commit, _ index: inout LogIndex) {
        let known = index.lives.index(of: commit.list)
        var end = end(of: commit.list, known, in: &index)
        defer { note(end, of: commit.list, known) }
        guard isMet(commit.condition, at: end), takeRecords(of: commit) else {
            end.hasMoved = true
            return outcomes.append(.moved)
        }
        let first = rows.count
        LogRow.add(commit.entries, to: &rows)
        for index in first..<rows.count { place(index, &end) }
        outcomes.append(.written(end.place))
        for index in commit.entries.indices {
            if let receipt = commit.entries[index].receipt { unorderedReceipts.append(receipt) }
            records += commit.entries[index].records
        }
    }

    private func end(of list: ListID, _ known: Int?, in index: inout LogIndex) -> End {
        guard let known else { return (isLone ? nil : otherEnds[list]) ?? End() }
        return (isLone ? nil : ends[known]) ?? End(index.lives[at: known])
    }

    private mutating func note(_ end: End, of list: ListID, _ known: Int?) {
        guard !isLone else { return }
        if let known { ends[known] = end } else { otherEnds[list] = end }
    }

    /// Takes what was written ahead for a commit. Returns false if some of it is not there.
    private mutating func takeRecords(of commit: Commit) -> Bool {
        for index in commit.entries.indices where commit.entries[index].isAhead {
            guard let record = AheadRecord(name: commit.entries[index].bytes), ahead[record.number] == record else {
                return false
            }
            ahead[record.number] = nil
        }
        return true
    }

    private func isMet(_ condition: Commit.Condition, at end: End) -> Bool {
        guard !end.hasMoved else { return false }
        return switch condition {
        case .isNew: end.place == nil || end.isRetired
        case .isAt(let place): end.place == place
        case .unconditional: true
        }
    }

    private mutating func place(_ index: Int, _ end: inout End) {
        let kind = rows[index].kind
        // A list that is damaged, or that others have ended, may get entries although it is not there.
        let life = kind == .create ? nil : end.place
        rows[index].position = (life?.position ?? 0) + 1
        end.place =
            kind == .delete ? nil : LogPlace(life: life?.life ?? firstRow + index, position: rows[index].last)
        end.isRetired = kind == .retire
    }
}
