internal import CMicrohttpd

/// What a loop does with exchanges whose answers come from other threads.
///
/// To suspend a connection and to resume it costs three calls of the system, as much as half of the answer's sending.
/// But the engine also asks anew, in each of its turns, for an answer that it was not given, and that costs next to
/// nothing (`MHD_AccessHandlerCallback`). So an exchange is *held* for about as long as a disk takes, by not answering
/// the engine, and is suspended only then. While exchanges are held the engine wants to be run without a rest; the loop
/// takes one when two turns have brought nothing: one may have written a head whose content is written in the next.
extension EventLoop {
    /// For how long an exchange is held, in milliseconds of the loop's clock.
    private static let holdTime: UInt64 = 3
    /// How many are held at once: each of them costs a call in every turn.
    private static let heldMax = 256
    /// How long the loop may rest while exchanges are held, in milliseconds.
    private static let holdRest: UInt64 = 1

    /// How long the loop may rest, in milliseconds.
    ///
    /// - Parameter wanted: What the engine would have: 0 whenever an exchange is held.
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
    /// One that was held is asked for its answer in the next turn. It must not be handed over before: outside of its
    /// callback the engine goes on to use a connection that it has just closed because the answer's head has no room.
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
