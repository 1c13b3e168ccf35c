public import JSONValue

/// A client of an event stream: parses events as browsers do (HTML Standard, section 9.2.6), and keeps the last id.
public final class EventClient {
    /// What arrived between two empty lines, if it was more than a comment.
    public struct Event: Equatable, Sendable {
        /// As it is after this event.
        public var id: String
        /// Nil if nothing but the id came.
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
    /// The point from which a new stream goes on; empty if there is none.
    public private(set) var lastEventID: String
    public private(set) var retryMilliseconds: Int?
    public private(set) var commentCount = 0
    private let socket: RawSocket
    private var text: [UInt8] = []
    private var isAtEnd = false

    /// Opens a stream.
    ///
    /// - Parameter lastEventID: Empty sends none.
    public init(
        port: UInt16, _ target: String, lastEventID: String = "", _ fields: [(String, String)] = []
    ) throws {
        socket = try RawSocket(port: port)
        self.lastEventID = lastEventID
        var lines = ["GET \(target) HTTP/1.1", "Host: test", "Accept: text/event-stream"]
        if !lastEventID.isEmpty { lines.append("Last-Event-ID: \(lastEventID)") }
        lines += fields.map { "\($0.0): \($0.1)" }
        try socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        head = try socket.readHead()
    }

    /// The next event; nil at the end of the stream.
    ///
    /// - Throws: If the connection ends before the stream does, as `RawSocket` does.
    public func next() throws -> Event? {
        var event = Event(id: lastEventID)
        var hasID = false
        while let line = try nextLine() {
            if line.isEmpty {
                guard event.data == nil, !hasID else {
                    event.id = lastEventID
                    return event
                }
                // A comment, or the pace of coming back.
                event = Event(id: lastEventID)
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]) : ""
            switch parts[0] {
            case "": commentCount += 1
            case "id":
                lastEventID = value
                hasID = true
            case "event": event.name = value
            case "data": event.data = event.data.map { $0 + "\n" + value } ?? value
            case "retry": retryMilliseconds = Int(value)
            default: break
            }
        }
        return nil
    }

    /// Breaks the connection off.
    public func close(byReset: Bool = false) { byReset ? socket.reset() : socket.close() }

    private func nextLine() throws -> String? {
        var end = text.firstIndex(of: UInt8(ascii: "\n"))
        while end == nil {
            guard !isAtEnd else { return nil }
            let chunk = try socket.readChunkBytes()
            isAtEnd = chunk.isEmpty
            text += chunk
            end = text.firstIndex(of: UInt8(ascii: "\n"))
        }
        guard let end else { return nil }
        defer { text.removeFirst(end + 1) }
        return String(decoding: text[..<end], as: UTF8.self)
    }
}
