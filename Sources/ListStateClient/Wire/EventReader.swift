import Texts

/// Cuts the bytes of a stream into events (HTML Standard, section 9.2.6). Servers of lists end lines by a line feed.
struct EventReader {
    /// An event with its name and its data, or an id alone.
    struct Event: Equatable {
        var name: ByteText = ""
        var id: ByteText = ""
        var data: [UInt8] = []
    }

    private var line: [UInt8] = []
    private var event = Event()

    /// The events that these bytes complete. Comments and other fields are passed over.
    mutating func read(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { take(&events) }
            line += part.element
        }
        return events
    }

    private mutating func take(_ events: inout [Event]) {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else {
            if !event.data.isEmpty || !event.id.isEmpty { events.append(event) }
            event = Event()
            return
        }
        if let name = value(of: "event:") { event.name = ByteText(decoding: name) }
        if let id = value(of: "id:") { event.id = ByteText(decoding: id) }
        if let data = value(of: "data:") {
            if !event.data.isEmpty { event.data.append(UInt8(ascii: "\n")) }
            event.data += data
        }
    }

    private func value(of field: String) -> ArraySlice<UInt8>? {
        guard line.starts(with: field.utf8) else { return nil }
        let value = line.dropFirst(field.utf8.count)
        return value.first == UInt8(ascii: " ") ? value.dropFirst() : value
    }
}
