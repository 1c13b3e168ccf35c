internal import Microhttpd

/// A token or a ticket of which nobody knows yet whether it is right. It counts as a wrong one of its address from the
/// beginning, so that many at once are counted, too.
struct Guess {
    private let meter: Meter
    private let quotas: Quotas

    /// - Returns: Nil if no quota applies.
    /// - Throws: `too_many_requests` if the address has sent as many wrong ones as it may.
    init?(of client: ClientAddress?, _ quotas: Quotas?) throws(Problem) {
        guard let client, let quotas else { return nil }
        self.quotas = quotas
        meter = quotas.meter(of: .address(client))
        let wrongToken = Quotas.amounts { $0 == .wrongTokens ? 1 : 0 }
        if case .beyond(let kind, let milliseconds) = meter.charge(wrongToken, at: quotas.now, quotas.prices) {
            throw .usedUp(kind, milliseconds: milliseconds, quotas, meter)
        }
    }

    /// It was right, or is counted elsewhere.
    func takeBack() { meter.add(-1, .wrongTokens, at: quotas.now, quotas.prices) }
}
