internal import CMicrohttpd

/// Exchanges whose answers come from other threads: the loop holds them for about as long as a disk takes.
///
/// An example: a write whose disk is done after 1 ms.
///
///     turn 1, 0 ms   The request is here, and its handler answers `later`. The loop gives the engine no answer.
///     turn 2, 0 ms   The engine asks again, and the loop gives none again. Such turns go on until the disk is done.
///     turn 3, 1 ms   The disk's thread has posted the answer. The loop takes it from the mailbox, the engine asks
///                    again, and the answer is sent.
///
/// With a disk of 8 ms, the first turn at 3 ms or later suspends the connection, and the answer resumes it. That costs
/// three calls of the system, as much as half of the sending of an answer. To be asked again costs next to nothing
/// (`MHD_AccessHandlerCallback`). While exchanges are held, the engine wants to be run without a rest. The loop rests
/// for up to 1 ms after two turns in which nothing else happened. One such turn is not enough: the engine may have
/// written a head in it whose content it writes in the next.
extension EventLoop {
    /// For how long an exchange is held, in milliseconds of the loop's clock.
    private static let holdTime: UInt64 = 3
    /// How many are held at once: each of them costs a call in every turn.
    private static let heldMax = 256
    /// How long the loop may rest while exchanges are held, in milliseconds.
    private static let holdRest: UInt64 = 1

    /// How long the loop may rest, in milliseconds.
    ///
    /// - Parameter wanted: The rest that the engine asks for: 0 whenever an exchange is held.
    func rest(wanted: UInt64) -> UInt64 {
        heldCount > 0 && quietTurns >= 2 ? Self.holdRest : wanted
    }

    /// Lets an exchange wait until it is resumed.
    func hold(_ exchange: Exchange) {
        exchange.wait()
        guard heldCount < Self.heldMax else { return MHD_suspend_connection(exchange.connection) }
        exchange.heldSince = now
        heldCount += 1
    }

    /// The engine asks for the answer of an exchange that waits.
    func keepWaiting(_ exchange: Exchange) {
        guard let since = exchange.heldSince, now >= since + Self.holdTime else { return }
        endHold(exchange)
        MHD_suspend_connection(exchange.connection)
    }

    /// Lets the engine go on with an exchange that has waited.
    ///
    /// The engine asks for the answer of a held exchange in the next turn. The answer must not be handed over before
    /// that: if its head has no room, the engine closes the connection, and outside of its callback it then goes on to
    /// use the closed connection.
    func resume(_ exchange: Exchange) {
        if !endHold(exchange) { MHD_resume_connection(exchange.connection) }
    }

    /// Returns whether the exchange was held.
    @discardableResult
    func endHold(_ exchange: Exchange) -> Bool {
        guard exchange.heldSince != nil else { return false }
        exchange.heldSince = nil
        heldCount -= 1
        return true
    }
}
