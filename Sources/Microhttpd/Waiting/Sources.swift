/// Why whoever waits is asked for what it waits for.
public enum Occasion: Sendable {
    /// There is room for more, or one of the groups was woken.
    case ordinary
    /// The time has come that was set when the wait began.
    case due
    /// The server stops: these are the last words.
    case stopping
}

/// Finds the answer to a request that waits for something to happen.
///
/// Called on the thread of the loop that serves the connection, like all of the handler.
public protocol AnswerSource: AnyObject {
    /// The answer; nil to go on waiting, which closes the connection unless the occasion is ordinary.
    func answer(_ occasion: Occasion) -> Response?
}

/// Makes content while it is sent, for as long as the client stays.
///
/// Called on the thread of the loop that serves the connection. It is let go of when the connection or its content
/// ends, whichever is first.
public protocol ContentSource: AnyObject {
    /// What to send now. Asked again when that is on its way, so a client that reads slowly asks seldom.
    func next(_ occasion: Occasion) -> ContentStep
}

/// What a content source has to send.
public enum ContentStep {
    /// These bytes, which may belong to any number of sources. There may be more.
    case send([UInt8])
    /// Nothing until a group is woken, or nothing was sent for as long as was set.
    case wait
    /// Nothing any more.
    case end
}

/// A wait for an answer, which holds no thread.
public struct AnswerWait {
    public let source: any AnswerSource
    let groups: [WakeGroup]
    let milliseconds: UInt64
    let silenceSeconds: Int

    /// - Parameters:
    ///   - source: Asked once at the beginning, then whenever one of `groups` is woken.
    ///   - milliseconds: After so long it is asked for the last time.
    ///   - silenceSeconds: After so long without a sign of the client it is asked for one, and after as long again
    ///     without a reply its connection is closed.
    public init(
        for source: any AnswerSource, in groups: [WakeGroup], milliseconds: UInt64, silenceSeconds: Int
    ) {
        self.source = source
        self.groups = groups
        self.milliseconds = milliseconds
        self.silenceSeconds = silenceSeconds
    }
}

/// An answer whose content has no end that is known beforehand (RFC 9112, section 7.1).
public struct ContentStream {
    public let head: Response
    public let source: any ContentSource
    let groups: [WakeGroup]
    let silenceMilliseconds: UInt64

    /// - Parameters:
    ///   - head: Status and fields; its body is not sent.
    ///   - source: Asked once at the beginning, then when one of `groups` is woken and the client has read.
    ///   - silenceMilliseconds: After so long without a byte it is asked on the occasion `due`. A client that has
    ///     acknowledged nothing for as long is taken to have vanished, and its connection is closed.
    public init(
        head: Response, _ source: any ContentSource, in groups: [WakeGroup], silenceMilliseconds: UInt64
    ) {
        self.head = head
        self.source = source
        self.groups = groups
        self.silenceMilliseconds = silenceMilliseconds
    }
}
