internal import Access
internal import HTTPTypes
internal import ListStore
internal import Microhttpd
internal import Texts
internal import Threads

/// What is known of the sender of a request: who it is, and what it may still use.
///
/// It stays with the connection. If the next request comes from the same client with the same token, nothing is looked
/// up again.
final class Visit: Visitor {
    let client: ClientAddress?
    /// The value of `Authorization`; nil if there is none, or nobody looks at it.
    let authorization: ByteText?
    let book: OpenBook?
    let caller: Result<Caller, Problem>
    /// True while a worker finds out who the caller is; nil if that was known at the door.
    private let isOfUnknownToken: Locked<Bool>?
    /// Nil for a client to which no quota applies.
    let meter: Meter?
    private let quotas: Quotas
    /// The fields by which the client is told that a quota is nearly used up; nil if none is.
    let note: Response.Fields?
    /// The reason why the request is refused; nil if it is not.
    let excess: Problem?

    init(
        _ client: ClientAddress?, _ authorization: ByteText?, _ book: OpenBook?, _ caller: Result<Caller, Problem>,
        _ meter: Meter?, _ quotas: Quotas, note: Response.Fields?, excess: Problem?
    ) {
        self.client = client
        self.authorization = authorization
        self.book = book
        self.caller = caller
        if case .failure(let problem) = caller, problem.isForWorker {
            isOfUnknownToken = Locked(true)
        } else {
            isOfUnknownToken = nil
        }
        self.meter = meter
        self.quotas = quotas
        self.note = note
        self.excess = excess
    }

    /// The visit of which a request is, if its sender has named itself and that was looked up in the same book.
    static func named(of head: RequestHead, in book: OpenBook) -> Visit? {
        guard let visit = head.visitor as? Visit, visit.book === book, visit.authorization != nil else { return nil }
        return visit.isOfUnknownToken == nil ? visit : nil
    }

    /// The token was unknown at the door, and a worker has found out what it is. A wrong one counts for its address.
    func note(tokenIsRight isRight: Bool) {
        let wasUnknown = isOfUnknownToken?.withLock { isOfUnknown in
            defer { isOfUnknown = false }
            return isOfUnknown
        }
        guard wasUnknown == true, let authorization else { return }
        quotas.note(authorization.hashValue, isRight: isRight)
        guard !isRight else { return }
        client.map { quotas.meter(of: .address($0)) }?.add(1, .wrongTokens, at: quotas.now, quotas.allowed)
    }

    /// The sender, as it was found at the door.
    ///
    /// - Throws: `unauthenticated` if it named itself wrongly, or its token is over by now.
    func caller(at time: @autoclosure () -> Int) throws(Problem) -> Caller {
        let caller = try caller.get()
        guard caller.expires == nil || !caller.isOver(at: time()) else { throw .wrongToken }
        return caller
    }

    func note(sentBytes: Int) { note(bytes: sentBytes) }

    func note(bytes: Int) {
        guard bytes > 0 else { return }
        meter?.add(Double(bytes), .bytes, at: quotas.now, quotas.allowed)
    }

    /// The same visit of which the client is told more.
    fileprivate func telling(note: Response.Fields?, excess: Problem?) -> Visit {
        Visit(client, authorization, book, caller, meter, quotas, note: note, excess: excess)
    }

    /// Whether the sender of another request is the same, and still has its rights.
    fileprivate func isStill(
        of head: RequestHead, _ client: ClientAddress?, _ book: OpenBook?, at time: () -> Int
    ) -> Bool {
        guard self.book === book, self.client == client else { return false }
        guard let authorization else { return !head.mayHave(authorizationName) || head.field(.authorization) == nil }
        // The tokens of others are asked about each time: their keys may have been withdrawn.
        guard case .success(let caller) = caller, caller.kind == .token else { return false }
        guard head.field(.authorization, is: authorization) else { return false }
        return caller.expires == nil || !caller.isOver(at: time())
    }

    /// Counts the request.
    ///
    /// - Parameter bodyBytesMax: A longer body is refused, so it is not counted.
    fileprivate func charge(_ head: RequestHead, bodyBytesMax: Int) -> (visit: Visit, isForgotten: Bool) {
        guard let meter else { return (isPlain ? self : telling(note: nil, excess: nil), false) }
        let amounts = Quotas.amounts { kind in
            switch kind {
            case .requests: 1
            case .writes: head.method.isSafe ? 0 : 1
            // A client that has used up its bytes may not even ask, for each answer has some.
            case .bytes: Double(head.contentLength.map { $0 <= UInt64(bodyBytesMax) ? $0 : 0 } ?? 0) + 1
            case .wrongTokens: 0
            }
        }
        switch meter.charge(amounts, at: quotas.now, quotas.allowed) {
        case .within: return (isPlain ? self : telling(note: nil, excess: nil), false)
        case .forgotten: return (self, true)
        case .near:
            let (state, policy) = quotas.fields(of: meter)
            var note: Response.Fields = []
            note.append("RateLimit", state)
            note.append("RateLimit-Policy", policy)
            return (telling(note: state.isEmpty ? nil : note, excess: nil), false)
        case .beyond(let kind, let milliseconds):
            guard !head.isProbe else { return (telling(note: nil, excess: nil), false) }
            let excess = Problem.usedUp(kind, milliseconds: milliseconds, quotas, meter)
            return (telling(note: nil, excess: excess), false)
        }
    }

    private var isPlain: Bool { note == nil && excess == nil }
}

private let authorizationName = FieldNames([.authorization])

extension RequestHead {
    /// Whether somebody asks if the server is alive. A probe that fails makes somebody kill it.
    fileprivate var isProbe: Bool { path == "/healthz" || path == "/readyz" }
}

extension HTTPRequest.Method {
    /// Whether a request with this method changes nothing (RFC 9110, section 9.2.1).
    fileprivate var isSafe: Bool { self == .get || self == .head || self == .options }
}

// MARK: - At the door

extension API {
    /// Lets a request in whose head has arrived, unless its sender has used up a quota.
    ///
    /// A refusal of a short request is sent after it has arrived and a moment has passed: see `refuse`.
    func admission(of head: RequestHead, bodyBytesMax: Int) -> Admission {
        let visit = visit(of: head, bodyBytesMax: bodyBytesMax)
        let isLong = head.hasBody && (head.contentLength ?? .max) > UInt64(Self.bodyBytesOnLoopMax)
        guard isLong, let problem = visit?.excess ?? strangersProblem(head, visit) else {
            return .accept(bodyBytesMax: bodyBytesMax, visitor: visit)
        }
        if visit?.excess == nil { noteRefusedAtDoor(problem, head) }
        let trace = Trace(atTheDoor: head, origins: configuration.origins, isWatched: watchesRequests)
        return .refuse(response(to: problem, trace))
    }

    /// The problem of a sender that has no rights at all, so that nothing long is read for it; nil if it may have some.
    private func strangersProblem(_ head: RequestHead, _ visit: Visit?) -> Problem? {
        guard let book = configuration.gate.book, !book.withoutToken.isEverybody else { return nil }
        if case .failure(let problem)? = visit?.caller { return problem.isForWorker ? nil : problem }
        let isNamed = head.mayHave(authorizationName) && head.field(.authorization) != nil
        return isNamed || book.withoutToken.hasGrants ? nil : .noToken
    }

    /// The refusal of a request that has arrived; nil if it is to be answered.
    ///
    /// It is held back for a moment, and with it the connection. Otherwise a client that does not heed `Retry-After`
    /// would keep the server as busy with refusals as it did before with answers. The moments differ, so that a client of
    /// many connections does not come back with all of them at once, for which others would wait.
    func refuse(_ request: Request) -> Answer? {
        guard let visit = request.head.visitor as? Visit else { return nil }
        guard let excess = visit.excess else {
            if request.head.contentLength == nil { visit.note(bytes: request.body.bytes.count) }
            return nil
        }
        let response = refusal(
            excess, request.head, Trace(request.head, origins: configuration.origins, isWatched: watchesRequests))
        let milliseconds = configuration.quotas?.limits.refusalMilliseconds ?? 0
        guard milliseconds > 0 else { return .send(response) }
        return .wait(
            AnswerWait(
                for: HeldRefusal(response), in: [],
                milliseconds: UInt64(milliseconds + configuration.spread(milliseconds)),
                silenceSeconds: configuration.heartbeatSeconds))
    }

    /// The sender of a request, whose request is counted; nil if no quota applies and nothing was looked up.
    private func visit(of head: RequestHead, bodyBytesMax: Int) -> Visit? {
        guard let quotas = configuration.quotas else { return nil }
        let client = head.client
        // Whoever is on this machine without a token has no quota.
        guard client?.isLoopback == false || head.mayHave(authorizationName) else { return nil }
        let book = configuration.gate.book.flatMap { $0.withoutToken.isEverybody ? nil : $0 }
        if let known = head.visitor as? Visit, known.isStill(of: head, client, book, at: configuration.gate.clock) {
            let (visit, isForgotten) = known.charge(head, bodyBytesMax: bodyBytesMax)
            if !isForgotten { return visit }
        }
        guard let visit = newVisit(of: head, client, book, quotas) else { return nil }
        return visit.excess == nil ? visit.charge(head, bodyBytesMax: bodyBytesMax).visit : visit
    }

    private func newVisit(
        of head: RequestHead, _ client: ClientAddress?, _ book: OpenBook?, _ quotas: Quotas
    ) -> Visit? {
        let address = client.flatMap { $0.isLoopback ? nil : Tenant.address($0) }
        guard let book, head.mayHave(authorizationName), let authorization = head.field(.authorization) else {
            guard let address else { return nil }
            return Visit(
                client, nil, book, .success(book?.withoutToken ?? .everybody), quotas.meter(of: address), quotas,
                note: nil, excess: nil)
        }
        let caller: Result<Caller, Problem>
        do throws(Problem) {
            caller = .success(try self.caller(of: head, client, authorization, book, quotas))
        } catch {
            guard error.code != .tooManyRequests else {
                return Visit(
                    client, authorization, book, .failure(error), nil, quotas, note: nil, excess: error)
            }
            caller = .failure(error)
        }
        let user = (try? caller.get())?.tenant ?? address
        return Visit(
            client, authorization, book, caller, user.map { quotas.meter(of: $0) }, quotas, note: nil, excess: nil)
    }

    /// Looks a token up, unless its address has sent too many that were wrong.
    private func caller(
        of head: RequestHead, _ client: ClientAddress?, _ authorization: ByteText, _ book: OpenBook, _ quotas: Quotas
    ) throws(Problem) -> Caller {
        // Another scheme may be that of a proxy, and costs nothing.
        guard Bearer.token(in: authorization) != nil else { throw .noBearer }
        let hash = authorization.hashValue
        let meter = client.map { quotas.meter(of: .address($0)) }
        let wasRight = quotas.wasRight(hash)
        let wrongToken = Quotas.amounts { $0 == .wrongTokens ? 1 : 0 }
        if !wasRight, !head.isProbe, let meter,
            case .beyond(let kind, let milliseconds) = meter.charge(wrongToken, at: quotas.now, quotas.allowed)
        {
            throw .usedUp(kind, milliseconds: milliseconds, quotas, meter)
        }
        do throws(Problem) {
            let caller = try caller(of: authorization, in: book, workers == nil ? .ordinary : .brief)
            if !wasRight {
                quotas.note(hash, isRight: true)
                if !head.isProbe { meter?.add(-1, .wrongTokens, at: quotas.now, quotas.allowed) }
            }
            return caller
        } catch {
            if error.isForWorker {
                // It is counted when a worker has looked at it.
                if !wasRight, !head.isProbe { meter?.add(-1, .wrongTokens, at: quotas.now, quotas.allowed) }
            } else if wasRight {
                quotas.note(hash, isRight: false)
            }
            throw error
        }
    }

    /// A shared answer with what only this client is told.
    func noted(_ answer: Answer, _ head: RequestHead) -> Answer {
        guard let note = (head.visitor as? Visit)?.note, case .sendPrepared(let prepared, let status) = answer else {
            return answer
        }
        head.note(.getList)
        return .send(prepared.response.adding(note, as: status))
    }
}

extension Caller {
    /// Whose quotas the caller uses; nil for one without a token.
    var tenant: Tenant? {
        switch kind {
        case .everybody, .anonymous: nil
        case .token: .token(actor)
        case .foreign: .foreign(actor)
        }
    }
}

/// A refusal that is sent when its time is over.
private final class HeldRefusal: AnswerSource {
    private let response: Response

    init(_ response: Response) { self.response = response }

    func answer(_ occasion: Occasion) -> Response? { occasion == .ordinary ? nil : response }
}

// MARK: - Streams

/// One of the streams and long polls that a client may have open.
final class StreamPlace: Sendable {
    private let meter: Meter
    private let quotas: Quotas

    private init(_ meter: Meter, _ quotas: Quotas) {
        self.meter = meter
        self.quotas = quotas
    }

    /// - Returns: Nil for a client to which no quota applies.
    /// - Throws: `too_many_requests` if the client has as many as it may.
    static func taken(by caller: Caller, _ head: RequestHead, _ quotas: Quotas?) throws(Problem) -> StreamPlace? {
        // A ticket, or a token that a worker has looked at, names another client than the door knew.
        guard let quotas, let meter = caller.tenant.map(quotas.meter(of:)) ?? (head.visitor as? Visit)?.meter else {
            return nil
        }
        let most = quotas.limits.streamsMax
        guard meter.beginStream(most: most > 0 ? most : .max) else { throw .usedUpStreams(most: most) }
        return StreamPlace(meter, quotas)
    }

    deinit { meter.endStream() }

    /// A stream sends a whole list. Its other events are due to those who write.
    func note(wholeListBytes: Int) {
        meter.add(Double(wholeListBytes), .bytes, at: quotas.now, quotas.allowed)
    }
}
