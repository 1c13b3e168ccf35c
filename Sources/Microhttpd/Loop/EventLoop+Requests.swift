internal import CMicrohttpd
internal import Glibc
internal import HTTPTypes

/// The arguments with which the engine calls back about a request.
struct EngineCall {
    let connection: OpaquePointer
    let path: UnsafePointer<CChar>
    let method: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>

    var isHTTP10: Bool { strcmp(version, "HTTP/1.0") == 0 }
    var knownMethod: HTTPRequest.Method? { Microhttpd.method(named: method) }
}

/// The way of a request through guard and handler. Every method returns false to close the
/// connection without an answer.
extension EventLoop {
    /// Decides about a request whose head has arrived. The engine waits to hear whether it shall read the body.
    func admit(_ exchange: Exchange, _ call: EngineCall) -> Bool {
        var fields = HeadGuard(call.connection)
        if !exchange.note(fields) { exchange.credentials?.withUnsafeBytes { fields.note(credentials: $0) } }
        if !exchange.reader.credentials.hasLine { fields.noteCutCredentials() }
        let knownMethod = call.knownMethod
        if exchange.proxies != nil { forgetVisitor(of: exchange, call) }
        let head = head(exchange, call, knownMethod)
        if watchesRequests { watch(exchange, head) }
        if let refusal = excess(exchange) ?? headFault(exchange, call)
            ?? fields.refusal(
                method: knownMethod, targetIsValid: hasValidTarget(exchange, call, knownMethod),
                isHTTP10: call.isHTTP10)
        {
            return refuse(exchange, call, refusal, head)
        }
        follow(exchange, call)
        // The engine accepts chunked bodies that other readers end elsewhere, so the connection closes after one.
        if fields.framing.isChunked && mhd_close_after_answer(call.connection) != .YES {
            return refuse(exchange, call, .headTooLarge, head)
        }
        guard let head else { return false }
        return admit(exchange, call, head)
    }

    /// Behind a proxy the next request may be somebody else's.
    private func forgetVisitor(of exchange: Exchange, _ call: EngineCall) {
        let client = EngineHead(exchange, connection: call.connection, path: call.path).client
        if client != exchange.visitorClient { exchange.visitor = nil }
    }

    private func admit(_ exchange: Exchange, _ call: EngineCall, _ head: RequestHead) -> Bool {
        switch handler.admit(head) {
        case .accept(let bodyBytesMax, let visitor):
            exchange.visitor = visitor
            exchange.visitorClient = exchange.proxies == nil ? nil : head.client
            let keepsBody = head.method != .get && head.method != .head
            let most = keepsBody ? bodyBytesMax : max(bodyBytesMax, ignoredBodyBytesMax)
            guard exchange.admit(bodyBytesMax: most, keepsBody: keepsBody) else {
                return refuse(exchange, call, .bodyTooLarge(limit: most), head)
            }
            return hasRoom(for: exchange) || refuse(exchange, call, .overloaded, head)
        case .refuse(let response):
            // That of the request before may be somebody else, behind a proxy.
            exchange.visitor = nil
            guard !exchange.framing.hasBody else { return refuse(exchange, call, response) }
            // An answer in this call would close the connection. The next call comes at once.
            exchange.refuse(with: response)
            return true
        }
    }

    func receive(_ piece: UnsafeRawBufferPointer, _ exchange: Exchange, _ call: EngineCall) {
        guard case .receiving = exchange.phase else { return }
        // The length of other bodies was counted with the head.
        if exchange.framing.isChunked { exchange.visitor?.note(bytes: piece.count, at: now) }
        guard exchange.isRead || count(piece.count, of: exchange) else { return refuse(exchange, call, .overloaded) }
        guard exchange.receive(piece) == .refuse else { return }
        refuse(exchange, call, .bodyTooLarge(limit: exchange.bodyBytesMax))
    }

    /// Refuses a request whose body is on its way. The rest of the body is read and dropped.
    private func refuse(_ exchange: Exchange, _ call: EngineCall, _ refusal: Refusal) {
        releaseBody(of: exchange)
        exchange.refuse(with: handler.refusal(refusal, head: head(exchange, call, call.knownMethod)))
    }

    /// Goes on with a request that is here as a whole, or that waits for its answer.
    func proceed(_ exchange: Exchange, _ call: EngineCall) -> Bool {
        switch exchange.phase {
        case .receiving:
            guard let head = head(exchange, call, call.knownMethod) else { return false }
            if exchange.framing.isChunked, let refusal = exchange.reader.fault?.refusal {
                return send(handler.refusal(refusal, head: head), exchange, call)
            }
            return perform(handler.respond(to: Request(head: head, body: exchange.takeBody())), exchange, call)
        case .refusing(let response):
            return send(response, exchange, call)
        case .ready(.done(let answer)):
            return perform(answer, exchange, call)
        case .ready(.asked(let ask)):
            guard let head = head(exchange, call, call.knownMethod) else { return false }
            exchange.respond()
            return perform(ask(head), exchange, call)
        case .waiting:
            keepWaiting(exchange)
            return true
        case .responding, .streaming, .answered:
            return true
        case .idle, .arriving, .abandoned:
            return false
        }
    }

    private func perform(_ answer: Answer, _ exchange: Exchange, _ call: EngineCall) -> Bool {
        switch answer {
        case .send(let response):
            return send(response, exchange, call)
        case .sendPrepared(let response, let status):
            closeIfDraining(call)
            releaseBody(of: exchange)
            // What is prepared is shared, so it is counted with the next look.
            exchange.answer(status == .notModified ? UnsentContent() : response.content, now: now)
            if status != .notModified { noteSent(response.response, exchange, call) }
            exchange.route = response.route
            note(response.response, exchange, call, status)
            return response.queue(on: call.connection, status: status)
        case .later(let start):
            if case .cutting = drain { return false }
            hold(exchange)
            start(Resumption(exchange, on: self))
            return true
        case .wait(let wait):
            if case .cutting = drain { return false }
            guard let response = self.wait(wait, exchange, call.connection) else { return exchange.isWaiting }
            return send(response, exchange, call)
        case .stream(let stream):
            if case .cutting = drain { return false }
            return self.stream(stream, exchange, call)
        }
    }
}

extension EventLoop {
    private func refuse(
        _ exchange: Exchange, _ call: EngineCall, _ refusal: Refusal, _ head: RequestHead?
    ) -> Bool {
        refuse(exchange, call, handler.refusal(refusal, head: head))
    }

    /// Answers before the body has been read; the engine then closes the connection.
    private func refuse(_ exchange: Exchange, _ call: EngineCall, _ response: Response) -> Bool {
        if exchange.framing.hasBody || exchange.reader.fault != nil { linger(exchange) }
        exchange.reader.stop()
        return send(response, exchange, call)
    }

    private func send(_ response: Response, _ exchange: Exchange, _ call: EngineCall) -> Bool {
        closeIfDraining(call)
        releaseBody(of: exchange)
        let hasBody = response.status != .notModified && call.knownMethod != .head
        let response = fitting(hasBody ? affordable(response, exchange, call) : response, exchange)
        noteAnswer(exchange, hasBody ? UnsentContent(response.body) : UnsentContent())
        if hasBody { noteSent(response, exchange, call) }
        note(response, exchange, call, response.status)
        return response.queue(on: call.connection)
    }

    private func noteSent(_ response: Response, _ exchange: Exchange, _ call: EngineCall) {
        guard let visitor = exchange.visitor, call.method.pointee != CChar(bitPattern: UInt8(ascii: "H")) else {
            return
        }
        visitor.note(bytes: response.body.count, at: now)
    }

    /// If the head has no room for the field that says so, the connection is still closed when the answer is out.
    private func closeIfDraining(_ call: EngineCall) {
        if isDraining { _ = mhd_close_after_answer(call.connection) }
    }

    /// Nil if the method is no token.
    func head(_ exchange: Exchange, _ call: EngineCall, _ known: HTTPRequest.Method?) -> RequestHead? {
        guard let method = known ?? HTTPRequest.Method(String(cString: call.method)) else { return nil }
        return RequestHead(method: method, engine: EngineHead(exchange, connection: call.connection, path: call.path))
    }

    private func hasValidTarget(_ exchange: Exchange, _ call: EngineCall, _ method: HTTPRequest.Method?) -> Bool {
        guard exchange.targetIsValid, let end = exchange.targetEnd else { return false }
        // The engine reads the target up to a NUL, but the version that follows it up to the line's end.
        guard end + 1 == UnsafeRawPointer(call.version) else { return false }
        return call.path.pointee == CChar(bitPattern: UInt8(ascii: "/")) || method == .options
    }
}

/// The most content of a GET or HEAD that is skipped, so that the next request can be found.
private let ignoredBodyBytesMax = 65_536
