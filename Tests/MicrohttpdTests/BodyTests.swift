import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

@Suite struct BodyTests {
    static let chunkedHead = "POST /x HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test func refusesBeforeTheBodyIsSent() throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1001\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response.text == "bodyTooLarge(limit: 1000)")
            #expect(response["Connection"] == "close")
            #expect(try client.isClosedByServer())
        }
    }

    /// The client sends its whole body in spite of the refusal. It must be able to read the answer afterwards.
    @Test(arguments: [100_000, 20_000_000])
    func theAnswerIsNotLostWhenTheBodyIsSentAnyway(count: Int) throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(post("/", String(repeating: "a", count: count)))
            #expect(try client.readResponse().status == 413)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func refusesInsteadOfContinuing() throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(
                "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
            #expect(try client.readResponse().status == 413)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func admissionRefusesInsteadOfContinuing() throws {
        var handler = TestHandler.echo
        handler.admission = { _ in .refuse(.text("no", status: .unauthorized)) }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            try client.send(
                "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
            #expect(try client.readResponse().status == 401)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func admissionRefusesWithoutABodyAndKeepsTheConnection() throws {
        var handler = TestHandler.echo
        handler.admission = { _ in .refuse(.text("no", status: .notFound)) }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send(get("/"))
                let response = try client.readResponse()
                #expect(response.status == 404)
                #expect(response["Connection"] == nil)
            }
        }
    }

    @Test func continuesWhenAsked() throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send("POST /x HTTP/1.1\r\nHost: test\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.readResponse().status == 100)
            try client.send("hi")
            #expect(try client.readResponse().text == "POST /x [] hi")
            try client.send(get("/next"))
            #expect(try client.readResponse().text == "GET /next [] ")
        }
    }

    /// A body that is larger than the engine's memory for a connection comes in pieces.
    @Test(arguments: [1, 4096, 8192, 100_000, 3_000_000])
    func readsABodyWhole(count: Int) throws {
        let body = String(repeating: "0123456789", count: count / 10 + 1)
        var handler = TestHandler { .send(Response(status: .ok, fields: [], body: $0.body.bytes)) }
        handler.bodyBytesMax = body.utf8.count
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send(post("/", body))
                #expect(try client.readResponse().body == Array(body.utf8))
            }
        }
    }

    struct Chunked: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var chunks: String
        var status: Int
        var text: String
    }

    static let chunked = [
        Chunked(
            testDescription: "chunks", chunks: "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", status: 200, text: "POST /x [] hello"
        ),
        Chunked(testDescription: "no chunk", chunks: "0\r\n\r\n", status: 200, text: "POST /x [] "),
        Chunked(
            testDescription: "extension and trailer", chunks: "2;a=b\r\nhi\r\n0\r\nX-T: y\r\n\r\n", status: 200,
            text: "POST /x [] hi"),
        Chunked(
            testDescription: "over the limit",
            chunks: String(repeating: "64\r\n" + String(repeating: "a", count: 100) + "\r\n", count: 11) + "0\r\n\r\n",
            status: 413, text: "bodyTooLarge(limit: 1000)"),
    ]

    @Test(arguments: chunked)
    func closesAfterAChunkedRequest(_ row: Chunked) throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(Self.chunkedHead + row.chunks + get("/smuggled"))
            let response = try client.readResponse()
            #expect(response.status == row.status)
            #expect(response.text == row.text)
            #expect(response["Connection"] == "close")
            #expect(try client.isClosedByServer())
        }
    }

    @Test func ignoresTheBodyOfAGet() throws {
        var handler = TestHandler.echo
        handler.bodyBytesMax = 0
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            let body = get("/2")
            try client.send(
                "GET /1 HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body + get("/3"))
            #expect(try client.readResponse().text == "GET /1 [] ")
            #expect(try client.readResponse().text == "GET /3 [] ")
            try client.send("GET /4 HTTP/1.1\r\nHost: test\r\nContent-Length: 65537\r\n\r\n")
            #expect(try client.readResponse().status == 413)
        }
    }

    /// A request that is cut short has no effect.
    @Test func asksOnlyAboutWholeRequests() throws {
        let whole = post("/x", "body")
        let count = Locked(0)
        let handler = TestHandler { _ in
            count.withLock { $0 += 1 }
            return .send(.text("ok"))
        }
        try withServer(handler) { server in
            for length in 0..<whole.utf8.count {
                let client = try RawSocket(port: server.port)
                try client.send(Array(whole.utf8.prefix(length)))
                client.close()
            }
            let client = try RawSocket(port: server.port)
            try client.send(whole)
            #expect(try client.readResponse().status == 200)
            #expect(count.withLock { $0 } == 1)
        }
    }
}
