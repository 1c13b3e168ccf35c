import Microhttpd
import TestSupport
import Testing

/// The shortest deadline is one second. The tests wait for the close, whenever it comes.
@Suite struct DeadlineTests {
    static let partial = [
        "", "GET", "GET / HTTP/1.1\r\nHost: t", "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nhalf",
        "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
    ]

    @Test(arguments: partial)
    func cutsARequestThatDoesNotEnd(start: String) throws {
        try withServer(.echo, .test.with(\.requestDeadlineSeconds, 1)) { server in
            let client = try RawSocket(port: server.port)
            try client.send(start)
            #expect(try client.isClosedByServer())
        }
    }

    /// The deadline is for the whole request, so bytes that keep coming do not extend it.
    @Test(arguments: ["GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n"])
    func cutsARequestThatDribbles(start: String) throws {
        try withServer(.echo, .test.with(\.requestDeadlineSeconds, 1)) { server in
            let client = try RawSocket(port: server.port)
            try client.send(start)
            #expect(try client.dribble("a", everyMilliseconds: 50, atMost: 1000).isEmpty)
        }
    }

    @Test func cutsASecondRequestThatDoesNotEnd() throws {
        try withServer(.echo, .test.with(\.requestDeadlineSeconds, 1)) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            #expect(try client.readResponse().status == 200)
            try client.send("GET / HTTP/1.1\r\nHost: t")
            #expect(try client.isClosedByServer())
        }
    }

    @Test func closesAnIdleConnection() throws {
        try withServer(.echo, .test.with(\.idleTimeoutSeconds, 1)) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            #expect(try client.readResponse().status == 200)
            #expect(try client.isClosedByServer())
        }
    }

    /// The deadline limits the client, not the handler.
    @Test func doesNotCutWhatWaitsForItsAnswer() throws {
        let waiting = Waiting()
        try withServer(waiting.handler, .test.with(\.requestDeadlineSeconds, 1).with(\.idleTimeoutSeconds, 1)) {
            server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            let one = waiting.take(1)[0].resumption
            // When the second connection has been cut, the deadline has passed.
            let other = try RawSocket(port: server.port)
            #expect(try other.isClosedByServer())
            one.resume(with: .text("late"))
            #expect(try client.readResponse().text == "late")
        }
    }
}
