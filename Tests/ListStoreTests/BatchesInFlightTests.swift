import ListModel
@testable import ListStore
import TestSupport
import Testing
import Threads

/// A journal that takes two batches at a time. Each waits until it is let go.
private final class TwoAtOnce: PartialJournal {
    struct State: Sendable {
        /// The lists of the batches that wait, in the order in which they came.
        var waiting: [String] = []
        /// The outcomes of batches that may go, by their lists; nil is a success.
        var outcomes: [String: JournalError?] = [:]
        var isOpen = false
        var sizes: [Int] = []
    }
    let state = Locked(State())

    var commitsAtOnce: Int { 2 }

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        let name = commits.flatMap(\.entries).map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ")
        state.change { $0.waiting.append(name) }
        let error: JournalError? = state.wait(until: { $0.isOpen || $0.outcomes[name] != nil }) { state in
            state.waiting.removeAll { $0 == name }
            return state.outcomes[name] ?? nil
        }
        if let error { throw error }
        return commits.map { _ in .written(nil) }
    }

    /// The batches that wait, once there are so many.
    func waiting(_ count: Int) -> [String] { state.wait(until: { $0.waiting.count >= count }) { $0.waiting } }
    var waiting: [String] { state.withLock { $0.waiting } }
    func letGo(_ batch: String, _ error: JournalError? = nil) { state.change { $0.outcomes[batch] = .some(error) } }
    func open() { state.change { $0.isOpen = true } }
}

/// Two batches are in flight at a time, and have no list in common.
@Suite struct BatchesInFlightTests {
    private let journal = TwoAtOnce()
    private let queue: CommitQueue
    private let told = Locked<[String]>([])

    init() throws { queue = try CommitQueue(journal: journal) }

    /// Enqueues entries whose lists are the letters of their texts.
    private func enqueue(_ texts: String...) {
        queue.gather {
            for text in texts {
                let list = ListID("\(text.prefix(1))")!
                let entry = JournalEntry(list: list, kind: .append, bytes: Array(text.utf8), receipt: nil)
                queue.enqueue(entry) { [told] outcome in
                    switch outcome {
                    case .success: told.change { $0.append(text) }
                    case .failure: told.change { $0.append("\(text) failed") }
                    }
                }
            }
        }
    }

    private func told(_ count: Int) -> [String] { told.wait(until: { $0.count >= count }) { $0 } }

    @Test func aSecondBatchGoesBesideTheFirst() {
        enqueue("a1")
        #expect(journal.waiting(1) == ["a1"])
        enqueue("b1")
        #expect(journal.waiting(2) == ["a1", "b1"])
        // No third one does.
        enqueue("c1", "d1")
        journal.letGo("b1")
        #expect(told(1) == ["b1"])
        // It goes as soon as it has as many entries as are in flight.
        #expect(journal.waiting(2) == ["a1", "c1 d1"])
        journal.open()
        #expect(told(4).sorted() == ["a1", "b1", "c1", "d1"])
        queue.stop()
    }

    @Test func aSmallBatchWaitsForALargeOne() {
        enqueue("a1", "b1", "c1")
        #expect(journal.waiting(1) == ["a1 b1 c1"])
        enqueue("d1")
        enqueue("e1")
        #expect(journal.waiting == ["a1 b1 c1"])
        enqueue("f1")
        #expect(journal.waiting(2) == ["a1 b1 c1", "d1 e1 f1"])
        journal.open()
        #expect(told(6).count == 6)
        queue.stop()
    }

    /// The entries of a list stay in order, although those of others pass them.
    @Test func aListIsInOneBatchOnly() {
        enqueue("a1")
        #expect(journal.waiting(1) == ["a1"])
        enqueue("a2", "b1", "a3")
        #expect(journal.waiting(2) == ["a1", "b1"])
        journal.letGo("b1")
        #expect(told(1) == ["b1"])
        enqueue("a4", "c1")
        #expect(journal.waiting(2) == ["a1", "c1"])
        journal.letGo("a1")
        #expect(told(2).last == "a1")
        #expect(journal.waiting(2) == ["c1", "a2 a3 a4"])
        journal.open()
        #expect(told(6).filter { $0.hasPrefix("a") } == ["a1", "a2", "a3", "a4"])
        queue.stop()
    }

    /// What builds on a failure fails. A batch of other lists that is in flight beside it does not.
    @Test func aFailureIsThatOfItsListsOnly() {
        enqueue("a1")
        #expect(journal.waiting(1) == ["a1"])
        enqueue("a2", "b1")
        #expect(journal.waiting(2) == ["a1", "b1"])
        enqueue("b2", "c1", "c2")
        journal.letGo("a1", .away("test"))
        #expect(told(2) == ["a1 failed", "a2 failed"])
        journal.open()
        #expect(told(6).dropFirst(2).sorted() == ["b1", "b2", "c1", "c2"])
        // An entry fails too if it comes before the failure is told to its end. So the test tries until one succeeds.
        var tries = 0
        repeat {
            tries += 1
            enqueue("a3")
        } while told(6 + tries).last == "a3 failed" && tries < 10_000
        #expect(told(6 + tries).last == "a3")
        queue.stop()
    }

    /// A loop is in the middle of its turn when a batch lands, for which another entry has waited.
    @Test func aTurnIsNotTakenApart() {
        enqueue("a1")
        #expect(journal.waiting(1) == ["a1"])
        enqueue("a2", "b1")
        #expect(journal.waiting(2) == ["a1", "b1"])
        queue.gather {
            journal.letGo("a1")
            #expect(told(1) == ["a1"])
            enqueueWithoutTurn("c1")
            enqueueWithoutTurn("d1")
        }
        #expect(journal.waiting(2) == ["b1", "a2 c1 d1"])
        journal.open()
        #expect(told(5).sorted() == ["a1", "a2", "b1", "c1", "d1"])
        queue.stop()
    }

    private func enqueueWithoutTurn(_ text: String) {
        let entry = JournalEntry(
            list: ListID("\(text.prefix(1))")!, kind: .append, bytes: Array(text.utf8), receipt: nil)
        queue.enqueue(entry) { [told] _ in told.change { $0.append(text) } }
    }

    @Test func theEndWaitsForBoth() throws {
        enqueue("a1")
        #expect(journal.waiting(1) == ["a1"])
        enqueue("b1")
        #expect(journal.waiting(2).count == 2)
        enqueue("a2", "b2")
        let isStopped = Locked(false)
        let thread = try Thread { [queue, isStopped] in
            queue.stop()
            isStopped.change { $0 = true }
        }
        journal.letGo("b1")
        #expect(told(1) == ["b1"])
        #expect(!isStopped.withLock { $0 })
        journal.open()
        thread.join()
        #expect(told(4).sorted() == ["a1", "a2", "b1", "b2"])
        enqueue("c1")
        #expect(told(5).last == "c1 failed")
    }
}
