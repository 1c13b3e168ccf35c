import ListDiff
import ListModel
@testable import ListStore
import TestSupport
import Testing
import Threads

/// Two stores over one journal see the same lists, and none of them loses a write.
@Suite struct FollowingTests {
    private static let list = StoreFixture.list

    private static let triesMax = 10_000

    /// The writes that one store has acknowledged, by the items that they add.
    private static func add(_ items: [String], to store: Store) async -> [String] {
        var acknowledged: [String] = []
        for item in items {
            let write = Write(
                .operations([.appendItems([NewItem(ItemID(unchecked: item), value: ItemChanges())], .section("A"))]))
            for _ in 0..<triesMax {
                let outcome = await store.submit(list, write).settled()
                // Somebody else may have been first: the write is decided again.
                if case .failure(.journal(.moved)) = outcome { continue }
                if case .success = outcome { acknowledged.append(item) }
                break
            }
        }
        return acknowledged
    }

    /// Waits until a hint has come and something is so.
    private static func eventually(_ isSo: () -> Bool) async -> Bool {
        for _ in 0..<5_000 {
            if isSo() { return true }
            try? await Task.sleep(nanoseconds: 1_000_000)
        }
        return false
    }

    private final class Observer: ListObserver {
        let count = Counter()
        func listDidChange() { _ = count.next() }
        var isWatched: Bool { true }
    }

    @Test func aHintLetsTheOtherFollow() async throws {
        let journal = MemoryJournal()
        let (one, other) = (try StoreFixture(journal: journal), try StoreFixture(journal: journal, epochs: "f"))
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        let list = try #require(try other.store.list(Self.list))
        let observer = Observer()
        _ = list.durable.observer { observer }
        #expect(await Self.add(["b", "c"], to: one.store) == ["b", "c"])
        #expect(await Self.eventually { other.text == "A:a,b,c" })
        #expect(other.head?.version == one.head?.version)
        #expect(observer.count.next() > 1)
        #expect(await Self.add(["d"], to: other.store) == ["d"])
        #expect(await Self.eventually { one.text == "A:a,b,c,d" })
        // The history is the same, too: the changes since any version.
        let first = try #require(one.head).version.epoch
        for revision in 1...4 {
            let version = Version(epoch: first, revision: revision)
            let caught = try [one, other].map { fixture in
                try fixture.store.list(Self.list)?.enter { "\($0.catchup(since: version, view: .items).catchup)" }
            }
            #expect(caught[0] == caught[1])
        }
    }

    /// A hint may come with a part of the new entries only. So the list does not count as current.
    @Test func aListThatFollowsByAHintAloneIsNotKnownToBeCurrent() async throws {
        let memory = MemoryJournal(fault: .givesNoHints)
        let journals = (0..<2).map { _ in SharedJournal(over: memory) }
        let clock = Locked(0)
        let one = try StoreFixture(journal: journals[0])
        let other = try StoreFixture(journal: journals[1], epochs: "f", milliseconds: { clock.withLock { $0 } })
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        let start = try #require(try memory.places(of: [Self.list])[0])
        #expect(await Self.add(["b", "c"], to: one.store) == ["b", "c"])
        let tail = try #require(try memory.tails(after: [ListPlace(Self.list, start)])[0])
        let line = try #require(try other.store.list(Self.list)).line
        let time = line.currentTime
        clock.withLock { $0 = 1_000 }
        var end = tail.end
        end.position = start.position + 1
        journals[1].heardTail.withLock { $0 = Tail([tail.entries[0]], end: end) }
        journals[1].tell([Self.list])
        #expect(await Self.eventually { other.text == "A:a,b" })
        #expect(line.currentTime == time)
        for finding in try other.store.findings([Self.list]) {
            #expect(!other.store.shows(finding))
            try other.store.bring(to: finding)
        }
        #expect(other.text == "A:a,b,c" && line.currentTime == 1_000)
    }

    @Test func aHintThatNamesNoListIsAboutAll() async throws {
        let journal = MemoryJournal(fault: .givesNoHints)
        let (one, other) = (try StoreFixture(journal: journal), try StoreFixture(journal: journal, epochs: "f"))
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        #expect(await Self.add(["b"], to: one.store) == ["b"])
        #expect(other.text == "A:a")
        journal.tellOfAny()
        #expect(await Self.eventually { other.text == "A:a,b" })
    }

    @Test(arguments: [MemoryJournal.Fault?.none, .givesNoHints], [2, 3])
    func noWriteIsLostAndNoneIsDoubled(fault: MemoryJournal.Fault?, count: Int) async throws {
        let journal = MemoryJournal(fault: fault)
        let fixtures = try (0..<count).map { try StoreFixture(journal: journal, epochs: "e\($0)x") }
        try await fixtures[0].createSettled("A:a")
        let acknowledged = await withTaskGroup(of: [String].self) { group in
            for (number, fixture) in fixtures.enumerated() {
                let items = (0..<60).map { "i\(number)-\($0)" }
                group.addTask { await Self.add(items, to: fixture.store) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(acknowledged.count == 60 * count)
        // A last write of each makes it follow, if it has not yet.
        for (number, fixture) in fixtures.enumerated() {
            #expect(await Self.add(["z\(number)"], to: fixture.store) != [])
        }
        for fixture in fixtures.dropLast() { try fixture.store.follow(Self.list) }
        let texts = fixtures.map(\.text)
        #expect(Set(texts).count == 1)
        let items = texts[0].dropFirst(2).split(separator: ",").map(String.init)
        #expect(items.count == Set(items).count)
        #expect(Set(items) == Set(["a"] + acknowledged + (0..<count).map { "z\($0)" }))
        // Whoever reads the journal anew finds the same.
        #expect(try StoreFixture(journal: journal).text == texts[0])
        // The items of each store keep their order.
        for number in 0..<count {
            let own = items.filter { $0.hasPrefix("i\(number)-") }
            #expect(own == (0..<60).map { "i\(number)-\($0)" })
        }
    }

    @Test func theLifeOfAListIsFollowed() async throws {
        let journal = MemoryJournal()
        var limits = StoreFixture.limits
        limits.deleted = .init(listsMax: 9, bytesMax: .max, ageMax: 1_000)
        let one = try StoreFixture(journal: journal, limits: limits)
        let other = try StoreFixture(journal: journal, epochs: "f", limits: limits)
        try await one.createSettled("A:a")
        let old = try #require(try other.store.list(Self.list))
        // It is deleted, and the other can restore it.
        _ = try await one.store.delete(Self.list, Write(.operations([]))).settled().get()
        #expect(await Self.eventually { other.text == "no list" })
        #expect(old.isReplaced)
        _ = try await other.store.restore(Self.list, nil, Write(.operations([]))).settled().get()
        #expect(other.text == "A:a")
        #expect(await Self.eventually { one.text == "A:a" })
        // It is deleted for good and made anew by the other.
        _ = try await other.store.delete(Self.list, Write(.operations([])), purges: true).settled().get()
        #expect(await Self.eventually { one.text == "no list" })
        try await other.createSettled("B:b")
        #expect(await Self.eventually { one.text == "B:b" })
        #expect(one.head?.version == other.head?.version)
    }

    @Test func twoThatMakeAListMakeOne() async throws {
        let journal = MemoryJournal(fault: .givesNoHints)
        let stores = try ["e", "f"].map { try StoreFixture(journal: journal, epochs: $0).store }
        let write = Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:a")))]))
        for round in 0..<50 {
            let id = ListID("l\(round)")!
            let kinds = await withTaskGroup(of: WriteResult.Kind?.self) { group in
                for store in stores {
                    group.addTask {
                        for _ in 0..<Self.triesMax {
                            let outcome = await store.create(id, write).settled()
                            guard case .failure(.journal(.moved)) = outcome else { return try? outcome.get().kind }
                        }
                        return nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(kinds.filter { $0 == .created }.count == 1)
            #expect(kinds.filter { $0 == .unchanged }.count == 1)
            let versions = stores.map { try? $0.list(id)?.enter { $0.snapshot().version } }
            #expect(versions[0] == versions[1])
        }
    }

    /// No answer comes from a state that others have changed, although no hint tells of it.
    @Test func neitherARefusalNorAWriteWithoutEffectIsOld() async throws {
        let journal = MemoryJournal(fault: .givesNoHints)
        let one = try StoreFixture(journal: journal)
        let other = try StoreFixture(journal: journal, epochs: "f")
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        try await one.createSettled("A:a,b")
        // It would change nothing in the state that the other knows.
        let wanted = WantedSnapshot(sections: StoreFixture.sections("A:a"))
        let put = Write(.operations([.applySnapshot(wanted)]))
        #expect(try await other.store.create(Self.list, put).settled().get().kind == .changed)
        #expect(try StoreFixture(journal: journal).text == "A:a")
        // The first one does not know the version that the precondition names.
        let version = try #require(other.head).version
        let write = Write(.operations([.setStarred(["a"], true)]), match: .versions([version]))
        #expect(try await one.store.submit(Self.list, write).settled().get().kind == .changed)
    }

    /// A list that one store cannot read is replaced through the other.
    @Test func aDamagedListIsFollowed() async throws {
        let journal = MemoryJournal()
        let (one, other) = (try StoreFixture(journal: journal), try StoreFixture(journal: journal, epochs: "f"))
        try await one.createSettled("A:a")
        one.store.stop()
        journal.reopen()
        _ = try journal.commit([
            Commit(JournalEntry(list: Self.list, kind: .append, bytes: [9, 9, 9], receipt: nil), .unconditional)
        ])
        #expect(throws: StoreError.self) { try other.store.list(Self.list) }
        let third = try StoreFixture(journal: journal, epochs: "g")
        try await third.createSettled("B:b")
        #expect(third.text == "B:b")
        #expect(await Self.eventually { other.text == "B:b" })
    }

    /// An entry of others that takes long, because it touches many rows, holds nobody up: readers see the version before.
    /// No copy is made for one that touches a few, because a copy takes longer than the entry.
    @Test(arguments: [true, false]) func readersDoNotWaitForALongEntryOfOthers(isLong: Bool) async throws {
        let journal = MemoryJournal(fault: .givesNoHints)
        var limits = StoreFixture.limits
        (limits.itemsMax, limits.historyAgeMax) = (9_000, 1_000)
        let one = try StoreFixture(journal: journal, limits: limits)
        let items = (0..<3_000).map { "i\($0)" }.joined(separator: ",")
        try await one.createSettled("A:\(items)")
        // The clock of ages is read in the middle of the work.
        let within = Locked<(@Sendable () -> Void)?>(nil)
        let other = try Store(
            journal: journal, limits: limits, clock: { 1_000 },
            uptime: {
                let body: (@Sendable () -> Void)? = within.withLock { within in
                    defer { within = nil }
                    return within
                }
                body?()
                return 0
            }, token: { "f" })
        let list = try #require(try other.list(Self.list))
        if isLong {
            let write = Write(.operation(.deleteSections([SectionID(unchecked: "A")])))
            #expect((try? await one.store.submit(Self.list, write).settled().get()) != nil)
        } else {
            #expect(await Self.add(["z"], to: one.store) == ["z"])
        }
        let seen = Locked<[Int?]>([])
        within.withLock { within in
            within = {
                // Readers read the copy, if there is one.
                let copied = list.durable.copy?.enter { $0.version.revision }
                seen.withLock { $0 = [copied, list.standing.revision] }
            }
        }
        try other.follow(Self.list)
        #expect(seen.withLock { $0 } == [isLong ? 1 : nil, 1])
        #expect(list.durable.copy == nil)
        #expect(list.read { $0.version.revision } == 2)
    }

    /// A journal that loses its connection after a commit, or before it.
    private final class LossyJournal: PartialJournal {
        let journal = MemoryJournal()
        /// The next commit is written, or not, and the writer does not hear of it.
        let loss = Locked<Bool?>(nil)

        func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
            let isWritten = loss.withLock { loss in
                defer { loss = nil }
                return loss
            }
            guard let isWritten else { return try journal.commit(commits) }
            if isWritten { _ = try journal.commit(commits) }
            throw .unknown("the connection was lost")
        }

        func load(
            _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
            entry: (JournalEntry) throws -> Void
        ) throws -> LogPlace? {
            try journal.load(list, after: place, snapshot: snapshot, entry: entry)
        }
    }

    @Test(arguments: [true, false])
    func anUnknownOutcomeIsFoundOutBeforeTheNextWrite(isWritten: Bool) async throws {
        let journal = LossyJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        journal.loss.withLock { $0 = isWritten }
        #expect(await Self.add(["b"], to: fixture.store) == [])
        #expect(fixture.store.isAcceptingWrites)
        #expect(await Self.add(["c"], to: fixture.store) == ["c"])
        #expect(fixture.text == (isWritten ? "A:a,b,c" : "A:a,c"))
        #expect(try StoreFixture(journal: journal.journal).text == fixture.text)
    }

    @Test func aJournalThatIsAwayFailsNothingForGood() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        journal.fail(with: .away("no route"))
        #expect(await Self.add(["b"], to: fixture.store) == [])
        #expect(fixture.store.isAcceptingWrites)
        journal.fail(with: nil)
        #expect(await Self.add(["c"], to: fixture.store) == ["c"])
        #expect(fixture.text == "A:a,c")
    }
}
