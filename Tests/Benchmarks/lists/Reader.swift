import Foundation
import ListDiff
import ListModel
import ListStore

/// A thread that reads one version of a list repeatedly, item by item in order.
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

    /// Waits until the present pass is complete.
    func stop() -> (passes: Int, hasFailed: Bool) {
        state.lock()
        defer { state.unlock() }
        box.isStopping = true
        while !box.hasEnded { state.wait() }
        return (box.passes, box.hasFailed)
    }
}

/// A checksum over all ids and stars in order.
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

/// The cost of each of many moves.
private struct MoveCosts {
    var cpu: [Double] = []
    var wall: [Double] = []
    var passes = 0
    var hasFailed = false

    /// Moves items of a list while a reader reads the version before.
    init(movesOf count: Int) {
        let list = BenchList(count: count)
        for _ in 0..<1_000 { list.submit(list.move()) }
        let moves = (0..<10_000).map { _ in list.move() }
        let snapshot = list.snapshot()
        let reader = Reader(snapshot, sum: checksum(snapshot.state))
        cpu.reserveCapacity(moves.count)
        wall.reserveCapacity(moves.count)
        for move in moves {
            wall.append(wallTime { cpu.append(cpuTime { list.submit(move) }) })
        }
        (passes, hasFailed) = reader.stop()
    }
}

func measureReader(_ sizes: Sizes, _ table: inout Table) {
    table.head(
        "10,000 moves of \(grouped(sizes.large)) items while a reader streams them",
        ["median µs", "slowest µs", "ratio", "goal"])
    // The same moves are made three times. A move that is slow each time is slow in our code. Otherwise an interrupt
    // was the cause, which can come in any move.
    let runs = (0..<3).map { _ in MoveCosts(movesOf: sizes.large) }
    let cpu = runs[0].cpu.indices.map { index in runs.map { $0.cpu[index] }.min() ?? 0 }
    let slowest = cpu.max() ?? 0
    let hasFailed = runs.contains { $0.hasFailed }
    table.row(
        "one move, the least of three runs", costs: [median(cpu), slowest], ratio: slowest / median(cpu),
        goal: .atMost(20),
        note: "read \(runs.map { "\($0.passes)" }.joined(separator: " + ")) times, "
            + (hasFailed ? "WRONG" : "always the same"))
    for (name, costs) in [
        ("  the slowest of each run", runs.map(\.cpu)), ("  by the clock on the wall", runs.map(\.wall)),
    ] {
        let slowest = costs.compactMap { $0.max() }
        let typical = median(costs.map(median))
        table.row(
            name, costs: [typical, median(slowest)], ratio: median(slowest) / typical, goal: nil,
            note: slowest.map(microseconds).joined(separator: ", "))
    }
    table.check(!hasFailed, "a reader's version changed under it")
}
