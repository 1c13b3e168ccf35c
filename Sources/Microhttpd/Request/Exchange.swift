internal import Texts

/// The life of the requests of one connection, one after another.
///
///     idle ──target──▶ arriving ──admitted──▶ receiving ──whole──▶ responding ──▶ answered ──▶ idle
///                          │                      └─too long─▶ refusing ──whole──▶ answered
///                          └─refused─▶ answered or refusing
///     responding ──later──▶ waiting ──resumed──▶ ready ──▶ answered, or responding again
///     responding ──stream──▶ streaming
///
/// An exchange is touched only on the thread of its loop. It never calls the engine; its methods return the next thing
/// to do.
final class Exchange {
    enum Phase {
        /// Between two requests, or before the first.
        case idle
        /// The request line is here, the fields are not.
        case arriving
        /// The body is being read and kept.
        case receiving
        /// The body is being read and dropped; the answer is sent when it ends.
        case refusing(Response)
        /// The handler has been asked.
        case responding
        case waiting
        case ready(LaterAnswer)
        /// The answer has begun and goes on for as long as it likes.
        case streaming
        case answered
        /// No answer will come any more.
        case abandoned
    }

    /// The thing to do about a piece of a body.
    enum BodyStep: Equatable {
        case keepReading
        case refuse
    }

    private(set) var phase = Phase.idle
    /// A number that changes with each request of this connection, so that a head or a resumption knows that its own
    /// request is over.
    private(set) var serial: UInt = 0
    /// The time at which the present wait of the connection began, in milliseconds of the loop's clock.
    private(set) var since: UInt64
    /// The start of the turn in which the present request began, in microseconds of the loop's clock.
    var began: UInt64 = 0
    /// The number of the present request's route; 0 if the handler has given it none.
    var route: UInt8 = 0
    /// The bytes of the body or stream that have been handed over for the present request.
    var sentBytes = 0
    /// The one that is told how the present request ends; nil if nobody is.
    var watcher: (any RequestWatcher)?
    /// The place in the loop's registry.
    var index = 0
    /// The engine's connection. The engine keeps a suspended one alive until it is resumed.
    let connection: OpaquePointer
    let descriptor: Int32
    /// The other end of the connection; nil if it has no address of IP.
    let peer: NetworkAddress?
    /// The proxies that are trusted, if the other end is one of them.
    let proxies: TrustedProxies?
    /// The one for whom a proxy has sent the request; nil before somebody has asked.
    var origin: TrustedProxies.Origin?
    /// The one whom the handler has taken for the sender of the last request. If the next one has other credentials, or
    /// comes from another client of a proxy, it is nobody.
    var visitor: (any Visitor)?
    /// The client of a proxy that the visitor is.
    var visitorClient: ClientAddress?
    var place: Connections.Place
    /// Whether the request had begun when the server was told to stop.
    var isInFlight = false
    /// Whether the loop has looked if the client has finished, since the connection became idle.
    var isLookedAt = false
    /// The time at which the loop began to hold the exchange, in milliseconds of the loop's clock; nil if it is not
    /// held.
    var heldSince: UInt64?

    /// The reader that sees the bytes before the engine does. Its methods call nothing that could reach it again, so
    /// access is not checked: the checks took as long as the reading.
    @exclusivity(unchecked) var reader: HeadReader
    /// The bytes that the engine has left for the head of the answer; nil if every head has room.
    var answerRoom: Int?
    private(set) var targetIsValid = false
    private(set) var targetEnd: UnsafeRawPointer?
    private(set) var query: ByteText?
    private(set) var framing = Framing()
    private(set) var fieldNames = FieldNames()
    private(set) var hasForeignHost = false
    /// The path of the request, made when it is first asked for.
    private var path: ByteText?
    /// The body so far. Only the methods of this type reach it, one at a time, so access is not checked.
    @exclusivity(unchecked) private var body: [UInt8] = []
    private var bodyBytes = 0
    private(set) var bodyBytesMax = 0
    private var keepsBody = true
    /// The subscription of a request that waits in wake groups, until the request is over.
    private(set) var subscription: Subscription?
    /// The bytes that count for the body, until the request is answered.
    var bodyCost = 0
    /// The content that counts for the answer, until it is out; empty if none does.
    var counted = UnsentContent()
    /// Whether the loop has seen that the client has not read everything.
    var isBehind = false
    /// The content of an answer that is not a stream.
    private var content = UnsentContent()
    /// Nil until the loop has seen that the client has not read its answer.
    var reading: Reading?

    init(
        _ connection: OpaquePointer, descriptor: Int32, peer: NetworkAddress?, behind proxies: TrustedProxies?,
        place: Connections.Place, _ limits: HeadReader.Limits, now: UInt64
    ) {
        self.connection = connection
        self.descriptor = descriptor
        self.peer = peer
        self.proxies = proxies
        self.place = place
        reader = HeadReader(limits)
        since = now
    }

    /// The request line has arrived. `target` is gone when this returns.
    func begin(target: UnsafeRawBufferPointer, now: UInt64) {
        phase = .arriving
        serial &+= 1
        since = now
        route = 0
        targetIsValid = Target.isValid(target)
        targetEnd = target.baseAddress.map { $0 + target.count }
        framing = Framing()
        origin = nil
        fieldNames = FieldNames()
        hasForeignHost = false
        path = nil
        query = Target.query(of: target)
    }

    /// All fields of the head are here.
    ///
    /// - Returns: Whether the credentials are those of the request before, whose visitor stays only then.
    func note(_ fields: HeadGuard) -> Bool {
        framing = fields.framing
        // The `Content-Length` does not fit in 64 bits, so the engine got only its first digits.
        if reader.fault == .longLength { framing.length = .max }
        fieldNames = fields.names
        hasForeignHost = fields.hasForeignHost
        let isRepeated = reader.credentials.settle(inEngine: fields.credentials)
        if reader.credentials.present != nil { fieldNames.insert(.credentials) }
        if !isRepeated { visitor = nil }
        return isRepeated
    }

    /// The value of `Authorization` in the present request; nil if it has none.
    var credentials: [UInt8]? { reader.credentials.present }

    /// - Parameter start: The start of the path of the present request, in the engine's memory.
    func path(at start: UnsafePointer<CChar>) -> ByteText {
        if let path { return path }
        let made = ByteText(cString: start)
        path = made
        return made
    }

    /// The handler wants the request; its body may have `bodyBytesMax` bytes.
    ///
    /// - Returns: False if the announced length is over that.
    func admit(bodyBytesMax: Int, keepsBody: Bool) -> Bool {
        let announced = framing.length ?? 0
        guard announced <= UInt64(max(bodyBytesMax, 0)) else { return false }
        phase = .receiving
        self.bodyBytesMax = bodyBytesMax
        self.keepsBody = keepsBody
        bodyBytes = 0
        return true
    }

    /// The bytes of the body as the head has announced them; 0 if it is dropped, or of unknown length.
    var bodyBytesAnnounced: Int { keepsBody ? Int(clamping: framing.length ?? 0) : 0 }

    /// Whether the request is a read, which can be asked again.
    var isRead: Bool { !keepsBody }

    func refuse(with response: Response) {
        phase = .refusing(response)
        body = []
    }

    func receive(_ piece: UnsafeRawBufferPointer) -> BodyStep {
        guard case .receiving = phase else { return .keepReading }
        bodyBytes += piece.count
        guard bodyBytes <= bodyBytesMax else { return .refuse }
        guard keepsBody else { return .keepReading }
        makeRoom(for: piece.count)
        body.append(contentsOf: piece)
        return .keepReading
    }

    /// Makes room for a piece of the body. An announced length is a promise: at most twice as much is taken as has come.
    private func makeRoom(for count: Int) {
        let size = body.count + count
        guard size > body.capacity else { return }
        body.reserveCapacity(min(max(2 * size, Self.bodyBytesMin), framing.length.map { Int(clamping: $0) } ?? .max))
    }

    private static let bodyBytesMin = 32 << 10

    /// Gives away the body, which has ended.
    func takeBody() -> [UInt8] {
        phase = .responding
        defer { body = [] }
        return body
    }

    /// The handler is asked again.
    func respond() { phase = .responding }

    func wait(_ subscription: Subscription? = nil) {
        phase = .waiting
        self.subscription = subscription
    }

    func stream(_ subscription: Subscription) {
        phase = .streaming
        // There are many streams, and none of them needs these again.
        reader.credentials.forget()
        visitor = nil
        self.subscription = subscription
    }

    /// - Returns: False if the exchange no longer waits for this.
    func accept(_ answer: LaterAnswer?, serial: UInt) -> Bool {
        guard case .waiting = phase, serial == self.serial else { return false }
        phase = answer.map(Phase.ready) ?? .abandoned
        return true
    }

    /// - Returns: False if the exchange is not suspended.
    func abandon() -> Bool {
        guard case .waiting = phase else { return false }
        phase = .abandoned
        return true
    }

    func answer(_ content: UnsentContent, now: UInt64) {
        phase = .answered
        self.content = content
        since = now
    }

    /// The loop has seen that the client has not read everything.
    func beginReading(now: UInt64) {
        isBehind = true
        if isStreaming { since = now }
    }

    /// The content that is on its way to the client.
    var unsent: UnsentContent {
        switch phase {
        case .answered: content
        case .streaming: subscription?.unsent ?? UnsentContent()
        case .idle, .arriving, .receiving, .refusing, .responding, .waiting, .ready, .abandoned: UnsentContent()
        }
    }

    /// The request is over, whether or not it was answered.
    func end(now: UInt64) {
        phase = .idle
        isLookedAt = false
        serial &+= 1
        since = now
        path = nil
        query = nil
        body = []
        subscription = nil
        reading = nil
        isBehind = false
        // No memory is set aside for long ones while the connection is idle.
        if reader.credentials.forgetLong() { visitor = nil }
    }
}

extension Exchange {
    /// Bounds on waiting for a client, in milliseconds.
    struct Patience {
        let request: UInt64
        let idle: UInt64
        /// The time for the request of a connection in the reserve.
        var reserved: UInt64 { min(request, 2_000) }
    }

    /// Whether the client has used up its time. The time for a whole request runs from its first line, or from the
    /// start of a fresh connection. The time for the next request runs from the end of the one before.
    func isLate(now: UInt64, patience: Patience) -> Bool {
        let request = place == .regular ? patience.request : patience.reserved
        return switch phase {
        case .idle: now >= since + (serial == 0 ? request : patience.idle)
        case .arriving, .receiving, .refusing: now >= since + request
        case .responding, .waiting, .ready, .streaming, .answered, .abandoned: false
        }
    }

    /// The address to which the connection counts; nil for a proxy, which has those of many clients.
    var countedAddress: ClientAddress? { proxies == nil ? peer.map(ClientAddress.init) : nil }

    var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }
}
