import ListDiff
import ListModel
@testable import ListStore
import TestSupport
import Testing
import Threads

/// Lists to which two stores write. A store that was second locks the list before it decides.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct ContentionTests {
    private static let list = StoreFixture.list
    private let memory = MemoryJournal(fault: .givesNoHints)
    private let one: StoreFixture
    private let other: StoreFixture

    init() throws {
        one = try StoreFixture(journal: memory)
        other = try StoreFixture(journal: memory, epochs: "f")
    }

    private static func add(_ item: String, _ pace: Write.Pace = .ordinary) -> Write {
        let item = NewItem(ItemID(unchecked: item), value: ItemChanges())
        var write = Write(.operations([.appendItems([item], .section("A"))]))
        write.pace = pace
        return write
    }

    /// Makes the list, and lets the second store lose it once.
    private func contend() async throws -> ListActor {
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        _ = try await one.store.submit(Self.list, Self.add("b")).settled().get()
        guard case .failure(.journal(.moved)) = await other.store.submit(Self.list, Self.add("lost")).settled() else {
            throw JournalError.closed
        }
        let list = try #require(try other.store.list(Self.list))
        #expect(list.isContended)
        return list
    }

    /// A thread that has the list locked until it is told to go on.
    private final class Locker {
        private let mayGoOn = Locked(false)
        private let thread: Thread

        init(_ journal: MemoryJournal, _ list: ListID) throws {
            let isLocked = Locked(false)
            thread = try Thread { [mayGoOn] in
                let wanted = WantedLocks([list], waitsForFirst: false, secondsMax: 60)
                _ = try? journal.commit(locking: wanted) { _ in
                    isLocked.change { $0 = true }
                    mayGoOn.wait(until: { $0 }) { _ in }
                    return []
                }
            }
            isLocked.wait(until: { $0 }) { _ in }
        }

        func end() {
            mayGoOn.change { $0 = true }
            thread.join()
        }
    }

    // MARK: Turns

    @Test func aStoreThatWasSecondIsNotSecondAgain() async throws {
        _ = try await contend()
        for round in 0..<20 {
            _ = try await one.store.submit(Self.list, Self.add("one\(round)")).settled().get()
            _ = try await other.store.submit(Self.list, Self.add("other\(round)")).settled().get()
            // Now the first one loses, once.
            if round == 0 { _ = await one.store.submit(Self.list, Self.add("z")).settled() }
        }
        #expect(other.text.split(separator: ",").count == 42)
        #expect(try StoreFixture(journal: memory).text == other.text)
    }

    @Test func fourTimesAloneAreEnough() async throws {
        let list = try await contend()
        for round in 1...4 {
            _ = try await other.store.submit(Self.list, Self.add("x\(round)")).settled().get()
            // The first time, the list took over what was first.
            #expect(list.isContended)
        }
        _ = try await other.store.submit(Self.list, Self.add("last")).settled().get()
        while list.isContended {}
        #expect(!list.enter { $0.isBehind })
        #expect(other.text == "A:a,b,x1,x2,x3,x4,last")
    }

    /// All writes that wait for a list are decided while it is locked, and written together.
    @Test func writesThatWaitAreWrittenTogether() async throws {
        _ = try await contend()
        let locker = try Locker(memory, Self.list)
        let submissions = Locked<[Submission]>([])
        for number in 0..<16 {
            other.store.whenLocked(Self.list, until: .now + .seconds(100)) { [store = other.store] result in
                guard case .success(let decision) = result else { return }
                let submission = store.submit(Self.list, Self.add("x\(number)", .long))
                submissions.change { $0.append(submission) }
                decision.end()
            }
        }
        locker.end()
        for submission in submissions.wait(until: { $0.count == 16 }, then: { $0 }) {
            _ = try await submission.settled().get()
        }
        #expect(other.text == "A:a,b," + (0..<16).map { "x\($0)" }.joined(separator: ","))
    }

    @Test(arguments: [Write.Pace.brief, .long])
    func aWriteThatMustNotWaitIsToldSo(pace: Write.Pace) async throws {
        let list = try await contend()
        let head = list.enter { $0.version }
        var write = Self.add("x", pace)
        write.waitsElsewhere = true
        let submission = other.store.submit(Self.list, write)
        #expect(submission.isContended && submission.durability == nil)
        #expect(list.enter { $0.version } == head)
        #expect(other.store.create(Self.list, write, mustNotExist: true).isContended)
        #expect(other.store.delete(Self.list, Write(.operations([]))).isSuccess)
    }

    // MARK: Others

    @Test func otherListsDoNotWaitForALock() async throws {
        _ = try await contend()
        let locker = try Locker(memory, Self.list)
        let (store, isDone) = (other.store, Locked(false))
        let waiting = try Thread {
            // A write that has waited for five seconds is refused.
            var submission = store.submit(Self.list, Self.add("x"))
            while submission.durability == nil { submission = store.submit(Self.list, Self.add("x")) }
            submission.durability?.whenDone { _ in isDone.change { $0 = true } }
        }
        let write = Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:a")))]))
        for name in ["b", "c"] { _ = try await store.create(ListID(name)!, write).settled().get() }
        #expect(!isDone.withLock { $0 })
        locker.end()
        waiting.join()
        isDone.wait(until: { $0 }) { _ in }
        #expect(other.text == "A:a,b,x")
    }

    /// One thread follows the hints of all lists.
    @Test func hintsDoNotWaitForALock() async throws {
        _ = try await contend()
        let locker = try Locker(memory, Self.list)
        let isDecided = Locked(false)
        other.store.whenLocked(Self.list, until: .now + .seconds(100)) { _ in isDecided.change { $0 = true } }
        while !other.store.loading.withLock({ $0.contains(Self.list) }) {}
        other.store.noteOthers(wroteTo: [Self.list])
        #expect(other.text == "A:a" && !isDecided.withLock { $0 })
        locker.end()
        isDecided.wait(until: { $0 }) { _ in }
    }

    private final class Watcher: ListObserver {
        let isThere = Locked(false)
        func listDidChange() {}
        var isWatched: Bool { isThere.withLock { $0 } }
    }

    /// A contended list follows when it is locked. Until then only those who wait for its changes need them.
    @Test func aHintOfAContendedListIsForThoseWhoWatchIt() async throws {
        try await one.createSettled("A:a")
        #expect(other.text == "A:a")
        #expect(other.store.listsToFollow(hint: [Self.list]) == [Self.list])
        _ = try await one.store.submit(Self.list, Self.add("b")).settled().get()
        _ = await other.store.submit(Self.list, Self.add("lost")).settled()
        let list = try #require(try other.store.list(Self.list))
        #expect(list.isContended && other.store.listsToFollow(hint: [Self.list]) == [])
        // A hint about all lists comes once a second, and leaves none out.
        #expect(other.store.listsToFollow(hint: []) == [Self.list])
        let watcher = Watcher()
        _ = list.durable.observer { watcher }
        #expect(other.store.listsToFollow(hint: [Self.list]) == [])
        watcher.isThere.change { $0 = true }
        #expect(other.store.listsToFollow(hint: [Self.list]) == [Self.list])
    }

    @Test func aWriteWhoseTimeIsOverIsRefused() async throws {
        _ = try await contend()
        let locker = try Locker(memory, Self.list)
        let error = Locked<JournalError?>(nil)
        for seconds in [0, 1] {
            other.store.whenLocked(Self.list, until: .now + .seconds(seconds)) { result in
                guard case .failure(let found) = result else { return }
                error.change { $0 = found }
            }
            #expect(error.wait(until: { $0 != nil }, then: { $0 }) == .moved)
            error.withLock { $0 = nil }
        }
        locker.end()
        _ = try await other.store.submit(Self.list, Self.add("x")).settled().get()
        #expect(other.text == "A:a,b,x")
    }

    /// A write that is decided too late is decided again, and its list keeps the lock of the others no longer.
    @Test func nobodyWaitsForeverForADecision() async throws {
        _ = try await contend()
        let kept = Locked<Decision?>(nil)
        other.store.whenLocked(Self.list, until: .now + .seconds(100)) { result in
            kept.change { $0 = try? result.get() }
        }
        let decision = kept.wait(until: { $0 != nil }, then: { $0 })
        _ = try await other.store.submit(Self.list, Self.add("x")).settled().get()
        decision?.end()
        #expect(other.text == "A:a,b,x")
    }

    @Test func aStoreThatStopsRefusesWhatWaits() async throws {
        _ = try await contend()
        let locker = try Locker(memory, Self.list)
        let error = Locked<JournalError?>(nil)
        other.store.whenLocked(Self.list, until: .now + .seconds(100)) { result in
            guard case .failure(let found) = result else { return }
            error.change { $0 = found }
        }
        let stopping = try Thread { [store = other.store] in store.stop() }
        #expect(error.wait(until: { $0 != nil }, then: { $0 }) == .closed)
        locker.end()
        stopping.join()
    }

    // MARK: Lives

    /// The list ends, or another one is made in its place, before it is locked.
    @Test(arguments: [true, false]) func aListThatOthersEndIsLockedNoMore(isMadeAnew: Bool) async throws {
        _ = try await contend()
        let locker = try Locker(memory, Self.list)
        let (store, outcome) = (other.store, Locked<Submission?>(nil))
        let waiting = try Thread {
            let submission = store.submit(Self.list, Self.add("x"))
            outcome.withLock { $0 = submission }
        }
        locker.end()
        _ = await one.store.delete(Self.list, Write(.operations([]))).settled()
        if isMadeAnew { try? await one.createSettled("A:new") }
        waiting.join()
        // It was first, or it was written to the new list, or there was none.
        let found = await outcome.withLock { $0 }?.settled()
        switch found {
        case .success, .failure(.noSuchList), .failure(.journal(.moved)): break
        default: Issue.record("\(String(describing: found))")
        }
        try store.follow(Self.list)
        #expect(try StoreFixture(journal: memory).text == other.text)
    }

    @Test func aContendedListCanEnd() async throws {
        _ = try await contend()
        let submission = other.store.delete(Self.list, Write(.operations([])))
        _ = try await submission.settled().get()
        #expect(other.text == "no list")
        try await other.createSettled("B:b")
        #expect(try StoreFixture(journal: memory).text == "B:b")
    }
}
