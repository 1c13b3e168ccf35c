internal import ListModel
internal import Texts

/// The texts of a stream (HTML Standard, section 9.2.5).
///
/// An event is sent as a resume point and what it tells behind that, since the resume points of streams differ where
/// what they tell does not.
enum EventText {
    enum Name: String {
        case change
        case reset
        case gone
        case bye
    }

    /// How long a client that has lost the stream waits before it comes back.
    static let retryMilliseconds = 2_000

    /// A comment, which tells proxies and the client that the stream is alive.
    static let comment = Array(":\n\n".utf8)
    /// The beginning of every stream.
    static let retry = retry(milliseconds: retryMilliseconds)

    static func retry(milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }
    /// What comes behind a resume point that only moves.
    static let nothing = Array("\n".utf8)

    /// The point from which the client resumes.
    static func resumePoint(_ id: String) -> [UInt8] { Array("id: \(id)\n".utf8) }
    static func resumePoint(_ id: ByteText) -> [UInt8] { Array("id: ".utf8) + id.utf8 + Array("\n".utf8) }

    /// An event without its resume point.
    ///
    /// - Parameter json: Minified, so without a line's end.
    static func event(_ name: Name, _ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count + 32)
        bytes += "event: \(name.rawValue)\ndata: ".utf8
        bytes += json
        bytes += "\n\n".utf8
        return bytes
    }

    /// The list is no more.
    static func gone(_ list: ListID) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 32 + list.rawValue.utf8.count)
        splicer.raw("{\"list\":")
        splicer.list(list)
        splicer.endObject()
        return event(.gone, splicer.bytes)
    }

    /// Why a stream ends that the client may ask for again.
    enum Reason: String {
        case shutdown
        case limit
        case unavailable
    }

    /// Behind `retry`, the last that a stream says.
    ///
    /// - Parameter code: That of the problem whose place it takes.
    static func bye(_ reason: Reason, _ code: ProblemCode, afterSeconds seconds: Int) -> [UInt8] {
        let json = "{\"reason\":\"\(reason.rawValue)\",\"code\":\"\(code.rawValue)\",\"retryAfter\":\(seconds)}"
        return event(.bye, Array(json.utf8))
    }

    /// The server stops.
    static let shutdown = bye(.shutdown, .stopping, afterSeconds: retryMilliseconds / 1_000)
}
