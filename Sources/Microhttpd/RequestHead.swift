public import HTTPTypes

/// The head of a request: method, target and fields.
///
/// Valid only during the call that receives it. One that came from a connection reads the engine's
/// memory on demand and copies nothing before it is asked; once its request is over, it has no
/// fields and no query, and its path is empty.
public struct RequestHead {
    /// The method; names are case-sensitive.
    public var method: HTTPRequest.Method
    private let source: Source

    private enum Source {
        case engine(EngineHead)
        case values(path: String, query: [QueryItem], fields: HTTPFields)
    }

    /// A head made of values, as tests need it.
    public init(method: HTTPRequest.Method, path: String, query: [QueryItem], fields: HTTPFields) {
        self.method = method
        source = .values(path: path, query: query, fields: fields)
    }

    init(method: HTTPRequest.Method, engine: EngineHead) {
        self.method = method
        source = .engine(engine)
    }

    /// The path of the target as it was sent, percent-encodings and all: `/` and more, or `*`.
    public var path: String {
        switch source {
        case .engine(let head): head.path
        case .values(let path, _, _): path
        }
    }

    /// Whether the target has a `?`.
    public var hasQuery: Bool {
        switch source {
        case .engine(let head): head.query != nil
        case .values(_, let query, _): !query.isEmpty
        }
    }

    /// The items of the query, still percent-encoded, in order, repeats kept.
    public var query: [QueryItem] {
        switch source {
        case .engine(let head): head.query.map(QueryItem.parse) ?? []
        case .values(_, let query, _): query
        }
    }

    /// The first value of a field, without surrounding spaces.
    public func field(_ name: HTTPField.Name) -> String? {
        switch source {
        case .engine(let head): head.field(name)
        case .values(_, _, let fields): fields[values: name].first
        }
    }

    /// All values of a field, in order, one for each line that has it.
    public func fields(_ name: HTTPField.Name) -> [String] {
        switch source {
        case .engine(let head): head.fields(name)
        case .values(_, _, let fields): fields[values: name]
        }
    }

    /// The announced length of the body in bytes; nil if there is none or the body is chunked.
    public var contentLength: UInt64? {
        switch source {
        case .engine(let head): head.contentLength
        case .values(_, _, let fields): fields[.contentLength].flatMap { UInt64($0) }
        }
    }

    /// Whether a body follows: a `Content-Length` above 0, or a chunked one.
    public var hasBody: Bool {
        switch source {
        case .engine(let head): head.hasBody
        case .values(_, _, let fields): fields.contains(.transferEncoding) || (contentLength ?? 0) > 0
        }
    }
}
