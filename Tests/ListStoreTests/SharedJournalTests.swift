import ListDiff
import ListModel
@testable import ListStore
import TestSupport
import Testing
import Texts
import Threads

/// A journal that several stores share. It can be away, and it can give a store hints in the middle of a commit. It gives
/// no others.
final class SharedJournal: PartialJournal {
    let journal: MemoryJournal
    /// The error of every look-up, if it is not nil.
    let failure = Locked<JournalError?>(nil)
    let givesHints = Locked(false)
    /// Called once before the deleted lists are looked for.
    let beforeRetired = Locked<(@Sendable () -> Void)?>(nil)
    private let hint = Locked<(@Sendable ([ListID]) -> Void)?>(nil)

    init(over journal: MemoryJournal) { self.journal = journal }

    var isShared: Bool { true }

    func onHint(_ hint: @escaping @Sendable ([ListID]) -> Void) {
        self.hint.withLock { $0 = hint }
        journal.onHint { _ in }
    }

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        let outcomes = try journal.commit(commits)
        if givesHints.withLock({ $0 }) { hint.withLock { $0 }?(commits.map(\.list)) }
        return outcomes
    }

    /// The entries that come with the next hint.
    let heardTail = Locked<Tail?>(nil)

    func heard(after place: ListPlace) -> Tail? { heardTail.withLock { $0.take() } }

    func tell(_ lists: [ListID]) { hint.withLock { $0 }?(lists) }

    private func look<Found>(_ body: () throws(JournalError) -> Found) throws(JournalError) -> Found {
        if let error = failure.withLock({ $0 }) { throw error }
        return try body()
    }

    func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
        try look { () throws(JournalError) in try journal.lists(after: id, limit: limit) }
    }

    func retired() throws -> [RetiredList] {
        beforeRetired.withLock { $0.take() }?()
        return try journal.retired()
    }

    func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] {
        try look { () throws(JournalError) in try journal.places(of: lists) }
    }

    func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        try journal.load(list, after: place, snapshot: snapshot, entry: entry)
    }

    func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? {
        try look { () throws(JournalError) in try journal.receipt(key) }
    }

    func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? {
        try look { () throws(JournalError) in try journal.record(key) }
    }

    func records(of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int) throws(JournalError) -> [KeyedRecord] {
        try journal.records(of: kind, after: key, limit: limit)
    }

    func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] { try journal.keep(records) }
}

/// Two stores over one journal, of which neither hears what the other writes.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct SharedJournalTests {
    private static let list = StoreFixture.list

    private let memory = MemoryJournal(fault: .givesNoHints)
    private let journals: [SharedJournal]
    private let one: StoreFixture
    private let other: StoreFixture

    init() throws {
        let memory = memory
        journals = (0..<2).map { _ in SharedJournal(over: memory) }
        var limits = StoreFixture.limits
        limits.deleted = .init(listsMax: 9, bytesMax: .max, ageMax: 1_000)
        one = try StoreFixture(journal: journals[0], limits: limits)
        other = try StoreFixture(journal: journals[1], epochs: "f", limits: limits)
    }

    private static func put(_ sections: String, key: ReceiptKey? = nil) -> Write {
        Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections(sections)))]), key: key)
    }

    private static func page(_ store: Store, after id: ListID? = nil, limit: Int = 100) -> [String] {
        try? store.checkPage(after: id, limit: limit, among: nil)
        return store.lists(after: id, limit: limit, looksMax: limit, bytesMax: .max, among: nil) { _ in true }.lists
            .map(
                \.id.rawValue.string)
    }

    // MARK: Lists

    /// A hint in the middle of a commit is about a list whose place the store does not know yet.
    @Test func aHintOnTheCommittingThreadWaitsForNothing() async throws {
        journals[0].givesHints.withLock { $0 = true }
        try await one.createSettled("A:a")
        for number in 0..<50 {
            let titles = (0..<3).map { part in
                var changes = ListChanges()
                changes.title = .set("\(number) \(part)")
                return one.store.submit(Self.list, Write(.operations([.updateList(changes)])))
            }
            for submission in titles { _ = try await submission.settled().get() }
        }
        one.store.stop()
        #expect(memory.log.count == 151)
    }

    @Test func pagesShowListsThatOthersMade() async throws {
        for name in ["b", "d", "a", "c"] {
            _ = try await one.store.create(ListID(name)!, Self.put("A:a")).settled().get()
        }
        #expect(Self.page(other.store, limit: 3) == ["a", "b", "c"])
        #expect(Self.page(other.store, after: ListID("c")) == ["d"])
        #expect(other.store.lists(after: nil, limit: 9).map(\.id.rawValue) == ["a", "b", "c", "d"])
        // One ends, and another one is made.
        _ = try await one.store.delete(ListID("b")!, Write(.operations([])), purges: true).settled().get()
        _ = try await one.store.create(ListID("bb")!, Self.put("A:a")).settled().get()
        #expect(Self.page(other.store) == ["a", "bb", "c", "d"])
        // A journal that is away is no reason to show nothing.
        journals[1].failure.withLock { $0 = .away("no route") }
        #expect(Self.page(other.store) == ["a", "bb", "c", "d"])
    }

    @Test func aListThatCannotBeLookedUpIsNotCalledMissing() async throws {
        try await one.createSettled("A:a")
        journals[1].failure.withLock { $0 = .away("no route") }
        #expect(throws: StoreError.self) { try other.store.list(Self.list) }
        journals[1].failure.withLock { $0 = nil }
        #expect(other.text == "A:a")
    }

    /// The other store knows the deleted list. It is purged, or restored, and the other one does not hear of it.
    @Test(arguments: [true, false])
    func aRestoreOfAListThatOthersPurgedOrRestoredEnds(isPurged: Bool) async throws {
        try await one.createSettled("A:a")
        _ = try await one.store.delete(Self.list, Write(.operations([]))).settled().get()
        #expect(other.text == "no list")
        #expect(other.store.isDeleted(Self.list))
        if isPurged {
            _ = try await one.store.delete(Self.list, Write(.operations([])), purges: true).settled().get()
        } else {
            _ = try await one.store.restore(Self.list, nil, Write(.operations([]))).settled().get()
        }
        let outcome = await other.store.restore(Self.list, nil, Write(.operations([]))).settled()
        switch outcome {
        case .failure(.noSuchList): #expect(isPurged)
        case .failure(.notDeleted): #expect(!isPurged)
        default: Issue.record("\(outcome)")
        }
        #expect(other.text == (isPurged ? "no list" : "A:a"))
    }

    /// The other store has read the deleted list, and looks for what is known of its deletion.
    @Test func aListThatOthersRestoreWhileItIsReadIsPresent() async throws {
        try await one.createSettled("A:a")
        _ = try await one.store.delete(Self.list, Write(.operations([]))).settled().get()
        let store = one.store
        let isRestored = Locked(false)
        journals[1].beforeRetired.withLock { hook in
            hook = {
                store.restore(Self.list, nil, Write(.operations([]))).durability?.whenDone { _ in
                    isRestored.change { $0 = true }
                }
                isRestored.wait(until: { $0 }) { _ in }
            }
        }
        #expect(other.text == "A:a")
        #expect(isRestored.withLock { $0 })
        let outcome = await other.store.restore(Self.list, nil, Write(.operations([]))).settled()
        guard case .failure(.notDeleted) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    // MARK: Receipts

    /// Both stores work on one key at the same time. Whoever comes second is decided again, and finds the first answer.
    @Test func ofTwoStoresWithOneKeyOneIsWritten() async throws {
        let key = ReceiptKey(scope: [1], request: [2])
        let (mine, others) = (ListID("mine")!, ListID("others")!)
        let first = Locked<Submission?>(nil)
        let second = Locked<Result<WriteResult, StoreError>?>(nil)
        one.store.gather {
            let submission = one.store.create(mine, Self.put("A:a", key: key))
            first.withLock { $0 = submission }
            let theirs = other.store.create(others, Self.put("B:b", key: key))
            let isSettled = Locked(false)
            theirs.durability?.whenDone { _ in isSettled.change { $0 = true } }
            isSettled.wait(until: { $0 }) { _ in }
            second.withLock { $0 = theirs.result }
        }
        let theirs = try #require(second.withLock { $0 }).get()
        let lost = await first.withLock { $0 }?.settled()
        guard case .failure(.journal(.moved)) = lost else {
            return _ = Issue.record("\(String(describing: lost))")
        }
        #expect(try one.store.list(mine) == nil)
        #expect(memory.log.map(\.list) == [others])
        // The same request again.
        let again = try await one.store.create(mine, Self.put("A:a", key: key)).settled().get()
        #expect(again.keptList == others && again.version == theirs.version)
        #expect(memory.log.count == 1 && memory.receipts.count == 1)
        // Another request with the key.
        let reused = await one.store.create(mine, Self.put("A:a", key: ReceiptKey(scope: [1], request: [3]))).settled()
        guard case .failure(.keyReused) = reused else {
            return _ = Issue.record("\(reused)")
        }
    }

    @Test func aReceiptThatCannotBeLookedUpIsNotCalledMissing() async throws {
        let key = ReceiptKey(scope: [1], request: [2])
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        let write = Write(.operations([.toggleStar("a")]), key: key)
        _ = try await one.store.submit(Self.list, write).settled().get()
        journals[1].failure.withLock { $0 = .away("no route") }
        let outcome = await other.store.submit(Self.list, write).settled()
        guard case .failure(.journal(.away)) = outcome else {
            return _ = Issue.record("\(outcome)")
        }
        #expect(memory.log.count == 2)
        journals[1].failure.withLock { $0 = nil }
        // The key is free again.
        #expect(try await other.store.submit(Self.list, write).settled().get().version.revision == 2)
        #expect(memory.log.count == 2)
    }

    /// Nobody knows whether a refusal, or a success that writes nothing, is right while the journal is away.
    @Test func anAnswerThatCannotBeComparedIsNotGiven() async throws {
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        journals[1].failure.withLock { $0 = .away("no route") }
        for write in [Self.put("A:a"), Write(.operations([.toggleStar("nobody")]))] {
            let outcome = await other.store.create(Self.list, write).settled()
            guard case .failure(.journal(.away)) = outcome else {
                return _ = Issue.record("\(outcome)")
            }
        }
    }

    // MARK: Damaged lists

    private func damage() async throws {
        try await one.createSettled("A:a")
        _ = try memory.commit([
            Commit(JournalEntry(list: Self.list, kind: .append, bytes: [9, 9, 9], receipt: nil), .unconditional)
        ])
        #expect(throws: StoreError.self) { try other.store.list(Self.list) }
    }

    /// Creates the list again and again, as a server does, until it is written.
    private func create(_ sections: String, in store: Store) async throws -> WriteResult {
        for _ in 0..<20 {
            let outcome = await store.create(Self.list, Self.put(sections)).settled()
            guard case .failure(.journal(.moved)) = outcome else { return try outcome.get() }
        }
        throw JournalError.moved
    }

    @Test func aDamagedListThatOthersReplacedIsPut() async throws {
        try await damage()
        let third = try StoreFixture(journal: SharedJournal(over: memory), epochs: "g")
        try await third.createSettled("B:b")
        let result = try await create("C:c", in: other.store)
        #expect(result.kind == .changed && other.text == "C:c")
        #expect(try StoreFixture(journal: SharedJournal(over: memory)).text == "C:c")
    }

    /// A PUT and a DELETE of a damaged list meet, with one store or two. Whatever comes of them, the next PUT is written.
    @Test(arguments: [true, false])
    func aPutAndADeleteOfADamagedListMeet(inOneStore: Bool) async throws {
        try await damage()
        for round in 0..<100 {
            let stores = [other.store, inOneStore ? other.store : one.store]
            let ends = Locked(0)
            let threads = try (0..<2).map { number in
                try Thread {
                    let submission =
                        number == 0
                        ? stores[0].create(Self.list, Self.put("B:b"))
                        : stores[1].delete(Self.list, Write(.operations([])), purges: true)
                    let isSettled = Locked(false)
                    (submission.durability ?? .done).whenDone { _ in isSettled.change { $0 = true } }
                    isSettled.wait(until: { $0 }) { _ in }
                    ends.withLock { $0 += 1 }
                }
            }
            for thread in threads { thread.join() }
            _ = try await create("C:c\(round)", in: other.store)
            #expect(other.text == "C:c\(round)")
            // The list is damaged again, and read anew.
            _ = try memory.commit([
                Commit(JournalEntry(list: Self.list, kind: .append, bytes: [9, 9, 9], receipt: nil), .unconditional)
            ])
            for store in [one.store, other.store] {
                try store.follow(Self.list)
                #expect(throws: StoreError.self) { try store.list(Self.list) }
            }
        }
    }

    // MARK: Subscriptions

    @Test func subscriptionsOfTwoStoresAreAllKept() throws {
        let journal = MemoryJournal(fault: .givesNoHints)
        let stores = try ["e", "f"].map { name in
            try StoreFixture(journal: SharedJournal(over: journal), epochs: "token-of-a-store-\(name)").store
        }
        let names = Locked<[ByteText]>([])
        for round in 0..<10 {
            for (number, store) in stores.enumerated() {
                store.subscriptions.add([UInt8(round), UInt8(number)], owner: "") { added, error in
                    if error == nil { names.change { $0.append(added.name) } }
                }
            }
        }
        let all = names.wait(until: { $0.count == 20 }) { $0 }
        let bodies = Set((0..<10).flatMap { round in [[round, 0], [round, 1]] as [[UInt8]] })
        for store in stores { #expect(try Set(all.map { try store.subscriptions.find($0) }) == bodies) }
        let third = try StoreFixture(journal: SharedJournal(over: journal)).store
        #expect(third.subscriptions.count == 20)
        #expect(try Set(all.map { try third.subscriptions.find($0) }) == bodies)
    }

    @Test func aSubscriptionThatCannotBeLookedUpIsNotCalledMissing() throws {
        let name = try added([7], to: one.store)
        journals[1].failure.withLock { $0 = .away("no route") }
        #expect(throws: JournalError.away("no route")) { try other.store.subscriptions.find(name) }
        journals[1].failure.withLock { $0 = nil }
        #expect(try other.store.subscriptions.find(name) == [7])
        #expect(try other.store.subscriptions.find("nobody") == nil)
        #expect(try other.store.subscriptions.find(ByteText(String(repeating: "x", count: 1_000))) == nil)
    }

    private func added(_ bytes: [UInt8], to store: Store) throws -> ByteText {
        let name = Locked<ByteText?>(nil)
        store.subscriptions.add(bytes, owner: "") { added, _ in name.change { $0 = added.name } }
        return try #require(name.wait(until: { $0 != nil }) { $0 })
    }

    /// A store finds a subscription too old that another store has used since. It does not remove it.
    @Test func whatAnotherStoreHasUsedIsNotRemoved() throws {
        let journal = SharedJournal(over: memory)
        let now = Locked(0)
        let limits = Subscriptions.Limits(countMax: 9, bytesMax: 1 << 20, ageMax: 10_000)
        let kept = try (0..<2).map { number in
            let queue = try CommitQueue(journal: journal)
            return try Subscriptions(
                journal, limits, queue: queue, memory: .unbounded, clock: { now.withLock { $0 } },
                token: { "a-long-token-\(number)" })
        }
        let name = kept[0].add([1], owner: "") { _, _ in }.name
        kept[0].waitUntilWritten()
        #expect(try kept[1].find(name) == [1])
        now.withLock { $0 = 9_000 }
        #expect(try kept[1].find(name) == [1])
        kept[1].waitUntilWritten()
        now.withLock { $0 = 12_000 }
        #expect(try kept[0].find(name) == [1], "too old here, and used elsewhere")
        kept[0].waitUntilWritten()
        #expect(try journal.record(KeyedRecord.Key(.subscription, Array(name.utf8)))?.used == 9_000)
        now.withLock { $0 = 40_000 }
        for one in kept { #expect(try one.find(name) == nil) }
        for one in kept { one.waitUntilWritten() }
        #expect(try journal.record(KeyedRecord.Key(.subscription, Array(name.utf8))) == nil)
    }
}

extension Durability {
    /// A commit that is durable already.
    fileprivate static var done: Durability {
        let done = Durability()
        done.settle(.success(()))
        return done
    }
}
