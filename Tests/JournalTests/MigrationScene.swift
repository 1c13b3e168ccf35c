import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing
import Texts
import Threads

/// A store with lists of all kinds, as a server would have them, and the writes that came with keys.
struct MigrationScene {
    /// A write with a key, and the version in its answer.
    struct Keyed {
        let list: ListID
        let write: Write
        let version: Version
    }

    private(set) var keyed: [Keyed] = []

    static let limits: Store.Limits = {
        var limits = Store.Limits(
            itemsMax: 1_000, sectionsMax: 100, contentBytesMax: 65_536, historyVersionsMax: 4,
            historyBytesMax: 1 << 20, receiptsMax: 10_000, receiptAgeMax: 86_400)
        limits.deleted = .init(listsMax: 10_000, bytesMax: .max, ageMax: 86_400)
        return limits
    }()

    static func store(on journal: any Journal) throws -> Store {
        let tokens = Locked(0)
        return try Store(
            journal: journal, limits: limits, clock: { 1_000 },
            token: {
                tokens.withLock { count in
                    count += 1
                    return ByteText("e\(count)")
                }
            })
    }

    /// Makes lists on a journal, which is closed then.
    ///
    /// Some lists are short, and some have a stored snapshot. Some were deleted, purged or made anew. One has a record
    /// that is longer than a part.
    init(on journal: any Journal, lists count: Int) throws {
        let store = try Self.store(on: journal)
        var last: Submission?
        func settle(_ submission: Submission) throws -> WriteResult {
            last = submission
            return try submission.result.get()
        }
        for number in 0..<count {
            let id = ListID(ByteText("l\(number)"))!
            _ = try settle(store.create(id, Self.start(number)))
            if number % 11 == 10 {
                _ = try settle(store.delete(id, Write(.operations([])), purges: true))
                if number % 2 == 0 { continue }
                _ = try settle(store.create(id, Self.start(number + 1)))
            }
            for step in 0..<number % 9 {
                // History drops no version that is not durable, and a snapshot is of one before its oldest.
                if number < 50 { try #require(last?.isKept == true) }
                var write = Self.step(step)
                guard step == 2 else {
                    _ = try settle(store.submit(id, write))
                    continue
                }
                write.key = ReceiptKey(scope: Array("key of \(number)".utf8), request: [UInt8(number % 250)])
                let result = try settle(store.submit(id, write))
                keyed.append(Keyed(list: id, write: write, version: result.version))
            }
            if number % 7 == 6 { _ = try settle(store.delete(id, Write(.operations([])))) }
        }
        try #require(last?.isKept == true)
        try #require(store.compact().isEmpty)
        for number in 0..<250 {
            let key = KeyedRecord.Key(KeyedRecord.Kind(rawValue: 7), Array("record \(number)".utf8))
            let content = KeyedRecord.Content(used: number, value: [UInt8](repeating: 7, count: number))
            _ = try journal.keep([RecordWrite(key, .unconditional, content)])
        }
        store.stop()
    }

    private static func start(_ number: Int) -> Write {
        let items = (0...number % 5).map { NewItem(ItemID(unchecked: ByteText("i\($0)")), value: ItemChanges()) }
        var wanted = WantedSnapshot(sections: [WantedSection("s", items: items)])
        let title = number == 3 ? String(repeating: "long ", count: 120_000) : "List \(number)"
        wanted.changes.title = .set(ByteText(title))
        return Write(.operations([.applySnapshot(wanted)]))
    }

    private static func step(_ step: Int) -> Write {
        let first: ItemID = "i0"
        switch step % 3 {
        case 0: return Write(.operations([.toggleStar(first)]))
        case 1:
            let item = NewItem(ItemID(unchecked: ByteText("n\(step)")), value: ItemChanges())
            return Write(.operations([.insertItems([item], ItemAnchor(.before, first))]), label: "step")
        default: return Write(.operations([.moveItem(first, .last(.section("s")))]), isAnimated: false)
        }
    }
}

extension Submission {
    /// Whether the disk has it, once that is known.
    var isKept: Bool {
        guard let durability else { return true }
        let outcome = Locked<Bool?>(nil)
        durability.whenDone { result in
            outcome.change { outcome in
                if case .success = result { outcome = true } else { outcome = false }
            }
        }
        return outcome.wait(until: { $0 != nil }) { $0 == true }
    }
}

/// Everything that a journal has, as bytes.
struct JournalContents: Equatable {
    private(set) var lists: [WholeList] = []
    private(set) var receipts: [Receipt] = []
    private(set) var records: [KeyedRecord] = []

    /// - Parameter journal: A journal that was not opened yet. It is closed then.
    init(of journal: any Journal) throws {
        defer { journal.close() }
        try self.init(reading: journal)
    }

    /// - Parameter journal: A journal that was not opened yet. It is not closed.
    init(reading journal: any Journal) throws {
        try journal.open(receipt: { receipts.append($0) }, receiptsMax: .max, since: 0)
        for id in try journal.lists(after: nil, limit: .max) {
            var list = WholeList(id)
            _ = try journal.load(id, after: nil, snapshot: { list.add($0) }, entry: { list.add($0) })
            lists.append(list)
        }
        records = try journal.records(of: KeyedRecord.Kind(rawValue: 7), after: nil, limit: .max)
    }
}

/// Everything that clients see of the lists of a store.
struct StoreContents {
    private struct Seen: Equatable {
        let version: Version
        let image: ListImage
        /// The net changes since each kept version, the newest first.
        let changes: [ChangeSet]
    }

    private var lists: [ListID: Seen] = [:]
    private(set) var deleted: [ListID: Version] = [:]
    var count: Int { lists.count }

    /// - Parameter journal: It is closed then.
    init(of journal: any Journal) throws {
        let store = try MigrationScene.store(on: journal)
        defer { store.stop() }
        for listing in store.lists(after: nil, limit: .max) {
            let list = try #require(listing.list, "\(listing.id)")
            let (snapshot, changes) = list.enter { list in
                let snapshot = list.snapshot()
                var changes: [ChangeSet] = []
                for revision in (1...snapshot.version.revision).reversed() {
                    let version = Version(epoch: snapshot.version.epoch, revision: revision)
                    let found = list.catchup(since: version, view: .items)
                    guard case .changes(let set, _, _, _) = found.catchup else { break }
                    changes.append(set)
                }
                return (snapshot, changes)
            }
            lists[listing.id] = Seen(version: snapshot.version, image: ListImage(snapshot.state), changes: changes)
        }
        for list in store.deletedLists(after: nil, limit: .max) { deleted[list.id] = list.version }
    }

    /// The number of lists that have kept versions before their heads.
    var historyCount: Int { lists.values.count { $0.changes.count > 1 } }

    /// The lists that are not the same in another store.
    func differences(from other: StoreContents) -> [ListID] {
        let all = Set(lists.keys).union(other.lists.keys).union(deleted.keys).union(other.deleted.keys)
        return all.filter { lists[$0] != other.lists[$0] || deleted[$0] != other.deleted[$0] }
    }
}
