import Microhttpd
import Testing

@testable import ListAPI

@Suite struct MeterTests {
    /// Ten requests, four writes, 1,000 bytes and two wrong tokens a minute.
    private static let prices = Quotas.amounts { kind in
        switch kind {
        case .requests: Meter.price(ofOneOf: 10)
        case .writes: Meter.price(ofOneOf: 4)
        case .bytes: Meter.price(ofOneOf: 1_000)
        case .wrongTokens: Meter.price(ofOneOf: 2)
        }
    }
    private static let request = Meter.Amounts(1, 0, 1, 0)
    private static let write = Meter.Amounts(1, 1, 1, 0)

    private func charge(_ meter: Meter, _ amounts: Meter.Amounts, at now: Int) -> Meter.Verdict {
        meter.charge(amounts, at: now, Self.prices)
    }

    @Test func aQuotaIsUsedAndComesBack() {
        let meter = Meter()
        for _ in 1...5 { #expect(charge(meter, Self.request, at: 0) == .within) }
        for _ in 1...5 { #expect(charge(meter, Self.request, at: 0) == .near) }
        #expect(charge(meter, Self.request, at: 0) == .beyond(.requests, milliseconds: 6_000))
        // A tenth of the quota comes back in a tenth of a minute.
        #expect(charge(meter, Self.request, at: 5_000) == .beyond(.requests, milliseconds: 1_000))
        #expect(charge(meter, Self.request, at: 6_000) == .near)
        #expect(charge(meter, Self.request, at: 6_000) == .beyond(.requests, milliseconds: 6_000))
        #expect(charge(meter, Self.request, at: 120_000) == .within)
    }

    /// Over any long time a client gets what comes back in it, however often it asks.
    @Test func noMoreThanTheQuotaIsLetThrough() {
        var passed = 0
        let meter = Meter()
        for now in 0..<600_000 {
            if case .beyond = charge(meter, Self.request, at: now) { continue }
            passed += 1
        }
        #expect((109...111).contains(passed))
    }

    @Test func usedUpWritesLeaveReads() {
        let meter = Meter()
        for _ in 1...4 { _ = charge(meter, Self.write, at: 0) }
        #expect(charge(meter, Self.write, at: 0) == .beyond(.writes, milliseconds: 15_000))
        #expect(charge(meter, Self.request, at: 0) == .near)
    }

    @Test func aRefusedRequestCountsNothing() {
        let meter = Meter()
        for _ in 1...1_000 { _ = charge(meter, Self.write, at: 0) }
        #expect(charge(meter, Self.write, at: 15_100) == .near)
    }

    /// Bytes are known when they have been sent, and what went beyond is waited for.
    @Test func bytesAreOwed() {
        let meter = Meter()
        meter.add(3_000, .bytes, at: 0, Self.prices)
        #expect(charge(meter, Self.request, at: 0) == .beyond(.bytes, milliseconds: 120_060))
        #expect(charge(meter, Self.request, at: 90_000) == .beyond(.bytes, milliseconds: 30_060))
        #expect(charge(meter, Self.request, at: 120_100) == .near)
    }

    @Test func aClockThatStandsStillGivesNothingBack() {
        let meter = Meter()
        for _ in 1...10 { _ = charge(meter, Self.request, at: 60_000) }
        for _ in 1...2 {
            #expect(charge(meter, Self.request, at: 60_000) == .beyond(.requests, milliseconds: 6_000))
        }
    }

    /// Whatever is counted, no sum overflows, and nobody waits for longer than a thousand minutes twice.
    @Test(arguments: [1_000_000_000, 1 << 58, .max])
    func whatIsOwedIsBounded(_ amount: Int) {
        let meter = Meter()
        for _ in 1...100 { meter.add(amount, .bytes, at: 0, Self.prices) }
        #expect(charge(meter, Self.request, at: 0) == .beyond(.bytes, milliseconds: 60_000_000))
        #expect(charge(meter, Self.request, at: 2 * 60_000_000 + 60_000) == .within)
    }

    /// A kind without a limit costs nothing, whatever is used of it.
    @Test func whatHasNoLimitIsNeverUsedUp() {
        let meter = Meter()
        let prices = Meter.Prices(repeating: Meter.price(ofOneOf: 0))
        for _ in 1...1_000 { #expect(meter.charge(Self.write, at: 0, prices) == .within) }
        meter.add(.max, .bytes, at: 0, prices)
        #expect(meter.charge(Self.write, at: 0, prices) == .within)
    }

    /// A quota of any size lets through exactly as many at once.
    @Test(arguments: [1, 3, 7, 11, 60, 600, 6_000, 9_999])
    func aQuotaIsExact(_ quota: Int) {
        let (meter, prices) = (Meter(), Meter.Prices(repeating: Meter.price(ofOneOf: quota)))
        func isRefused() -> Bool {
            if case .beyond = meter.charge(Meter.Amounts(1, 0, 0, 0), at: 0, prices) { true } else { false }
        }
        #expect((1...quota).allSatisfy { _ in !isRefused() })
        #expect(isRefused())
    }

    /// Several loops count on one meter at a time.
    @Test func nothingIsLostWhenThreadsCountAtOnce() async {
        let (meter, prices) = (Meter(), Meter.Prices(repeating: Meter.price(ofOneOf: 80_000)))
        await withTaskGroup { group in
            for _ in 1...4 {
                group.addTask { for _ in 1...10_000 { meter.add(1, .bytes, at: 0, prices) } }
            }
        }
        #expect(meter.used(.bytes, at: 0) == 0.5)
    }

    @Test func streamsHaveTheirOwnBound() {
        let meter = Meter()
        #expect(meter.beginStream(most: 2) && meter.beginStream(most: 2))
        #expect(!meter.beginStream(most: 2))
        meter.endStream()
        #expect(meter.beginStream(most: 2))
    }

    // MARK: The table

    private static func tenant(_ index: Int) -> Tenant { .address(.v4(UInt32(index))) }

    @Test func theTableIsBounded() {
        let meters = Meters(most: 256)
        for index in 0..<20_000 {
            _ = charge(meters.meter(of: Self.tenant(index), at: 0), Self.request, at: 0)
            #expect(meters.count <= 256)
        }
        #expect(meters.count > 128)
    }

    /// A crowd of new clients frees neither whoever has used the most nor whoever follows.
    @Test func whoeverHasUsedTheMostIsRemembered() {
        let meters = Meters(most: 256)
        let (busy, follower) = (Self.tenant(100_000), Self.tenant(100_001))
        let meter = meters.meter(of: busy, at: 0)
        for _ in 1...10 { _ = charge(meter, Self.request, at: 0) }
        #expect(meters.meter(of: follower, at: 0).beginStream(most: 1))
        for index in 0..<20_000 {
            _ = charge(meters.meter(of: Self.tenant(index), at: 0), Self.request, at: 0)
        }
        #expect(meters.meter(of: busy, at: 0) === meter)
        #expect(!meters.meter(of: follower, at: 0).beginStream(most: 1))
    }

    /// A connection that still has a meter which the table has dropped does not go on with it.
    @Test func aDroppedMeterSaysSo() {
        let meters = Meters(most: 128)
        let meter = meters.meter(of: Self.tenant(0), at: 0)
        for index in 1..<5_000 {
            _ = charge(meters.meter(of: Self.tenant(index), at: 0), Self.request, at: 0)
        }
        #expect(charge(meter, Self.request, at: 0) == .forgotten)
        #expect(meters.meter(of: Self.tenant(0), at: 0) !== meter)
    }
}
