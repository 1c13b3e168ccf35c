internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Microhttpd

/// The answer to `GET /v1/lists/{list}` at one version, made once and sent by reference.
final class PublishedSnapshot: Sendable {
    let version: VersionText
    let response: Response

    init(_ snapshot: ListSnapshot, variesByOrigin: Bool) {
        version = VersionText(snapshot.version)
        var fields = [Response.Field].json
        fields.append(version)
        if variesByOrigin { fields.append(.varyByOrigin) }
        response = Response(status: .ok, fields: fields, body: snapshot.body(view: .items))
    }
}

extension API {
    /// The way of most reads: no query, no preference, nothing to decode, and the answer is there already.
    ///
    /// - Returns: Nil if the request wants anything else; it then goes the long way.
    func publishedAnswer(to head: RequestHead) -> Answer? {
        guard head.method == .get, !head.hasQuery, let name = head.path(after: "/v1/lists/"), let id = ListID(name)
        else { return nil }
        guard isPlain(head), let published = published(id) else { return nil }
        let version = published.version
        guard head.field(.ifNoneMatch, is: version.quoted) || head.ifNoneMatch?.matches(version.plain) == true else {
            return .send(published.response)
        }
        return .sendAs(.notModified, published.response)
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

    private func isPlain(_ head: RequestHead) -> Bool {
        guard configuration.origins == .none || head.field(.origin) == nil else { return false }
        guard head.field(.prefer) == nil, head.field(.requestID) == nil else { return false }
        guard let accept = head.field(.accept) else { return true }
        return accept == "*/*" || accept == MediaType.json
    }
}
