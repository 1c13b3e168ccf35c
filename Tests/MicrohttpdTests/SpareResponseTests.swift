import Dispatch
import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

/// Small answers are sent from memory that earlier answers were sent from. No client may see another client's bytes.
@Suite struct SpareResponseTests {
    /// An answer whose every part shows its number. There are few shapes of it.
    private struct Note: CustomTestStringConvertible {
        let number: Int
        /// The bytes of the body, and those of a field.
        var bodyBytes = 100
        var fieldBytes = 40
        var status = HTTPResponse.Status.ok

        var testDescription: String { "\(number), \(bodyBytes) and \(fieldBytes) bytes, \(status.code)" }

        func text(_ count: Int) -> String {
            String(String(repeating: "\(1_000_000 + number).", count: count / 8 + 1).prefix(count))
        }

        var response: Response {
            let fields: Response.Fields = [
                Response.Field("Content-Type", "text/plain"), Response.Field("ETag", "\"\(text(12))\""),
                Response.Field("X-Note", ByteText(text(fieldBytes))),
            ]
            return Response(status: status, fields: fields, body: Array(text(bodyBytes).utf8))
        }

        func expect(_ answer: RawResponse, isHead: Bool = false) {
            #expect(answer.status == status.code)
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer["ETag"] == "\"\(text(12))\"")
            #expect(answer["X-Note"] == text(fieldBytes))
            #expect(answer.text == (isHead ? "" : text(bodyBytes)))
            #expect(answer.fields.map(\.name).sorted() == names.sorted())
        }

        private var names: [String] {
            ["Content-Type", "ETag", "X-Note", "Date"] + (status == .noContent ? [] : ["Content-Length"])
        }
    }

    /// Answers `/n` with the note of number n.
    private static let handler = TestHandler { .send(Self.note($0).response) }

    private static func note(_ request: Request) -> Note {
        Note(number: Int(request.head.path.string.dropFirst()) ?? 0)
    }

    /// There are more shapes than are kept, each several times.
    @Test func saysEachTimeWhatIsMeant() throws {
        let sizes = [0, 1, 99, 100, 1023, 1024, 1025, 5000] + Array(200..<280)
        let notes = (0..<400).map { number in
            let bodyBytes = sizes[number * 7 % sizes.count]
            let status: HTTPResponse.Status = bodyBytes == 0 ? .noContent : number % 3 == 0 ? .created : .ok
            return Note(number: number, bodyBytes: bodyBytes, fieldBytes: 1 + number % 5, status: status)
        }
        let handler = TestHandler { .send(notes[Int($0.head.path.string.dropFirst()) ?? 0].response) }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for note in notes + notes.reversed() {
                let isHead = note.number % 11 == 0
                try client.send("\(isHead ? "HEAD" : "GET") /\(note.number) HTTP/1.1\r\nHost: test\r\n\r\n")
                note.expect(try client.readResponse(hasNoBody: isHead), isHead: isHead)
            }
        }
    }

    /// All of these answers are being sent in the same turn.
    @Test func keepsThoseApartThatAreSentAtOnce() throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let clients = try (0..<100).map { _ in try RawSocket(port: server.port) }
            for round in 0..<4 {
                for (index, client) in clients.enumerated() { try client.send(get("/\(100 * round + index)")) }
                for one in waiting.take(clients.count) {
                    one.resumption.resume(with: Note(number: Int(one.path.dropFirst()) ?? 0).response)
                }
                for (index, client) in clients.enumerated() {
                    Note(number: 100 * round + index).expect(try client.readResponse())
                }
            }
        }
    }

    /// A client with more requests than the system has room for answers, so that one answer is sent only in part.
    private func stuckClient(_ server: Server, _ served: Locked<Int>, count: Int) throws -> RawSocket {
        let stuck = try RawSocket(port: server.port)
        let other = try RawSocket(port: server.port)
        try stuck.send((0..<count).map { get("/\($0)") }.joined())
        var before = -1
        while before != served.withLock({ $0 }) {
            before = served.withLock { $0 }
            // The loop would go on with the stuck answer in each of these turns.
            for number in 0..<100 {
                try other.send(get("/other/\(number)"))
                Note(number: number, bodyBytes: 1024).expect(try other.readResponse())
            }
        }
        #expect(before < count)
        return stuck
    }

    /// A handler of the largest answers that are sent from spare memory.
    private func countingHandler(_ served: Locked<Int>) -> TestHandler {
        TestHandler { request in
            let name = request.head.path.string.split(separator: "/")
            if name.count == 1 { served.withLock { $0 += 1 } }
            return .send(Note(number: Int(name.last ?? "") ?? 0, bodyBytes: 1024).response)
        }
    }

    @Test func leavesAloneWhatIsStillBeingSent() throws {
        let served = Locked(0)
        try withServer(countingHandler(served)) { server in
            let stuck = try stuckClient(server, served, count: 6000)
            for number in 0..<6000 { Note(number: number, bodyBytes: 1024).expect(try stuck.readResponse()) }
        }
    }

    @Test func takesBackWhatNobodyReadToItsEnd() throws {
        let served = Locked(0)
        try withServer(countingHandler(served)) { server in
            for _ in 1...3 {
                served.withLock { $0 = 0 }
                let stuck = try stuckClient(server, served, count: 6000)
                stuck.reset()
            }
            let client = try RawSocket(port: server.port)
            for number in 0..<100 {
                try client.send(get("/\(number)"))
                Note(number: number, bodyBytes: 1024).expect(try client.readResponse())
            }
        }
    }

    /// The text behind a line break would become a field of its own.
    @Test(arguments: ["a\r\nb: c", "a\nb: cd", "a\0bcdef", "\r\n\r\nabc"])
    func writesNoLineIntoAnother(value: String) throws {
        let handler = TestHandler { request in
            let isFirst = request.head.path == "/0"
            let note = Response.Field("X-Note", isFirst ? "abcdefg" : ByteText(value))
            let fields: Response.Fields = [note, Response.Field("X-End", "end")]
            return .send(Response(status: .ok, fields: fields, body: Array(request.head.path.utf8)))
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for number in [0, 1, 0, 1, 0] {
                try client.send(get("/\(number)"))
                let answer = try client.readResponse()
                #expect(answer.text == "/\(number)")
                #expect(answer["b"] == nil)
                #expect(answer["X-End"] == "end")
                #expect(["abcdefg", "a", nil].contains(answer["X-Note"]))
                #expect(number == 1 || answer["X-Note"] == "abcdefg")
            }
        }
    }

    @Test func saysWhatIsMeantWhileDraining() throws {
        let waiting = Waiting()
        let server = try Server(.test, handler: waiting.handler)
        let clients = try (0..<10).map { _ in try RawSocket(port: server.port) }
        for (index, client) in clients.enumerated() { try client.send(get("/\(index)")) }
        let all = waiting.take(clients.count)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            server.stop(graceSeconds: 60)
            done.signal()
        }
        for one in all { one.resumption.resume(with: Note(number: Int(one.path.dropFirst()) ?? 0).response) }
        for (index, client) in clients.enumerated() {
            let answer = try client.readResponse()
            #expect(answer.text == Note(number: index).text(100))
            #expect(answer["X-Note"] == Note(number: index).text(40))
        }
        done.wait()
    }
}
