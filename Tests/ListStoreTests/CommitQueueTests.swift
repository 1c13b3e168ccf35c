import Glibc
import ListModel
@testable import ListStore
import Threads
import TestSupport
import Testing

/// A journal whose appends wait at a gate and fail as planned.
private final class GatedJournal: PartialJournal {
    struct State: Sendable {
        var batches: [[JournalEntry]] = []
        var failures: [JournalError?] = []
        var begun = 0
        var tickets = 0
        var isOpen: Bool
        /// The greatest length of an entry. A longer one gets the error `tooMuch`.
        var bytesMax = Int.max
        var tooMuch = JournalError.full
        /// The number of calls of `trimReceipts`.
        var trims = 0
    }
    let state: Locked<State>

    /// - Parameter failures: The outcomes of the first appends, in order; nil is a success. Later appends succeed.
    init(isOpen: Bool, failures: [JournalError?] = []) {
        state = Locked(State(failures: failures, isOpen: isOpen))
    }

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        let batch = commits.flatMap(\.entries)
        state.change { $0.begun += 1 }
        let failure = state.wait(until: { $0.isOpen || $0.tickets > 0 }) { state in
            state.tickets -= 1
            let isTooMuch = batch.contains { $0.bytes.count > state.bytesMax }
            let failure = isTooMuch ? state.tooMuch : state.failures.isEmpty ? nil : state.failures.removeFirst()
            if failure == nil { state.batches.append(batch) }
            return failure
        }
        if let failure { throw failure }
        return commits.map { _ in .written(nil) }
    }

    /// Blocks until the queue's thread has come to the gate `count` times.
    func waitUntilBegun(_ count: Int) { state.wait(until: { $0.begun >= count }) { _ in } }
    func letOnePass() { state.change { $0.tickets += 1 } }
    func open() { state.change { $0.isOpen = true } }
    var written: [String] { state.withLock { $0.batches.flatMap { $0.map(\.text) } } }
    var batchSizes: [Int] { state.withLock { $0.batches.map(\.count) } }

    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        state.withLock { $0.trims += 1 }
        return true
    }
}

extension JournalEntry {
    fileprivate init(_ text: String, of list: String = "a") {
        self.init(list: ListID(list)!, kind: .append, bytes: Array(text.utf8), receipt: nil)
    }
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The outcomes that the completions got, in order.
private final class Log: Sendable {
    let lines = Locked<[String]>([])
    func completion(_ text: String) -> CommitQueue.Completion {
        { result in
            switch result {
            case .success: self.lines.change { $0.append(text) }
            case .failure(let error): self.lines.change { $0.append("\(text) \(error)") }
            }
        }
    }
    var all: [String] { lines.withLock { $0 } }
    func wait(for count: Int) -> [String] { lines.wait(until: { $0.count >= count }) { $0 } }
}

@Suite struct CommitQueueTests {
    @Test func whatArrivesDuringABatchIsTheNextBatch() throws {
        let journal = GatedJournal(isOpen: false)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.enqueue(JournalEntry("0"), completion: log.completion("0"))
        journal.waitUntilBegun(1)
        for index in 1...9 { queue.enqueue(JournalEntry("\(index)"), completion: log.completion("\(index)")) }
        #expect(log.all == [])
        journal.open()
        queue.stop()
        #expect(journal.batchSizes == [1, 9])
        #expect(journal.written == (0...9).map(String.init))
        #expect(log.all == (0...9).map(String.init))
    }

    @Test func whatIsGatheredIsOneBatch() throws {
        let journal = GatedJournal(isOpen: true)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        for round in 0..<50 {
            queue.gather {
                for index in 0..<9 {
                    queue.enqueue(JournalEntry("\(round) \(index)"), completion: log.completion("\(round) \(index)"))
                }
            }
            _ = log.wait(for: 9 * (round + 1))
        }
        queue.gather {}
        queue.enqueue(JournalEntry("alone"), completion: log.completion("alone"))
        #expect(log.wait(for: 451).last == "alone")
        queue.stop()
        #expect(journal.batchSizes == Array(repeating: 9, count: 50) + [1])
    }

    /// A gathering is written when one loop ends its turn. It does not wait for a long turn of another loop.
    @Test func theEndOfAnyGatheringIsEnough() throws {
        let journal = GatedJournal(isOpen: true)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.gather {
            queue.enqueue(JournalEntry("a"), completion: log.completion("a"))
            queue.gather { queue.enqueue(JournalEntry("b"), completion: log.completion("b")) }
            #expect(log.wait(for: 2) == ["a", "b"])
        }
        queue.stop()
        #expect(journal.batchSizes == [2])
    }

    /// Each thread sees its entries in order, and each entry is completed once. Threads share batches.
    @Test func manyThreadsShareBatches() throws {
        let journal = GatedJournal(isOpen: false)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        let arrived = Locked(0)
        let threads = 16
        let each = 50
        let running = try (0..<threads).map { thread in
            try Thread {
                for index in 0..<each {
                    queue.enqueue(JournalEntry("\(thread) \(index)"), completion: log.completion("\(thread) \(index)"))
                }
                arrived.change { $0 += 1 }
            }
        }
        arrived.wait(until: { $0 == threads }) { _ in }
        journal.open()
        queue.stop()
        for thread in running { thread.join() }
        let done = log.all
        #expect(done == journal.written)
        #expect(done.count == threads * each)
        for thread in 0..<threads {
            #expect(done.filter { $0.hasPrefix("\(thread) ") } == (0..<each).map { "\(thread) \($0)" })
        }
        // All entries were enqueued while the gate held the first batch.
        #expect(journal.batchSizes.count <= 2)
    }

    @Test func aFullDiskFailsTheBatchAndWhatWaitsBehindIt() throws {
        let journal = GatedJournal(isOpen: false, failures: [nil, .full])
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.enqueue(JournalEntry("a"), completion: log.completion("a"))
        journal.waitUntilBegun(1)
        queue.enqueue(JournalEntry("b"), completion: log.completion("b"))
        journal.letOnePass()
        journal.waitUntilBegun(2)
        queue.enqueue(JournalEntry("c"), completion: log.completion("c"))
        queue.enqueue(JournalEntry("d"), completion: log.completion("d"))
        journal.open()
        #expect(log.wait(for: 4) == ["a", "b full", "c full", "d full"])
        #expect(!queue.isPoisoned)
        // An entry fails too if it comes before the last completion has returned. So the test tries until one succeeds.
        var tries = 0
        repeat {
            tries += 1
            queue.enqueue(JournalEntry("e"), completion: log.completion("e"))
        } while log.wait(for: 4 + tries).last == "e full" && tries < 10_000
        queue.stop()
        #expect(journal.written == ["a", "e"])
        #expect(log.all.last == "e")
    }

    /// An entry that is too large fails with later entries of its list, which build on it. Entries of other lists
    /// succeed.
    @Test(arguments: [JournalError.full, .tooLarge("row")])
    func oneBadEntryFailsAlone(error: JournalError) throws {
        let journal = GatedJournal(isOpen: false)
        journal.state.change { ($0.bytesMax, $0.tooMuch) = (5, error) }
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.enqueue(JournalEntry("first"), completion: log.completion("first"))
        journal.waitUntilBegun(1)
        for (text, list) in [("b1", "b"), ("a1", "a"), ("too much", "a"), ("c1", "c"), ("b2", "b"), ("a2", "a")] {
            queue.enqueue(JournalEntry(text, of: list)) { result in
                log.completion(text)(result)
                guard text == "too much" else { return }
                // These entries come before the lists have been told of the failure.
                for next in ["a", "b"] {
                    queue.enqueue(JournalEntry("late", of: next), completion: log.completion("late \(next)"))
                }
            }
        }
        journal.open()
        let lines = log.wait(for: 9)
        #expect(
            lines == [
                "first", "b1", "a1 \(error)", "too much \(error)", "c1", "b2", "a2 \(error)", "late a \(error)",
                "late b",
            ])
        #expect(journal.written.sorted() == ["b1", "b2", "c1", "first", "late"])
        #expect(journal.written.filter { $0.hasPrefix("b") } == ["b1", "b2"])
        queue.enqueue(JournalEntry("a3"), completion: log.completion("a3"))
        #expect(log.wait(for: 10).last == "a3")
        #expect(!queue.isPoisoned)
        queue.stop()
    }

    /// Receipts that are on the disk are counted, also if the lists of a batch are written one by one because the entry
    /// of one list is too long. The receipts of that list are not on the disk, so they are not counted.
    @Test(arguments: [JournalError.full, .tooLarge("row")], [true, false])
    func receiptsCountHoweverTheyAreWritten(error: JournalError, areWritten: Bool) throws {
        let journal = GatedJournal(isOpen: true)
        journal.state.change { ($0.bytesMax, $0.tooMuch) = (5, error) }
        let limits = Store.Limits(
            itemsMax: 9, sectionsMax: 9, contentBytesMax: 9, historyVersionsMax: 9, historyBytesMax: 9, receiptsMax: 9,
            receiptAgeMax: 9)
        let receipts = Receipts(countMax: 9, ageMax: 9, bytesMax: 1 << 20, of: .unbounded)
        let kept = try #require(KeptReceipts(limits, receipts, clock: AgeClock(showing: 0, uptime: { 0 })))
        let queue = try CommitQueue(journal: journal, receipts: kept, isStepped: true)
        let outcomes = Locked<[Bool]>([])
        for number in 0..<10 * kept.slack {
            let receipt = Receipt(key: [1], time: 0, bytes: [2])
            var entry = JournalEntry(areWritten ? "" : "too much", of: areWritten ? "b" : "c")
            entry.receipt = receipt
            queue.enqueue(entry) { outcome in outcomes.change { $0.append((try? outcome.get()) != nil) } }
            guard number % 64 == 63 else { continue }
            queue.enqueue(JournalEntry("too much")) { _ in }
            queue.step()
        }
        #expect(outcomes.withLock { $0 } == Array(repeating: areWritten, count: 10 * kept.slack))
        // Receipts are trimmed each time that `slack` new ones have been counted.
        #expect(journal.state.withLock { $0.trims } == (areWritten ? 10 : 0))
        queue.stop()
    }

    /// An error of other work after which the journal takes no further writes ends the commits too, and the other way
    /// round. A full disk does not.
    @Test func anErrorOfOneThreadEndsTheWritesOfAll() throws {
        let journal = GatedJournal(isOpen: true)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        func write(_ error: JournalError?) -> JournalError? {
            do throws(JournalError) {
                try queue.journal.write { _ throws(JournalError) in if let error { throw error } }
                return nil
            } catch { return error }
        }
        #expect(write(.full) == .full && write(nil) == nil)
        queue.enqueue(JournalEntry("a"), completion: log.completion("a"))
        #expect(log.wait(for: 1) == ["a"] && !queue.isPoisoned)
        #expect(write(.io("x")) == .io("x") && queue.isPoisoned)
        queue.enqueue(JournalEntry("b"), completion: log.completion("b"))
        #expect(log.wait(for: 2).last == "b \(JournalError.io("x"))")
        #expect(write(nil) == .io("x") && journal.written == ["a"])
        queue.stop()
        let failing = GatedJournal(isOpen: true, failures: [.io("y")])
        let other = try CommitQueue(journal: failing)
        other.enqueue(JournalEntry("c"), completion: log.completion("c"))
        _ = log.wait(for: 3)
        #expect(other.journal.poison == .io("y"))
        other.stop()
    }

    /// If the disk is full for all lists, the entries are not tried again list by list.
    @Test func aFullDiskIsNotTriedForEachList() throws {
        let journal = GatedJournal(isOpen: false, failures: [nil, .full, .full, .full])
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.enqueue(JournalEntry("first"), completion: log.completion("first"))
        journal.waitUntilBegun(1)
        for list in ["a", "b", "c", "d"] {
            queue.enqueue(JournalEntry(list, of: list), completion: log.completion(list))
        }
        journal.open()
        #expect(log.wait(for: 5) == ["first", "a full", "b full", "c full", "d full"])
        #expect(journal.state.withLock { $0.begun } == 3)
        queue.stop()
    }

    /// The entries of one record are written together, and fail together.
    @Test func aRecordOfManyEntriesIsOneToWhoWaits() throws {
        let journal = GatedJournal(isOpen: true, failures: [nil, .full])
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        for text in ["a", "b", "c"] {
            let parts = (1...3).map { JournalEntry("\(text)\($0)", of: text) }
            queue.enqueue(
                parts[0], followedBy: Array(parts[1...]), on: nil, restingOn: nil, completion: log.completion(text))
            _ = log.wait(for: text == "a" ? 1 : text == "b" ? 2 : 3)
        }
        #expect(log.all == ["a", "b full", "c"])
        #expect(journal.written == ["a1", "a2", "a3", "c1", "c2", "c3"])
        queue.stop()
    }

    /// A list that has not been told of the failure yet builds on entries that were lost. Its next entry must fail too.
    @Test func whatIsEnqueuedWhileTheFailureIsToldFailsToo() throws {
        let journal = GatedJournal(isOpen: true, failures: [.full])
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.enqueue(JournalEntry("a")) { result in
            log.completion("a")(result)
            queue.enqueue(JournalEntry("b"), completion: log.completion("b"))
        }
        #expect(log.wait(for: 2) == ["a full", "b full"])
        queue.stop()
        #expect(journal.written == [])
    }

    @Test(arguments: [JournalError.io("write: error 5"), .corrupt("row 3")])
    func anUnknownOutcomePoisonsTheQueue(error: JournalError) throws {
        let journal = GatedJournal(isOpen: true, failures: [error])
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        let wasPoisoned = Locked(false)
        queue.enqueue(JournalEntry("a")) { result in
            wasPoisoned.change { $0 = queue.isPoisoned }
            log.completion("a")(result)
        }
        #expect(log.wait(for: 1) == ["a \(error)"])
        #expect(wasPoisoned.withLock { $0 })
        queue.enqueue(JournalEntry("b"), completion: log.completion("b"))
        #expect(log.wait(for: 2).last == "b \(error)")
        queue.stop()
        #expect(queue.isPoisoned)
        #expect(journal.state.withLock { $0.begun } == 1)
        #expect(journal.written == [])
    }

    @Test func stopWritesWhatIsPendingAndThenRefuses() throws {
        let journal = GatedJournal(isOpen: true)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        for index in 0..<100 { queue.enqueue(JournalEntry("\(index)"), completion: log.completion("\(index)")) }
        queue.stop()
        #expect(log.all == (0..<100).map(String.init))
        queue.enqueue(JournalEntry("late"), completion: log.completion("late"))
        #expect(log.all.last == "late closed")
        queue.stop()
        #expect(journal.written.count == 100)
    }

    @Test func stopFromACompletionDoesNotWaitForItself() throws {
        let journal = GatedJournal(isOpen: true)
        let log = Log()
        let queue = try CommitQueue(journal: journal)
        queue.enqueue(JournalEntry("a")) { result in
            queue.stop()
            log.completion("a")(result)
        }
        #expect(log.wait(for: 1) == ["a"])
        #expect(journal.written == ["a"])
    }
}
