import Foundation
import TestSupport
import Testing

/// The power fails under load, again and again, and no acknowledged write may be lost. Killing a process does not test
/// this, because the system's memory outlives the process.
///
/// `LISTSTATE_POWER_ROUNDS` is the number of power losses with the default durability, and
/// `LISTSTATE_POWER_ASYNC_ROUNDS` the number with `--durability async`. `LISTSTATE_POWER_SEED` is the first seed. Only
/// root may mount.
@Suite(.serialized, .enabled(if: Soak.number("LISTSTATE_POWER_ROUNDS") != nil))
struct PowerLossTests {
    private static let first = Soak.number("LISTSTATE_POWER_SEED").map { UInt64($0) } ?? .random(in: 0..<1 << 53)

    @Test("Nothing that was acknowledged is lost, unless one asks for that") func underLoad() throws {
        try #require(LoopDisk.isPossible)
        let rounds = Soak.number("LISTSTATE_POWER_ROUNDS") ?? 0
        let asyncRounds = Soak.number("LISTSTATE_POWER_ASYNC_ROUNDS") ?? 0
        let (done, sum, violations) = try Self.waitingForTheDisk(rounds)
        let (asyncSum, asyncLost) = try Self.notWaiting(asyncRounds)
        let lost = violations.count { [.lost, .gap, .doubled, .outOfOrder].contains($0.kind) }
        print(
            """
            power loss: \(done) rounds with sync, \(sum.acknowledged) acknowledged writes, \(lost) lost; \
            \(asyncRounds) rounds with async, \(asyncSum) acknowledged writes, \(asyncLost) lost
            """)
        guard violations.isEmpty else { return }
        // Otherwise nothing would have been tested.
        #expect(sum.acknowledged > rounds && sum.replays > 0 && sum.reads > 0)
        #expect(asyncLost > 0 || asyncRounds == 0)
    }

    /// Takes turns between one power loss on a fresh disk and several on the same disk.
    private static func waitingForTheDisk(_ rounds: Int) throws -> (done: Int, Episode.Tally, [Violation]) {
        var sum = Episode.Tally()
        var left = rounds
        var seed = first
        while left > 0 {
            var settings = Episode.Settings()
            settings.kills = min(left, seed.isMultiple(of: 2) ? 1 : 9)
            settings.answersPerLife = 150
            settings.disk = try LoopDisk(commitSeconds: [1, 5, 60][Int(seed % 3)])
            var episode = try Episode(seed: seed, settings)
            episode.run()
            sum.add(episode.tally)
            report(episode.violations, seed)
            left -= settings.kills
            guard episode.violations.isEmpty else { return (rounds - left, sum, episode.violations) }
            seed += 1
        }
        return (rounds, sum, [])
    }

    private static func notWaiting(_ rounds: Int) throws -> (acknowledged: Int, lost: Int) {
        var (acknowledged, lost) = (0, 0)
        for seed in first..<first + UInt64(rounds) {
            var round = try AsyncRound(seed: seed)
            do { try round.run() } catch { Issue.record("LISTSTATE_POWER_SEED=\(seed): \(error)") }
            report(round.violations, seed)
            acknowledged += round.acknowledged
            lost += round.lost
        }
        return (acknowledged, lost)
    }

    private static func report(_ violations: [Violation], _ seed: UInt64) {
        for violation in violations.prefix(5) { Issue.record("LISTSTATE_POWER_SEED=\(seed): \(violation)") }
    }
}
