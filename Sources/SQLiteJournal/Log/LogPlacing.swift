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
    /// The ends that the index does not have yet.
    private var ends: [ListID: End] = [:]
    private(set) var rows: [LogRow] = []
    private(set) var outcomes: [CommitOutcome] = []
    private var unorderedReceipts: [Receipt] = []
    /// The records that were written ahead for entries that the log does not have yet.
    private var ahead: [Int: AheadRecord]

    /// - Parameters:
    ///   - firstRow: The number that the next row of the log gets.
    ///   - isLone: Whether there is only one commit.
    ///   - ahead: The records that were written ahead and have no entries yet, by their numbers.
    init(firstRow: Int, isLone: Bool, ahead: [Int: AheadRecord]) {
        (self.firstRow, self.isLone, self.ahead) = (firstRow, isLone, ahead)
    }

    var isEmpty: Bool { rows.isEmpty && unorderedReceipts.isEmpty }

    /// The receipts, oldest first. They come in the order of their lists, which is another one if a second begins
    /// meanwhile.
    var receipts: [Receipt] {
        let all = unorderedReceipts
        guard !zip(all, all.dropFirst()).allSatisfy({ $0.time <= $1.time }) else { return all }
        return all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// - Parameter index: The index of the log, which is the same for all commits.
    mutating func add(_ commit: Commit, _ index: borrowing LogIndex) {
        var end = (isLone ? nil : ends[commit.list]) ?? index.lives[commit.list].map(End.init) ?? End()
        guard isMet(commit.condition, at: end), takeRecords(of: commit) else {
            end.hasMoved = true
            ends[commit.list] = end
            return outcomes.append(.moved)
        }
        let first = rows.count
        rows += LogRow.rows(commit.entries)
        for index in first..<rows.count { place(index, &end) }
        if !isLone { ends[commit.list] = end }
        outcomes.append(.written(end.place))
        for case let receipt? in commit.entries.lazy.map(\.receipt) { unorderedReceipts.append(receipt) }
    }

    /// Takes what was written ahead for a commit. Returns false if some of it is not there.
    private mutating func takeRecords(of commit: Commit) -> Bool {
        for entry in commit.entries where entry.isAhead {
            guard let record = AheadRecord(name: entry.bytes), ahead[record.number] == record else { return false }
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
