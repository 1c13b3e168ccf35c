public import HTTPTypes

/// What a server asks about each request.
///
/// Everything is called on the thread of the loop that serves the connection, so whatever they do
/// holds up the other connections of that loop: work that waits belongs behind `Answer.later`.
public protocol RequestHandler: Sendable {
    /// Whether to read the body of a request whose head has arrived and is well-formed.
    ///
    /// A refusal of a request with a body is sent at once, without reading the body or saying
    /// `100 Continue`, and closes the connection.
    func admit(_ head: RequestHead) -> Admission

    /// The answer to a request whose body has arrived whole.
    func respond(to request: Request) -> Answer

    /// The words for what the server itself refuses.
    ///
    /// - Parameter head: Nil if there is no head that could be read.
    func refusal(_ refusal: Refusal, head: RequestHead?) -> Response

    /// Runs one turn of a loop, in which any number of requests are answered; `serve` must be called once.
    ///
    /// The place to begin and end what the requests of a turn can share.
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
    /// Now, with a status that may be another than that of the response: 304 with the fields of the 200, say.
    case sendPrepared(PreparedResponse, as: HTTPResponse.Status)
    /// When the answer is known.
    ///
    /// The connection is suspended, then the closure is called, still on the thread of the loop. It
    /// must see to it that the resumption is used in the end: a suspended connection has no
    /// deadline and does not notice a client that left. Dropping every copy of the resumption closes the connection.
    case later((Resumption) -> Void)
    /// When something happens that many may wait for, or after a time.
    case wait(AnswerWait)
    /// Now, but bit by bit.
    case stream(ContentStream)
}
