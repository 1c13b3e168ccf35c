internal import CMicrohttpd
internal import Glibc
internal import Threads

/// One thread that serves the connections of one engine.
///
/// The engine could wait for events by itself, but then stalls when exactly a multiple of 128
/// connections are ready at once, and is not woken by a resumption. So it runs in its external
/// mode: the loop waits on the engine's epoll descriptor and on one of its own, then lets the
/// engine do, without waiting, whatever there is to do.
///
/// - Safety: `@unchecked` is sound because once `run` has begun, everything but `mailbox` and the
///   constants is touched only on the thread that runs it.
final class EventLoop: @unchecked Sendable {
    let handler: any RequestHandler
    let connections: Connections
    private let patience: Exchange.Patience
    private let waiter: Waiter
    private let mailbox = Locked(Mailbox())
    let listener: Int32
    private(set) var daemon: OpaquePointer?
    private(set) var exchanges: [Exchange] = []
    /// The same, by descriptor. Looked at for each piece that is read; nothing reaches it while it is changed.
    @exclusivity(unchecked) private var described: [Unmanaged<Exchange>?] = []
    let headLimits: HeadReader.Limits
    /// A connection has closed since the engine last looked whether it may accept again.
    private var hasClosed = false
    var lingering = LingeringSockets()
    let departures: DepartureWatch
    var woken = WokenParts()
    /// A connection has been resumed since the engine last looked.
    var hasResumed = false
    /// Exchanges that wait and are not suspended.
    var heldCount = 0
    /// Turns since the engine has told of anything but that it goes on waiting for an answer.
    var quietTurns = 0
    /// Empty but for the time of `collect`; kept for its room, which the mailbox gets back filled.
    private var collected: [Return] = []
    private var nextCheck: UInt64 = 0
    /// Milliseconds of the monotonic clock at the start of this turn.
    private(set) var now = monotonicMilliseconds()
    var drain = Drain.none
    /// Requests in flight, once a drain has begun.
    var inFlight = 0

    fileprivate struct Mailbox {
        var returned: [Return] = []
        var called: [WakeGroupPart] = []
        var stopGrace: UInt64?
        var isAsleep = false
        /// When the turn began that is under way, in milliseconds of the monotonic clock; nil between two.
        var turnBegan: UInt64?
        /// Nobody collects any more.
        var isClosed = false
    }

    /// Takes over the listening socket, also if it throws.
    init(
        _ listener: ListeningSocket, _ options: EngineOptions, _ connections: Connections,
        _ handler: any RequestHandler
    ) throws(ServerError) {
        self.handler = handler
        self.connections = connections
        self.listener = listener.descriptor
        patience = options.patience
        headLimits = options.headLimits
        do throws(ServerError) {
            waiter = try Waiter()
            departures = try DepartureWatch()
        } catch {
            Glibc.close(listener.descriptor)
            throw error
        }
        daemon = startEngine(for: self, listener: listener.descriptor, options)
        // An engine that fails to start has closed the socket.
        guard daemon != nil else { throw .engine }
    }

    /// Serves until it has been told to stop and has drained.
    func run() {
        beginReading()
        defer { endReading() }
        repeat {
            let hasDepartures = wait()
            let stopGrace = collect()
            turn()
            checkDeadlines()
            if hasDepartures { collectDepartures() }
            if !lingering.isEmpty { lingering.drain(now: now) }
            if let stopGrace, !isDraining { beginDrain(graceSeconds: stopGrace) }
        } while !isDrained()
        close()
    }

    /// Ends the engine. On the thread that ran it, or without it ever having run.
    func close() {
        guard let daemon else { return }
        // The engine aborts the process if it finds a suspended connection.
        for exchange in exchanges { resumeForGood(exchange) }
        MHD_stop_daemon(daemon)
        self.daemon = nil
        lingering.closeAll()
        closeMailbox()
    }

    /// What has come since is for nobody, and a wake group in it holds the loop.
    private func closeMailbox() {
        woken = WokenParts()
        let remains = mailbox.withLock { mailbox in
            defer { mailbox = Mailbox(isClosed: true) }
            return mailbox
        }
        withExtendedLifetime(remains) {}  // Let go of without the lock: whoever goes may post.
    }
}

// MARK: From any thread

extension EventLoop {
    /// Sends an exchange back to the loop: it is answered, or closed, at the loop's next turn.
    ///
    /// - Parameter ticket: Nothing is posted if it was used before.
    func post(_ returned: Return, with ticket: Ticket? = nil) {
        let mustCall = mailbox.withLock { mailbox in
            guard ticket?.takeFirstUse() != false, !mailbox.isClosed else { return false }
            mailbox.returned.append(returned)
            return mailbox.wake()
        }
        if mustCall { waiter.call() }
    }

    /// Asks the members of a wake group that this loop serves.
    func post(_ part: WakeGroupPart) {
        let mustCall = mailbox.withLock { mailbox in
            guard !part.isCalled, !mailbox.isClosed else { return false }
            part.isCalled = true
            mailbox.called.append(part)
            return mailbox.wake()
        }
        if mustCall { waiter.call() }
    }

    /// How far it has come; a turn that began long ago is one that has not ended.
    var state: (hasEnded: Bool, turnMilliseconds: UInt64?) {
        mailbox.withLock { mailbox in
            (mailbox.isClosed, mailbox.turnBegan.map { monotonicMilliseconds() - $0 })
        }
    }

    func stop(graceSeconds: Int) {
        let mustCall = mailbox.withLock { mailbox in
            mailbox.stopGrace = mailbox.stopGrace ?? UInt64(max(graceSeconds, 0))
            return mailbox.wake()
        }
        if mustCall { waiter.call() }
    }
}

extension EventLoop.Mailbox {
    fileprivate var isEmpty: Bool { returned.isEmpty && called.isEmpty }

    /// The members of the groups that were called are all to be asked.
    fileprivate mutating func takeCalled(into woken: inout WokenParts) {
        for part in called {
            part.isCalled = false
            woken.add(part)
        }
        called.removeAll(keepingCapacity: true)
    }

    /// Whether the loop must be called: only the first letter since it fell asleep does that.
    fileprivate mutating func wake() -> Bool {
        defer { isAsleep = false }
        return isAsleep
    }
}

// MARK: One turn

extension EventLoop {
    /// How often late connections are looked for, in milliseconds.
    private static let checkInterval: UInt64 = 250
    /// How often what comes on lingering sockets is dropped, in milliseconds.
    private static let lingerInterval: UInt64 = 20

    /// - Returns: Whether clients of exchanges that wait have gone.
    private func wait() -> Bool {
        guard let daemon else { return false }
        let isDraining = isDraining
        let mayRest = !hasClosed && !hasResumed && woken.isEmpty
        hasClosed = false
        let maySleep = mailbox.withLock { mailbox in
            mailbox.turnBegan = nil
            mailbox.isAsleep = mayRest && mailbox.isEmpty && (mailbox.stopGrace == nil || isDraining)
            return mailbox.isAsleep
        }
        return waiter.wait(
            for: mhd_epoll_descriptor(daemon), or: departures.descriptor,
            milliseconds: maySleep ? timeout(of: daemon) : 0)
    }

    /// Until the engine, the next check or the end of a drain; -1 means until something happens.
    private func timeout(of daemon: OpaquePointer) -> Int32 {
        var wanted = UInt64.max
        var engineWants: UInt64 = 0
        if MHD_get_timeout(daemon, &engineWants) == .YES { wanted = rest(wanted: engineWants) }
        if !exchanges.isEmpty { wanted = min(wanted, Self.checkInterval) }
        if !lingering.isEmpty { wanted = min(wanted, Self.lingerInterval) }
        switch drain {
        case .none: break
        case .patient(let end), .cutting(let end): wanted = min(wanted, end > now ? end - now : 0)
        }
        return wanted == .max ? -1 : Int32(clamping: wanted)
    }

    /// Lets the engine go on with what other threads have answered.
    ///
    /// - Returns: The grace in seconds if the loop has been told to stop.
    private func collect() -> UInt64? {
        let stopGrace = mailbox.withLock { mailbox in
            mailbox.isAsleep = false
            mailbox.turnBegan = now
            swap(&mailbox.returned, &collected)
            mailbox.takeCalled(into: &woken)
            return mailbox.stopGrace
        }
        for one in collected where one.exchange.accept(one.response, serial: one.serial) { resume(one.exchange) }
        collected.removeAll(keepingCapacity: true)
        if !woken.isEmpty { askWoken() }
        return stopGrace
    }

    func turn() {
        now = monotonicMilliseconds()
        hasResumed = false
        quietTurns += 1
        guard let daemon else { return }
        handler.turn { _ = MHD_run(daemon) }
    }

    /// Whether the client has ended its side along with its last request, which the engine does not notice: it takes a
    /// read that fills less than its buffer for the last one until the system speaks up again. Asked once for each time
    /// that a connection is idle for so long.
    private func hasFinished(_ exchange: Exchange) -> Bool {
        guard exchange.isIdle, !exchange.isLookedAt, now >= exchange.since + Self.checkInterval else { return false }
        exchange.isLookedAt = true
        return isAtEnd(exchange.descriptor)
    }

    private func checkDeadlines() {
        guard now >= nextCheck else { return }
        nextCheck = now + Self.checkInterval
        var asked = 0
        for exchange in exchanges {
            if let subscription = exchange.subscription {
                guard askIfDue(subscription) else { continue }
                asked += 1
                // The others of the loop are served before it goes on.
                guard asked < Self.askedMax else { return nextCheck = now }
            } else if exchange.isLate(now: now, patience: patience) || hasFinished(exchange) {
                shutdown(exchange.descriptor, Int32(SHUT_RDWR))
            }
        }
    }
}

// MARK: The registry of connections

extension EventLoop {
    func add(_ exchange: Exchange) {
        exchange.index = exchanges.count
        exchanges.append(exchange)
        let descriptor = Int(exchange.descriptor)
        if described.count <= descriptor {
            described += repeatElement(nil, count: descriptor + 1 - described.count)
        }
        described[descriptor] = .passUnretained(exchange)  // Until `remove`; the registry holds it.
    }

    func exchange(at descriptor: Int32) -> Unmanaged<Exchange>? {
        let index = Int(descriptor)
        return index >= 0 && index < described.count ? described[index] : nil
    }

    /// At its limit of connections or of descriptors the engine does not listen, and it starts to again
    /// only in the turn after the one in which a connection closed; so that turn must not wait.
    func remove(_ exchange: Exchange) {
        hasClosed = true
        described[Int(exchange.descriptor)] = nil
        // Not ended yet only if the engine could not wait for its socket: then it says nothing of the request.
        if let subscription = exchange.subscription { end(subscription) }
        endFlight(exchange)
        giveBackPlace(of: exchange)
        let last = exchanges.removeLast()
        guard last !== exchange else { return }
        exchanges[exchange.index] = last
        last.index = exchange.index
    }
}

extension EventLoop {
    /// Gives the client a chance to read an answer that it got in the middle of its request.
    func linger(_ exchange: Exchange) {
        lingering.add(exchange.descriptor, now: now)
    }
}
