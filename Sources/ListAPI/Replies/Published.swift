internal import Access
internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Threads
internal import Microhttpd
internal import Texts

/// The answers to `GET /v1/lists/{list}` at one version. Each is made once, for the first request that needs it, and
/// later requests get the same bytes.
///
/// The answers are made outside the list's lock, so that no write waits for them. Only the view of all items is shared.
/// Other views, and the snapshots of sections, are made for each request.
final class PublishedSnapshot: Sendable {
    let version: Version
    let text: VersionText
    /// Whether only some may read the list, so that no shared cache may keep the answers.
    let isPrivate: Bool
    private let plainOnce: Once<ListSnapshot, Representation>
    private let codedOnce: Once<Once<ListSnapshot, Representation>, Representation>

    final class Representation: Sendable {
        let response: PreparedResponse
        /// The response to send as a 304. It is `response` itself if its fields are right for a 304 too.
        let notModified: PreparedResponse

        init(_ response: PreparedResponse, notModified: PreparedResponse) {
            self.response = response
            self.notModified = notModified
        }
    }

    /// - Parameter head: The fields of the answers, but for those of the version.
    init(_ snapshot: ListSnapshot, _ head: Response.Fields, isPrivate: Bool = false) {
        let head = isPrivate ? head.forOneReader : head
        self.isPrivate = isPrivate
        version = snapshot.version
        let text = VersionText(snapshot.version)
        self.text = text
        plainOnce = Once(from: snapshot) { Self.plain($0, text, head) }
        codedOnce = Once(from: plainOnce) { Self.coded($0.value, text, head) }
    }

    /// The answer without a coding.
    var plain: Representation { plainOnce.value }
    /// The answer with gzip; `plain` if gzip is not worth it.
    var coded: Representation { codedOnce.value }

    /// The snapshot in the view of all items, as JSON.
    var body: [UInt8] { plain.response.response.body }
    /// The bytes of `body` as gzip; nil if gzip is not worth it.
    var codedBody: [UInt8]? {
        let coded = coded
        return coded === plain ? nil : coded.response.response.body
    }

    private static func plain(
        _ snapshot: ListSnapshot, _ text: VersionText, _ head: Response.Fields
    ) -> Representation {
        let fields = fields(text, head)
        let response = PreparedResponse(Response(status: .ok, fields: fields, body: snapshot.body), route: route)
        return Representation(response, notModified: response)
    }

    private static func coded(
        _ plain: Representation, _ text: VersionText, _ head: Response.Fields
    ) -> Representation {
        guard let body = worthwhileGzip(plain.response.response.body) else { return plain }
        var fields = fields(text, isCoded: true, head)
        // A 304 has no `Content-Encoding`: a cache might apply it to the bytes that it holds.
        let notModified = PreparedResponse(Response(status: .notModified, fields: fields, body: []), route: route)
        fields.append(.gzip)
        let response = PreparedResponse(Response(status: .ok, fields: fields, body: body), route: route)
        return Representation(response, notModified: notModified)
    }

    private static func fields(
        _ version: VersionText, isCoded: Bool = false, _ head: Response.Fields
    ) -> Response.Fields {
        var fields = head
        fields.append(version, isCoded: isCoded)
        return fields
    }
}

/// All published answers are of one route.
private let route = Endpoint.getList.number

/// A `PublishedSnapshot` whose answers have been made, so that they can be sent again and again while the version is
/// the head.
///
/// Several loops send the same answers at once. Each object on the way to them has a reference count that all loops
/// change, so the way is kept short.
private final class ReadyAnswers: Sendable {
    let snapshot: PublishedSnapshot
    let text: VersionText
    /// The version in quotes.
    let tag: ByteText
    let plain: PreparedResponse
    /// The answer with gzip; nil until a client has asked for gzip.
    let coded: PublishedSnapshot.Representation?
    /// The answers with the age for which they were last asked; nil if no answer has an age.
    private let aged: Locked<AgedAnswers?>?

    init(_ snapshot: PublishedSnapshot, wantsGzip: Bool, hasAges: Bool) {
        self.snapshot = snapshot
        aged = hasAges ? Locked(nil) : nil
        text = snapshot.text
        tag = ByteText(decoding: snapshot.text.quoted)
        plain = snapshot.plain.response
        coded = wantsGzip ? snapshot.coded : nil
    }

    /// The same answers with `Age`. The age of what is in memory is hardly ever another one than for the request before.
    func aged(by seconds: Int) -> AgedAnswers? {
        aged?.withLock { aged in
            if let aged, aged.seconds == seconds { return aged }
            let made = AgedAnswers(self, seconds: seconds)
            aged = made
            return made
        }
    }
}

/// Ready answers with an age.
private final class AgedAnswers: Sendable {
    let seconds: Int
    let plain: PreparedResponse
    let coded: PublishedSnapshot.Representation?

    init(_ answers: ReadyAnswers, seconds: Int) {
        self.seconds = seconds
        plain = answers.plain.aged(by: seconds)
        coded = answers.coded.map { coded in
            PublishedSnapshot.Representation(
                coded.response.aged(by: seconds), notModified: coded.notModified.aged(by: seconds))
        }
    }
}

extension PreparedResponse {
    fileprivate func aged(by seconds: Int) -> PreparedResponse {
        PreparedResponse(response.adding([Response.Field("Age", ByteText("\(seconds)"))]), route: route)
    }
}

extension PublishedSnapshot {
    /// The published answer for the head of a list; it is made if there is none. If several requests ask at once, the
    /// first one's is everybody's.
    ///
    /// - Parameter isPrivate: As the property. Nil for an answer of which only the body is needed.
    static func ofHead(
        of list: isolated ListActor, _ head: Response.Fields, isPrivate: Bool? = nil
    ) -> PublishedSnapshot {
        if let published = found(list.published, isPrivate: isPrivate) { return published }
        let snapshot = list.snapshot()
        let published = PublishedSnapshot(snapshot, head, isPrivate: isPrivate ?? false)
        list.publish(published, for: snapshot.version)
        return published
    }

    fileprivate static func found(
        _ published: (any AnyObject & Sendable)?, isPrivate: Bool?
    ) -> PublishedSnapshot? {
        let found = published as? PublishedSnapshot ?? (published as? ReadyAnswers)?.snapshot
        return isPrivate == nil || found?.isPrivate == isPrivate ? found : nil
    }
}

extension API {
    /// Answers the most common read: no query and no preference, nothing to decode, and usually an answer that is made
    /// already.
    ///
    /// - Returns: Nil if the request needs anything else; it then goes through the router.
    func publishedAnswer(
        to head: RequestHead, _ visit: Visit?, _ pace: Write.Pace, _ freshness: Freshness, _ book: OpenBook?
    ) -> Answer? {
        guard head.method == .get || head.method == .head, !head.hasQuery,
            let name = head.segment(after: "/v1/lists/"), let id = ListID(name)
        else { return nil }
        guard isPlain(head) else { return nil }
        // The caller that is refused is told so elsewhere.
        guard let isPrivate = privacy(of: name, head, visit, book) else { return nil }
        let list = store.loaded(id)
        var age: Int?
        if case .unknown = freshness {
            let known = freshnessInMemory(of: list, head)
            guard known != .unknown else { return check([id]) }
            age = known.age
        }
        guard let answers = answers(id, list, wantsGzip: head.wantsGzip, isPrivate: isPrivate, pace) else { return nil }
        let isKnown =
            head.field(.ifNoneMatch, is: answers.tag)
            || head.ifNoneMatch?.matches(answers.text.plain) == true
        let aged = age.flatMap { answers.aged(by: $0) }
        guard head.wantsGzip, let coded = aged?.coded ?? answers.coded else {
            // The fields of the 200 are right for a 304 too.
            return .sendPrepared(aged?.plain ?? answers.plain, as: isKnown ? .notModified : .ok)
        }
        return isKnown ? .sendPrepared(coded.notModified, as: .notModified) : .sendPrepared(coded.response, as: .ok)
    }

    /// The answers of the head, made if there are none; nil if there is no such list.
    private func answers(
        _ id: ListID, _ list: ListActor?, wantsGzip: Bool, isPrivate: Bool, _ pace: Write.Pace
    ) -> ReadyAnswers? {
        if let ready = list?.published as? ReadyAnswers, !wantsGzip || ready.coded != nil,
            ready.snapshot.isPrivate == isPrivate
        {
            return ready
        }
        guard pace != .brief || list.map({ !$0.isLong }) == true else { return nil }
        guard let published = try? published(id, isPrivate: isPrivate) else { return nil }
        let ready = ReadyAnswers(published, wantsGzip: wantsGzip, hasAges: store.checksReads)
        store.loaded(id)?.read { $0.publish(ready, for: published.version) }
        return ready
    }

    /// The published answer of the head, made if there is none; nil if there is no such list.
    ///
    /// - Parameter isPrivate: As `PublishedSnapshot.isPrivate`; nil if only the body is needed.
    func published(_ id: ListID, isPrivate: Bool? = nil) throws(Problem) -> PublishedSnapshot? {
        if let published = PublishedSnapshot.found(store.loaded(id)?.published, isPrivate: isPrivate) {
            return published
        }
        return try find(id)?.read { [publishedFields] in
            PublishedSnapshot.ofHead(of: $0, publishedFields, isPrivate: isPrivate)
        }
    }

    /// Whether only some may read the list; nil if the sender of the request may not.
    private func privacy(of list: ByteText, _ head: RequestHead, _ visit: Visit?, _ book: OpenBook?) -> Bool? {
        guard let book, case let anonymous = book.withoutToken, !anonymous.isEverybody else {
            if watchesRequests { head.record?.note(actor: Caller.everybody.actor) }
            return false
        }
        guard let caller = knownCaller(of: head, visit, in: book), caller.may(.read, list) else { return nil }
        if watchesRequests { head.record?.note(actor: caller.actor) }
        return !anonymous.may(.read, list)
    }

    private func isPlain(_ head: RequestHead) -> Bool {
        guard configuration.origins == .none || head.field(.origin) == nil else { return false }
        guard head.field(.prefer) == nil, head.field(.requestID) == nil else { return false }
        guard let accept = head.field(.accept) else { return true }
        return accept == "*/*" || accept == MediaType.json
    }
}
