internal import JSONValue

/// Writes one event of a stream (HTML Standard, section 9.2.5).
struct EventText {
    enum Name: String {
        case change
        case reset
        case gone
        case bye
    }

    private var bytes: [UInt8] = []

    /// How long a client that has lost the stream waits before it comes back.
    static let retryMilliseconds = 2_000

    /// A comment, which tells proxies and the client that the stream is alive.
    static let comment = Array(":\n\n".utf8)
    /// The beginning of every stream.
    static let retry = Array("retry: \(retryMilliseconds)\n\n".utf8)

    /// The point from which the client resumes; without data it moves that point and says nothing else.
    mutating func id(_ id: String) {
        bytes.append(contentsOf: "id: ".utf8)
        bytes.append(contentsOf: id.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func name(_ name: Name) {
        bytes.append(contentsOf: "event: \(name.rawValue)\n".utf8)
    }

    /// - Parameter json: Minified, so without a line's end.
    mutating func data(_ json: [UInt8]) {
        bytes.reserveCapacity(bytes.count + json.count + 16)
        bytes.append(contentsOf: "data: ".utf8)
        bytes.append(contentsOf: json)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The event with the empty line that ends it.
    var ended: [UInt8] { bytes + [UInt8(ascii: "\n")] }
}

extension EventText {
    /// The list is no more.
    ///
    /// - Parameter id: The resume point without it, where others go on.
    static func gone(_ list: String, id: String? = nil) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 32 + list.utf8.count)
        splicer.raw("{\"list\":")
        splicer.string(list)
        splicer.endObject()
        var event = EventText()
        if let id { event.id(id) }
        event.name(.gone)
        event.data(splicer.bytes)
        return event.ended
    }

    /// The server stops; the client may come back then.
    static let bye: [UInt8] = {
        var event = EventText()
        event.name(.bye)
        event.data(Array("{\"reason\":\"shutdown\",\"retryAfter\":\(retryMilliseconds / 1_000)}".utf8))
        return event.ended
    }()
}
