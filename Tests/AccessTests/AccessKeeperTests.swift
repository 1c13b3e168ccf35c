import Access
import Glibc
import Testing
import Texts
import Threads

@Suite(.timeLimit(.minutes(10))) struct AccessKeeperTests {
    /// A storage that others write to, and that can fail.
    private final class Shared: BookStore {
        let bytes = Locked<[UInt8]?>(nil)
        let fails = Locked(false)
        /// Whether it keeps a reader waiting, and how many wait.
        let isStuck = Locked(false)
        let waiting = Locked(0)
        let beforeReplace = Locked<(@Sendable () -> Void)?>(nil)

        var isShared: Bool { true }

        func read() throws(BookStoreError) -> [UInt8]? {
            waiting.change { $0 += 1 }
            isStuck.wait(until: { !$0 }) { _ in }
            waiting.change { $0 -= 1 }
            guard !fails.withLock({ $0 }) else { throw BookStoreError(cause: "away") }
            return bytes.withLock { $0 }
        }

        func replace(_ old: [UInt8]?, by new: [UInt8]) throws(BookStoreError) -> Bool {
            beforeReplace.withLock { body in
                defer { body = nil }
                return body
            }?()
            guard !fails.withLock({ $0 }) else { throw BookStoreError(cause: "away") }
            return bytes.withLock { bytes in
                guard bytes == old else { return false }
                bytes = new
                return true
            }
        }
    }

    private static func add(_ name: ByteText, to keeper: AccessKeeper, expires: Int? = nil) throws {
        try keeper.change { book throws(AccessError) in
            try book.add(AccessBookTests.token(name, "lst_\(name)", .none, expires: expires))
        }
    }

    @Test func losesNoChangeOfAnotherServer() throws {
        let store = Shared()
        let first = try AccessKeeper(store, isClosed: false, clock: { 0 }, noteChange: {})
        let second = try AccessKeeper(store, isClosed: false, clock: { 0 }, noteChange: {})
        try Self.add("a", to: first)
        store.beforeReplace.withLock { body in body = { try? Self.add("b", to: first) } }
        try Self.add("c", to: second)
        #expect(second.current.book.tokens.keys.sorted() == ["a", "b", "c"])
        try first.look()
        #expect(first.current.book == second.current.book)
    }

    @Test func goesOnWithTheKnownBookWhileTheStorageIsAway() throws {
        let store = Shared()
        let keeper = try AccessKeeper(store, isClosed: false, clock: { 0 }, noteChange: {})
        try Self.add("a", to: keeper)
        store.fails.withLock { $0 = true }
        #expect(throws: BookStoreError.self) { try keeper.look() }
        #expect(throws: BookStoreError.self) { try Self.add("b", to: keeper) }
        #expect(keeper.current.book.tokens.keys.sorted() == ["a"])
    }

    @Test func refusedChangesChangeNothing() throws {
        let changes = Locked(0)
        let store = Shared()
        let keeper = try AccessKeeper(store, isClosed: false, clock: { 0 }) { changes.withLock { $0 += 1 } }
        try Self.add("a", to: keeper)
        let bytes = store.bytes.withLock { $0 }
        #expect(throws: AccessError.nameTaken("a")) { try Self.add("a", to: keeper) }
        #expect(store.bytes.withLock { $0 } == bytes)
        #expect(changes.withLock { $0 } == 1)
    }

    @Test func hearsOfOthersAndOfEnds() throws {
        let (changes, now) = (Locked(0), Locked(10))
        let store = Shared()
        let writer = try AccessKeeper(store, isClosed: false, clock: { 10 }, noteChange: {})
        let reader = try AccessKeeper(store, isClosed: false, clock: { now.withLock { $0 } }) {
            changes.change { $0 += 1 }
        }
        try reader.start { _ in }
        try Self.add("a", to: writer, expires: 20)
        changes.wait(until: { $0 == 1 }) { _ in }
        #expect(reader.current.caller(named: "a", at: 10) != nil)
        now.withLock { $0 = 20 }
        changes.wait(until: { $0 == 2 }) { _ in }
        reader.stop()
    }

    @Test func hearsOfTheEndsThatOthersWatch() throws {
        let (changes, now) = (Locked(0), Locked(10))
        let keeper = try AccessKeeper(Shared(), isClosed: false, clock: { now.withLock { $0 } }) {
            changes.change { $0 += 1 }
        }
        for end in [20, 20, 30, 40] { keeper.watch(end: end) }
        for end in [20, 30, 50] { keeper.unwatch(end: end) }
        try keeper.start { _ in }
        now.withLock { $0 = 20 }
        changes.wait(until: { $0 == 1 }) { _ in }
        now.withLock { $0 = 30 }
        keeper.unwatch(end: 20)
        now.withLock { $0 = 40 }
        changes.wait(until: { $0 == 2 }) { _ in }
        keeper.stop()
        #expect(changes.withLock { $0 } == 2)
    }

    /// A database that does not answer keeps the thread which asks it, for as long as it likes.
    @Test func hearsOfEndsWhileTheStorageDoesNotAnswer() throws {
        let (changes, now) = (Locked(0), Locked(10))
        let store = Shared()
        let keeper = try AccessKeeper(store, isClosed: false, clock: { now.withLock { $0 } }) {
            changes.change { $0 += 1 }
        }
        try Self.add("a", to: keeper, expires: 20)
        store.isStuck.withLock { $0 = true }
        try keeper.start { _ in }
        store.waiting.wait(until: { $0 == 1 }) { _ in }
        now.withLock { $0 = 20 }
        changes.wait(until: { $0 == 2 }) { _ in }
        store.isStuck.change { $0 = false }
        keeper.stop()
    }

    @Test func aClosedServerLetsNobodyInByAnEmptyBook() throws {
        for isClosed in [false, true] {
            let keeper = try AccessKeeper(Shared(), isClosed: isClosed, clock: { 0 }, noteChange: {})
            #expect(keeper.current.withoutToken.rights(on: "a") == (isClosed ? [] : .all))
        }
    }

    @Test func complainsOnceWhileTheStorageIsAway() throws {
        let complaints = Locked(0)
        let store = Shared()
        let changes = Locked(0)
        let keeper = try AccessKeeper(store, isClosed: false, clock: { 0 }) { changes.change { $0 += 1 } }
        try keeper.start { _ in complaints.change { $0 += 1 } }
        store.fails.withLock { $0 = true }
        complaints.wait(until: { $0 == 1 }) { _ in }
        store.fails.withLock { $0 = false }
        // It has looked with success before it can complain again.
        let other = try AccessKeeper(store, isClosed: false, clock: { 0 }, noteChange: {})
        try Self.add("a", to: other)
        changes.wait(until: { $0 == 1 }) { _ in }
        store.fails.withLock { $0 = true }
        complaints.wait(until: { $0 == 2 }) { _ in }
        keeper.stop()
    }

    @Test func refusesABookThatItCannotRead() throws {
        let store = Shared()
        store.bytes.withLock { $0 = Array("{}".utf8) }
        #expect(throws: AccessError.unreadable) {
            try AccessKeeper(store, isClosed: false, clock: { 0 }, noteChange: {})
        }
    }
}
