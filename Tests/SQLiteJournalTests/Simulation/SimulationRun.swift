import Threads

/// Simulations of many seeds on all threads, and their results.
struct SimulationRun: Sendable, CustomStringConvertible {
    static let stepsOfSeed = 1_000

    private(set) var steps = 0
    private(set) var seeds = 0
    private(set) var acknowledged = 0
    private(set) var besides = Simulation.Besides()
    private(set) var violations: [(seed: Int, text: String)] = []
    private var counts = SimulatedDiskState.Counts()

    /// How often each kind of fault happened.
    var faults: [Int] {
        [counts.powerLosses, counts.kills, counts.tornWrites, counts.full, counts.errors]
    }

    /// A hash of all calls to all disks.
    var trace: UInt64 { counts.trace }

    var description: String {
        let crashes = counts.powerLosses + counts.kills
        return """
            simulation: \(grouped(steps)) simulated steps over \(grouped(seeds)) seeds, \(grouped(crashes)) crashes \
            (\(grouped(counts.powerLosses)) with the power), \(grouped(counts.tornWrites)) torn writes, \
            \(grouped(counts.full)) times full, \(grouped(counts.errors)) i/o errors, \
            \(grouped(acknowledged)) acknowledged writes: \(violations.isEmpty ? "0 lost" : "SOME LOST OR WRONG"); \
            beside failing commits: \(grouped(besides.endsFailed)) DELETEs that failed, \
            \(grouped(besides.successors)) PUTs over a DELETE that waited (\(grouped(besides.successorsFailed)) failed), \
            \(grouped(besides.endsWithinSuccessors)) DELETEs decided within such a PUT \
            (\(grouped(besides.endsFailedWithinSuccessors)) failed), \(grouped(besides.undosFailed)) undos that failed, \
            \(grouped(besides.undosBesideFailures)) written beside what failed, \
            \(grouped(besides.restored)) restorations (\(grouped(besides.restoresFailed)) more failed), \
            \(grouped(besides.revived)) of deleted lists (\(grouped(besides.revivalsFailed)) more failed), \
            \(grouped(besides.revivedOverEnd)) over a DELETE that waited \
            (\(grouped(besides.revivedOverEndFailed)) failed), \(grouped(besides.tooLate)) refused for being too late
            """
    }

    /// The number with commas, as in 1,000,000.
    private func grouped(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : grouped(number / 1_000) + "," + "\(1_000 + number % 1_000)".dropFirst()
    }

    static func summary(of seeds: ClosedRange<Int>, isLying: Bool = false) async -> SimulationRun {
        await withTaskGroup(of: SimulationRun.self) { group in
            for seed in seeds { group.addTask { run(seed, isLying: isLying) } }
            return await group.reduce(into: SimulationRun()) { $0.add($1) }
        }
    }

    private static func run(_ seed: Int, isLying: Bool) -> SimulationRun {
        var run = SimulationRun()
        run.seeds = 1
        do {
            var simulation = try Simulation(seed: UInt64(seed), isLying: isLying)
            defer { run.take(simulation) }
            try simulation.run(steps: stepsOfSeed)
        } catch { run.violations.append((seed, "\(error)")) }
        return run
    }

    private mutating func take(_ simulation: Simulation) {
        steps = simulation.number
        acknowledged = simulation.acknowledged
        besides = simulation.besides
        counts = simulation.counts
    }

    private mutating func add(_ other: SimulationRun) {
        steps += other.steps
        seeds += other.seeds
        acknowledged += other.acknowledged
        besides.add(other.besides)
        violations += other.violations
        counts.add(other.counts)
    }
}

extension Simulation.Besides {
    /// The counts that are above 0 after a few seeds.
    var all: [Int] {
        [
            endsFailed, successors, successorsFailed, endsWithinSuccessors, endsFailedWithinSuccessors, undosFailed,
            restored, revived, restoresFailed, revivalsFailed, revivedOverEnd, revivedOverEndFailed, tooLate,
        ]
    }

    fileprivate mutating func add(_ other: Self) {
        endsFailed += other.endsFailed
        successors += other.successors
        successorsFailed += other.successorsFailed
        endsWithinSuccessors += other.endsWithinSuccessors
        endsFailedWithinSuccessors += other.endsFailedWithinSuccessors
        undosFailed += other.undosFailed
        undosBesideFailures += other.undosBesideFailures
        restored += other.restored
        revived += other.revived
        restoresFailed += other.restoresFailed
        revivalsFailed += other.revivalsFailed
        revivedOverEnd += other.revivedOverEnd
        revivedOverEndFailed += other.revivedOverEndFailed
        tooLate += other.tooLate
    }
}

extension SimulatedDiskState.Counts {
    fileprivate mutating func add(_ other: Self) {
        powerLosses += other.powerLosses
        kills += other.kills
        tornWrites += other.tornWrites
        full += other.full
        errors += other.errors
        trace ^= other.trace
    }
}
