import Foundation
import TestSupport
import Testing

/// The consistency test finds planted faults. `make soak-faults` builds a server into which they can be planted.
@Suite struct PlantedFaultTests {
    /// The names in `Tests/PlantedFaults/PlantedFaults.swift`, but those of several servers, which
    /// `Tests/Nodes/nodes.py` looks for.
    private static let faults = [
        "acknowledgesBeforeLog", "acceptsStaleBase", "ignoresMatch", "ignoresKeys", "forgetsKeysAtRestart",
        "skipsVersions", "dropsEvents", "misplacesMoves", "starsTwin", "swapsRecordsAtReplay",
        "revivesDeletedAtRestart", "answersRetryWithHead", "readsOlderVersion",
        "lostDeletePutsBackTooMuch", "toolTrimsReceipts", "readWaitsForSync", "restoreForgetsStars",
    ]
    private static let variable = "LISTSTATE_PLANTED_FAULT"

    @Test("Every planted fault is found with every seed", .enabled(if: Soak.number("LISTSTATE_FAULT_SEEDS") != nil))
    func everyFaultIsFound() throws {
        let first = Soak.number("LISTSTATE_CONSISTENCY_SEED").map { UInt64($0) } ?? .random(in: 0..<1 << 53)
        let count = UInt64(Soak.number("LISTSTATE_FAULT_SEEDS") ?? 0)
        let only = ProcessInfo.processInfo.environment[Self.variable]
        // Otherwise the test would look for faults in a server that has none.
        try #require(try Self.serverKnowsFaults())
        print("planted faults, found with \(count) seeds from \(first) on:")
        for fault in ["none"] + Self.faults where only == nil || only == fault {
            var found: [Set<Violation.Kind>] = []
            for seed in first..<first + count {
                let violations = try Self.violations(fault, seed: seed)
                found.append(Set(violations.map(\.kind)))
                let isRight = violations.isEmpty == (fault == "none")
                #expect(isRight, "\(fault), LISTSTATE_CONSISTENCY_SEED=\(seed): \(violations.prefix(2))")
            }
            let kinds = Violation.Kind.allCases.compactMap { kind in
                let times = found.count { $0.contains(kind) }
                return times == 0 ? nil : "\(kind.rawValue) \(times)"
            }
            let times = "\(found.count { !$0.isEmpty }) of \(count)"
            let name = fault.padding(toLength: 26, withPad: " ", startingAt: 0)
            print("  \(name) \(times)  \(kinds.joined(separator: ", "))")
        }
    }

    /// The violations that a slow or full disk brings out. If there are none, those of a short episode, and then of a
    /// long one.
    private static func violations(_ fault: String, seed: UInt64) throws -> [Violation] {
        var trial = try DiskTrial(
            seed: seed, DiskTrial.Settings(rounds: 24, items: 20_000, environment: [variable: fault]))
        trial.run()
        guard trial.violations.isEmpty else { return trial.violations }
        for kills in [6, 30] {
            var settings = Episode.Settings()
            settings.environment[variable] = fault
            settings.kills = kills
            var episode = try Episode(seed: seed, settings)
            episode.run()
            guard episode.violations.isEmpty else { return episode.violations }
        }
        return []
    }

    @Test("No other server knows of faults", .enabled(if: Soak.number("LISTSTATE_FAULT_SEEDS") == nil))
    func thereAreNone() throws {
        #expect(try !Self.serverKnowsFaults())
    }

    private static func serverKnowsFaults() throws -> Bool {
        try Data(contentsOf: ServerProcess.executable, options: .alwaysMapped).range(of: Data(variable.utf8)) != nil
    }
}
