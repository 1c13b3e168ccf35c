internal import CMicrohttpd
internal import Glibc
internal import Threads

/// One thread that serves the connections of one engine.
///
/// If the engine waited for events by itself, it would stall whenever exactly a multiple of 128 connections are ready
/// at once, and a resumption would not wake it. So it runs in its external mode: the loop waits on the engine's epoll
/// descriptor and on one of its own, and then lets the engine do its work without waiting.
///
/// - Safety: `@unchecked` is sound because once `run` has begun, everything but `mailbox` and the constants is touched
///   only on the thread of `run`.
final class EventLoop: @unchecked Sendable {
    let handler: any RequestHandler
    let connections: Connections
    private let patience: Exchange.Patience
    private let waiter: Waiter
    private let mailbox = Locked(Mailbox())
    let listener: Int32
    private(set) var daemon: OpaquePointer?
    // Every turn or read looks at the members that are not checked for exclusive access. While a method changes such a
    // member, nothing that the method calls reaches that member.
    @exclusivity(unchecked) private(set) var exchanges: [Exchange] = []
    /// The exchanges by descriptor.
    @exclusivity(unchecked) private var described: [Unmanaged<Exchange>?] = []
    let headLimits: HeadReader.Limits
    let proxies: TrustedProxies?
    @exclusivity(unchecked) var memory: LoopMemory
    /// Whether a connection has closed since the engine last looked if it may accept again.
    private var hasClosed = false
    @exclusivity(unchecked) var lingering = LingeringSockets()
    let departures: DepartureWatch
    @exclusivity(unchecked) var woken = WokenParts()
    @exclusivity(unchecked) var timedWaits = TimedWaits<Subscription>()
    /// Whether a connection has been resumed since the engine last looked.
    var hasResumed = false
    /// The number of exchanges that wait and are not suspended.
    var heldCount = 0
    /// The number of turns since the engine last did more than ask for answers that are not there yet.
    var quietTurns = 0
    /// The answers that `collect` has taken from the mailbox. The array is empty outside of `collect`, and is kept
    /// because its memory is swapped with that of the mailbox.
    @exclusivity(unchecked) private var collected: [Return] = []
    private var nextCheck: UInt64 = 0
    /// The milliseconds of the monotonic clock at the start of this turn.
    private(set) var now = monotonicMicroseconds() / 1000
    /// The same in microseconds.
    private(set) var turnBegan = monotonicMicroseconds()
    let tally = Tally()
    let watchesRequests: Bool
    var drain = Drain.none
    /// The number of requests in flight, once a drain has begun.
    var inFlight = 0

    fileprivate struct Mailbox {
        var returned: [Return] = []
        var called: [WakeGroupPart] = []
        var stopGrace: UInt64?
        var isAsleep = false
        /// The time at which the present turn began, in milliseconds of the monotonic clock; nil between two turns.
        var turnBegan: UInt64?
        /// Whether the loop has ended and collects nothing any more.
        var isClosed = false
    }

    /// Takes over the listening socket, and closes it if it throws.
    init(
        _ listener: ListeningSocket, _ options: EngineOptions, _ connections: Connections,
        _ handler: any RequestHandler
    ) throws(ServerError) {
        self.handler = handler
        self.connections = connections
        self.listener = listener.descriptor
        watchesRequests = handler.watchesRequests
        patience = options.patience
        headLimits = options.headLimits
        proxies = options.proxies
        memory = options.memory
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
            askTimed()
            checkDeadlines()
            if hasDepartures { collectDepartures() }
            if !lingering.isEmpty { lingering.drain(now: now) }
            if let stopGrace, !isDraining { beginDrain(graceSeconds: stopGrace) }
        } while !isDrained()
        close()
    }

    /// Ends the engine. To be called on the thread of `run`, or if `run` was never called.
    func close() {
        guard let daemon else { return }
        // The engine aborts the process if it finds a suspended connection.
        for exchange in exchanges { resumeForGood(exchange) }
        MHD_stop_daemon(daemon)
        self.daemon = nil
        lingering.closeAll()
        memory.bodies.end()
        memory.answers.end()
        closeMailbox()
    }

    /// Drops the letters that have come since. A wake group among them would keep the loop alive.
    private func closeMailbox() {
        woken = WokenParts()
        let remains = mailbox.withLock { mailbox in
            defer { mailbox = Mailbox(isClosed: true) }
            return mailbox
        }
        withExtendedLifetime(remains) {}  // Freed without the lock, because an object that is freed may post.
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
    ///
    /// - Parameter since: The time of the news; nil if nobody wants to know.
    func post(_ part: WakeGroupPart, since: UInt64?) {
        let mustCall = mailbox.withLock { mailbox in
            guard !part.isCalled, !mailbox.isClosed else { return false }
            part.isCalled = true
            part.calledSince = since
            mailbox.called.append(part)
            return mailbox.wake()
        }
        if mustCall { waiter.call() }
    }

    /// Whether the loop has ended, and for how long its present turn has lasted.
    var state: (hasEnded: Bool, turnMilliseconds: UInt64?) {
        mailbox.withLock { mailbox in
            (mailbox.isClosed, mailbox.turnBegan.map { monotonicMicroseconds() / 1000 - $0 })
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

    /// Moves the parts that were called to `woken`: all their members are to be asked.
    fileprivate mutating func takeCalled(into woken: inout WokenParts) {
        for part in called {
            part.isCalled = false
            woken.add(part, since: part.calledSince)
        }
        called.removeAll(keepingCapacity: true)
    }

    /// Whether the loop must be called. Only the first letter since it fell asleep needs a call.
    fileprivate mutating func wake() -> Bool {
        defer { isAsleep = false }
        return isAsleep
    }
}

// MARK: One turn

extension EventLoop {
    /// How often late connections are looked for, in milliseconds.
    private static let checkInterval: UInt64 = 250
    /// How often lingering sockets are read, in milliseconds.
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

    /// The time until the engine has something to do, the next check, or the end of a drain; -1 if nothing is known.
    private func timeout(of daemon: OpaquePointer) -> Int32 {
        var wanted = UInt64.max
        var engineWants: UInt64 = 0
        if MHD_get_timeout(daemon, &engineWants) == .YES { wanted = rest(wanted: engineWants) }
        if !exchanges.isEmpty { wanted = timedWaits.rest(now: now, atMost: min(wanted, Self.checkInterval)) }
        if !lingering.isEmpty { wanted = min(wanted, Self.lingerInterval) }
        switch drain {
        case .none: break
        case .patient(let end), .cutting(let end): wanted = min(wanted, end > now ? end - now : 0)
        }
        return wanted == .max ? -1 : Int32(clamping: wanted)
    }

    /// Takes the answers of other threads from the mailbox, and lets the engine go on with their exchanges.
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
        for one in collected {
            one.tell?()
            if one.exchange.accept(one.answer, serial: one.serial) { resume(one.exchange) }
        }
        if !collected.isEmpty { collected.removeAll(keepingCapacity: true) }
        if !woken.isEmpty { askWoken() }
        return stopGrace
    }

    func turn() {
        turnBegan = monotonicMicroseconds()
        now = turnBegan / 1000
        hasResumed = false
        quietTurns += 1
        guard let daemon else { return }
        handler.turn { _ = MHD_run(daemon) }
        if woken.hasReached { noteLags() }
    }

    /// Whether the client has ended its side of the connection together with its last request.
    ///
    /// The engine does not notice this: after a read that did not fill its buffer, it waits for the system to say that
    /// there is more. So an idle connection is looked at once, after it has been idle for `checkInterval`.
    private func hasFinished(_ exchange: Exchange) -> Bool {
        guard exchange.isIdle, !exchange.isLookedAt, now >= exchange.since + Self.checkInterval else { return false }
        exchange.isLookedAt = true
        return isAtEnd(exchange.descriptor)
    }

    private func checkDeadlines() {
        guard now >= nextCheck else { return }
        nextCheck = now + Self.checkInterval
        var asked = 0
        var look = ReadingLook()
        for exchange in exchanges {
            self.look(at: exchange, in: &look)
            if let subscription = exchange.subscription {
                guard askIfDue(subscription) else { continue }
                asked += 1
                // The other connections of the loop are served before the next ones are asked.
                guard asked < Self.askedMax else { return nextCheck = now }
            } else if exchange.isLate(now: now, patience: patience) || hasFinished(exchange) {
                shutdown(exchange.descriptor, Int32(SHUT_RDWR))
            }
        }
        makeRoom(after: look)
        if look.isOver { nextCheck = now }
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

    /// Takes an exchange out of the registry.
    ///
    /// At its limit of connections or of descriptors the engine does not listen. It starts again only in the turn after
    /// the one in which a connection closed, so the loop must not wait before that turn.
    func remove(_ exchange: Exchange) {
        hasClosed = true
        described[Int(exchange.descriptor)] = nil
        // The subscription is still there only if the engine could not wait for its socket and did not end the request.
        if let subscription = exchange.subscription { end(subscription) }
        releaseBody(of: exchange)
        releaseAnswer(of: exchange)
        endFlight(exchange)
        giveBackPlace(of: exchange)
        let last = exchanges.removeLast()
        guard last !== exchange else { return }
        exchanges[exchange.index] = last
        last.index = exchange.index
    }
}

extension EventLoop {
    /// Lets the client read an answer that came in the middle of its request.
    func linger(_ exchange: Exchange) {
        lingering.add(exchange.descriptor, now: now)
    }
}
