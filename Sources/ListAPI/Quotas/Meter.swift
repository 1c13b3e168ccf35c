internal import Synchronization
internal import Threads

/// The use that one client has made of its quotas.
///
/// Use goes down with time, by the whole quota in a minute. So a client may use all of it at once, and then as much as
/// comes back. It is refused while less than one is left. What it is let do may take more than is left, as an answer of
/// many bytes; that is waited for afterwards.
///
/// Each use takes as long to come back as its share of a minute. So for each kind one number is enough: the time at which
/// all is there again. What lies between now and then is used.
final class Meter: Sendable {
    /// What is counted by the minute.
    enum Kind: Int, CaseIterable {
        case requests, writes, bytes, wrongTokens
    }

    /// An amount of each kind.
    typealias Amounts = SIMD4<Int>

    enum Verdict: Equatable {
        case within
        /// More than half of a quota is used.
        case near
        /// A quota is used up, and the amounts were not added. Some of it is there again in so many milliseconds.
        case beyond(Kind, milliseconds: Int)
        /// The table has dropped the meter, so another one counts.
        case forgotten
    }

    /// The price of one of each kind: the ticks in which it comes back. 0 for a kind without a limit.
    typealias Prices = Amounts

    /// For each kind the time at which all of its quota is there again, in ticks.
    private let whole = InlineArray<4, Atomic<Int>> { _ in Atomic(0) }
    private let streams = Atomic<Int>(0)
    private let isForgotten = Atomic<Bool>(false)

    static func price(ofOneOf perMinute: Int) -> Int { perMinute > 0 ? minute / perMinute : 0 }

    /// Counts what a client is about to do.
    ///
    /// - Parameter now: The time in milliseconds.
    func charge(_ amounts: Amounts, at now: Int, _ prices: Prices) -> Verdict {
        guard !isForgotten.load(ordering: .relaxed) else { return .forgotten }
        let now = now &* millisecond
        var costs = Amounts()
        var most = 0
        for index in whole.indices {
            costs[index] = cost(amounts[index], prices[index])
            most = max(most, used(index, at: now) &+ costs[index])
        }
        let isNear = most > minute / 2
        if isNear, let refusal = refusal(costs, at: now, prices) { return refusal }
        for index in whole.indices where costs[index] > 0 { add(costs[index], index, at: now) }
        return isNear ? .near : .within
    }

    /// The first quota that is used up; nil if none is.
    private func refusal(_ costs: Amounts, at now: Int, _ prices: Prices) -> Verdict? {
        for kind in Kind.allCases where costs[kind.rawValue] > 0 {
            let least = min(costs[kind.rawValue], prices[kind.rawValue])
            let excess = used(kind.rawValue, at: now) &+ least &- minute
            guard excess > 0 else { continue }
            return .beyond(kind, milliseconds: (min(excess, longest) &+ millisecond &- 1) / millisecond)
        }
        return nil
    }

    /// Counts what a client has done already.
    func add(_ amount: Int, _ kind: Kind, at now: Int, _ prices: Prices) {
        add(cost(amount, prices[kind.rawValue]), kind.rawValue, at: now &* millisecond)
    }

    /// The part of a quota that is used: 1 is all of it.
    func used(_ kind: Kind, at now: Int) -> Double {
        Double(used(kind.rawValue, at: now &* millisecond)) / Double(minute)
    }

    /// The greatest part of a quota that is used; 0 for a client like a new one, and infinite for one with open streams.
    func load(at now: Int) -> Double {
        guard streams.load(ordering: .relaxed) == 0 else { return .infinity }
        return Kind.allCases.map { used($0, at: now) }.max() ?? 0
    }

    @inline(__always)
    private func used(_ index: Int, at now: Int) -> Int {
        max(whole[index].load(ordering: .relaxed) &- now, 0)
    }

    /// - Returns: A cost that is bounded, so that no sum overflows.
    @inline(__always)
    private func cost(_ amount: Int, _ price: Int) -> Int {
        let (cost, isBeyond) = amount.multipliedReportingOverflow(by: price)
        return isBeyond ? longest : min(cost, longest)
    }

    /// Several loops may add at once.
    @inline(__always)
    private func add(_ cost: Int, _ index: Int, at now: Int) {
        var known = whole[index].load(ordering: .relaxed)
        while true {
            let sum = max(min(known, now &+ longest), now) &+ cost
            let (isDone, found) = whole[index].weakCompareExchange(expected: known, desired: sum, ordering: .relaxed)
            guard !isDone else { return }
            known = found
        }
    }

    /// - Returns: False if the client follows with as many streams as it may.
    func beginStream(most: Int) -> Bool {
        guard streams.wrappingAdd(1, ordering: .relaxed).newValue > most else { return true }
        endStream()
        return false
    }

    func endStream() { streams.wrappingSubtract(1, ordering: .relaxed) }

    /// Forgets a client that no stream counts on.
    fileprivate func forget() -> Bool {
        guard streams.load(ordering: .relaxed) == 0 else { return false }
        isForgotten.store(true, ordering: .relaxed)
        return true
    }
}

/// A tick is a sixteenth of a nanosecond, so that one byte of many costs some. Years of them fit in a number.
private let millisecond = 16_000_000
private let minute = 60_000 * millisecond
/// The longest time that anybody waits: a thousand minutes.
private let longest = 1_000 * minute

/// The meters of all clients, as many as memory is set aside for.
///
/// A full part of the table first drops the clients that have used nothing lately, which loses nothing. If those are too
/// few, it drops those that have used the least.
final class Meters: Sendable {
    private let parts: [Locked<[Tenant: Meter]>]
    private let partMax: Int

    /// - Parameter most: The greatest number of clients; some 200 bytes each.
    init(most: Int) {
        parts = (0..<16).map { _ in Locked([:]) }
        partMax = max(most / 16, 8)
    }

    func meter(of tenant: Tenant, at now: Int) -> Meter {
        part(of: tenant).withLock { meters in
            if let meter = meters[tenant] { return meter }
            if meters.count >= partMax { makeRoom(in: &meters, at: now) }
            let meter = Meter()
            meters[tenant] = meter
            return meter
        }
    }

    var count: Int { parts.reduce(0) { $0 + $1.withLock { $0.count } } }

    private func part(of tenant: Tenant) -> Locked<[Tenant: Meter]> {
        parts[Int(UInt(bitPattern: tenant.hashValue) % UInt(parts.count))]
    }

    /// Drops at least an eighth, so that a crowd of new clients does not look at all of them each time. Those with open
    /// streams stay, which connections bound.
    private func makeRoom(in meters: inout [Tenant: Meter], at now: Int) {
        var loads = meters.map { (tenant: $0, load: $1.load(at: now)) }
        loads.sort { $0.load < $1.load }
        for (index, one) in loads.enumerated() {
            guard index < partMax / 8 || one.load == 0 else { return }
            if meters[one.tenant]?.forget() == true { meters[one.tenant] = nil }
        }
    }
}
