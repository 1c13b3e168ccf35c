internal import ListModel
internal import ListStore

/// A commit as the tables take it: what is to be there before, and the rows that it makes.
struct PlannedCommit {
    /// The number of the commit in its batch.
    let index: Int
    let list: ListID
    /// The end that the log of the list must have; nil if no list may be there but a restorable one.
    let old: LogPlace?
    /// Whether a life of the list begins.
    let begins: Bool
    /// Whether the commit has more than receipts. Only then does a restorable life end by a new one.
    let changesList: Bool
    /// The stage that the list gets: 0 is open, 1 deleted and restorable, 2 ended; -1 leaves it as it is.
    let stage: Int
    /// The place after the commit. Its life is that of the row in `list`.
    let end: LogPlace
    /// Whether the log must end at `old`, also by its generation.
    let isBound: Bool
    let row: LogRow
    let receipts: [Receipt]
    /// The keyed records, one of each key.
    let records: [RecordWrite]
    /// The part of the list in the holding of its creator after the commit; nil if it has none.
    let holding: ListHolding?
    /// Whether the receipts and records take the places of others with their keys. Otherwise nothing is written if there
    /// are such receipts, or if the condition of a record does not hold.
    let replacesOthers: Bool

    /// - Parameters:
    ///   - old: The end of the log by the condition of the commit; nil if it begins a life.
    ///   - new: The beginning of the life that may begin.
    init(_ commit: Commit, _ index: Int, at old: LogPlace?, newLife new: LogPlace) {
        precondition(commit.hasFittingRecords, "A commit removes no record, and replaces none if it has a condition.")
        self.index = index
        if case .isAt = commit.condition { isBound = true } else { isBound = false }
        self.old = old
        list = commit.list
        receipts = commit.entries.compactMap(\.receipt)
        records = Self.joined(commit.entries.flatMap(\.records))
        replacesOthers = commit.condition == .unconditional
        var (stage, begins, kept): (Int, Bool, [JournalEntry]) = (-1, false, [])
        for var entry in commit.entries {
            entry.receipt = nil
            switch entry.kind {
            case .receiptOnly: continue
            case .delete: (stage, kept) = (2, [])
            case .create, .append, .retire, .revive:
                // Nobody reads the entries of a life that is over before the commit ends.
                if entry.kind == .create || stage == 2 || old == nil && !begins { (begins, kept) = (true, []) }
                stage = entry.kind == .retire ? 1 : 0
                kept.append(entry)
            }
        }
        holding = kept.last { $0.holding != nil }?.holding
        changesList = stage >= 0
        // A receipt alone, or an end alone, of a list that is not there is like a life that is over at once.
        if old == nil, !begins { (stage, begins) = (2, true) }
        (self.stage, self.begins) = (stage, begins)
        let start = begins ? new : old ?? new
        row = LogRow(kept, after: start.position, of: start.life)
        end = LogPlace(life: start.life, position: row.end, generation: start.generation, token: start.token)
    }

    /// The records of a commit, of which each rests on the one before of its key.
    private static func joined(_ writes: [RecordWrite]) -> [RecordWrite] {
        guard writes.count > 1 else { return writes }
        var joined: [RecordWrite] = []
        var places: [KeyedRecord.Key: Int] = [:]
        for write in writes {
            if let place = places[write.key] {
                joined[place].content = write.content
            } else {
                places[write.key] = joined.count
                joined.append(write)
            }
        }
        return joined
    }

    /// Whether it can be written later by a session that locks its list first.
    var canWaitForLock: Bool { isBound && !begins }

    /// The outcome if it is written in a batch with a token.
    func outcome(_ token: Int) -> CommitOutcome {
        guard stage < 2 else { return .written(nil) }
        var end = end
        if row.count > 0 { end.token = token }
        return .written(end)
    }

    /// Its row, for a hint; nil if it does not only add entries behind a known place, or is long.
    func sealedRow(_ token: Int, random: () -> UInt64) -> SealedRow? {
        guard let old, isBound, !begins, stage == 0, row.count > 0 else { return nil }
        return SealedRow(row, token: token, after: old, random: random)
    }

    /// The parameters of `Statement.appendOne`.
    func parameters(_ token: Int) -> [Parameter] {
        [
            .integer(end.life), .integer(old?.position ?? 0), .integer(isBound ? end.generation : -1),
            .integer(canWaitForLock ? old?.token ?? 0 : 0), .integer(row.count), .integer(stage),
            .integer(row.checksum), .bytes(row.bytes), .integer(token), .text(Array((holding?.creator ?? "").utf8)),
            .integer(holding?.items ?? 0), .integer(holding?.bytes ?? 0),
        ]
    }

    var byteCount: Int {
        let bytes = receipts.reduce(row.bytes.count) { $0 + $1.key.count + $1.bytes.count }
        return records.reduce(bytes) { $0 + $1.key.bytes.count + ($1.content?.value.count ?? 0) + $1.before.count }
    }
}

/// Commits that one statement writes. They are of different lists, and either all of them begin a life or none does.
struct CommitPart {
    let commits: [PlannedCommit]

    /// The generations that lists must have, or that lives get which begin; -1 for any.
    private var generations: Parameter { numbers { $0.isBound || $0.begins ? $0.end.generation : -1 } }

    /// The tokens of the last rows that lists must have; 0 for any.
    private var marks: Parameter { numbers { $0.canWaitForLock ? $0.old?.token ?? 0 : 0 } }

    private func numbers(_ value: (PlannedCommit) -> Int) -> Parameter { .integers(commits.map(value)) }

    /// The receipts, each with the number of its commit, from 1.
    private var receipts: [(number: Int, receipt: Receipt, replaces: Bool)] {
        commits.enumerated().flatMap { number, commit in
            commit.receipts.map { (number + 1, $0, commit.replacesOthers) }
        }
    }

    /// The records, each with the number of its commit, from 1.
    private var records: [(number: Int, write: RecordWrite, content: KeyedRecord.Content, replaces: Bool)] {
        commits.enumerated().flatMap { number, commit in
            commit.records.compactMap { write in
                write.content.map { (number + 1, write, $0, commit.replacesOthers) }
            }
        }
    }

    /// The statement that writes the commits whose conditions hold, and its parameters.
    ///
    /// - Parameter isLocked: Whether the transaction has locked their lists.
    func statement(_ token: Int, isLocked: Bool = false) -> Session.Call {
        let receipts = receipts
        let records = records
        if commits.count == 1, receipts.isEmpty, records.isEmpty, !commits[0].begins {
            return (.appendOne, commits[0].parameters(token))
        }
        let rows: [Parameter] = [
            numbers(\.row.count), numbers(\.stage), numbers(\.row.checksum), .byteArrays(commits.map(\.row.bytes)),
            .integer(token),
        ]
        let answers: [Parameter] = [
            .integers(receipts.map(\.number)), .integers(receipts.map { $0.replaces ? 1 : 0 }),
            .byteArrays(receipts.map(\.receipt.key)), .integers(receipts.map(\.receipt.time)),
            .integers(receipts.map { Checksum.of(receipt: $0.receipt.key, $0.receipt.time, $0.receipt.bytes) }),
            .byteArrays(receipts.map(\.receipt.bytes)),
        ]
        let holdings: [Parameter] = [
            .texts(commits.map { Array(($0.holding?.creator ?? "").utf8) }),
            numbers { $0.holding?.items ?? 0 }, numbers { $0.holding?.bytes ?? 0 },
        ]
        let last: [Parameter] =
            records.isEmpty
            ? []
            : [
                .integers(records.map(\.number)), .integers(records.map { $0.replaces ? 1 : 0 }),
                .integers(records.map { Int($0.write.key.kind.rawValue) }),
                .byteArrays(records.map(\.write.key.bytes)), .integers(records.map(\.content.used)),
                .integers(records.map { Checksum.of(record: $0.write.key, $0.content) }),
                .byteArrays(records.map(\.content.value)), .byteArrays(records.map(\.write.before)),
            ]
        guard commits[0].begins else {
            let places = [numbers(\.end.life), numbers { $0.old?.position ?? 0 }, generations, marks]
            guard !receipts.isEmpty || !records.isEmpty else {
                return (isLocked ? .appendLocked : .appendMany, places + rows + holdings)
            }
            return (records.isEmpty ? .append : .appendWithRecords, places + rows + answers + holdings + last)
        }
        let old = numbers { $0.old?.life ?? ($0.changesList ? 0 : -1) }
        let places = [names, numbers(\.end.life), old, numbers { $0.old?.position ?? 0 }, generations]
        return (records.isEmpty ? .create : .createWithRecords, places + rows + answers + holdings + last)
    }

    /// The statement that looks what has become of the commits, and its parameters.
    func settled(_ token: Int) -> (Statement, [Parameter]) {
        let compared = receipts.filter { !$0.replaces }
        let records = records.filter { !$0.replaces }
        let parameters = [
            numbers(\.end.life), numbers(\.row.first), numbers { $0.old?.life ?? 0 },
            numbers { $0.old?.position ?? 0 }, .integer(token), .integers(compared.map(\.number)),
            .byteArrays(compared.map(\.receipt.key)), names,
            numbers { $0.isBound && !$0.begins ? $0.end.generation : -1 }, marks,
            .integers(records.map(\.number)), .integers(records.map { Int($0.write.key.kind.rawValue) }),
            .byteArrays(records.map(\.write.key.bytes)), .byteArrays(records.map(\.write.before)),
            .byteArrays(records.map { commits[$0.number - 1].row.count == 0 ? $0.content.value : [] }),
        ]
        return (.settled, parameters)
    }

    /// The statement that waits until nobody writes to the lists, and its parameters.
    var quiet: (Statement, [Parameter]) {
        (.quiet, [numbers { $0.old?.life ?? 0 }, names])
    }

    private var names: Parameter { .texts(commits.map { Array($0.list.rawValue.utf8) }) }
}

extension CommitPart {
    /// The most bytes of a statement with several commits, and of one commit. A value of PostgreSQL ends at 1 GB.
    private static let bytesMax = 64 << 20
    static let commitBytesMax = 900_000_000

    /// Parts of commits of different lists, so that creations are apart and no part is too long.
    static func parts(of commits: [PlannedCommit]) -> [CommitPart] {
        let (creations, others) = (commits.filter(\.begins), commits.filter { !$0.begins })
        return [others, creations].flatMap { commits in
            var parts: [[PlannedCommit]] = []
            var (bytes, keys): (Int, Set<[UInt8]>) = (0, [])
            for commit in commits {
                // A statement writes one receipt and one record of a key.
                let isApart =
                    commit.receipts.contains { keys.contains($0.key) }
                    || commit.records.contains { keys.contains($0.key.bytes) }
                if parts.isEmpty || isApart || bytes + commit.byteCount > bytesMax {
                    parts.append([])
                    (bytes, keys) = (0, [])
                }
                parts[parts.count - 1].append(commit)
                bytes += commit.byteCount
                keys.formUnion(commit.receipts.map(\.key))
                keys.formUnion(commit.records.map(\.key.bytes))
            }
            return parts.map(CommitPart.init)
        }
    }
}

extension Commit {
    /// Whether each record has a content, and a condition if the commit has one.
    fileprivate var hasFittingRecords: Bool {
        entries.lazy.flatMap(\.records).allSatisfy { record in
            record.content != nil && (condition == .unconditional || record.condition != .unconditional)
        }
    }
}

extension RecordWrite {
    /// The value that the record must have; empty if it must not be there.
    fileprivate var before: [UInt8] {
        switch condition {
        case .isStill(let content?): content.value
        case .isStill(nil), .unconditional: []
        }
    }
}
