internal import Threads

/// The use that one client has made of its quotas.
///
/// Use goes down with time, by the whole quota in a minute. So a client may use all of it at once, and then as much as
/// comes back. It is refused while less than one is left. What it is let do may take more than is left, as an answer of
/// many bytes; that is waited for afterwards.
final class Meter: Sendable {
    /// What is counted by the minute.
    enum Kind: Int, CaseIterable {
        case requests, writes, bytes, wrongTokens
    }

    /// An amount of each kind.
    typealias Amounts = SIMD4<Double>

    enum Verdict: Equatable {
        case within
        /// More than half of a quota is used.
        case near
        /// A quota is used up, and the amounts were not added. Some of it is there again in so many milliseconds.
        case beyond(Kind, milliseconds: Int)
        /// The table has dropped the meter, so another one counts.
        case forgotten
    }

    struct State {
        fileprivate(set) var used = Amounts()
        /// The time until which `used` has gone down, in milliseconds.
        fileprivate var time: Int
        fileprivate(set) var streams = 0
        fileprivate var isForgotten = false

        fileprivate init(time: Int) { self.time = time }

        /// Lets what was used come back.
        fileprivate mutating func settle(at now: Int, _ allowed: Amounts) {
            guard now > time else { return }
            used = pointwiseMax(used - allowed * (Double(now - time) / Double(minute)), Amounts())
            time = now
        }

        /// Whether a new meter would be the same.
        var isFresh: Bool { used == Amounts() && streams == 0 }
    }

    private let state: Locked<State>

    init(at now: Int) { state = Locked(State(time: now)) }

    /// Counts what a client is about to do.
    func charge(_ amounts: Amounts, at now: Int, _ allowed: Amounts) -> Verdict {
        state.withLock { state in
            guard !state.isForgotten else { return .forgotten }
            state.settle(at: now, allowed)
            let excess = state.used + pointwiseMin(amounts, Amounts(repeating: 1)) - allowed
            for kind in Kind.allCases where excess[kind.rawValue] > tolerance && amounts[kind.rawValue] > 0 {
                let wait = min(excess[kind.rawValue] / allowed[kind.rawValue], 1_000) * Double(minute)
                return .beyond(kind, milliseconds: max(Int((wait - tolerance).rounded(.up)), 1))
            }
            state.used += amounts
            return any(state.used .> allowed * 0.5) ? .near : .within
        }
    }

    /// Counts what a client has done already.
    func add(_ amount: Double, _ kind: Kind, at now: Int, _ allowed: Amounts) {
        state.withLock { state in
            state.settle(at: now, allowed)
            state.used[kind.rawValue] += amount
        }
    }

    func settled(at now: Int, _ allowed: Amounts) -> State {
        state.withLock { state in
            state.settle(at: now, allowed)
            return state
        }
    }

    /// - Returns: False if the client follows with as many streams as it may.
    func beginStream(most: Int) -> Bool {
        state.withLock { state in
            guard state.streams < most else { return false }
            state.streams += 1
            return true
        }
    }

    func endStream() { state.withLock { $0.streams -= 1 } }

    /// Forgets a client that no stream counts on.
    fileprivate func forget() -> Bool {
        state.withLock { state in
            guard state.streams == 0 else { return false }
            state.isForgotten = true
            return true
        }
    }
}

/// A minute in milliseconds.
private let minute = 60_000
/// What sums of fractions may be wrong by.
private let tolerance = 1e-6

/// The meters of all clients, as many as memory is set aside for.
///
/// A full part of the table first drops the clients that have used nothing lately, which loses nothing. If those are too
/// few, it drops those that have used the least.
final class Meters: Sendable {
    private let parts: [Locked<[Tenant: Meter]>]
    private let partMax: Int

    /// - Parameter most: The greatest number of clients; a little more than 300 bytes each.
    init(most: Int) {
        parts = (0..<16).map { _ in Locked([:]) }
        partMax = max(most / 16, 8)
    }

    func meter(of tenant: Tenant, at now: Int, _ allowed: Meter.Amounts) -> Meter {
        part(of: tenant).withLock { meters in
            if let meter = meters[tenant] { return meter }
            if meters.count >= partMax { makeRoom(in: &meters, at: now, allowed) }
            let meter = Meter(at: now)
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
    private func makeRoom(in meters: inout [Tenant: Meter], at now: Int, _ allowed: Meter.Amounts) {
        var loads = meters.map { tenant, meter in
            let state = meter.settled(at: now, allowed)
            return (tenant: tenant, load: state.streams > 0 ? 2 : (state.used / allowed).max())
        }
        loads.sort { $0.load < $1.load }
        for (index, one) in loads.enumerated() {
            guard index < partMax / 8 || one.load == 0 else { return }
            if meters[one.tenant]?.forget() == true { meters[one.tenant] = nil }
        }
    }
}
