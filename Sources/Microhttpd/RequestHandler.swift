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

    /// Runs one turn of a loop, in which any number of requests are answered; `serve` must be called once.
    ///
    /// A handler can begin and end here any work that the requests of a turn share.
    func turn(_ serve: () -> Void)
}

extension RequestHandler {
    /// Requests share nothing.
    public func turn(_ serve: () -> Void) { serve() }
}

/// Whether a request may go on.
public enum Admission: Sendable {
    /// Read the body, up to this many bytes; a longer one is refused.
    case accept(bodyBytesMax: Int)
    /// Answer now.
    case refuse(Response)
}

/// How to answer a request.
public enum Answer {
    /// Now, with the status of the response.
    case send(Response)
    /// Now, with a status that may differ from that of the response, such as 304 with the fields of the 200.
    case sendPrepared(PreparedResponse, as: HTTPResponse.Status)
    /// When the answer is known.
    ///
    /// The connection waits from now on, and the closure is called, still on the thread of the loop. The closure must
    /// make sure that the resumption is used in the end: a waiting connection has no deadline and does not notice a
    /// client that left. If every copy of the resumption is dropped, the connection is closed.
    case later((Resumption) -> Void)
    /// When a wake group is woken, or after a time.
    case wait(AnswerWait)
    /// Now, with content that comes in pieces.
    case stream(ContentStream)
}
