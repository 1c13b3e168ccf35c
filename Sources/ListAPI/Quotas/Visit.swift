internal import Access
internal import HTTPTypes
internal import ListStore
internal import Microhttpd
internal import Texts
internal import Threads

/// What is known of the sender of a request: who it is, and what it may still use.
///
/// It stays with the connection, as long as the requests have the same `Authorization` and the same client. If nothing
/// else has changed since the request before, nothing is looked up again.
final class Visit: Visitor {
    let client: ClientAddress?
    /// The hash of `Authorization`; nil if there is none, or nobody looks at it.
    private let tokenHash: Int?
    let book: OpenBook?
    let bookNumber: Int
    /// How often the issuer of the caller's token had replaced its keys; 0 for a token of this server.
    private let keysNumber: Int
    /// Nil for a sender that has named itself, but not by a token that is known and right.
    let caller: Caller?
    private let problem: Problem?
    /// True while a worker finds out who the caller is; nil if that was known at the door.
    private let isOfUnknownToken: Locked<Bool>?
    /// Nil for a client to which no quota applies.
    let meter: Meter?
    private let quotas: Quotas
    /// The news of its quotas that the client is told; nil for most requests.
    private let news: News?

    /// Something that a client is told of its quotas.
    private indirect enum News {
        /// A quota is nearly used up.
        case note(Response.Fields)
        /// The request is refused.
        case excess(Problem)
    }

    /// The result of looking a sender up, and the book in which that was done.
    struct Finding {
        var client: ClientAddress?
        var tokenHash: Int?
        var book: OpenBook?
        var bookNumber: Int
        var keysNumber = 0
        var caller: Result<Caller, Problem>
        var meter: Meter?
    }

    private init(_ found: Finding, _ quotas: Quotas, _ news: News?) {
        (client, tokenHash, book, bookNumber) = (found.client, found.tokenHash, found.book, found.bookNumber)
        (keysNumber, meter, self.quotas, self.news) = (found.keysNumber, found.meter, quotas, news)
        switch found.caller {
        case .success(let caller): (self.caller, problem, isOfUnknownToken) = (caller, nil, nil)
        case .failure(let problem):
            (caller, self.problem, isOfUnknownToken) = (nil, problem, problem.isForWorker ? Locked(true) : nil)
        }
    }

    /// - Parameter excess: The reason why the request is refused; nil if it is not.
    fileprivate convenience init(_ found: Finding, _ quotas: Quotas, excess: Problem?) {
        self.init(found, quotas, excess.map { .excess($0) })
    }

    /// The same visit of which the client is told something else.
    private init(_ visit: Visit, _ news: News?) {
        client = visit.client
        tokenHash = visit.tokenHash
        book = visit.book
        bookNumber = visit.bookNumber
        keysNumber = visit.keysNumber
        caller = visit.caller
        problem = visit.problem
        isOfUnknownToken = visit.isOfUnknownToken
        meter = visit.meter
        quotas = visit.quotas
        self.news = news
    }

    /// The fields by which the client is told that a quota is nearly used up; nil if none is.
    var note: Response.Fields? { if case .note(let fields)? = news { fields } else { nil } }

    /// The reason why the request is refused; nil if it is not.
    var excess: Problem? { if case .excess(let problem)? = news { problem } else { nil } }

    /// Whether the sender has named itself, and that was looked up in this book.
    func isNamed(in book: OpenBook) -> Bool {
        self.book === book && tokenHash != nil && isOfUnknownToken == nil
    }

    /// The token was unknown at the door, and a worker has found out what it is. A wrong one counts for its address.
    func note(tokenIsRight isRight: Bool) {
        let wasUnknown = isOfUnknownToken?.withLock { isOfUnknown in
            defer { isOfUnknown = false }
            return isOfUnknown
        }
        guard wasUnknown == true, let tokenHash else { return }
        quotas.note(tokenHash, isRight: isRight)
        guard !isRight else { return }
        client.map { quotas.meter(of: .address($0)) }?.add(1, .wrongTokens, at: quotas.now, quotas.prices)
    }

    /// The sender, as it was found at the door.
    ///
    /// - Throws: `unauthenticated` if it named itself wrongly, or its token is over by now.
    func caller(at time: @autoclosure () -> Int) throws(Problem) -> Caller {
        if let known = knownCaller(at: time()) { return known }
        throw problem ?? .wrongToken
    }

    /// The same; nil if there is a reason to refuse it.
    func knownCaller(at time: @autoclosure () -> Int) -> Caller? {
        guard let caller, caller.expires == nil || !caller.isOver(at: time()) else { return nil }
        return caller
    }

    /// Why the sender has no rights; nil if it may have some.
    fileprivate var refusal: Problem? { problem.flatMap { $0.isForWorker ? nil : $0 } }

    func note(bytes: Int, at milliseconds: UInt64) {
        meter?.add(bytes, .bytes, at: Int(milliseconds), quotas.prices)
    }

    /// The client keeps as much as it may, and has asked for more. Waiting makes no room, so one that goes on asking has
    /// soon used up its writes, and its refusals are held back.
    func noteFullHolding() {
        meter?.add(Self.fullHoldingWrites - 1, .writes, at: quotas.now, quotas.prices)
    }

    /// As how many writes one counts that is refused because of what the client keeps.
    private static let fullHoldingWrites = 20

    /// Whether the sender of the visit's next request still has the same rights.
    fileprivate func isStill(_ gate: Gate) -> Bool {
        guard bookNumber == gate.bookNumber, let caller else { return false }
        // The keys of an issuer may have been withdrawn.
        guard caller.kind != .foreign || keysNumber == gate.keysNumber(for: caller) else { return false }
        return caller.expires == nil || !caller.isOver(at: gate.clock())
    }

    /// Counts the request.
    ///
    /// - Parameters:
    ///   - length: The announced length of the body; the greatest number if it is unknown.
    ///   - bodyBytesMax: A longer body is refused, so it is not counted.
    fileprivate func charge(
        _ head: RequestHead, _ length: UInt64, bodyBytesMax: Int
    ) -> (visit: Visit, isForgotten: Bool) {
        guard let meter else { return (plain, false) }
        // A client that has used up its bytes may not even ask, for each answer has some.
        let bytes = length <= UInt64(bodyBytesMax) ? Int(length) + 1 : 1
        let amounts = Meter.Amounts(1, head.method.isSafe ? 0 : 1, bytes, 0)
        switch meter.charge(amounts, at: quotas.now, quotas.prices) {
        case .within: return (plain, false)
        case .forgotten: return (self, true)
        case .near:
            let (state, policy) = quotas.fields(of: meter)
            var note: Response.Fields = []
            note.append("RateLimit", state)
            note.append("RateLimit-Policy", policy)
            return (state.isEmpty ? plain : Visit(self, .note(note)), false)
        case .beyond(let kind, let milliseconds):
            guard !head.isProbe else { return (plain, false) }
            let excess = Problem.usedUp(kind, milliseconds: milliseconds, quotas, meter)
            return (Visit(self, .excess(excess)), false)
        }
    }

    private var plain: Visit { news == nil ? self : Visit(self, nil) }
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
    ///
    /// - Parameter length: The announced length of the body; the greatest number if it is unknown.
    func admission(of head: RequestHead, _ length: UInt64, bodyBytesMax: Int) -> Admission {
        let visit = visit(of: head, length, bodyBytesMax: bodyBytesMax)
        let isLong = length > UInt64(Self.bodyBytesOnLoopMax)
        guard isLong, let problem = visit?.excess ?? strangersProblem(head, visit) else {
            return .accept(bodyBytesMax: bodyBytesMax, visitor: visit)
        }
        if visit?.excess == nil { noteRefusedAtDoor(problem, head) }
        let trace = Trace(atTheDoor: head, origins: configuration.origins, isWatched: watchesRequests)
        note(head, trace, refused: visit)
        return .refuse(response(to: problem, trace))
    }

    /// Notes for metrics and logs what a request was about that no endpoint gets, and who has sent it as far as that is
    /// known.
    private func note(_ head: RequestHead, _ trace: Trace, refused visit: Visit?) {
        if let endpoint = (try? router.resource(at: trace.path))?.endpoint(head.method) { head.note(endpoint) }
        if let caller = visit?.caller { trace.record?.note(actor: caller.actor) }
    }

    /// The problem of a sender that has no rights at all, so that nothing long is read for it; nil if it may have some.
    private func strangersProblem(_ head: RequestHead, _ visit: Visit?) -> Problem? {
        guard let book = configuration.gate.book, !book.withoutToken.isEverybody else { return nil }
        if let problem = visit?.refusal { return problem }
        let isNamed = head.mayHave(authorizationName) && head.field(.authorization) != nil
        return isNamed || book.withoutToken.hasGrants ? nil : .noToken
    }

    /// The refusal of a request that has arrived; nil if it is to be answered.
    ///
    /// It is held back for a moment, and with it the connection. Otherwise a client that does not heed `Retry-After`
    /// would keep the server as busy with refusals as it did before with answers. The moments differ, so that a client of
    /// many connections does not come back with all of them at once, for which others would wait.
    func refuse(_ request: Request, _ visit: Visit) -> Answer? {
        guard let excess = visit.excess else { return nil }
        let trace = Trace(request.head, origins: configuration.origins, isWatched: watchesRequests)
        note(request.head, trace, refused: visit)
        let response = refusal(excess, request.head, trace)
        let milliseconds = configuration.quotas?.limits.refusalMilliseconds ?? 0
        guard milliseconds > 0 else { return .send(response) }
        return .wait(
            AnswerWait(
                for: HeldRefusal(response), in: [],
                milliseconds: UInt64(milliseconds + configuration.spread(milliseconds)),
                silenceSeconds: configuration.heartbeatSeconds))
    }

    /// The sender of a request, whose request is counted; nil if no quota applies and nothing was looked up.
    private func visit(of head: RequestHead, _ length: UInt64, bodyBytesMax: Int) -> Visit? {
        guard let quotas = configuration.quotas else { return nil }
        if let known = head.visitor as? Visit, known.isStill(configuration.gate) {
            let (visit, isForgotten) = known.charge(head, length, bodyBytesMax: bodyBytesMax)
            if !isForgotten { return visit }
        }
        // Whoever is on this machine without a token has no quota.
        let client = head.client
        guard client?.isLoopback == false || head.mayHave(authorizationName) else { return nil }
        guard let visit = newVisit(of: head, client, quotas) else { return nil }
        return visit.excess == nil ? visit.charge(head, length, bodyBytesMax: bodyBytesMax).visit : visit
    }

    private func newVisit(of head: RequestHead, _ client: ClientAddress?, _ quotas: Quotas) -> Visit? {
        let (known, number) = configuration.gate.numberedBook
        let book = known.flatMap { $0.withoutToken.isEverybody ? nil : $0 }
        let address = client.flatMap { $0.isLoopback ? nil : Tenant.address($0) }
        var found = Visit.Finding(
            client: client, book: book, bookNumber: number, caller: .success(book?.withoutToken ?? .everybody))
        guard let book, head.mayHave(authorizationName), let authorization = head.field(.authorization) else {
            guard let address else { return nil }
            found.meter = quotas.meter(of: address)
            return Visit(found, quotas, excess: nil)
        }
        found.tokenHash = authorization.hashValue
        var user = address
        do throws(Problem) {
            // The keys may be replaced while the token is looked up. Then it is looked up again for the next request.
            let keysNumber = configuration.gate.keysNumber
            let caller = try self.caller(of: head, client, authorization, book, quotas)
            found.caller = .success(caller)
            found.keysNumber = caller.kind == .foreign ? keysNumber : 0
            user = caller.tenant ?? address
        } catch {
            found.caller = .failure(error)
            guard error.code != .tooManyRequests else { return Visit(found, quotas, excess: error) }
        }
        found.meter = user.map { quotas.meter(of: $0) }
        return Visit(found, quotas, excess: nil)
    }

    /// Looks a token up, unless its address has sent too many that were wrong.
    private func caller(
        of head: RequestHead, _ client: ClientAddress?, _ authorization: ByteText, _ book: OpenBook, _ quotas: Quotas
    ) throws(Problem) -> Caller {
        // Another scheme may be that of a proxy, and costs nothing.
        guard Bearer.token(in: authorization) != nil else { throw .noBearer }
        let hash = authorization.hashValue
        let wasRight = quotas.wasRight(hash)
        let guess = wasRight || head.isProbe ? nil : try Guess(of: client, quotas)
        do throws(Problem) {
            let caller = try caller(of: authorization, in: book, workers == nil ? .ordinary : .brief)
            if !wasRight { quotas.note(hash, isRight: true) }
            guess?.takeBack()
            return caller
        } catch {
            if error.isForWorker {
                // It is counted when a worker has looked at it.
                guess?.takeBack()
            } else if wasRight {
                quotas.note(hash, isRight: false)
            }
            throw error
        }
    }

    /// A shared answer with what only this client is told.
    func noted(_ answer: Answer, _ head: RequestHead, _ note: Response.Fields) -> Answer {
        guard case .sendPrepared(let prepared, let status) = answer else { return answer }
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
        meter.add(wholeListBytes, .bytes, at: quotas.now, quotas.prices)
    }
}
