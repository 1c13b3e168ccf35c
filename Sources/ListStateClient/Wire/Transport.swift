/// A request as a transport sends it.
public struct WireRequest: Sendable {
    /// The method of HTTP.
    public var method: String
    /// The path with its query, from the root of the server.
    public var target: String
    /// The header fields.
    public var fields: [String: String]
    /// The body; nil for none.
    public var body: [UInt8]?

    /// A request to be sent.
    public init(method: String, target: String, fields: [String: String], body: [UInt8]?) {
        (self.method, self.target, self.fields, self.body) = (method, target, fields, body)
    }
}

/// The head of an answer.
public struct WireHead: Sendable {
    /// The status of HTTP.
    public let code: Int
    private let fields: [String: String]

    /// The head of an answer that has come.
    public init(code: Int, fields: [String: String]) {
        self.code = code
        self.fields = Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// The value of a header field, whose name is compared without case.
    public subscript(name: String) -> String? { fields[name.lowercased()] }
}

/// A network, as the client uses it. Tests lose and delay what it carries.
public protocol Transport: Sendable {
    /// Sends a request and reads the whole answer.
    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8])

    /// Sends a request whose answer goes on, such as a stream of events.
    ///
    /// - Returns: The head, and the pieces of the body as they come. To end the sequence ends the request.
    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>)
}
