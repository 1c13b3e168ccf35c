internal import CMicrohttpd
internal import Glibc

/// The options with which the engine starts.
struct EngineOptions {
    /// The most connections of one loop, with those that are accepted only to be refused.
    let connectionsMax: Int
    /// The bytes for the head of a request.
    let headPoolBytes: Int
    let patience: Exchange.Patience
    /// Nil if no proxy is trusted.
    let proxies: TrustedProxies?
    let memory: LoopMemory

    /// The bytes of the engine's pool for each connection. The head of a request stays there until the head of the
    /// answer is out, and each field takes a note of 64 bytes.
    var poolBytes: Int { headPoolBytes + 2048 }
    /// The seconds of inactivity after which the engine closes a connection. The loop has all deadlines but that of
    /// clients that read nothing although nothing has to be read. Where something has to be, the engine must come later:
    /// what it closes is kept by the system until the client has taken it.
    var silenceSeconds: Int {
        let idle = Int(patience.idle / 1_000)
        return (memory.readers.bytesPerSecondMin > 0 ? 2 * idle : idle) + 2
    }
    var headLimits: HeadReader.Limits {
        HeadReader.Limits(headBytesMax: headPoolBytes, notedBytesMax: poolBytes - Self.answerRoom)
    }

    /// The bytes for the head of an answer. Every head fits, unless it repeats much of a long head of a request.
    static let answerRoom = 1024
    /// The bytes of the note of a field or a cookie.
    static let noteBytes = 64
}

/// - Returns: Nil if the engine does not start.
func startEngine(for loop: EventLoop, listener: Int32, _ options: EngineOptions) -> OpaquePointer? {
    let context = Unmanaged.passUnretained(loop).toOpaque()  // The loop stops the engine before it ends.
    func number(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
        MHD_OptionItem(option: option, value: value, ptr_value: nil)
    }
    func callback<Function>(_ option: MHD_OPTION, _ function: Function) -> MHD_OptionItem {
        MHD_OptionItem(option: option, value: unsafeBitCast(function, to: Int.self), ptr_value: context)
    }
    var items = [
        number(.LISTEN_SOCKET, Int(listener)),
        number(.CONNECTION_LIMIT, Int(UInt32(clamping: options.connectionsMax))),
        number(.CONNECTION_MEMORY_LIMIT, options.poolBytes),
        number(.CONNECTION_TIMEOUT, options.silenceSeconds),
        // A stricter engine answers a request without a host by itself, twice in one answer.
        number(.STRICT_FOR_CLIENT, 0),
        callback(.NOTIFY_CONNECTION, onConnection),
        callback(.URI_LOG_CALLBACK, onTarget),
        callback(.NOTIFY_COMPLETED, onCompleted),
        callback(.UNESCAPE_CALLBACK, unescapeNothing),
        number(.END, 0),
    ]
    let flags = MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    return mhd_start(flags, onRequest, context, &items)
}

// The callbacks take no decisions. The engine calls them on the loop's thread, inside `MHD_run` and
// `MHD_stop_daemon`. An exchange belongs to its connection, so it outlives each of its requests.

/// The types of two callbacks for which the engine has no names.
private typealias TargetCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
private typealias UnescapeCallback =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int

private let onConnection: MHD_NotifyConnectionCallback = { context, connection, slot, event in
    guard let context, let connection, let slot else { return }
    let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    switch event {
    case .CONNECTION_NOTIFY_STARTED:
        let exchange = loop.makeExchange(for: connection)
        loop.add(exchange)
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()  // `default` below releases it.
    default:
        guard let stored = slot.pointee else { return }
        slot.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(stored).takeRetainedValue()
        loop.remove(exchange)
    }
}

/// The engine calls this when the request line is here. It has changed nothing in it yet.
private let onTarget: TargetCallback = { context, target, connection in
    guard let context, let target, let connection, let stored = mhd_context(connection) else { return nil }
    borrow(context, stored) { loop, exchange in
        let target = bytes(target, strlen(target))
        exchange.begin(target: target, now: loop.now)
        exchange.began = loop.turnBegan
        if exchange.query != nil { hideQuery(of: target) }
    }
    return stored
}

private let onRequest: MHD_AccessHandlerCallback = {
    context, connection, path, method, version, data, size, slot in
    guard let context, let connection, let path, let method, let version, let size, let stored = slot?.pointee
    else { return .NO }
    let call = EngineCall(connection: connection, path: path, method: method, version: version)
    return borrow(context, stored) { loop, exchange in
        if !exchange.isWaiting { loop.quietTurns = 0 }
        if case .arriving = exchange.phase { return loop.admit(exchange, call) ? .YES : .NO }
        guard size.pointee > 0 else { return loop.proceed(exchange, call) ? .YES : .NO }
        loop.receive(bytes(data, size.pointee), exchange, call)
        size.pointee = 0  // All of it has been taken.
        return .YES
    }
}

private let onCompleted: MHD_RequestCompletedCallback = { context, _, slot, _ in
    guard let context, let stored = slot?.pointee else { return }
    borrow(context, stored) { loop, exchange in
        if let subscription = exchange.subscription { loop.end(subscription) }
        loop.endHold(exchange)
        loop.quietTurns = 0
        if loop.watchesRequests { loop.tellEnd(of: exchange) }
        loop.releaseBody(of: exchange)
        loop.releaseAnswer(of: exchange)
        exchange.end(now: loop.now)
        loop.endFlight(exchange)
        loop.finishEnding(exchange)
    }
}

/// Calls `body` with the two objects of a callback, without counting references. While the callback runs, the engine's
/// thread holds the loop, and the slot of the connection holds the exchange.
private func borrow<Result>(
    _ loop: UnsafeMutableRawPointer, _ exchange: UnsafeMutableRawPointer, _ body: (EventLoop, Exchange) -> Result
) -> Result {
    Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef { loop in
        Unmanaged<Exchange>.fromOpaque(exchange)._withUnsafeGuaranteedRef { body(loop, $0) }
    }
}

/// Hides the query, which has been copied. The engine would note each part of it in memory that the answer needs.
private func hideQuery(of target: UnsafeRawBufferPointer) {
    guard let start = target.baseAddress, let mark = memchr(start, 0x3F, target.count) else { return }
    mark.storeBytes(of: 0, toByteOffset: 1, as: UInt8.self)  // A byte of the target, or the NUL behind it.
}

/// Decodes nothing: the path must be split before it is decoded.
private let unescapeNothing: UnescapeCallback = { _, _, text in
    text.map { Int(strlen($0)) } ?? 0
}

extension HeadGuard {
    /// Notes every field of the request on `connection`.
    init(_ connection: OpaquePointer) {
        self.init()
        withUnsafeMutablePointer(to: &self) {
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, noteField, $0)
        }
    }
}

private let noteField: MHD_KeyValueIteratorN = { head, _, name, nameCount, value, valueCount in
    guard let head else { return .NO }
    head.assumingMemoryBound(to: HeadGuard.self).pointee
        .note(name: bytes(name, nameCount), value: bytes(value, valueCount))
    return .YES
}

extension Server {
    /// The version of the engine that the process has loaded.
    public static var engineVersion: String { String(cString: MHD_get_version()) }
}
