public import HTTPTypes
// The members of a head are texts, so every client of this module needs `Texts` too.
@_exported public import Texts

/// The head of a request: method, target and fields.
///
/// A head is valid only during the call that receives it. A head from a connection reads the engine's memory on demand
/// and copies nothing before it is asked. Once its request is over, it has no fields and no query, and its path is
/// empty.
public struct RequestHead {
    /// The method; names are case-sensitive.
    public var method: HTTPRequest.Method
    private let source: Source
    /// The names of the fields. They are asked before the source, because most fields that are asked for are absent.
    private let names: FieldNames
    private enum Source {
        case engine(EngineHead)
        case kept(KeptHead)
    }

    /// A head made of values, as tests need it.
    public init(
        method: HTTPRequest.Method, path: ByteText, query: [QueryItem], fields: HTTPFields,
        client: ClientAddress? = nil, isSecure: Bool = false, visitor: (any Visitor)? = nil
    ) {
        self.method = method
        let fields = fields.map { (ByteText($0.name.canonicalName), ByteText($0.value)) }
        source = .kept(
            KeptHead(
                client: client, isSecure: isSecure, visitor: visitor, watcher: nil, method: method, path: path,
                query: query, fields: fields))
        names = .all
    }

    /// The head of a `GET` of a target, with no fields; nil if no request can have the target.
    public init?(getting target: ByteText) {
        guard target.withBytes(Target.isValid) else { return nil }
        let path = target.split(at: "?", splitsMax: 1).first ?? target
        let query = target.withBytes(Target.query).map(QueryItem.parse) ?? []
        source = .kept(
            KeptHead(
                client: nil, isSecure: false, visitor: nil, watcher: nil, method: .get, path: path, query: query,
                fields: []))
        method = .get
        names = .all
    }

    /// A head that was kept beyond the call that received it.
    public init(_ kept: KeptHead) {
        method = kept.method
        source = .kept(kept)
        names = .all
    }

    /// A copy that stays valid after the call that received the head, and on other threads.
    public var kept: KeptHead {
        switch source {
        case .engine(let head):
            KeptHead(
                client: head.client, isSecure: head.isSecure, visitor: head.visitor, watcher: head.watcher,
                method: method, path: head.path, query: query, fields: head.allFields)
        case .kept(let head): head
        }
    }

    init(method: HTTPRequest.Method, engine: EngineHead) {
        self.method = method
        source = .engine(engine)
        names = engine.fieldNames
    }

    /// The one that is told how the request ends; nil if nobody is.
    public var watcher: (any RequestWatcher)? {
        switch source {
        case .engine(let head): head.watcher
        case .kept(let head): head.watcher
        }
    }

    /// Has the answer counted as one of a route. A head that was kept does nothing: its request has been noted before.
    ///
    /// - Parameter route: From 1 to 63.
    public func note(route: Int) {
        guard case .engine(let head) = source, (1...Tally.routesMax).contains(route) else { return }
        head.note(route: UInt8(route))
    }

    /// The address of the client, also of one behind trusted proxies; nil if it is unknown.
    public var client: ClientAddress? {
        switch source {
        case .engine(let head): head.client
        case .kept(let head): head.client
        }
    }

    /// Whether a trusted proxy says that it has been asked by TLS.
    public var isSecure: Bool {
        switch source {
        case .engine(let head): head.isSecure
        case .kept(let head): head.isSecure
        }
    }

    /// The sender of the request; in `admit` that of the request before on the connection, if it is known to be the same.
    public var visitor: (any Visitor)? {
        switch source {
        case .engine(let head): head.visitor
        case .kept(let head): head.visitor
        }
    }

    /// The path of the target as it was sent, percent-encodings and all: `/` and more, or `*`.
    public var path: ByteText {
        switch source {
        case .engine(let head): head.path
        case .kept(let head): head.path
        }
    }

    /// The last segment of the path, if nothing but `prefix` stands before it.
    public func segment(after prefix: StaticString) -> ByteText? {
        switch source {
        case .engine(let head):
            return head.segment(after: prefix)
        case .kept(let head):
            let rest = head.path.dropping(prefix: ByteText(prefix.description))
            return rest.flatMap { $0.utf8.contains(UInt8(ascii: "/")) ? nil : $0 }
        }
    }

    /// Whether the target has a `?`.
    public var hasQuery: Bool {
        switch source {
        case .engine(let head): head.query != nil
        case .kept(let head): !head.query.isEmpty
        }
    }

    /// The items of the query, still percent-encoded, in order, repeats kept.
    public var query: [QueryItem] {
        switch source {
        case .engine(let head): head.query.map(QueryItem.parse) ?? []
        case .kept(let head): head.query
        }
    }

    /// False if none of these fields is there; true if one may be.
    public func mayHave(_ fields: FieldNames) -> Bool { names.mayHold(anyOf: fields) }

    /// The first value of a field, without surrounding spaces.
    public func field(_ name: HTTPField.Name) -> ByteText? {
        guard names.mayHold(name) else { return nil }
        return switch source {
        case .engine(let head): head.field(name)
        case .kept(let head): head.values(name).first
        }
    }

    /// Whether the first value of a field is this one, byte for byte.
    public func field(_ name: HTTPField.Name, is value: ByteText) -> Bool {
        guard names.mayHold(name) else { return false }
        return switch source {
        case .engine(let head): head.field(name, is: value)
        case .kept(let head): head.values(name).first == value
        }
    }

    /// All values of a field, in order, one for each line that has it.
    public func fields(_ name: HTTPField.Name) -> [ByteText] {
        guard names.mayHold(name) else { return [] }
        return switch source {
        case .engine(let head): head.fields(name)
        case .kept(let head): head.values(name)
        }
    }

    /// Whether `Host` is a name that a stranger's name server can lead to this machine: neither an address nor
    /// `localhost`.
    public var hasForeignHost: Bool {
        switch source {
        case .engine(let head): head.hasForeignHost
        case .kept: field(.host)?.withBytes(HostField.isForeignName) ?? false
        }
    }

    /// The name or address in `Host`, in lower case and without a port; nil if there is none.
    public var hostName: ByteText? { field(.host).map(HostField.name) }

    /// The announced length of the body in bytes; nil if there is none or the body is chunked.
    public var contentLength: UInt64? {
        switch source {
        case .engine(let head): head.contentLength
        case .kept: field(.contentLength).flatMap { UInt64($0.description) }
        }
    }

    /// Whether a body follows: a `Content-Length` above 0, or a chunked one.
    public var hasBody: Bool {
        switch source {
        case .engine(let head): head.hasBody
        case .kept: field(.transferEncoding) != nil || (contentLength ?? 0) > 0
        }
    }
}

extension HTTPField.Name {
    /// The field `Host`, which the library calls a pseudo header field.
    public static let host = Self("Host")!
}
