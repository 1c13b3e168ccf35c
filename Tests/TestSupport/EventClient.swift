public import JSONValue

/// A client of an event stream. It remembers the last id.
public final class EventClient {
    /// An event, or an id that came alone. Comments are left out.
    public struct Event: Equatable, Sendable {
        /// The last event id after this event.
        public var id: String
        /// Nil if only an id came.
        public var name: String?
        public var data: String?

        public init(id: String, name: String? = nil, data: String? = nil) {
            self.id = id
            self.name = name
            self.data = data
        }

        /// The data as JSON.
        public var json: JSONValue { data.flatMap { try? JSONValue(parsing: Array($0.utf8)) } ?? .null }
    }

    public let head: RawResponse
    private let socket: RawSocket
    private var parser: EventParser
    /// Whether the server has ended the stream.
    public private(set) var isAtEnd = false

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The `Last-Event-ID` to send; empty sends none.
    ///   - body: A JSON body to post; nil sends a GET.
    /// - Throws: `RawSocket.Failure`.
    public init(
        port: UInt16, _ target: String, lastEventID: String = "", _ fields: [(String, String)] = [],
        posting body: [UInt8]? = nil
    ) throws {
        socket = try RawSocket(port: port)
        parser = EventParser(lastEventID: lastEventID)
        let method = body == nil ? "GET" : "POST"
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
        if !lastEventID.isEmpty { lines.append("Last-Event-ID: \(lastEventID)") }
        lines += fields.map { "\($0.0): \($0.1)" }
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.count)"] }
        try socket.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? []))
        head = try socket.readHead()
    }

    /// The time before a reconnect that the server has asked for.
    public var retryMilliseconds: Int? { parser.retryMilliseconds }
    public var commentCount: Int { parser.commentCount }

    /// The next event; nil at the end of the stream.
    ///
    /// - Parameter count: The number of comments in a row after which nil is returned too.
    /// - Throws: `RawSocket.Failure` if the connection ends before the stream does.
    public func next(orAfterComments count: Int = .max) throws -> Event? {
        let commentsBefore = commentCount
        while true {
            if let event = parser.next() { return event }
            guard !isAtEnd, commentCount - commentsBefore < count else { return nil }
            let isWhole = head["Content-Length"] != nil
            let chunk = isWhole ? try socket.readBody(behind: head) : try socket.readChunkBytes()
            isAtEnd = isWhole || chunk.isEmpty
            parser.push(chunk)
        }
    }

    /// Closes the connection.
    public func close(byReset: Bool = false) { byReset ? socket.reset() : socket.close() }
}

/// Parses events as browsers do (HTML Standard, section 9.2.6).
public struct EventParser {
    /// The id from which a new stream goes on; empty if there is none.
    private var lastEventID: String
    public private(set) var retryMilliseconds: Int?
    public private(set) var commentCount = 0
    private var text: [UInt8] = []
    /// The name of the event that is not complete yet.
    private var name: String?
    private var data: String?
    private var hasID = false

    public init(lastEventID: String = "") {
        self.lastEventID = lastEventID
    }

    public mutating func push(_ bytes: [UInt8]) { text += bytes }

    /// The next complete event; nil if more bytes are needed.
    public mutating func next() -> EventClient.Event? {
        while let line = nextLine() {
            guard line.isEmpty else {
                take(line)
                continue
            }
            defer { (name, data, hasID) = (nil, nil, false) }
            // The lines were only comments, or a reconnection time.
            if data != nil || hasID { return EventClient.Event(id: lastEventID, name: name, data: data) }
        }
        return nil
    }

    private mutating func take(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]) : ""
        switch parts[0] {
        case "": commentCount += 1
        case "id":
            lastEventID = value
            hasID = true
        case "event": name = value
        case "data": data = data.map { $0 + "\n" + value } ?? value
        case "retry": retryMilliseconds = Int(value)
        default: break
        }
    }

    private mutating func nextLine() -> String? {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { text.removeFirst(end + 1) }
        return String(decoding: text[..<end], as: UTF8.self)
    }
}
