internal import CMicrohttpd
internal import Glibc

extension EventLoop {
    /// The way of a loop from serving to its end.
    ///
    ///     none ──told to stop──▶ patient ──nothing in flight──▶ cutting ──nothing left──▶ end
    ///                               └───────out of time────────▶   └─────out of time────▶
    ///
    /// A request that has been sent when the loop is told to stop is in flight, and gets its answer. The socket stays
    /// open meanwhile. A client that sends a request later, on any connection, hears that the server stops, which tells
    /// it more than a refused connection. Such requests do not delay the end: the loop waits only for those in flight.
    enum Drain {
        case none
        /// Requests in flight may finish until `end`. Every other request is refused.
        case patient(end: UInt64)
        /// The listening socket is closed and all connections are cut. The engine closes them until `end`.
        case cutting(end: UInt64)
    }

    /// The time that the engine gets to close the cut connections, in milliseconds.
    private static let cuttingTime: UInt64 = 1000
    /// The engine accepts up to ten connections a turn.
    private static let turnsToAccept = 512

    var isDraining: Bool {
        if case .none = drain { false } else { true }
    }

    /// From here on only requests in flight are served.
    ///
    /// An exchange that waits in wake groups is in flight too. Its source is asked for the last time.
    func beginDrain(graceSeconds: UInt64) {
        readWhatHasBeenSent()
        drain = .patient(end: now + graceSeconds * 1000)
        for exchange in exchanges where !exchange.isIdle {
            exchange.isInFlight = true
            inFlight += 1
            if let subscription = exchange.subscription { ask(subscription, .stopping) }
        }
    }

    /// Notes that a request in flight or its connection has ended. Later requests of the connection would be refused.
    func endFlight(_ exchange: Exchange) {
        guard exchange.isInFlight else { return }
        exchange.isInFlight = false
        inFlight -= 1
        // The head of the answer may have had no room to tell the client that the connection closes.
        shutdown(exchange.descriptor, Int32(SHUT_RDWR))
    }

    /// Looks whether the drain can go on, at the end of each turn.
    func isDrained() -> Bool {
        switch drain {
        case .none:
            return false
        case .patient(let end):
            if inFlight == 0 {
                readWhatHasBeenSent()  // These requests are the last that get an answer.
                cut()
            } else if now >= end {
                cut()
            } else {
                return false
            }
            // Without connections nothing would begin another turn, so the loop ends now.
            return exchanges.isEmpty && lingering.isEmpty
        case .cutting(let end):
            return exchanges.isEmpty || now >= end
        }
    }

    /// Accepts all new connections and reads all that has come, so that closing the socket resets no waiting client.
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
        // If the socket stayed open, clients could connect although no one accepts them.
        Glibc.close(MHD_quiesce_daemon(daemon))
        drain = .cutting(end: now + Self.cuttingTime)
        for exchange in exchanges {
            resumeForGood(exchange)
            shutdown(exchange.descriptor, Int32(SHUT_RDWR))
        }
    }
}
