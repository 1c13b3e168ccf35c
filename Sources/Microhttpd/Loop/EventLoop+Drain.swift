internal import CMicrohttpd
internal import Glibc

extension EventLoop {
    /// The way of a loop from serving to its end.
    ///
    ///     none ──told to stop──▶ patient ──nothing in flight──▶ cutting ──nothing left──▶ end
    ///                               └───────out of time────────▶   └─────out of time────▶
    ///
    /// What has been sent when the loop is told to stop is in flight, and gets its answer. The socket stays open
    /// meanwhile: a client that asks then, on whatever connection, hears that the server stops, which tells it more
    /// than a connection refused. None of that keeps the loop up, for it waits only for what is in flight.
    enum Drain {
        case none
        /// Requests in flight may finish until `end`; every other one is refused.
        case patient(end: UInt64)
        /// Nobody listens any more, and what was left has been cut; its remains are collected until `end`.
        case cutting(end: UInt64)
    }

    /// How long the engine gets to close what has been cut, in milliseconds.
    private static let cuttingTime: UInt64 = 1000
    /// The engine accepts up to ten connections a turn.
    private static let turnsToAccept = 512

    var isDraining: Bool {
        if case .none = drain { false } else { true }
    }

    /// From here on only what is in flight is served.
    ///
    /// Who waits for something to happen is in flight too, and is asked for its last words.
    func beginDrain(graceSeconds: UInt64) {
        readWhatHasBeenSent()
        drain = .patient(end: now + graceSeconds * 1000)
        for exchange in exchanges where !exchange.isIdle {
            exchange.isInFlight = true
            inFlight += 1
            if let subscription = exchange.subscription { ask(subscription, .stopping) }
        }
    }

    /// The request is over, or its connection is. Other ones of this connection would be refused.
    func endFlight(_ exchange: Exchange) {
        guard exchange.isInFlight else { return }
        exchange.isInFlight = false
        inFlight -= 1
        // In case there was no room to tell the client that the connection closes.
        shutdown(exchange.descriptor, Int32(SHUT_RDWR))
    }

    /// Looks whether the drain can go on, at the end of each turn.
    func isDrained() -> Bool {
        switch drain {
        case .none:
            return false
        case .patient(let end):
            if inFlight == 0 {
                readWhatHasBeenSent()  // The last ones to hear it from the server.
                cut()
            } else if now >= end {
                cut()
            } else {
                return false
            }
            // Otherwise the loop would wait for a turn that nothing brings about.
            return exchanges.isEmpty && lingering.isEmpty
        case .cutting(let end):
            return exchanges.isEmpty || now >= end
        }
    }

    /// Accepts who has connected and reads what has come, so that closing the socket resets nobody who is waiting.
    private func readWhatHasBeenSent() {
        var turns = 0
        while turns < Self.turnsToAccept && isReadable(listener) {
            turn()
            turns += 1
        }
        turn()
    }

    /// Closes the listening socket and every connection.
    private func cut() {
        guard let daemon else { return }
        // Left open, the socket would let clients connect to nobody.
        Glibc.close(MHD_quiesce_daemon(daemon))
        drain = .cutting(end: now + Self.cuttingTime)
        for exchange in exchanges {
            resumeForGood(exchange)
            shutdown(exchange.descriptor, Int32(SHUT_RDWR))
        }
    }
}
