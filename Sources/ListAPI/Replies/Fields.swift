internal import HTTPTypes
internal import ListModel
internal import Microhttpd
internal import Texts

extension HTTPField.Name {
    static let requestID = Self("X-Request-Id")!
    static let idempotencyKey = Self("Idempotency-Key")!
    static let prefer = Self("Prefer")!
    static let lastEventID = Self("Last-Event-ID")!
}

extension [Response.Field] {
    /// What every answer to a read says, made once for the type that most have.
    static let json = content(MediaType.json)

    /// What every answer that may be kept says.
    static func content(_ type: ByteText) -> Self {
        [
            Response.Field("Content-Type", type),
            Response.Field("Vary", "Accept, Accept-Encoding, Prefer"),
            Response.Field("Cache-Control", "no-cache"),
            Response.Field("X-Content-Type-Options", "nosniff"),
        ]
    }

    /// What an answer about a list at one version says.
    ///
    /// - Parameter isCoded: Whether its body is gzip: other bytes need another tag (RFC 9110, section 8.8.3.3).
    mutating func append(_ version: VersionText, isCoded: Bool = false) {
        append(Response.Field("ETag", isCoded ? version.coded : version.quoted))
        append(Response.Field("List-Version", version.plain))
    }

    /// What an answer says for the sake of a page and of whoever traces requests.
    ///
    /// - Parameter id: The request's name, where one is due.
    mutating func append(_ trace: Trace, id: ByteText?) {
        if let id { append(Response.Field("X-Request-Id", id)) }
        if trace.variesByOrigin { append(.varyByOrigin) }
        guard let origin = trace.origin else { return }
        append(Response.Field("Access-Control-Allow-Origin", origin))
        append(Response.Field("Access-Control-Expose-Headers", exposedFields))
    }
}

extension Response.Field {
    /// Also of an answer that names no origin, or a cache would give it to a page that may read it (Fetch, CORS
    /// protocol and HTTP caches).
    static let varyByOrigin = Self("Vary", "Origin")

    /// Where the page behind this one is (RFC 8288).
    ///
    /// - Parameter target: A path with its query.
    static func next(_ target: ByteText) -> Self { Self("Link", "<\(target)>; rel=\"next\"" as ByteText) }
}

private let exposedFields =
    "ETag, List-Version, Link, Location, Retry-After, Preference-Applied, Idempotency-Replayed, X-Request-Id"
