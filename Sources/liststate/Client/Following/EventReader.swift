import Texts

/// Reads server-sent events from their bytes, in pieces as they come (HTML Standard, section 9.2).
struct EventReader {
    struct Event {
        /// `change`, `reset`, `gone` or `bye`; empty for an id that comes alone.
        var name: ByteText = ""
        /// The lines of the data, with a space in the place of each line feed: in JSON both are white space.
        var data: [UInt8] = []
        var id: ByteText?
        /// Milliseconds after which the server wants to be asked again.
        var retry: Int?
    }

    private var bytes: [UInt8] = []
    private var searched = 0
    private var event = Event()
    private var hasField = false

    /// Whether a line, or the data of an event, is longer than any answer.
    private(set) var isTooLong = false

    /// Adds a piece, and returns the events that are complete with it.
    mutating func add(_ piece: [UInt8]) -> [Event] {
        bytes += piece
        var events: [Event] = []
        var start = 0
        while let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = bytes[start..<end]
            if let event = add(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line) { events.append(event) }
            start = end + 1
            searched = start
        }
        bytes.removeFirst(start)
        searched = bytes.count
        isTooLong = bytes.count + event.data.count > RemoteServer.answerBytesMax
        return events
    }

    /// Adds a line. Returns an event if the line is the empty one behind it.
    private mutating func add(line: ArraySlice<UInt8>) -> Event? {
        guard !line.isEmpty else {
            defer { (event, hasField) = (Event(), false) }
            return hasField ? event : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch ByteText(decoding: line[..<colon]) {
        case "event": event.name = ByteText(decoding: value)
        case "data": event.data += event.data.isEmpty ? Array(value) : [UInt8(ascii: " ")] + value
        case "id": event.id = ByteText(decoding: value)
        case "retry": event.retry = Int(ByteText(decoding: value))
        default: return nil
        }
        hasField = true
        return nil
    }
}
