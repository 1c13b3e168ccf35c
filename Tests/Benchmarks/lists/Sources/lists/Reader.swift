import Foundation
import ListModel
import ListStore

/// A thread that reads one version of a list again and again, item by item in order.
private final class Reader: Sendable {
    private let snapshot: ListSnapshot
    private let state = NSCondition()
    private let box = Box()

    /// - Safety: `@unchecked` is sound because it is touched only while `state` is locked.
    private final class Box: @unchecked Sendable {
        var hasBegun = false
        var passes = 0
        var hasFailed = false
        var isStopping = false
        var hasEnded = false
    }

    /// Returns when the thread has begun to read.
    init(_ snapshot: ListSnapshot, sum: UInt64) {
        self.snapshot = snapshot
        let thread = Thread { [self] in read(sum) }
        thread.start()
        state.lock()
        while !box.hasBegun { state.wait() }
        state.unlock()
    }

    private func read(_ sum: UInt64) {
        var isStopping = false
        state.lock()
        box.hasBegun = true
        state.broadcast()
        state.unlock()
        while !isStopping {
            let isSame = checksum(snapshot.state) == sum
            state.lock()
            box.passes += 1
            box.hasFailed = box.hasFailed || !isSame
            isStopping = box.isStopping
            if isStopping { box.hasEnded = true }
            state.broadcast()
            state.unlock()
        }
    }

    /// Waits until the pass under way is complete.
    func stop() -> (passes: Int, hasFailed: Bool) {
        state.lock()
        defer { state.unlock() }
        box.isStopping = true
        while !box.hasEnded { state.wait() }
        return (box.passes, box.hasFailed)
    }
}

/// Over ids and stars in order.
private func checksum(_ state: ListState) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for section in state.sectionHandles {
        let count = state.rowCount(of: section)
        for start in stride(from: 0, to: count, by: 256) {
            for row in state.rows(start..<min(count, start + 256), of: section) {
                let item = state[row]
                for byte in item.id.rawValue.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
                sum ^= item.isStarred ? 1 : 0
            }
        }
    }
    return sum
}

func measureReader(_ sizes: Sizes, _ table: inout Table) {
    let list = BenchList(count: sizes.large)
    for _ in 0..<1_000 { list.submit(list.move()) }
    let moves = (0..<10_000).map { _ in list.move() }
    let snapshot = list.snapshot()
    let reader = Reader(snapshot, sum: checksum(snapshot.state))
    var (cpu, wall): ([Double], [Double]) = ([], [])
    cpu.reserveCapacity(moves.count)
    wall.reserveCapacity(moves.count)
    for move in moves {
        wall.append(wallTime { cpu.append(cpuTime { list.submit(move) }) })
    }
    let (passes, hasFailed) = reader.stop()
    table.head(
        "10,000 moves of \(grouped(sizes.large)) items while a reader streams them",
        ["median µs", "slowest µs", "ratio", "goal"])
    let slowest = (cpu: cpu.max() ?? 0, wall: wall.max() ?? 0)
    table.row(
        "one move", costs: [median(cpu), slowest.cpu], ratio: slowest.cpu / median(cpu), goal: .atMost(20),
        note: "read \(passes) times, \(hasFailed ? "WRONG" : "always the same")")
    table.row(
        "  by the clock on the wall", costs: [median(wall), slowest.wall], ratio: slowest.wall / median(wall), goal: nil
    )
    table.check(!hasFailed, "a reader's version changed under it")
}
