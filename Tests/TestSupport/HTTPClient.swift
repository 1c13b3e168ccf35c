/// A client that asks one thing after another over one connection.
///
/// Blocking, and as plain as can be: it sends what it is told, adds `Host` and `Content-Length`, and opens a new
/// connection when the server has closed the last one.
public final class HTTPClient {
    public let port: UInt16
    private var socket: RawSocket?

    public init(port: UInt16) {
        self.port = port
    }

    /// Sends one request and reads its answer.
    ///
    /// - Parameter fields: Sent as they are, in order.
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

    /// Sends a JSON body.
    public func send(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], json: String
    ) throws -> RawResponse {
        try send(method, target, fields + [("Content-Type", "application/json")], body: Array(json.utf8))
    }
}
