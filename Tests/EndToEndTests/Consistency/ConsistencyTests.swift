import Foundation
import TestSupport
import Testing

/// Six writers and three watchers work through a proxy that breaks their connections. Meanwhile the server is killed
/// again and again, and commands work on its folder between two lives. No acknowledged write may be lost, done twice,
/// or shown otherwise than it was done. `DiskTrial` checks the same on a disk that is slow or full.
///
/// `LISTSTATE_CONSISTENCY_SEEDS` is the number of episodes, each with a data folder of its own.
/// `LISTSTATE_CONSISTENCY_SEED` is the seed of the first one. `LISTSTATE_CONSISTENCY_KILLS` is the number of kills in
/// each episode, and `LISTSTATE_CONSISTENCY_ANSWERS` the average number of acknowledged writes between two kills.
@Suite struct ConsistencyTests {
    @Test func everyPromiseIsKept() throws {
        let first = Soak.number("LISTSTATE_CONSISTENCY_SEED").map { UInt64($0) } ?? .random(in: 0..<1 << 53)
        let seeds = Soak.number("LISTSTATE_CONSISTENCY_SEEDS") ?? 1
        var settings = Episode.Settings()
        settings.kills = Soak.number("LISTSTATE_CONSISTENCY_KILLS") ?? 4
        settings.answersPerLife = Soak.number("LISTSTATE_CONSISTENCY_ANSWERS") ?? settings.answersPerLife
        var trial = DiskTrial.Settings()
        if settings.kills > 10 { (trial.rounds, trial.items) = (24, 20_000) }
        var sum = Episode.Tally()
        var disk = DiskTrial.Tally()
        var violations: [Violation] = []
        for seed in first..<first + UInt64(seeds) where violations.isEmpty {
            var episode = try Episode(seed: seed, settings)
            episode.run()
            sum.add(episode.tally)
            var found = episode.violations
            if FileCalls.isPossible {
                var trial = try DiskTrial(seed: seed, trial)
                trial.run()
                disk.add(trial.tally)
                found += trial.violations
            }
            violations += found
            for violation in found.prefix(5) {
                Issue.record("LISTSTATE_CONSISTENCY_SEED=\(seed): \(violation)")
            }
        }
        print("consistency: \(Self.summary(sum, disk, violations))")
        guard violations.isEmpty else { return }
        #expect(sum.kills == seeds * (settings.kills + 1))
        // Without these numbers the run would not have tested the cases that it is for.
        #expect(sum.acknowledged > sum.kills)
        #expect(sum.replays > 0 && sum.reads > 0 && sum.events > 0 && sum.reconnects > 0)
        #expect(sum.faultedConnections > 0 && sum.commands >= seeds)
        #expect(disk.endsFailed >= seeds && disk.reads > disk.held || !FileCalls.isPossible)
    }

    private static func summary(_ sum: Episode.Tally, _ disk: DiskTrial.Tally, _ violations: [Violation]) -> String {
        func count(_ kind: Violation.Kind) -> Int { violations.count { $0.kind == kind } }
        let others = violations.count - count(.lost) - count(.gap) - count(.doubled)
        return """
            \(sum.kills) kill -9, \(sum.acknowledged) acknowledged writes: \(count(.lost)) lost, \(count(.gap)) gaps, \
            \(count(.doubled)) doubled, \(others) other violations; \(sum.faultedConnections) faulted connections; \
            \(sum.retried) acknowledged after a lost answer, \(sum.replays) replays of keys, \(sum.refused) refused, \
            \(sum.reads) readings, \(sum.events) events with \(sum.reconnects) reconnections, \(sum.states) states, \
            \(sum.commands) commands between lives; \(disk.held) writes that a slow disk held up, with \(disk.reads) \
            readings, and \(disk.endsFailed) ends of lists that had no room
            """
    }
}
