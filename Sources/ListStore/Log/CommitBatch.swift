internal import ListModel

/// Entries that are written together, each with its line and its completion.
struct CommitBatch: Sendable {
    /// The closure is in a struct, because an array of bare closures would wrap each of them once more.
    struct Waiting: Sendable {
        /// Nil for an entry that is written after whatever is there.
        let line: LogEnd?
        let completion: CommitQueue.Completion
    }

    private(set) var entries: [JournalEntry] = []
    private var waiting: [Waiting] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ entry: JournalEntry, _ one: Waiting) {
        entries.append(entry)
        waiting.append(one)
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Frees the bytes of long entries, whose memory is worth more than the time that it takes.
    mutating func dropLongBytes() {
        for index in entries.indices where entries[index].bytes.count > Self.shortBytes {
            entries[index].bytes = []
        }
    }

    private static let shortBytes = 1 << 16

    /// The entries as commits: those of one line are one commit. Also the line of each.
    var commits: (commits: [Commit], lines: [LogEnd?]) {
        guard entries.count > 1 else {
            let line = waiting[0].line
            return ([Commit(entries[0], line?.condition ?? .unconditional)], [line])
        }
        var (commits, lines): ([Commit], [LogEnd?]) = ([], [])
        commits.reserveCapacity(entries.count)
        lines.reserveCapacity(entries.count)
        var unconditional: [ListID: Int] = [:]
        for index in entries.indices {
            let line = waiting[index].line
            let known = if let line { line.index(in: lines) } else { unconditional[entries[index].list] }
            if let known {
                commits[known].entries.append(entries[index])
                continue
            }
            if let line { line.note(index: commits.count) } else { unconditional[entries[index].list] = commits.count }
            commits.append(Commit(entries[index], line?.condition ?? .unconditional))
            lines.append(line)
        }
        return (commits, lines)
    }

    /// The key that tells the commits of a batch apart: a list, and the end of its log.
    struct CommitKey: Hashable {
        let line: ObjectIdentifier?
        let list: ListID

        init(_ line: LogEnd?, _ list: ListID) { (self.line, self.list) = (line.map(ObjectIdentifier.init), list) }
    }

    func tell(_ outcome: Result<Void, JournalError>) {
        for one in waiting { one.completion(outcome) }
        showLines()
    }

    /// Notes that readers see what the lists have committed.
    private func showLines() {
        for one in waiting { one.line?.show() }
    }

    /// Tells the outcome of each entry: success, unless its list has an error, or its commit has moved.
    ///
    /// - Returns: The entries that are written.
    func tell(_ errors: [ListID: JournalError], moved: Set<CommitKey>) -> [JournalEntry] {
        var written: [JournalEntry] = []
        for (entry, one) in zip(entries, waiting) {
            let hasMoved = !moved.isEmpty && moved.contains(CommitKey(one.line, entry.list))
            let error = hasMoved ? .moved : errors[entry.list]
            one.completion(error.map { .failure($0) } ?? .success(()))
            if error == nil { written.append(entry) }
        }
        showLines()
        return written
    }

    /// A batch for each list. The list with the fewest bytes comes first.
    var byList: [CommitBatch] {
        var groups: [ListID: CommitBatch] = [:]
        for (entry, waiting) in zip(entries, waiting) { groups[entry.list, default: CommitBatch()].add(entry, waiting) }
        return groups.values.map { (batch: $0, bytes: $0.entries.reduce(0) { $0 + $1.bytes.count }) }
            .sorted { ($0.bytes, $0.batch.entries[0].list.rawValue) < ($1.bytes, $1.batch.entries[0].list.rawValue) }
            .map(\.batch)
    }

    mutating func takeLast() -> (JournalEntry?, Waiting?) { (entries.popLast(), waiting.popLast()) }

    /// The number of the entries of lists that are wanted.
    func count(of isWanted: (ListID) -> Bool) -> Int { entries.count { isWanted($0.list) } }

    /// The entries that are wanted by their list and its line, and the others.
    func split(_ isWanted: (ListID, LogEnd?) -> Bool) -> (of: CommitBatch, others: CommitBatch) {
        var (of, others) = (CommitBatch(), CommitBatch())
        for (entry, waiting) in zip(entries, waiting) {
            isWanted(entry.list, waiting.line) ? of.add(entry, waiting) : others.add(entry, waiting)
        }
        return (of, others)
    }
}
