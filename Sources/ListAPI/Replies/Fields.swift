internal import HTTPTypes
internal import ListModel
internal import ListWire
internal import Microhttpd
internal import Texts

extension HTTPField.Name {
    static let requestID = Self("X-Request-Id")!
    static let idempotencyKey = Self("Idempotency-Key")!
    static let client = Self("Client")!
    static let clientSequence = Self("Client-Sequence")!
    static let prefer = Self("Prefer")!
    static let lastEventID = Self("Last-Event-ID")!
}

extension Response.Fields {
    /// The fields of an answer of type JSON to a read. They are made once, because most answers have them.
    static let json = content(MediaType.json)

    /// The fields of an answer of type JSON that is the same whenever it is asked for, so that a cache need not ask
    /// again (RFC 8246).
    static let lastingJSON = content(MediaType.json, caching: "max-age=31536000, immutable")

    /// The fields of an answer of type JSON to a long poll that has waited for nothing. Nobody may take it for the answer
    /// to another poll.
    static let uncachedJSON = content(MediaType.json, caching: "no-store")

    /// The fields of an answer of type JSON that tells of the head of a list.
    ///
    /// - Parameter sharedSeconds: The seconds for which a cache that several clients share may use it. Without that
    ///   limit, `no-cache` would forbid it. Afterwards, and in a client's own cache, it must be validated.
    static func head(sharedSeconds: Int) -> Self {
        guard sharedSeconds > 0 else { return json }
        return content(MediaType.json, caching: "max-age=0, must-revalidate, s-maxage=\(sharedSeconds)")
    }

    /// The fields of an answer that a cache may keep.
    static func content(_ type: ByteText, caching: ByteText = "no-cache") -> Self {
        [
            Response.Field("Content-Type", type),
            Response.Field("Vary", "Accept, Accept-Encoding, Prefer"),
            Response.Field("Cache-Control", caching),
            Response.Field("X-Content-Type-Options", "nosniff"),
        ]
    }

    /// Adds the fields of an answer about a list at one version.
    ///
    /// - Parameter isCoded: Whether the body is gzip. Its bytes differ, so it needs another entity tag (RFC 9110,
    ///   section 8.8.3.3).
    mutating func append(_ version: VersionText, isCoded: Bool = false) {
        if isCoded { append("ETag", version.coded) } else { append("ETag", version.quoted[...]) }
        append("List-Version", version.quoted.dropFirst().dropLast())
    }

    /// Adds the age of an answer that may be older than others' writes (RFC 9111, section 5.1).
    mutating func append(_ freshness: Freshness) {
        if let age = freshness.age { append("Age", ByteText("\(age)")) }
    }

    /// Adds the fields that depend on the request: its id, what its client is told of quotas and TLS, and the fields for
    /// the page that sent it (CORS).
    ///
    /// - Parameter id: The id of the request; nil if the answer carries none.
    mutating func append(_ trace: Trace, id: ByteText?) {
        if let id { append("X-Request-Id", id) }
        if let note = trace.note { append(contentsOf: note) }
        // For a year the browser asks this host by TLS only (RFC 6797).
        if trace.isSecure { append("Strict-Transport-Security", "max-age=31536000") }
        if trace.variesByOrigin { append(.varyByOrigin) }
        guard let origin = trace.origin else { return }
        append("Access-Control-Allow-Origin", origin)
        append("Access-Control-Expose-Headers", exposedFields)
    }
}

extension Response.Field {
    /// This field is also on an answer that names no origin. Otherwise a cache would give that answer to a page that
    /// may read the list (Fetch, CORS protocol and HTTP caches).
    static let varyByOrigin = Self("Vary", "Origin")

    /// The link to the next page (RFC 8288).
    ///
    /// - Parameter target: The path of the next page with its query.
    static func next(_ target: ByteText) -> Self { Self("Link", "<\(target)>; rel=\"next\"" as ByteText) }
}

private let exposedFields: ByteText =
    """
    Age, Client-Sequence, ETag, List-Version, Link, Location, RateLimit, RateLimit-Policy, Retry-After, \
    Preference-Applied, Idempotency-Replayed, X-Request-Id
    """
