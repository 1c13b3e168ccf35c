internal import CMicrohttpd
internal import Glibc
internal import Threads

/// The open connections of a server, over all of its loops.
///
/// The engine's own limits know one loop each. They leave a connection too many waiting, or close it without an answer.
/// So the engine may accept some more connections than there are places, and those without a place are refused here.
final class Connections: Sendable {
    /// The place of a connection.
    enum Place: UInt8 {
        /// A place among the connections that are served.
        case regular
        /// A place in the reserve. The connection is accepted only to hear why it is not served: its next request gets
        /// the refusal and closes it.
        case reserve
        /// No place. Not even the reserve had room, so the connection is closed without an answer.
        case none
    }

    struct Limits {
        let regular: Int
        let perAddress: Int
        let reserve: Int
        /// About how many bytes of memory a connection takes.
        let bytesOfEach: Int
    }

    fileprivate struct Counts {
        var memory: MemoryShare
        var regular = 0
        var reserve = 0
        /// The number of regular places in use, by address.
        var perAddress: [ClientAddress: Int32] = [:]
    }

    private let limits: Limits
    private let counts: Locked<Counts>

    init(_ limits: Limits, _ memory: MemoryBudget) {
        self.limits = limits
        counts = Locked(Counts(memory: MemoryShare(of: memory, for: .connections)))
    }

    var count: Int { counts.withLock { $0.regular + $0.reserve } }

    /// - Parameter isServed: Whether new connections are served at all.
    func enter(_ address: ClientAddress?, isServed: Bool) -> Place {
        counts.withLock { counts in
            if isServed && excess(counts, address) == nil {
                counts.take(address)
                counts.memory.add(limits.bytesOfEach)
                return .regular
            }
            guard counts.reserve < limits.reserve else { return .none }
            counts.reserve += 1
            counts.memory.add(limits.bytesOfEach)
            return .reserve
        }
    }

    /// Asks for a regular place again when the first request is here, because a connection is often accepted a moment
    /// before the engine notices that another one has ended.
    ///
    /// - Returns: The reason why there is still no regular place; nil if `place` is one now.
    func promote(_ place: inout Place, _ address: ClientAddress?) -> Refusal? {
        switch place {
        case .regular: return nil
        case .none: return .tooManyConnections(limit: limits.regular)
        case .reserve: break
        }
        let refusal = counts.withLock { counts in
            if let refusal = excess(counts, address) { return Refusal?.some(refusal) }
            counts.reserve -= 1
            counts.take(address)
            return nil
        }
        if refusal == nil { place = .regular }
        return refusal
    }

    func leave(_ place: Place, _ address: ClientAddress?) {
        counts.withLock { counts in
            if place != .none { counts.memory.add(-limits.bytesOfEach) }
            switch place {
            case .regular: counts.giveBack(address)
            case .reserve: counts.reserve -= 1
            case .none: break
            }
        }
    }

    private func excess(_ counts: Counts, _ address: ClientAddress?) -> Refusal? {
        guard counts.regular < limits.regular else { return .tooManyConnections(limit: limits.regular) }
        guard let address, let count = counts.perAddress[address], count >= limits.perAddress else { return nil }
        return .tooManyConnectionsOfAddress(limit: limits.perAddress)
    }
}

extension Connections.Counts {
    fileprivate mutating func take(_ address: ClientAddress?) {
        regular += 1
        if let address { perAddress[address, default: 0] += 1 }
    }

    fileprivate mutating func giveBack(_ address: ClientAddress?) {
        regular -= 1
        guard let address, let count = perAddress[address] else { return }
        perAddress[address] = count > 1 ? count - 1 : nil
    }
}

// MARK: - For a loop

extension EventLoop {
    /// Makes the exchange of a connection that has been accepted.
    func makeExchange(for connection: OpaquePointer) -> Exchange {
        let peer = mhd_client_address(connection).flatMap { NetworkAddress($0) }
        let proxies = peer.flatMap { peer in self.proxies.flatMap { $0.trusts(peer) ? $0 : nil } }
        // A proxy has the connections of many clients.
        let place = connections.enter(proxies == nil ? peer.map(ClientAddress.init) : nil, isServed: !isDraining)
        let exchange = Exchange(
            connection, descriptor: mhd_descriptor(connection), peer: peer, behind: proxies, place: place, headLimits,
            now: now)
        if place == .none {
            tally.add(1, to: .closedUnheard)
            shutdown(exchange.descriptor, Int32(SHUT_RDWR))
        }
        return exchange
    }

    func giveBackPlace(of exchange: Exchange) {
        connections.leave(exchange.place, exchange.countedAddress)
    }

    /// The reason why the request that has just arrived does not reach the handler, if the server is full or stops.
    func excess(_ exchange: Exchange) -> Refusal? {
        if isDraining && !exchange.isInFlight { return .stopping }
        if exchange.place == .regular { return nil }
        var place = exchange.place
        defer { exchange.place = place }
        return connections.promote(&place, exchange.countedAddress)
    }
}
