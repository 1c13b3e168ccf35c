import Threads
import TestSupport
import Texts
import Testing

@testable import ListStore

/// The number of subscriptions is bounded. The one that was used longest ago is removed first.
@Suite struct SubscriptionStoreTests {
    private static func subscriptions(
        _ limits: Subscriptions.Limits, clock: @escaping @Sendable () -> Int = { 0 }
    ) throws -> Subscriptions {
        let count = Locked(0)
        return try Subscriptions(
            nil, limits, queue: nil, clock: clock,
            token: {
                count.withLock { count in
                    count += 1
                    return "token-of-some-length-\(count)"
                }
            })
    }

    @Test func theOneUsedLongestAgoGoesFirst() throws {
        let now = Locked(0)
        let kept = try Self.subscriptions(Subscriptions.Limits(countMax: 16, bytesMax: 1 << 20, ageMax: 1_000)) {
            now.withLock { $0 }
        }
        let names = (0..<16).map { number in
            now.withLock { $0 += 1 }
            return kept.add([UInt8(number)]) { _, error in #expect(error == nil) }.name
        }
        now.withLock { $0 += 1 }
        #expect(try kept.find(names[0]) == [0])
        let last = kept.add([99]) { _, _ in }.name
        #expect(kept.count <= 16)
        #expect(try kept.find(names[1]) == nil)
        #expect(try kept.find(names[0]) == [0] && kept.find(last) == [99] && kept.find(names[15]) == [15])
        #expect(Set(names).count == 16)
    }

    @Test func theyAreBoundedTogether() throws {
        let kept = try Self.subscriptions(Subscriptions.Limits(countMax: 1_000, bytesMax: 1_600, ageMax: 10))
        for number in 0..<100 {
            let name = kept.add([UInt8](repeating: UInt8(number), count: 100)) { _, _ in }.name
            #expect(try kept.find(name)?.count == 100)
            #expect(kept.count <= 16)
        }
    }

    @Test func whatNobodyUsesEnds() throws {
        let now = Locked(0)
        let kept = try Self.subscriptions(Subscriptions.Limits(ageMax: 100)) { now.withLock { $0 } }
        let added = kept.add([1]) { _, _ in }
        #expect(added.until == 100)
        now.withLock { $0 = 90 }
        #expect(try kept.find(added.name) == [1])
        now.withLock { $0 = 190 }
        #expect(try kept.find(added.name) == [1])
        now.withLock { $0 = 291 }
        #expect(try kept.find(added.name) == nil)
        #expect(kept.count == 0)
        #expect(try kept.find("nobody") == nil)
    }
}
