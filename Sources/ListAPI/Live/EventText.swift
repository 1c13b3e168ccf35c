internal import ListModel
internal import ListWire
internal import Texts

/// The texts of a stream (HTML Standard, section 9.2.5).
///
/// A resume point and its event are separate texts. Many streams send the same event, but each has its own resume
/// point.
enum EventText {
    enum Name: String {
        case change
        case reset
        case gone
        case bye
    }

    /// How long a client that has lost the stream waits before it connects again.
    static let retryMilliseconds = 2_000

    /// A heartbeat, which tells proxies and the client that the stream is alive.
    static let comment = Array(":\n\n".utf8)
    /// The beginning of every stream.
    static let retry = retry(milliseconds: retryMilliseconds)

    static func retry(milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }
    /// The text behind a resume point that comes without an event.
    static let nothing = Array("\n".utf8)

    /// The version or token from which a client that reconnects goes on.
    static func resumePoint(_ id: String) -> [UInt8] { Array("id: \(id)\n".utf8) }
    static func resumePoint(_ id: ByteText) -> [UInt8] { Array("id: ".utf8) + id.utf8 + Array("\n".utf8) }

    /// An event without its resume point.
    ///
    /// - Parameter json: Minified JSON, so it has no line breaks.
    static func event(_ name: Name, _ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count + 32)
        bytes += "event: \(name.rawValue)\ndata: ".utf8
        bytes += json
        bytes += "\n\n".utf8
        return bytes
    }

    /// The event for a list that does not exist any more.
    static func gone(_ list: ListID) -> [UInt8] {
        event(.gone, JSONSplicer.object(capacity: 32 + list.rawValue.utf8.count) { $0.member("\"list\":", list) })
    }

    /// The reason for which a stream ends although its client may ask for it again.
    enum Reason: String {
        case shutdown
        case limit
        case unavailable
        /// The token was revoked, has expired or has lost the right.
        case access
    }

    /// The last event of a stream, sent behind `retry`.
    ///
    /// - Parameter code: The code of the problem that a request without a stream would get.
    static func bye(_ reason: Reason, _ code: ProblemCode, afterSeconds seconds: Int) -> [UInt8] {
        let json = "{\"reason\":\"\(reason.rawValue)\",\"code\":\"\(code.rawValue)\",\"retryAfter\":\(seconds)}"
        return event(.bye, Array(json.utf8))
    }

    /// The last event when the server stops.
    static let shutdown = bye(.shutdown, .stopping, afterSeconds: retryMilliseconds / 1_000)
}
