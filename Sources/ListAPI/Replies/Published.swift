internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Microhttpd

/// The answers to `GET /v1/lists/{list}` at one version, made once and sent by reference.
final class PublishedSnapshot: Sendable {
    let version: Version
    let text: VersionText
    let plain: Representation
    /// For whoever wants gzip: `plain` if that is not worth it, nil until somebody asks.
    let coded: Representation?

    struct Representation: Sendable {
        let response: Response
        /// Nil if the fields of the 200 are right for a 304 too.
        let notModified: Response?
    }

    private let variesByOrigin: Bool

    init(_ snapshot: ListSnapshot, variesByOrigin: Bool) {
        version = snapshot.version
        text = VersionText(snapshot.version)
        self.variesByOrigin = variesByOrigin
        let fields = Self.fields(text, variesByOrigin: variesByOrigin)
        let response = Response(status: .ok, fields: fields, body: snapshot.body(view: .items))
        plain = Representation(response: response, notModified: nil)
        coded = nil
    }

    private init(_ other: PublishedSnapshot, coded: Representation) {
        version = other.version
        text = other.text
        variesByOrigin = other.variesByOrigin
        plain = other.plain
        self.coded = coded
    }

    /// The same, with the answer for whoever wants gzip.
    func withCoded() -> PublishedSnapshot {
        guard let body = worthwhileGzip(plain.response.body) else { return PublishedSnapshot(self, coded: plain) }
        var fields = Self.fields(text, isCoded: true, variesByOrigin: variesByOrigin)
        // Without the coding, which a cache might take for that of the bytes it holds.
        let notModified = Response(status: .notModified, fields: fields, body: [])
        fields.append(.gzip)
        let response = Response(status: .ok, fields: fields, body: body)
        return PublishedSnapshot(self, coded: Representation(response: response, notModified: notModified))
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

extension API {
    /// The way of most reads: no query, no preference, nothing to decode, and the answer is there already.
    ///
    /// - Returns: Nil if the request wants anything else; it then goes the long way.
    func publishedAnswer(to head: RequestHead) -> Answer? {
        guard head.method == .get || head.method == .head, !head.hasQuery,
            let name = head.path(after: "/v1/lists/"), let id = ListID(name)
        else { return nil }
        guard isPlain(head), let published = published(id) else { return nil }
        let representation = head.wantsGzip ? coded(published, id) : published.plain
        let text = published.text
        guard head.field(.ifNoneMatch, is: text.quoted) || head.ifNoneMatch?.matches(text.plain) == true else {
            return .send(representation.response)
        }
        guard let notModified = representation.notModified else {
            return .sendAs(.notModified, representation.response)
        }
        return .send(notModified)
    }

    /// The answer of the head, made by whoever asks first; nil if there is no such list.
    private func published(_ id: ListID) -> PublishedSnapshot? {
        if let published = store.listed(id)?.published as? PublishedSnapshot { return published }
        return store.list(id)?.enter { list in
            let snapshot = list.snapshot()
            let published = PublishedSnapshot(snapshot, variesByOrigin: configuration.origins != .none)
            list.publish(published, for: snapshot.version)
            return published
        }
    }

    /// The answer of the head for whoever wants gzip; made outside the list's lock, for a long one takes its time.
    private func coded(_ published: PublishedSnapshot, _ id: ListID) -> PublishedSnapshot.Representation {
        if let coded = published.coded { return coded }
        let both = published.withCoded()
        store.listed(id)?.enter { $0.publish(both, for: both.version) }
        return both.coded ?? both.plain
    }

    private func isPlain(_ head: RequestHead) -> Bool {
        guard configuration.origins == .none || head.field(.origin) == nil else { return false }
        guard head.field(.prefer) == nil, head.field(.requestID) == nil else { return false }
        guard let accept = head.field(.accept) else { return true }
        return accept == "*/*" || accept == MediaType.json
    }
}
