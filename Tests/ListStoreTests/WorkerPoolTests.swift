import Dispatch
import Glibc
import Testing
import Threads

@Suite struct WorkerPoolTests {
    @Test func workThatIsAloneIsDoneInOrderAndOneAtATime() {
        let pool = WorkerPool<String, Int>(threads: 3)
        defer { pool.stop() }
        let (atWork, done) = (Locked([0, 0]), Locked<[[Int]]>([[], []]))
        for number in 0..<1_000 {
            let subject = number % 2
            pool.run(for: nil, on: subject, isAlone: true) {
                let isAlone = atWork.withLock { atWork in
                    atWork[subject] += 1
                    return atWork[subject] == 1
                }
                #expect(isAlone)
                done.change { $0[subject].append(number) }
                atWork.withLock { $0[subject] -= 1 }
            }
        }
        done.wait(until: { $0.map(\.count) == [500, 500] }) { done in
            #expect(done == [Array(stride(from: 0, to: 1_000, by: 2)), Array(stride(from: 1, to: 1_000, by: 2))])
        }
    }

    @Test func workThatIsAloneAndWaitsTakesUpOneThread() {
        let pool = WorkerPool<String, Int>(threads: 2)
        defer { pool.stop() }
        let gate = DispatchSemaphore(value: 0)
        let done = Locked(0)
        for _ in 0..<10 {
            pool.run(for: nil, on: 1, isAlone: true) {
                gate.wait()
                done.change { $0 += 1 }
            }
        }
        for subject in [nil, 2, 3, nil] { pool.run(for: nil, on: subject, isAlone: true) { done.change { $0 += 1 } } }
        done.wait(until: { $0 == 4 }) { _ in }
        for _ in 0..<10 { gate.signal() }
        done.wait(until: { $0 == 14 }) { _ in }
    }

    @Test func itsThreadsEndWhenTheWorkIsDone() {
        let gate = DispatchSemaphore(value: 0)
        let done = Locked(0)
        weak var gone: WorkerPool<String, Int>?
        do {
            let pool = WorkerPool<String, Int>(threads: 2)
            gone = pool
            for _ in 0..<4 {
                pool.run(for: nil, on: 7, isAlone: true) {
                    gate.wait()
                    done.change { $0 += 1 }
                }
            }
            pool.stop()
        }
        #expect(gone != nil)
        for _ in 0..<4 { gate.signal() }
        done.wait(until: { $0 == 4 }) { _ in }
        // The threads have nothing left but to end.
        while gone != nil { sched_yield() }
    }

    /// Work that ends when the gate opens, and the names of what is done without waiting for it.
    private final class Gated: Sendable {
        let pool = WorkerPool<String, Int>(threads: 2)
        let gate = DispatchSemaphore(value: 0)
        let begun = Locked<[String]>([])
        let done = Locked<[String]>([])

        func hold(_ count: Int, for client: String, on subject: Int) {
            for _ in 0..<count {
                pool.run(for: client, on: subject, isAlone: false) { [self] in
                    begun.change { $0.append(client) }
                    gate.wait()
                    done.change { $0.append(client) }
                }
            }
        }

        func run(_ name: String, for client: String, on subject: Int) {
            pool.run(for: client, on: subject, isAlone: false) { [self] in done.change { $0.append(name) } }
        }

        func open(_ count: Int) { for _ in 0..<count { gate.signal() } }

        deinit { pool.stop() }
    }

    @Test func aClientWithNothingAtWorkDoesNotWaitForAnother() {
        let gated = Gated()
        gated.hold(100, for: "a", on: 1)
        gated.begun.wait(until: { $0.count == 2 }) { _ in }
        gated.run("other subject", for: "a", on: 2)
        gated.run("other client", for: "b", on: 1)
        // Both are done although the gate is shut. No third piece of the first subject has begun.
        gated.done.wait(until: { $0.count == 2 }) { #expect(Set($0) == ["other subject", "other client"]) }
        gated.begun.withLock { #expect($0.count == 2) }
        gated.open(100)
        gated.done.wait(until: { $0.count == 102 }) { _ in }
    }

    @Test func aClientWithManySubjectsLeavesThreadsToOthers() {
        let gated = Gated()
        for subject in 0..<50 { gated.hold(1, for: "a", on: subject) }
        gated.begun.wait(until: { $0.count == 4 }) { _ in }
        gated.run("other client", for: "b", on: 0)
        gated.done.wait(until: { $0.count == 1 }) { #expect($0 == ["other client"]) }
        gated.begun.withLock { #expect($0.count == 4) }
        gated.open(50)
        gated.done.wait(until: { $0.count == 51 }) { _ in }
    }

    @Test func clientsTakeTurnsWhenAllThreadsAreTaken() {
        let gated = Gated()
        gated.hold(1, for: "x", on: 1)
        for client in ["y", "z", "a", "b", "c"] { gated.hold(1, for: client, on: 1) }
        gated.begun.wait(until: { $0.count == 6 }) { _ in }
        // All six threads are at work. The first of the two clients has many pieces, the second has one.
        gated.hold(20, for: "many", on: 1)
        gated.hold(1, for: "one", on: 1)
        gated.open(6 + 2)
        gated.begun.wait(until: { $0.contains("one") }) { begun in
            #expect(begun.dropFirst(6).prefix(3).contains("one"))
        }
        gated.open(19)
        gated.done.wait(until: { $0.count == 27 }) { _ in }
    }

    @Test func writersOfOneSubjectTakeTurns() {
        let pool = WorkerPool<String, Int>(threads: 1)
        defer { pool.stop() }
        let gate = DispatchSemaphore(value: 0)
        let done = Locked<[String]>([])
        pool.run(for: "a", on: 1, isAlone: true) { gate.wait() }
        for client in ["a", "a", "a", "b"] {
            pool.run(for: client, on: 1, isAlone: true) { done.change { $0.append(client) } }
        }
        gate.signal()
        done.wait(until: { $0.count == 4 }) { #expect($0.prefix(2).contains("b")) }
    }

    @Test func aWriterDoesNotWaitForTheSearchesOfAnother() {
        let gated = Gated()
        for subject in 1...50 { gated.hold(1, for: "a", on: subject) }
        gated.begun.wait(until: { $0.count == 4 }) { _ in }
        // The write of "a" comes first, but waits for the searches of "a". The write of "b" does not wait for it.
        gated.pool.run(for: "a", on: 0, isAlone: true) { gated.done.change { $0.append("write of a") } }
        gated.pool.run(for: "b", on: 0, isAlone: true) { gated.done.change { $0.append("write of b") } }
        gated.done.wait(until: { !$0.isEmpty }) { #expect($0 == ["write of b"]) }
        gated.open(50)
        gated.done.wait(until: { $0.count == 52 }) { _ in }
    }

    /// A job that may begin when another ends gets a thread, also if no further job comes.
    @Test func theEndOfAJobStartsThreadsForThoseThatWaited() {
        let gated = Gated()
        let gates = ["a", "b", "c", "d"].map { ($0, DispatchSemaphore(value: 0)) }
        for (client, gate) in gates {
            gated.pool.run(for: client, on: 1, isAlone: false) {
                gated.begun.change { $0.append(client) }
                gate.wait()
                gated.done.change { $0.append(client) }
            }
        }
        gated.begun.wait(until: { $0.count == 4 }) { _ in }
        gated.hold(1, for: "b", on: 2)
        gated.hold(1, for: "a", on: 2)
        // When the job of "a" has ended, "a" has nothing at work: both may begin.
        gates[0].1.signal()
        gated.begun.wait(until: { $0.count == 6 }) { _ in }
        for (_, gate) in gates.dropFirst() { gate.signal() }
        gated.open(2)
        gated.done.wait(until: { $0.count == 6 }) { _ in }
    }
}
