/// A client that sends one request after another over one connection.
///
/// It blocks, and it is as simple as possible. It sends the given head with `Host` and `Content-Length`, and opens a
/// new connection when the server has closed the last one.
public final class HTTPClient {
    public let port: UInt16
    private var socket: RawSocket?

    public init(port: UInt16) {
        self.port = port
    }

    /// Sends a request and reads its answer.
    ///
    /// - Parameter fields: Further fields, sent unchanged and in order.
    /// - Throws: `RawSocket.Failure`.
    public func send(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: [UInt8] = []
    ) throws -> RawResponse {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        let socket = try self.socket ?? RawSocket(port: port)
        self.socket = nil
        try socket.send(Array((head + "\r\n").utf8) + body)
        let response = try socket.readResponse(hasNoBody: method == "HEAD")
        if response["Connection"]?.lowercased() != "close" { self.socket = socket }
        return response
    }

    /// Sends a request with a JSON body.
    public func send(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], json: String
    ) throws -> RawResponse {
        try send(method, target, fields + [("Content-Type", "application/json")], body: Array(json.utf8))
    }
}
