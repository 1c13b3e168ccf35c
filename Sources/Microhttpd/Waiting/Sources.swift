/// The reason why a source is asked.
public enum Occasion: Sendable {
    /// There is room for more, or one of the groups was woken.
    case ordinary
    /// The time that was set when the wait began is over.
    case due
    /// The server stops, so this is the last time.
    case stopping
}

/// Finds the answer to a request that waits for something to happen.
///
/// The loop that serves the connection asks the source on its own thread, where it also calls the `RequestHandler`.
public protocol AnswerSource: AnyObject {
    /// The answer; nil if there is none yet. The wait then goes on if the occasion is ordinary, and else the connection
    /// is closed.
    func answer(_ occasion: Occasion) -> Response?
}

/// Makes content while it is sent, for as long as the client stays.
///
/// The loop that serves the connection asks the source on its own thread, where it also calls the `RequestHandler`. The
/// loop releases the source when the connection or the content ends, whichever is first.
public protocol ContentSource: AnyObject {
    /// The next step. It is asked for again when the bytes of this one are on their way, so seldom for a client that
    /// reads slowly.
    func next(_ occasion: Occasion) -> ContentStep
}

/// One step of a content source.
public enum ContentStep {
    /// Send these bytes, then ask again. Any number of sources may give the same array. The source counts their memory.
    case send([UInt8])
    /// Send nothing until a group is woken, or until nothing was sent for the time that was set.
    case wait
    /// The content is complete.
    case end
}

/// A wait for an answer, which holds no thread.
public struct AnswerWait {
    public let source: any AnswerSource
    let groups: [WakeGroup]
    let milliseconds: UInt64
    let silenceSeconds: Int

    /// - Parameters:
    ///   - source: It is asked once at the beginning, then whenever one of `groups` is woken.
    ///   - milliseconds: The time after which the source is asked for the last time.
    ///   - silenceSeconds: The time without a sign of the client after which the system asks for one. After as long
    ///     again without a reply the connection is closed.
    public init(
        for source: any AnswerSource, in groups: [WakeGroup], milliseconds: UInt64, silenceSeconds: Int
    ) {
        self.source = source
        self.groups = groups
        self.milliseconds = milliseconds
        self.silenceSeconds = silenceSeconds
    }
}

/// An answer whose content has no length that is known beforehand (RFC 9112, section 7.1).
public struct ContentStream {
    public let head: Response
    public let source: any ContentSource
    let groups: [WakeGroup]
    let silenceMilliseconds: UInt64

    /// - Parameters:
    ///   - head: Status and fields; its body is not sent.
    ///   - source: It is asked once at the beginning, then when one of `groups` is woken and the client has read.
    ///   - silenceMilliseconds: The time without a byte after which the source is asked on the occasion `due`. A client
    ///     that has acknowledged nothing for as long is taken as gone, and its connection is closed.
    public init(
        head: Response, _ source: any ContentSource, in groups: [WakeGroup], silenceMilliseconds: UInt64
    ) {
        self.head = head
        self.source = source
        self.groups = groups
        self.silenceMilliseconds = silenceMilliseconds
    }
}
