import Glibc
import Threads
import TestSupport
import Testing

@Suite struct SimulationTests {
    /// Acknowledged writes stay, refused writes leave nothing, no key is used twice, no version changes, and every
    /// store starts.
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
        // A single seed may lack some of these events.
        guard summary.seeds >= 10 else { return }
        #expect(summary.acknowledged > 100 * summary.seeds)
        for count in summary.faults { #expect(count > summary.seeds, "\(summary)") }
        for count in summary.besides.all { #expect(count > 0, "\(summary)") }
        // This is rare, because it takes a batch of several lists of which only some have room.
        if summary.seeds >= 100 { #expect(summary.besides.undosBesideFailures > 0, "\(summary)") }
    }

    /// Without this test, a simulation that finds nothing would prove nothing.
    @Test func aDiskThatDoesNotKeepWhatItSynchronizedIsFound() async {
        let summary = await SimulationRun.summary(of: 1...4, isLying: true)
        #expect(summary.violations.count == 4)
    }

    /// A seed that fails can be repeated.
    @Test func aSeedDoesTheSameAgain() async {
        let first = await SimulationRun.summary(of: 7...8)
        let second = await SimulationRun.summary(of: 7...8)
        #expect(first.trace == second.trace)
        #expect(first.trace != SimulationRun().trace)
    }
}
