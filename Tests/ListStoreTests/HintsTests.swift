import ListModel
import TestSupport
import Testing
import Threads

@testable import ListStore

@Suite struct HintsTests {
    /// A stop waits for the thread that follows, so nothing may hide it.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aHintOfNoListsHidesNoFollower() throws {
        let hints = Hints()
        let (hasBegun, mayEnd) = (Locked(false), Locked(false))
        hints.note([try #require(ListID("a"))]) { _ in
            hasBegun.change { $0 = true }
            mayEnd.wait(until: { $0 }) { _ in }
        }
        hasBegun.wait(until: { $0 }) { _ in }
        hints.note([]) { _ in Issue.record("there is nothing to follow") }
        #expect(hints.isFollowing)
        mayEnd.change { $0 = true }
        hints.stop()
        #expect(!hints.isFollowing)
    }
}
