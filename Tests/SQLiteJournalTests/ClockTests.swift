import ListDiff
import ListModel
import Threads
import Testing

@testable import ListStore
@testable import SQLiteJournal

/// The time of day may jump back and forth. Receipts and versions are kept for the right number of seconds all the
/// same.
@Suite struct ClockTests {
    private static let list = ListID("l")!
    private static let ageMax = 400
    private static let decade = 315_000_000

    /// A machine with an uptime and a wall clock that can jump.
    private final class Machine: Sendable {
        private let state = Locked((uptime: 0, ahead: 1_000))

        func pass(_ seconds: Int) { state.withLock { $0.uptime += seconds } }
        func jump(_ seconds: Int) { state.withLock { $0.ahead += seconds } }
        @Sendable func time() -> Int { state.withLock { $0.uptime + $0.ahead } }
        @Sendable func uptime() -> Int { state.withLock { $0.uptime } }
    }

    private let folder: TemporaryFolder
    private let machine = Machine()

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func store() throws -> Store {
        let limits = Store.Limits(
            itemsMax: 100, sectionsMax: 100, contentBytesMax: 1_000, historyVersionsMax: 1_000,
            historyBytesMax: 1 << 20, historyAgeMax: Self.ageMax, receiptsMax: 10_000, receiptAgeMax: Self.ageMax)
        return try Store(
            journal: SQLiteJournal(directory: folder.path), mayMissCommits: false, limits: limits, compaction: nil,
            intents: nil, isStepped: true, clock: machine.time, uptime: machine.uptime, token: { "e" })
    }

    private func write(_ numbers: ClosedRange<Int>, to store: Store) {
        _ = store.create(Self.list, Write(.operations([])))
        for number in numbers { _ = store.submit(Self.list, Self.write(number)) }
        store.step()
    }

    private static func write(_ number: Int) -> Write {
        var changes = ListChanges()
        changes.title = .set("\(number)")
        return Write(
            .operations([.updateList(changes)]), key: ReceiptKey(scope: Array("\(number)".utf8), request: [1]))
    }

    /// The writes whose receipts are still kept.
    private func kept(_ numbers: ClosedRange<Int>, _ store: Store) -> [Int] {
        numbers.filter { number in
            let key = Self.write(number).key!
            guard case .kept = store.shared.receipts.begin(key, now: store.shared.clocks.receipts.now) else {
                store.shared.receipts.abandon(key)
                return false
            }
            return true
        }
    }

    private func oldest(_ store: Store) throws -> Int {
        try #require(try store.list(Self.list)).enter { $0.history.oldest }
    }

    private func receiptsOnDisk() throws -> Int {
        let journal = try SQLiteJournal(reading: folder.path)
        defer { journal.close() }
        return journal.receiptCount
    }

    @Test func aJumpWhileTheStoreRunsMakesNothingOlder() throws {
        let store = try store()
        write(1...10, to: store)
        machine.pass(100)
        machine.jump(Self.decade)
        write(11...20, to: store)
        #expect(kept(1...20, store).count == 20)
        #expect(try oldest(store) == 1)
        machine.jump(-Self.decade)
        machine.pass(350)
        write(21...30, to: store)
        // The first ten writes are 450 seconds old, and the next ten 350.
        #expect(kept(1...30, store) == Array(11...30))
        // Revision 11 was the newest for 100 seconds, so it is kept.
        #expect(try oldest(store) == 11)
        store.stop()
    }

    /// The server was started while the clock was ahead. Its receipts and versions must expire like all others.
    @Test func aClockThatWasAheadInAnEarlierRunStopsNothing() throws {
        machine.jump(Self.decade)
        let ahead = try store()
        write(1...10, to: ahead)
        ahead.stop()

        machine.jump(-Self.decade)
        machine.pass(10)
        let back = try store()
        write(11...20, to: back)
        #expect(kept(1...20, back).count == 20)
        #expect(try oldest(back) == 1)
        machine.pass(350)
        write(21...30, to: back)
        back.stop()

        machine.pass(100)
        let later = try store()
        machine.pass(1)
        write(31...40, to: later)
        // By then the writes 21 to 30 are 300 seconds of uptime old.
        machine.pass(299)
        write(41...50, to: later)
        #expect(kept(1...50, later) == Array(21...50))
        #expect(try oldest(later) == 21)
        later.stop()
        machine.pass(1_000)
        try store().stop()
        #expect(try receiptsOnDisk() < 50)
    }

    /// Receipts as older programs wrote them, with the time of day, whatever it was.
    @Test func receiptsOfTheFutureBeforeOthersAreNoOlderThanThose() throws {
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        let times = [900, 900 + Self.decade, 900 + Self.decade, 950, 990]
        for (number, time) in times.enumerated() {
            let version = Version(epoch: "e", revision: 1)
            let answer = KeptAnswer(
                request: [1], list: Self.list, kind: .unchanged, from: version, version: version, outcomes: [],
                warnings: [])
            try journal.append([
                JournalEntry(
                    list: Self.list, kind: .receiptOnly, bytes: [],
                    receipt: Receipt(key: Array("\(number)".utf8), time: time, bytes: answer.bytes))
            ])
        }
        journal.close()
        let first = try store()
        #expect(kept(0...4, first) == [0, 1, 2, 3, 4])
        machine.pass(360)
        #expect(kept(0...4, first) == [4])
        first.stop()
        try store().stop()
        #expect(try receiptsOnDisk() == 1)
    }
}
