public import HTTPTypes

/// The part of a server that decides about each request and answers it.
///
/// The loop that serves the connection calls every method on its own thread, so slow work delays the other connections
/// of that loop. Work that waits belongs behind `Answer.later`.
public protocol RequestHandler: Sendable {
    /// Whether to read the body of a request whose head has arrived and is well-formed.
    ///
    /// A refusal of a request with a body is sent at once, without reading the body or saying
    /// `100 Continue`, and closes the connection.
    func admit(_ head: RequestHead) -> Admission

    /// The answer to a request whose body has arrived whole.
    func respond(to request: Request) -> Answer

    /// The response to a request that the server itself refuses.
    ///
    /// - Parameter head: Nil if the head could not be read.
    func refusal(_ refusal: Refusal, head: RequestHead?) -> Response

    /// Whether `watcher(of:)` is asked.
    var watchesRequests: Bool { get }

    /// The one that is told how a request ends; nil if nobody is. It is asked before anything else about the request.
    func watcher(of head: RequestHead) -> (any RequestWatcher)?

    /// Runs one turn of a loop, in which any number of requests are answered; `serve` must be called once.
    ///
    /// A handler can begin and end here any work that the requests of a turn share.
    func turn(_ serve: () -> Void)
}

extension RequestHandler {
    /// Requests share nothing.
    public func turn(_ serve: () -> Void) { serve() }

    /// Nobody is told how requests end.
    public var watchesRequests: Bool { false }
    public func watcher(of head: RequestHead) -> (any RequestWatcher)? { nil }
}

/// Whether a request may go on.
public enum Admission: Sendable {
    /// The body is read, up to this many bytes. A longer one is refused. The visitor stays with the connection.
    case accept(bodyBytesMax: Int, visitor: (any Visitor)? = nil)
    /// The answer is sent now.
    case refuse(Response)
}

/// Whatever a handler knows of the one who sends the requests of a connection.
///
/// The head of a request has the visitor that `admit` has returned for it. The head that `admit` gets has the visitor
/// of the request before on the same connection, so that nothing has to be looked up twice. It has none if the two
/// requests do not have the same `Authorization`, byte for byte, or the same client behind a proxy.
public protocol Visitor: AnyObject, Sendable {
    /// A part of a body of unknown length has come, or the bytes of a whole answer's body are about to be sent. Those of
    /// a stream are not told.
    ///
    /// - Parameter milliseconds: The time by the monotonic clock.
    func note(bytes: Int, at milliseconds: UInt64)
}

/// The time and the form in which a request is answered.
public enum Answer {
    /// The response is sent now, with its status.
    case send(Response)
    /// The response is sent now, with a status that may differ from its own, such as 304 with the fields of the 200.
    case sendPrepared(PreparedResponse, as: HTTPResponse.Status)
    /// The response is sent when the resumption is used.
    ///
    /// The connection waits from now on, and the closure is called, still on the thread of the loop. The closure must
    /// make sure that the resumption is used in the end: a waiting connection has no deadline and does not notice a
    /// client that left. If every copy of the resumption is dropped, the connection is closed.
    case later((Resumption) -> Void)
    /// The response is sent after a wake group was woken, or after a time.
    case wait(AnswerWait)
    /// The response is sent now, with content that comes in pieces.
    case stream(ContentStream)
}
