import ListDiff
import ListModel
import Threads
import TestSupport
import Testing

@testable import ListStore

/// The lives of one list id. Readers see the state on the disk. A failure takes back its own effects and nothing else.
@Suite struct ListLifeTests {
    private static let id = StoreFixture.list
    private static let deletion = Write(.operations([]))
    private static let addition = Write(.operations([.appendSections([NewSection(SectionProperties(id: "C"))])]))

    private static func put(_ sections: String) -> Write {
        Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections(sections)))]))
    }

    /// The end of a list fails while the list that is to follow it is still being made.
    @Test func aListThatIsBeingMadeIsLostWithTheEndItRestsOn() async throws {
        let journal = TestJournal()
        let turn = Turn()
        let store = try Store(
            journal: journal, limits: StoreFixture.limits,
            clock: {
                turn.pass()
                return 1_000
            }, token: { turn.next("e") })
        let before = try await store.create(Self.id, Self.put("A:a")).settled().get().version
        journal.close(gate: true)
        journal.fail(with: .full)
        let end = store.delete(Self.id, Self.deletion)
        turn.close()
        let made = Locked<Submission?>(nil)
        let thread = try Thread {
            let submission = store.create(Self.id, Self.put("B:b"))
            made.change { $0 = submission }
        }
        turn.waitForArrival()
        journal.close(gate: false)
        #expect(await end.settled().isFull)
        journal.fail(with: nil)
        turn.open()
        thread.join()
        let submission = try #require(made.withLock { $0 })
        #expect(await submission.settled().isFull)
        #expect(try store.list(Self.id)?.enter { $0.version } == before)
        let after = try await store.submit(Self.id, Self.addition).settled().get().version
        #expect(after.epoch == before.epoch && after.revision == 2)
        store.stop()
        let replayed = try StoreFixture(journal: TestJournal(entries: journal.entries))
        #expect(replayed.text == "A:a C:" && replayed.head?.version == after)
        replayed.store.stop()
    }

    /// A write that comes after an end that waits for the disk, and its answer when the disk has decided.
    struct Later: Sendable, CustomTestStringConvertible {
        var name: String
        var isWritten = false
        var send: @Sendable (Store) -> Submission
        var isRight: @Sendable (Result<WriteResult, StoreError>) -> Bool
        var testDescription: String { name }
    }

    static let later = [
        Later(name: "PATCH") {
            $0.submit(id, addition)
        } isRight: {
            $0.isNoSuchList
        },
        Later(name: "a second DELETE") {
            $0.delete(id, deletion)
        } isRight: {
            $0.isNoSuchList
        },
        Later(name: "PUT", isWritten: true) {
            $0.create(id, put("B:b"))
        } isRight: {
            $0.isCreated
        },
        Later(name: "PUT with If-None-Match: *", isWritten: true) {
            $0.create(id, put("B:b"), mustNotExist: true)
        } isRight: {
            $0.isCreated
        },
        Later(name: "PUT with If-Match") {
            var write = put("B:b")
            write.match = .any
            return $0.create(id, write)
        } isRight: {
            guard case .failure(.preconditionFailed(nil, nil)) = $0 else { return false }
            return true
        },
        Later(name: "PUT as a dry run") {
            var write = put("B:b")
            write.isDryRun = true
            return $0.create(id, write)
        } isRight: {
            $0.isCreated
        },
        Later(name: "PUT that is refused") {
            $0.create(id, Write(.operations([.toggleStar("none")])))
        } isRight: {
            guard case .failure(.model) = $0 else { return false }
            return true
        },
    ]

    @Test(arguments: later, [JournalError.full, nil])
    func whatIsDecidedOnAnEndWaitsForIt(_ later: Later, failure: JournalError?) async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        let (list, before) = try (#require(try fixture.store.list(Self.id)), #require(fixture.head).version)
        list.enter { $0.publish(Self.answer, for: before) }
        journal.close(gate: true)
        journal.fail(with: failure)
        let end = fixture.store.delete(Self.id, Self.deletion)
        let submission = later.send(fixture.store)
        let isSettled = Locked(false)
        submission.durability?.whenDone { _ in isSettled.change { $0 = true } }
        #expect(submission.durability != nil && !isSettled.withLock { $0 })
        try requireReadable(fixture, list, before)
        journal.close(gate: false)
        let (ended, answer) = (await end.settled(), await submission.settled())
        guard failure == nil else {
            #expect(ended.isFull && answer.isFull)
            return try requireReadable(fixture, list, before)
        }
        #expect(ended.isDeleted && later.isRight(answer))
        #expect(list.standing.isGone && list.published == nil)
        #expect(fixture.text == (later.isWritten ? "B:b" : "no list"))
        #expect(fixture.store.lists(after: nil, limit: 9).count == (later.isWritten ? 1 : 0))
        fixture.store.stop()
    }

    /// A published answer. It must not be the list itself, because a list that holds itself is never freed.
    private static let answer = Answer()
    private final class Answer: Sendable {}

    private func requireReadable(_ fixture: StoreFixture, _ list: ListActor, _ version: Version) throws {
        #expect(try fixture.store.list(Self.id) === list && fixture.store.loaded(Self.id) === list)
        #expect(fixture.head?.version == version)
        #expect(fixture.store.lists(after: nil, limit: 9).map { $0.list?.enter { $0.version } } == [version])
        #expect(!list.standing.isGone && list.published === Self.answer && fixture.text == "A:a")
    }

    @Test func livesFollowOneAnotherWhileTheDiskIsAway() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        journal.close(gate: true)
        var waiting: [Submission] = []
        for round in 0..<5 {
            waiting.append(fixture.store.delete(Self.id, Self.deletion))
            waiting.append(fixture.store.create(Self.id, Self.put("R:\(round)")))
            #expect(fixture.text == "A:a")
        }
        journal.close(gate: false)
        for submission in waiting { _ = try await submission.settled().get() }
        #expect(fixture.text == "R:4")
        #expect(fixture.store.lists(after: nil, limit: 9).count == 1)
        fixture.store.stop()
        let replayed = try StoreFixture(journal: TestJournal(entries: journal.entries))
        #expect(replayed.text == "R:4")
        replayed.store.stop()
    }

    /// The pending writes of another list do not build on the lost ones, so they stay.
    @Test func aFailureLeavesWhatOtherListsHavePending() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        let other = try #require(ListID("other"))
        try await fixture.createSettled("A:a")
        _ = try await fixture.store.create(other, Self.put("O:o")).settled().get()
        journal.close(gate: true)
        let lost = fixture.store.submit(Self.id, Self.addition)
        journal.waitForBatch()
        let behind = fixture.store.submit(Self.id, Self.addition)
        let kept = fixture.store.submit(other, Self.addition)
        journal.failOnce(with: .full)
        journal.close(gate: false)
        #expect(await lost.settled().isFull)
        #expect(await behind.settled().isFull)
        #expect(try await kept.settled().get().version.revision == 2)
        #expect(fixture.text == "A:a")
        fixture.store.stop()
    }

    /// A search looks at no more lists than allowed, however few are wanted, and the next one passes over none.
    @Test(arguments: [1, 2, 3, 7, 50], [1, 2, 50])
    func aSearchLooksAtSoMany(looksMax: Int, limit: Int) throws {
        let store = try StoreFixture().store
        let ids = (10..<40).map { ListID("l\($0)")! }
        for id in ids { _ = try store.create(id, Write(.operations([]))).result.get() }
        let looks = Counter()
        var (found, last): ([ListID], ListID?) = ([], nil)
        var pages = 0
        repeat {
            let before = looks.next()
            let page = store.lists(after: last, limit: limit, looksMax: looksMax, bytesMax: .max, among: nil) {
                listing in
                _ = looks.next()
                return listing.id.rawValue.utf8.last == UInt8(ascii: "7")
            }
            #expect(looks.next() - before - 1 <= looksMax && page.lists.count <= limit)
            found += page.lists.map(\.id)
            pages += 1
            last = page.last
        } while last != nil
        #expect(found == [ids[7], ids[17], ids[27]])
        #expect(pages <= 3 + (30 + looksMax - 1) / looksMax)
    }
}

/// Makes one thread stand still in the middle of its work.
private final class Turn: Sendable {
    private let state = Locked((isOpen: true, arrived: 0, count: 0))

    func pass() {
        state.change { if !$0.isOpen { $0.arrived += 1 } }
        state.wait(until: { $0.isOpen }) { _ in }
    }

    func close() { state.change { $0.isOpen = false } }
    func open() { state.change { $0.isOpen = true } }
    func waitForArrival() { state.wait(until: { $0.arrived > 0 }) { _ in } }

    func next(_ name: ByteText) -> ByteText {
        state.change { state in
            state.count += 1
            return "\(name)\(state.count)"
        }
    }
}

extension Result<WriteResult, StoreError> {
    fileprivate var isFull: Bool {
        guard case .failure(.journal(.full)) = self else { return false }
        return true
    }

    fileprivate var isNoSuchList: Bool {
        guard case .failure(.noSuchList) = self else { return false }
        return true
    }

    fileprivate var isCreated: Bool { (try? get())?.kind == .created }
    fileprivate var isDeleted: Bool { (try? get())?.kind == .deleted }
}
