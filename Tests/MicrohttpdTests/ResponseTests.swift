import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

@Suite struct ResponseTests {
    @Test func sendsFieldsAndBody() throws {
        let fields: HTTPFields = [
            .contentType: "application/json", .eTag: "\"k-1\"", .contentLength: "99", .vary: "Accept, Prefer",
        ]
        try withServer(TestHandler { _ in .send(.text("{}", status: .created, fields: fields)) }) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            let response = try client.readResponse()
            #expect(response.statusLine == "HTTP/1.1 201 Created")
            #expect(response["Content-Type"] == "application/json")
            #expect(response["ETag"] == "\"k-1\"")
            #expect(response["Vary"] == "Accept, Prefer")
            #expect(response.fields.filter { $0.name == "Content-Length" }.map(\.value) == ["2"])
            #expect(response["Date"] != nil)
            #expect(response.text == "{}")
        }
    }

    @Test func answersHeadWithTheLengthOfTheBody() throws {
        try withServer(TestHandler { _ in .send(.text("twelve bytes")) }) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.readResponse(hasNoBody: true)["Content-Length"] == "12")
            }
            try client.send(get("/"))
            #expect(try client.readResponse().text == "twelve bytes")
        }
    }

    /// By RFC 9110, section 8.6, a length in a 304 would be the length of the 200.
    @Test func sendsTheFieldsOfAnotherStatus() throws {
        let response = PreparedResponse(.text("twelve bytes", fields: [.eTag: "\"k-1\""]))
        try withServer(TestHandler { _ in .sendPrepared(response, as: .notModified) }) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send(get("/"))
                let answer = try client.readResponse()
                #expect(answer.status == 304)
                #expect(answer["ETag"] == "\"k-1\"")
                #expect(answer["Content-Length"] != "0")
                #expect(answer.body.isEmpty)
            }
        }
    }

    @Test func sendsNoContent() throws {
        try withServer(TestHandler { _ in .send(.text("", status: .noContent)) }) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send("DELETE / HTTP/1.1\r\nHost: test\r\n\r\n")
                let answer = try client.readResponse()
                #expect(answer.status == 204)
                #expect(answer["Content-Length"] == nil)
            }
        }
    }

    /// The response is replaced while the old one is still being sent to slow readers.
    @Test func outlivesItsLastReferenceWhileItIsSent() throws {
        let current = Locked(PreparedResponse?.none)
        let freed = WeakResponse()
        let body = [UInt8](repeating: 7, count: 8_000_000)
        do {
            let response = PreparedResponse(Response(status: .ok, fields: [], body: body))
            freed.value.withLock { $0.response = response }
            current.withLock { $0 = response }
        }
        let handler = TestHandler { _ in
            let response = current.withLock { current in
                defer { current = nil }
                return current
            }
            guard let response else { return .send(.text("gone")) }
            return .sendPrepared(response, as: .ok)
        }
        try withServer(handler) { server in
            let slow = try RawSocket(port: server.port)
            try slow.send(get("/"))
            let other = try RawSocket(port: server.port)
            try other.send(get("/"))
            #expect(try other.readResponse().text == "gone")
            #expect(freed.value.withLock { $0.response == nil })
            #expect(try slow.readResponse().body == body)
        }
    }
}

private final class WeakResponse: Sendable {
    struct Box { weak var response: PreparedResponse? }
    let value = Locked(Box())
}
