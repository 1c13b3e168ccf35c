import TestSupport
import Testing
import Threads

@testable import SQLiteJournal

/// One thread at a time has the database, and commits go before other work.
@Suite struct CommitsFirstTests {
    /// Threads that wait for a value, and note the order in which they have had it.
    private final class Line: Sendable {
        let value = CommitsFirst<[String]>([])
        private let gate = Locked(false)
        private let threads = Locked<[Thread]>([])

        /// Starts a thread that keeps the value until `open()`, and waits until it has it.
        func hold(_ name: String, isCommit: Bool, times: Int = 1) throws {
            let isHeld = Locked(false)
            try start(name, isCommit: isCommit, times: times) {
                isHeld.change { $0 = true }
                self.gate.wait(until: { $0 }) { _ in }
            }
            isHeld.wait(until: { $0 }) { _ in }
        }

        /// - Parameter times: How often the thread gets the value.
        func start(
            _ name: String, isCommit: Bool, times: Int = 1, _ body: @escaping @Sendable () -> Void = {}
        ) throws {
            let thread = try Thread { [self] in
                let work = { @Sendable (names: inout [String]) in
                    names.append(name)
                    body()
                }
                for _ in 0..<times { isCommit ? value.commit(work) : value.piece(work) }
            }
            threads.withLock { $0.append(thread) }
        }

        /// Waits until so many threads wait for the value.
        func wait(commits: Int, pieces: Int) { while value.waiting != (commits, pieces) {} }

        func open() { gate.change { $0 = true } }

        /// Waits for all threads. Returns the order in which they had the value.
        var order: [String] {
            for thread in threads.withLock({ $0 }) { thread.join() }
            return value.piece { $0 }
        }
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aCommitGoesBeforeThePieceThatCameFirst() throws {
        for _ in 0..<50 {
            let line = Line()
            try line.hold("a piece", isCommit: false)
            try line.start("the next piece", isCommit: false)
            line.wait(commits: 0, pieces: 1)
            try line.start("a commit", isCommit: true)
            line.wait(commits: 1, pieces: 1)
            line.open()
            #expect(line.order == ["a piece", "a commit", "the next piece"])
        }
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aPieceIsNotKeptAwayByCommits() throws {
        for _ in 0..<50 {
            let line = Line()
            try line.hold("a commit", isCommit: true)
            try line.start("a piece", isCommit: false)
            line.wait(commits: 0, pieces: 1)
            for number in 1...3 { try line.start("commit \(number)", isCommit: true) }
            line.wait(commits: 3, pieces: 1)
            line.open()
            #expect(line.order.prefix(2) == ["a commit", "a piece"])
        }
    }

    /// A thread with many pieces, such as the compactor, keeps no piece of others away.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func piecesGoInTheOrderInWhichTheyCame() throws {
        for _ in 0..<50 {
            let line = Line()
            try line.hold("the first of many", isCommit: false, times: 20)
            for number in 1...4 {
                try line.start("piece \(number)", isCommit: false)
                line.wait(commits: 0, pieces: number)
            }
            try line.start("a commit", isCommit: true)
            line.wait(commits: 1, pieces: 4)
            line.open()
            let first = ["the first of many", "a commit", "piece 1", "piece 2", "piece 3", "piece 4"]
            #expect(Array(line.order.prefix(6)) == first)
        }
    }

    /// Nobody is forgotten, and no two have the value at a time.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func everybodyGetsTheValue() throws {
        let value = CommitsFirst(0)
        let threads = try (0..<6).map { number in
            try Thread {
                for _ in 0..<2_000 {
                    if number < 2 { value.commit { $0 += 1 } } else { value.piece { $0 += 1 } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(value.piece { $0 } == 12_000 && value.waiting == (0, 0))
    }

    @Test func anErrorGivesTheValueBack() {
        struct Failure: Error {}
        let value = CommitsFirst(0)
        #expect(throws: Failure.self) { try value.commit { _ throws(Failure) in throw Failure() } }
        #expect(throws: Failure.self) { try value.piece { _ throws(Failure) in throw Failure() } }
        value.commit { $0 = 7 }
        #expect(value.piece { $0 } == 7)
    }
}
