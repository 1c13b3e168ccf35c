import Dispatch
import Glibc
import Testing
import Threads

@Suite struct WorkerPoolTests {
    @Test func aLaneIsDoneInOrderAndOneAtATime() {
        let pool = WorkerPool<Int>(threads: 3)
        defer { pool.stop() }
        let (atWork, done) = (Locked([0, 0]), Locked<[[Int]]>([[], []]))
        for number in 0..<1_000 {
            let lane = number % 2
            pool.run(in: lane) {
                let isAlone = atWork.withLock { atWork in
                    atWork[lane] += 1
                    return atWork[lane] == 1
                }
                #expect(isAlone)
                done.change { $0[lane].append(number) }
                atWork.withLock { $0[lane] -= 1 }
            }
        }
        done.wait(until: { $0.map(\.count) == [500, 500] }) { done in
            #expect(done == [Array(stride(from: 0, to: 1_000, by: 2)), Array(stride(from: 1, to: 1_000, by: 2))])
        }
    }

    @Test func aLaneThatWaitsTakesUpOneThread() {
        let pool = WorkerPool<Int>(threads: 2)
        defer { pool.stop() }
        let gate = DispatchSemaphore(value: 0)
        let done = Locked(0)
        for _ in 0..<10 {
            pool.run(in: 1) {
                gate.wait()
                done.change { $0 += 1 }
            }
        }
        for lane in [nil, 2, 3, nil] { pool.run(in: lane) { done.change { $0 += 1 } } }
        done.wait(until: { $0 == 4 }) { _ in }
        for _ in 0..<10 { gate.signal() }
        done.wait(until: { $0 == 14 }) { _ in }
    }

    @Test func itsThreadsEndWhenTheWorkIsDone() {
        let gate = DispatchSemaphore(value: 0)
        let done = Locked(0)
        weak var gone: WorkerPool<Int>?
        do {
            let pool = WorkerPool<Int>(threads: 2)
            gone = pool
            for _ in 0..<4 {
                pool.run(in: 7) {
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
}
