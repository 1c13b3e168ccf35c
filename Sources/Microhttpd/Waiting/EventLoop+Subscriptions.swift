internal import CMicrohttpd
internal import Glibc
internal import HTTPTypes

/// What a loop does with exchanges that wait in wake groups.
extension EventLoop {
    /// How many are asked in one turn: the others of the loop are served in between.
    static let askedMax = 1024

    /// Suspends an exchange until its source has the answer, or asks no further if it has it already.
    ///
    /// - Returns: The answer; nil if the exchange waits, or the server stops and there is none.
    func wait(_ wait: AnswerWait, _ exchange: Exchange, _ connection: OpaquePointer) -> Response? {
        let subscription = Subscription(.answer(wait.source), of: exchange, on: self, milliseconds: wait.milliseconds)
        // Before it is asked: what happens after that wakes it.
        subscription.join(wait.groups)
        if let response = wait.source.answer(isDraining ? .stopping : .ordinary) {
            subscription.leave()
            return response
        }
        guard !isDraining else {
            subscription.leave()
            return nil
        }
        exchange.wait(subscription)
        subscription.isSuspended = true
        departures.add(exchange)
        probe(exchange.descriptor, afterSeconds: wait.silenceSeconds)
        MHD_suspend_connection(connection)
        return nil
    }

    /// Begins an answer whose content comes bit by bit.
    ///
    /// - Returns: False if the engine cannot take it; the connection is then to be closed.
    func stream(_ stream: ContentStream, _ exchange: Exchange, _ call: EngineCall) -> Bool {
        let subscription = Subscription(
            .content(stream.source), of: exchange, on: self, milliseconds: stream.silenceMilliseconds)
        // Chunks are made in the memory of the connection, but HTTP/1.0 has none (RFC 9112, section 7.1).
        let ownBytes = call.isHTTP10 ? 4096 : 1
        guard let handle = stream.head.makeEngineStream(subscription, ownBytes: ownBytes) else { return false }
        defer { MHD_destroy_response(handle) }  // The engine has a reference of its own.
        subscription.join(stream.groups)
        if isDraining { subscription.note(.stopping) }
        exchange.stream(subscription)
        departures.add(exchange)
        setOption(exchange.descriptor, SOL_SOCKET, SO_SNDBUF, sendBufferBytes)
        return MHD_queue_response(call.connection, UInt32(stream.head.status.code), handle) == .YES
    }

    /// The request is over, and with it its wait.
    func end(_ subscription: Subscription) {
        departures.remove(subscription.exchange)
        subscription.leave()
    }

    // MARK: Asking

    /// Asks the members of groups that have been woken, some in each turn.
    func askWoken() {
        var asked = 0
        while asked < Self.askedMax, let subscription = woken.takeUnasked() {
            ask(subscription, .ordinary)
            asked += 1
        }
    }

    func ask(_ subscription: Subscription, _ occasion: Occasion) {
        subscription.note(occasion)
        switch subscription.kind {
        case .answer(let source):
            let response = source.answer(occasion)
            if response == nil, occasion == .ordinary { return }
            guard subscription.exchange.accept(response, serial: subscription.exchange.serial) else { return }
            resume(subscription)
        case .content:
            resume(subscription)
        }
    }

    /// The engine goes on with it, and asks it for content if that is what it waits for.
    private func resume(_ subscription: Subscription) {
        guard subscription.isSuspended else { return }
        subscription.isSuspended = false
        hasResumed = true
        MHD_resume_connection(subscription.exchange.connection)
    }

    // MARK: Those who are late, or gone

    /// Asks whoever has waited for as long as it wanted, and closes the connection of whoever has gone without a word.
    ///
    /// - Returns: Whether it did either.
    func askIfDue(_ subscription: Subscription) -> Bool {
        if subscription.hasVanished() {
            desert(subscription)
        } else if now >= subscription.due {
            ask(subscription, .due)
        } else {
            return false
        }
        return true
    }

    func collectDepartures() {
        departures.collect { exchange in
            guard let subscription = exchange.subscription else { return }
            desert(subscription)
        }
    }

    /// Closes the connection, for nobody reads what would be sent.
    private func desert(_ subscription: Subscription) {
        subscription.isDeserted = true
        _ = subscription.exchange.abandon()
        shutdown(subscription.exchange.descriptor, Int32(SHUT_RDWR))
        resume(subscription)
    }

    /// The engine aborts the process if it finds a suspended connection when it stops.
    func resumeForGood(_ exchange: Exchange) {
        if let subscription = exchange.subscription {
            desert(subscription)
        } else if exchange.abandon() {
            hasResumed = true
            resume(exchange)
        }
    }
}

/// Lets the system ask whether the client is still there: nothing is sent to one that waits for its answer, so nothing
/// would tell (RFC 9293, section 3.8.4). If there is no reply for a second silence, the connection counts as ended.
private func probe(_ descriptor: Int32, afterSeconds silence: Int) {
    let count = 3
    let values = [
        (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, silence),
        (Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(silence / count, 1)), (Int32(IPPROTO_TCP), TCP_KEEPCNT, count),
    ]
    for (level, name, value) in values { setOption(descriptor, level, name, Int32(clamping: value)) }
}

/// A reader that does not read is to be noticed soon, and to hold little of the system's memory. In bytes; Linux
/// doubles it.
private let sendBufferBytes: Int32 = 65_536

// MARK: - The engine's form of a stream

extension Response {
    /// Nil if the engine is out of memory; otherwise for the caller to destroy.
    ///
    /// - Parameter ownBytes: How much of the content the engine's form has room for.
    func makeEngineStream(_ subscription: Subscription, ownBytes: Int) -> OpaquePointer? {
        let retained = Unmanaged.passRetained(subscription)  // Released in `releaseSubscription`.
        guard
            let handle = MHD_create_response_from_callback(
                .max, ownBytes, readContent, retained.toOpaque(), releaseSubscription)
        else {
            retained.release()
            return nil
        }
        addFields(to: handle)
        return handle
    }
}

private let readContent: MHD_ContentReaderCallback = { stored, _, buffer, size in
    guard let stored, let buffer else { return endWithError }
    return Unmanaged<Subscription>.fromOpaque(stored)._withUnsafeGuaranteedRef { subscription in
        guard !subscription.isDeserted, case .content(let source) = subscription.kind else { return endWithError }
        switch subscription.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size), from: source) {
        case .bytes(let count):
            subscription.loop.quietTurns = 0
            return count
        case .end: return endOfStream
        case .nothing:
            subscription.isSuspended = true
            MHD_suspend_connection(subscription.exchange.connection)
            return 0
        }
    }
}

private let releaseSubscription: MHD_ContentReaderFreeCallback = { stored in
    guard let stored else { return }
    Unmanaged<Subscription>.fromOpaque(stored).release()
}

/// The engine's macros for these have casts that Swift does not import.
private let endOfStream = -1
private let endWithError = -2
