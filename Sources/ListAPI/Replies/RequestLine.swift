public import HTTPTypes
internal import ListModel
public import Microhttpd
public import Texts
internal import Threads

/// A request that is over, as logs and traces tell of it.
public struct RequestLine: Sendable {
    /// The id that the client has sent, or that the answer has; nil if there is neither.
    public var id: ByteText?
    public let method: HTTPRequest.Method
    /// The path as it was sent, but at most `pathBytesMax` of it.
    public let path: ByteText
    /// The path with its parameters in braces; nil if the request has reached no endpoint.
    public var route: String?
    public let client: ClientAddress?
    /// The one who has sent it; nil if that was not looked at.
    public var actor: ByteText?
    /// The version of the list in the answer; nil if it names none.
    public var version: ByteText?
    /// Nil if the client left before it got an answer.
    public var status: HTTPResponse.Status?
    /// Nil if there was no problem.
    public var code: ProblemCode?
    /// The bytes of the body or stream.
    public var bytes = 0
    /// The time from the first line of the request to the end of its answer.
    public var microseconds: UInt64 = 0
    /// The value of the field `traceparent` (W3C Trace Context), as it was sent; nil if there was none.
    public let traceparent: ByteText?

    public static let pathBytesMax = 1_024

    /// The list that the path names; nil if it names none.
    public var list: ByteText? {
        let segments = path.split(at: "/", splitsMax: 4)
        guard segments.count > 3, segments[1] == "v1", segments[2] == "lists" else { return nil }
        return ListID(segments[3])?.rawValue
    }

    fileprivate init(_ head: RequestHead) {
        method = head.method
        let sent = head.path
        path = sent.utf8.count <= Self.pathBytesMax ? sent : ByteText(sent.utf8.prefix(Self.pathBytesMax))
        client = head.client
        traceparent = head.field(.traceparent)
    }
}

extension HTTPField.Name {
    static let traceparent = Self("traceparent")!
}

/// Gathers the line of a request, and gives it away when the request is over.
final class RequestRecord: RequestWatcher {
    private let line: Locked<RequestLine>
    private let tell: @Sendable (RequestLine) -> Void

    init(_ head: RequestHead, tell: @escaping @Sendable (RequestLine) -> Void) {
        line = Locked(RequestLine(head))
        self.tell = tell
    }

    func note(actor: ByteText) { line.withLock { $0.actor = actor } }
    func note(_ code: ProblemCode?) { line.withLock { $0.code = code } }

    func noteAnswer(_ response: Response, status: HTTPResponse.Status, route: Int) {
        line.withLock { line in
            line.status = status
            line.route = API.routes[route]?.template
            line.id = response.field("X-Request-Id")
            line.version = response.field("List-Version")
        }
    }

    func noteEnd(bytes: Int, microseconds: UInt64) {
        let line = line.withLock { line in
            line.bytes = bytes
            line.microseconds = microseconds
            return line
        }
        tell(line)
    }
}

extension API {
    public var watchesRequests: Bool { configuration.requestEnded != nil }

    public func watcher(of head: RequestHead) -> (any RequestWatcher)? {
        configuration.requestEnded.map { RequestRecord(head, tell: $0) }
    }
}

extension RequestHead {
    /// The record of the request; nil if nobody wants its line.
    var record: RequestRecord? { watcher.flatMap { $0 as? RequestRecord } }
}
