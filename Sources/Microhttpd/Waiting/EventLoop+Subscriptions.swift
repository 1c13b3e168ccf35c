internal import CMicrohttpd
internal import Glibc
internal import HTTPTypes

/// Exchanges that wait in wake groups: they are suspended, asked when a group is woken, and closed when they are late.
extension EventLoop {
    /// How many are asked in one turn. The other connections of the loop are served in between.
    static let askedMax = 1024

    /// Suspends an exchange until its source has the answer, unless the source has it already.
    ///
    /// - Returns: The answer. Nil if the exchange waits, or if the server stops and there is no answer.
    func wait(_ wait: AnswerWait, _ exchange: Exchange, _ connection: OpaquePointer) -> Response? {
        let subscription = Subscription(.answer(wait.source), of: exchange, on: self, milliseconds: wait.milliseconds)
        // The exchange joins before its source is asked, so that anything that happens later wakes it.
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
        releaseBody(of: exchange)
        tally.add(1, to: .polls)
        subscription.isSuspended = true
        if wait.groups.isEmpty { timedWaits.add(subscription, due: subscription.due, now: now) }
        departures.add(exchange)
        probe(exchange.descriptor, afterSeconds: wait.silenceSeconds)
        MHD_suspend_connection(connection)
        return nil
    }

    /// Begins an answer whose content comes in pieces.
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
        releaseBody(of: exchange)
        tally.add(1, to: .streams)
        noteStream(stream.head, exchange)
        departures.add(exchange)
        setOption(exchange.descriptor, SOL_SOCKET, SO_SNDBUF, sendBufferBytes)
        return MHD_queue_response(call.connection, UInt32(stream.head.status.code), handle) == .YES
    }

    /// Ends the wait of a request that is over.
    func end(_ subscription: Subscription) {
        departures.remove(subscription.exchange)
        subscription.leave()
        tally.add(-1, to: subscription.count)
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

    /// Answers waits that only their time ends, some in each turn.
    func askTimed() {
        var asked = 0
        while asked < Self.askedMax, let subscription = timedWaits.take(now: now) {
            if !subscription.isOver { ask(subscription, .due) }
            asked += 1
        }
    }

    func ask(_ subscription: Subscription, _ occasion: Occasion) {
        subscription.note(occasion)
        switch subscription.kind {
        case .answer(let source):
            let response = source.answer(occasion)
            if response == nil, occasion == .ordinary { return }
            let answer = response.map { LaterAnswer.done(.send($0)) }
            guard subscription.exchange.accept(answer, serial: subscription.exchange.serial) else { return }
            subscription.noteDelivery()
            resume(subscription)
        case .content:
            resume(subscription)
        }
    }

    /// Lets the engine go on with the connection. If it waits for content, the engine asks for that.
    private func resume(_ subscription: Subscription) {
        guard subscription.isSuspended else { return }
        subscription.isSuspended = false
        hasResumed = true
        MHD_resume_connection(subscription.exchange.connection)
    }

    // MARK: Late and vanished clients

    /// Asks an exchange that has waited for its whole time, and closes the connection of a client that has vanished.
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

    /// Closes the connection, because its client reads no longer.
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

/// Lets the system ask whether the client is still there (RFC 9293, section 3.8.4). Nothing is sent to a client that
/// waits for its answer, so nothing else would tell. If there is no reply for as long again, the system ends the
/// connection.
private func probe(_ descriptor: Int32, afterSeconds silence: Int) {
    let count = 3
    let values = [
        (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, silence),
        (Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(silence / count, 1)), (Int32(IPPROTO_TCP), TCP_KEEPCNT, count),
    ]
    for (level, name, value) in values { setOption(descriptor, level, name, Int32(clamping: value)) }
}

/// The size of the send buffer in bytes, which Linux doubles. It is small, so that a client that does not read is
/// noticed soon and holds little memory.
private let sendBufferBytes: Int32 = 65_536

// MARK: - The engine's form of a stream

extension Response {
    /// The engine's response (`MHD_Response`) that sends the fields of this response and then the content of
    /// `subscription`. The caller must destroy it. It is nil if the engine is out of memory.
    ///
    /// - Parameter ownBytes: The size in bytes of the response's own buffer for content. Chunks do not use it, because
    ///   they are made in the memory of the connection.
    func makeEngineStream(_ subscription: Subscription, ownBytes: Int) -> OpaquePointer? {
        let retained = Unmanaged.passRetained(subscription)  // `releaseSubscription` releases it.
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
            subscription.loop.tally.add(count, to: .sentBytes)
            subscription.exchange.sentBytes += count
            subscription.noteDelivery()
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
