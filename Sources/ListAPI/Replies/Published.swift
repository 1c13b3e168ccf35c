internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Threads
internal import Microhttpd
internal import Texts

/// The answers to `GET /v1/lists/{list}` at one version, each made once, by whoever asks first, and sent by reference.
///
/// They are made outside the list's lock, so that no write waits for them. Only the view of all items is shared; the
/// others, and the snapshots of sections, are made for each request.
final class PublishedSnapshot: Sendable {
    let version: Version
    let text: VersionText
    private let plainOnce: Once<ListSnapshot, Representation>
    private let codedOnce: Once<Once<ListSnapshot, Representation>, Representation>

    final class Representation: Sendable {
        let response: PreparedResponse
        /// That of the 200 if its fields are right for a 304 too.
        let notModified: PreparedResponse

        init(_ response: PreparedResponse, notModified: PreparedResponse) {
            self.response = response
            self.notModified = notModified
        }
    }

    init(_ snapshot: ListSnapshot, variesByOrigin: Bool) {
        version = snapshot.version
        let text = VersionText(snapshot.version)
        self.text = text
        plainOnce = Once(from: snapshot) { Self.plain($0, text, variesByOrigin: variesByOrigin) }
        codedOnce = Once(from: plainOnce) { Self.coded($0.value, text, variesByOrigin: variesByOrigin) }
    }

    /// The bytes as they are.
    var plain: Representation { plainOnce.value }
    /// For whoever wants gzip: `plain` if that is not worth it.
    var coded: Representation { codedOnce.value }

    /// The snapshot in the view of all items.
    var body: [UInt8] { plain.response.response.body }
    /// The same as gzip; nil if that is not worth it.
    var codedBody: [UInt8]? {
        let coded = coded
        return coded === plain ? nil : coded.response.response.body
    }

    private static func plain(
        _ snapshot: ListSnapshot, _ text: VersionText, variesByOrigin: Bool
    ) -> Representation {
        let fields = fields(text, variesByOrigin: variesByOrigin)
        let response = PreparedResponse(Response(status: .ok, fields: fields, body: snapshot.body))
        return Representation(response, notModified: response)
    }

    private static func coded(
        _ plain: Representation, _ text: VersionText, variesByOrigin: Bool
    ) -> Representation {
        guard let body = worthwhileGzip(plain.response.response.body) else { return plain }
        var fields = fields(text, isCoded: true, variesByOrigin: variesByOrigin)
        // Without the coding, which a cache might take for that of the bytes it holds.
        let notModified = PreparedResponse(Response(status: .notModified, fields: fields, body: []))
        fields.append(.gzip)
        let response = PreparedResponse(Response(status: .ok, fields: fields, body: body))
        return Representation(response, notModified: notModified)
    }

    private static func fields(
        _ version: VersionText, isCoded: Bool = false, variesByOrigin: Bool
    ) -> [Response.Field] {
        var fields = [Response.Field].json
        fields.append(version, isCoded: isCoded)
        if variesByOrigin { fields.append(.varyByOrigin) }
        return fields
    }
}

/// What is sent again and again while a version is the head: a `PublishedSnapshot` whose answers have been made.
///
/// Two loops send it at once, so it is as few references away as can be: each is a count that they share.
private final class ReadyAnswers: Sendable {
    let snapshot: PublishedSnapshot
    let text: VersionText
    let plain: PreparedResponse
    /// Nil until somebody has wanted gzip.
    let coded: PublishedSnapshot.Representation?

    init(_ snapshot: PublishedSnapshot, wantsGzip: Bool) {
        self.snapshot = snapshot
        text = snapshot.text
        plain = snapshot.plain.response
        coded = wantsGzip ? snapshot.coded : nil
    }
}

extension PublishedSnapshot {
    /// What is published for the head of a list, or to be made from it. Of those who ask at once, the first one's is
    /// everybody's.
    static func ofHead(of list: isolated ListActor, variesByOrigin: Bool) -> PublishedSnapshot {
        if let published = found(list.published) { return published }
        let snapshot = list.snapshot()
        let published = PublishedSnapshot(snapshot, variesByOrigin: variesByOrigin)
        list.publish(published, for: snapshot.version)
        return published
    }

    fileprivate static func found(_ published: (any AnyObject & Sendable)?) -> PublishedSnapshot? {
        published as? PublishedSnapshot ?? (published as? ReadyAnswers)?.snapshot
    }
}

extension API {
    /// The way of most reads: no query, no preference, nothing to decode, and the answer is there already.
    ///
    /// - Returns: Nil if the request wants anything else; it then goes the long way.
    func publishedAnswer(to head: RequestHead) -> Answer? {
        guard head.method == .get || head.method == .head, !head.hasQuery,
            let name = head.path(after: "/v1/lists/"), let id = ListID(name)
        else { return nil }
        guard isPlain(head), let answers = answers(id, wantsGzip: head.wantsGzip) else { return nil }
        let isKnown =
            head.field(.ifNoneMatch, is: ByteText(answers.text.quoted))
            || head.ifNoneMatch?.matches(ByteText(answers.text.plain)) == true
        guard head.wantsGzip, let coded = answers.coded else {
            // The fields of the 200 are right for a 304 too.
            return .sendPrepared(answers.plain, as: isKnown ? .notModified : .ok)
        }
        return isKnown ? .sendPrepared(coded.notModified, as: .notModified) : .sendPrepared(coded.response, as: .ok)
    }

    /// The answers of the head, made if need be; nil if there is no such list.
    private func answers(_ id: ListID, wantsGzip: Bool) -> ReadyAnswers? {
        if let ready = store.loaded(id)?.published as? ReadyAnswers, !wantsGzip || ready.coded != nil { return ready }
        guard let published = try? published(id) else { return nil }
        let ready = ReadyAnswers(published, wantsGzip: wantsGzip)
        store.loaded(id)?.enter { $0.publish(ready, for: published.version) }
        return ready
    }

    /// The answers of the head, there or to be made; nil if there is no such list.
    func published(_ id: ListID) throws(Problem) -> PublishedSnapshot? {
        if let published = PublishedSnapshot.found(store.loaded(id)?.published) { return published }
        let variesByOrigin = configuration.origins != .none
        return try find(id)?.enter { PublishedSnapshot.ofHead(of: $0, variesByOrigin: variesByOrigin) }
    }

    private func isPlain(_ head: RequestHead) -> Bool {
        guard configuration.origins == .none || head.field(.origin) == nil else { return false }
        guard head.field(.prefer) == nil, head.field(.requestID) == nil else { return false }
        guard let accept = head.field(.accept) else { return true }
        return accept == "*/*" || accept == MediaType.json
    }
}
