import JSONValue
import Testing

@testable import liststate

/// Answers and events that come in pieces, cut anywhere.
@Suite struct EventReaderTests {
    private static let stream = Array(
        "retry: 2000\n\n:\n\nid: e-1\r\nevent: reset\r\ndata: {\r\ndata: }\r\n\r\nid:e-2\n\nother: x\ndata\n\ndata: tail"
            .utf8)

    @Test func theEventsAreTheSameHoweverTheyAreCut() {
        var whole = EventReader()
        let events = whole.add(Self.stream)
        #expect(events.map(\.name) == ["", "reset", "", ""])
        #expect(events.map(\.id) == [nil, "e-1", "e-2", nil])
        #expect(events.map { ByteText(decoding: $0.data) } == ["", "{ }", "", ""])
        #expect(events.map(\.retry) == [2_000, nil, nil, nil])
        for cut in 1..<Self.stream.count {
            var parts = EventReader()
            let cutEvents = parts.add(Array(Self.stream[..<cut])) + parts.add(Array(Self.stream[cut...]))
            #expect(cutEvents.map(\.data) == events.map(\.data) && cutEvents.map(\.id) == events.map(\.id))
        }
    }

    /// The bytes of an answer, and its status, a field and its content; nil if it is none.
    static let answers: [(bytes: String, status: Int?, field: ByteText?, content: String)] = [
        ("HTTP/1.1 200 OK\r\nX-A: b \r\nContent-Length: 3\r\n\r\nabc", 200, "b", "abc"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/2 204 \r\nx-a:c\r\n\r\n", 204, "c", ""),
        ("HTTP/1.0 404 Not Found\r\n\r\nnone", 404, nil, "none"),
        // The connection has ended too early, or the answer is no HTTP.
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", nil, nil, ""), ("HTTP/1.1 200 OK\r\nX-A: b", nil, nil, ""),
        ("HTTP/1.1 99 No\r\n\r\n", nil, nil, ""), ("SSH-2.0-x\r\n\r\n", nil, nil, ""), ("", nil, nil, ""),
        ("HTTP/1.1 200 OK\r\n\r\n0123456789a", nil, nil, ""),
    ]

    @Test(arguments: answers)
    func anAnswerIsReadHoweverItIsCut(_ row: (bytes: String, status: Int?, field: ByteText?, content: String)) {
        let bytes = Array(row.bytes.utf8)
        for cut in 0...bytes.count {
            let reader = AnswerReader(contentBytesMax: 10)
            for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty {
                guard Array(part).withUnsafeBytes(reader.add) else { break }
            }
            #expect(reader.whole?.status == row.status, "cut at \(cut)")
            #expect(reader.whole?["x-A"] == row.field)
            #expect(reader.whole.map { ByteText(decoding: $0.body) } ?? "" == ByteText(row.content))
        }
    }
}
