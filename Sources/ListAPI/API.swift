internal import Access
internal import HTTPTypes
internal import ListModel
public import ListStore
internal import ListWire
public import Microhttpd
internal import Texts
internal import Threads

/// Serves the lists of a store over HTTP, as docs/contract.md promises.
///
/// A class, because every answer that waits for the disk holds a reference to it.
public final class API: RequestHandler {
    let store: Store
    let configuration: Configuration
    let router = Router()
    let decoder: WireDecoder
    let workers: Workers?
    /// Whether a worker is to let lists leave memory.
    let isMakingRoom = Locked(false)
    /// The freshness of lists when a request comes.
    private let freshness: Freshness
    /// The fields of an answer of type JSON that tells of the head of a list.
    let headFields: Response.Fields
    /// The samples that move by themselves; nil if nobody keeps time for them.
    let moving: MovingSamples?
    public let watchesRequests: Bool
    /// The same for the answers that all clients share.
    let publishedFields: Response.Fields

    public init(store: Store, configuration: Configuration) {
        self.store = store
        self.configuration = configuration
        watchesRequests = configuration.requestEnded != nil
        decoder = WireDecoder(
            limits: WireDecoder.Limits(
                contentBytesMax: configuration.contentBytesMax, operationsMax: configuration.operationsMax),
            identifier: configuration.identifier)
        workers = configuration.workers > 0 ? Workers(threads: configuration.workers) : nil
        freshness = store.checksReads ? .unknown : .current
        moving = configuration.repeating.map { MovingSamples(store, $0) }
        headFields = .head(sharedSeconds: configuration.sharedCacheSeconds)
        publishedFields = headFields + (configuration.origins == .none ? [] : [.varyByOrigin])
    }

    deinit { workers?.stop() }

    public func admit(_ head: RequestHead) -> Admission {
        if let problem = foreignness(of: head) {
            let trace = Trace(atTheDoor: head, origins: configuration.origins, isWatched: watchesRequests)
            return .refuse(response(to: problem, trace))
        }
        let length = head.hasBody ? head.contentLength ?? .max : 0
        return admission(of: head, length, bodyBytesMax: bodyBytesMax(of: head, length))
    }

    public func respond(to request: Request) -> Answer {
        let visit = request.head.visitor as? Visit
        if let visit, let refusal = refuse(request, visit) { return refusal }
        guard workers != nil else { return answer(to: request, .ordinary, freshness) }
        guard request.body.bytes.count <= Self.bodyBytesOnLoopMax else {
            if let endpoint = (try? router.resource(at: request.head.path))?.endpoint(request.head.method) {
                request.head.note(endpoint)
            }
            return handOver(request, freshness)
        }
        return attempt(request, visit, .brief, freshness) ?? handOver(request, freshness)
    }

    /// A body is parsed at about 100 bytes a microsecond, and most of the work on a list is for its parts.
    static let bodyBytesOnLoopMax = 16 << 10

    /// - Parameters:
    ///   - pace: `.brief` on the thread of a loop. Work that may last is then handed over to a worker.
    ///   - freshness: What is known of the lists that the request reads.
    ///   - retry: The retry that the request is; nil for the first time.
    func answer(
        to request: Request, _ pace: Write.Pace, _ freshness: Freshness, _ retry: WriteRetry? = nil
    ) -> Answer {
        attempt(request, request.head.visitor as? Visit, pace, freshness, retry) ?? handOver(request, freshness)
    }

    /// As `answer(to:_:_:_:)`; nil if a worker must answer, because it takes long.
    ///
    /// - Parameter visit: The visitor of the request.
    func attempt(
        _ request: Request, _ visit: Visit?, _ pace: Write.Pace, _ freshness: Freshness, _ retry: WriteRetry? = nil
    ) -> Answer? {
        let book = configuration.gate.book(knownTo: visit)
        if let answer = publishedAnswer(to: request.head, visit, pace, freshness, book) {
            if configuration.observesSuccesses { observe(answer, to: request.head) }
            return visit?.note.map { noted(answer, request.head, $0) } ?? answer
        }
        let trace = Trace(request.head, origins: configuration.origins, isWatched: watchesRequests)
        let answer: Answer
        do throws(Problem) {
            answer = try self.answer(to: request, trace, book, pace, freshness, retry)
        } catch {
            guard !error.isForWorker else { return nil }
            noteRefused(error, request.head)
            answer = .send(refusal(error, request.head, trace))
        }
        if configuration.observesSuccesses { observe(answer, to: request.head) }
        return answer
    }

    /// The answer with a problem, in a form that the client expects.
    func refusal(_ problem: Problem, _ head: RequestHead, _ trace: Trace) -> Response {
        farewell(problem, to: head, trace) ?? response(to: problem, trace)
    }

    public func refusal(_ refusal: Refusal, head: RequestHead?) -> Response {
        let trace = Trace(head, origins: configuration.origins, isWatched: watchesRequests)
        if refusal == .overloaded { makeRoomForRefused() }
        // A server that is full or about to stop is alive: a failed probe must not make somebody kill it.
        if refusal.isOfCapacity, trace.path == "/healthz", trace.method == .get || trace.method == .head {
            return health(trace, wantsGzip: false)
        }
        let isList = head.map { bodyBytesMax(of: $0, .max) > configuration.bodyBytesMax } ?? false
        let problem = Problem(refusal, path: trace.path, limitName: isList ? "listBodyBytesMax" : "bodyBytesMax")
        return head.flatMap { farewell(problem, to: $0, trace) } ?? response(to: problem, trace)
    }

    /// The writes of a turn share a sync.
    public func turn(_ serve: () -> Void) { store.gather(serve) }

    /// The limit of the body. The router decides, because a path has many spellings. It is asked only if the body is
    /// longer than the lower limit or of unknown length, so nearly all requests are routed once.
    ///
    /// - Parameter length: The announced length of the body; the greatest number if it is unknown.
    private func bodyBytesMax(of head: RequestHead, _ length: UInt64) -> Int {
        guard length > UInt64(configuration.bodyBytesMax), let resource = try? router.resource(at: head.path),
            let endpoint = resource.endpoint(head.method), endpoint.takesList
        else { return configuration.bodyBytesMax }
        return configuration.listBodyBytesMax
    }
}

// MARK: - From a path to an endpoint

extension API {
    private func answer(
        to request: Request, _ trace: Trace, _ book: OpenBook?, _ pace: Write.Pace, _ freshness: Freshness,
        _ retry: WriteRetry?
    ) throws(Problem) -> Answer {
        let head = request.head
        guard trace.path != "*" else { return .send(options(Endpoint.allMethods, head, trace)) }
        guard let resource = try router.resource(at: trace.path) else {
            throw .nothing(at: trace.path, router)
        }
        guard head.method != .options else { return .send(options(resource.allowedMethods, head, trace)) }
        guard let endpoint = resource.endpoint(head.method) else {
            throw .methodNotAllowed(head.method, resource)
        }
        head.note(endpoint)
        let caller = try caller(of: head, endpoint, book, pace)
        trace.record?.note(actor: caller.actor)
        try requireAcceptable(endpoint, head)
        try requireReadable(request, endpoint)
        var call = Call(
            head: head, body: endpoint.isWrite ? request.body : .empty, endpoint: endpoint,
            arguments: resource.arguments,
            query: head.hasQuery ? try Query(head.query, of: endpoint) : Query(),
            preferences: Preferences(head.fields(.prefer)), trace: trace, caller: caller, book: book, pace: pace,
            retry: endpoint.isWrite && store.isShared ? WriteRetry(request, after: retry) : nil, freshness: freshness)
        try permit(call)
        if case .unknown = freshness, case .list? = endpoint.reads {
            call.freshness = try freshnessInMemory(of: call)
            guard call.freshness != .unknown else { return check([try call.listID()]) }
        }
        guard pace != .brief || !mayLast(call) else { throw .forWorker }
        if case .unknown = freshness, case .lists(let named)? = endpoint.reads {
            return check(try named(self)(call), call.body)
        }
        if endpoint.writesList { call.number = try call.writeNumber() }
        do throws(Problem) { return try kept(endpoint.route.perform(self)(call), call) } catch {
            return try usingUp(call, for: call.query.completed(error, at: endpoint))
        }
    }

    /// Whether a read may take longer than the other connections of a loop should wait. Writes find that out themselves.
    private func mayLast(_ call: Call) -> Bool {
        switch call.endpoint {
        case .getList, .getSection, .getChanges, .listTransactions:
            guard let id = call.arguments.first.flatMap({ ListID($0) }) else { return false }
            guard let list = store.loaded(id) else { return store.mustLoad(id) }
            return call.head.mayLookAtEachRow ? list.isLongToSearch : list.isLong
        case .listLists, .followLists, .postChanges, .getSubscription, .installSample, .stepSample, .restoreList,
            .getMetrics:
            return true
        case .listTokens, .postToken, .getToken, .deleteToken, .rotateToken, .getAccess, .putAccess, .postTicket:
            return true
        case .getItem, .postList, .putList, .patchList, .deleteList, .putSection, .patchSection, .deleteSection,
            .postItems,
            .patchItem, .deleteItem, .star, .unstar, .toggleStar, .expand, .collapse, .postTransaction, .postReorder,
            .undo, .redo, .listEmoji, .listEmojiCategories, .listSamples, .getHealth, .getReadiness, .getContract,
            .getReference, .listProblems, .getProblem, .getPage, .getPageFile, .getClient, .getClientTypes:
            return false
        }
    }

    private func requireAcceptable(_ endpoint: Endpoint, _ head: RequestHead) throws(Problem) {
        let types = endpoint.representations
        guard !types.isEmpty else { return }
        let values = head.fields(.accept)
        // Most clients name no types, or all of them.
        guard endpoint.onlyStreams || !values.allSatisfy({ $0 == "*/*" }) else { return }
        let ranges = MediaRanges(values.joined(separator: ","))
        let isAcceptable =
            endpoint.onlyStreams ? ranges.names(MediaType.eventStream) : types.contains { ranges.accepts($0) }
        guard !isAcceptable else { return }
        let live = ranges.names(MediaType.eventStream) ? " \(Signpost.stream(instead: endpoint))" : ""
        throw Problem(
            .notAcceptable,
            "The answer is always \(types.joined(separator: " or ")): send the header Accept: \(types[0]).\(live)")
    }

    private func requireReadable(_ request: Request, _ endpoint: Endpoint) throws(Problem) {
        guard endpoint.isWrite, !request.body.isEmpty else { return }
        guard request.head.fields(.contentEncoding).allSatisfy({ $0.lowercasedASCII == "identity" }) else {
            throw Problem(
                .unsupportedMediaType, "The body has a Content-Encoding, which is not supported: send it as it is.")
        }
        let allowed = endpoint.method == .patch ? [MediaType.json, MediaType.mergePatch] : [MediaType.json]
        guard let type = request.head.field(.contentType), MediaType.isUTF8(type, oneOf: allowed) else {
            throw Problem(
                .unsupportedMediaType,
                "A body must come with the header Content-Type: \(allowed.joined(separator: " or ")).")
        }
    }

    /// The answer to `OPTIONS`, also to the preflight request of a page (Fetch, CORS-preflight fetch).
    private func options(_ methods: [HTTPRequest.Method], _ head: RequestHead, _ trace: Trace) -> Response {
        let names = methods.map { ByteText($0.rawValue) }.joined(separator: ", ")
        var fields: Response.Fields = [Response.Field("Allow", names)]
        fields.append(trace, id: trace.sentID)
        if trace.origin != nil, head.field(.accessControlRequestMethod) != nil {
            fields.append(Response.Field("Access-Control-Allow-Methods", names))
            fields.append(Response.Field("Access-Control-Allow-Headers", readFields))
            fields.append(Response.Field("Access-Control-Max-Age", "600"))
        }
        return Response(status: .noContent, fields: fields, body: [])
    }
}

extension Refusal {
    /// Whether the server refuses because it is full or stopping. Such a refusal says nothing about the request.
    fileprivate var isOfCapacity: Bool {
        switch self {
        case .stopping, .tooManyConnections, .tooManyConnectionsOfAddress, .overloaded: true
        case .badFraming, .unsupportedTransferCoding, .badField, .missingHost, .repeatedHost, .repeatedAuthorization,
            .methodNotImplemented, .badTarget, .expectationFailed, .targetTooLong, .headTooLarge, .bodyTooLarge:
            false
        }
    }
}

private let readFields: ByteText =
    """
    Accept, Authorization, Cache-Control, Client, Client-Sequence, Content-Type, Idempotency-Key, If-Match, \
    If-None-Match, Last-Event-ID, Prefer, X-Request-Id
    """

extension MediaType {
    /// Whether a `Content-Type` is one of these, with no charset but UTF-8.
    static func isUTF8(_ field: ByteText, oneOf allowed: [ByteText]) -> Bool {
        let parts = field.split(at: ";").filter { !$0.isEmpty }.map(\.withoutSpaces.lowercasedASCII)
        guard let type = parts.first, allowed.contains(type) else { return false }
        return parts.dropFirst().allSatisfy { parameter in
            !parameter.hasPrefix("charset=") || parameter == "charset=utf-8" || parameter == "charset=\"utf-8\""
        }
    }
}
