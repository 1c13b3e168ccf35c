internal import HTTPTypes
public import Microhttpd
internal import Texts

/// Answers `GET /metrics` to everybody, and nothing else.
public struct MetricsListener: RequestHandler {
    private let page: @Sendable () -> [UInt8]

    /// - Parameter page: Makes the metrics. It is called on the thread of a loop.
    public init(page: @escaping @Sendable () -> [UInt8]) { self.page = page }

    public func admit(_ head: RequestHead) -> Admission { .accept(bodyBytesMax: 0) }

    public func respond(to request: Request) -> Answer {
        let head = request.head
        guard head.path == "/metrics" else { return .send(Self.text(.notFound, "Only GET /metrics is here.")) }
        guard head.method == .get || head.method == .head else {
            let allowed: Response.Fields = [Response.Field("Allow", "GET, HEAD")]
            return .send(Self.text(.methodNotAllowed, "Only GET and HEAD are for /metrics.", allowed))
        }
        return .send(Response(status: .ok, fields: .metrics, body: page()))
    }

    public func refusal(_ refusal: Refusal, head: RequestHead?) -> Response {
        let status = Problem(refusal, path: "", limitName: "bodyBytesMax").status
        return Self.text(status, "This request cannot be read, or the server is full.")
    }

    private static func text(
        _ status: HTTPResponse.Status, _ line: ByteText, _ fields: Response.Fields = []
    ) -> Response {
        Response(
            status: status, fields: [Response.Field("Content-Type", "text/plain; charset=utf-8")] + fields,
            body: Array(line.utf8) + [UInt8(ascii: "\n")])
    }
}
