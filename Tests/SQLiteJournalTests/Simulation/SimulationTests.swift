import Glibc
import Threads
import TestSupport
import Testing

@Suite struct SimulationTests {
    /// What was acknowledged stays, what was refused has left nothing, no key is used twice, every version is what it
    /// was, and every store starts.
    @Test func nothingIsLostOrInvented() async {
        let summary = await SimulationRun.summary(of: Soak.simulationSeeds)
        for (seed, violation) in summary.violations {
            Issue.record(
                """
                seed \(seed), \(violation); to repeat it:
                LISTSTATE_SIMULATION_SEED=\(seed) LISTSTATE_SOAK_SIMULATIONS=1 make soak-simulation
                """)
        }
        print(summary)
        #expect(summary.seeds == Soak.simulations)
        #expect(summary.steps == summary.seeds * SimulationRun.stepsOfSeed || !summary.violations.isEmpty)
        // A single seed may do without some of it.
        guard summary.seeds >= 10 else { return }
        #expect(summary.acknowledged > 100 * summary.seeds)
        for count in summary.faults { #expect(count > summary.seeds, "\(summary)") }
        for count in summary.besides.all { #expect(count > 0, "\(summary)") }
        // Seldom, for it takes a batch of several lists of which not all have room.
        if summary.seeds >= 100 { #expect(summary.besides.undosBesideFailures > 0, "\(summary)") }
    }

    /// Without it, a simulation that finds nothing would prove nothing.
    @Test func aDiskThatDoesNotKeepWhatItSynchronizedIsFound() async {
        let summary = await SimulationRun.summary(of: 1...4, isLying: true)
        #expect(summary.violations.count == 4)
    }

    /// Otherwise a seed that failed would say nothing.
    @Test func aSeedDoesTheSameAgain() async {
        let first = await SimulationRun.summary(of: 7...8)
        let second = await SimulationRun.summary(of: 7...8)
        #expect(first.trace == second.trace)
        #expect(first.trace != SimulationRun().trace)
    }
}
