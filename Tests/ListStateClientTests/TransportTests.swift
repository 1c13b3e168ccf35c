import Foundation
import ListStateClient
import TestSupport
import Testing
import Threads

/// Requests and answers through both networks, and then through that of libcurl alone.
@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    enum Kind: CaseIterable {
        case curl, urlSession

        /// Its silence ends no test. On a busy machine a test may come to its next line after a minute.
        func transport(_ server: ScriptedServer) -> any Transport {
            let url = URL(string: "http://127.0.0.1:\(server.port)")!
            return switch self {
            case .curl: CurlTransport(url, silenceSeconds: 3_600)!
            case .urlSession: URLSessionTransport(url, silenceSeconds: 3_600)
            }
        }
    }

    @Test(arguments: Kind.allCases) func aWholeAnswer(_ kind: Kind) async throws {
        let server = try ScriptedServer { _ in
            [.bytes("HTTP/1.1 404 Not Found\r\nX-One: 1\r\nContent-Length: 5\r\n\r\nhello")]
        }
        let request = WireRequest(
            method: "POST", target: "/v1/lists/a?b=%20", fields: ["X-Two": "2"], body: Array(#"{"a":"ä"}"#.utf8))
        let answer = try await kind.transport(server).send(request)
        #expect(answer.head.code == 404 && answer.head["x-one"] == "1" && answer.head["X-Two"] == nil)
        #expect(answer.body == Array("hello".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("POST /v1/lists/a?b=%20 HTTP/1.1\r\n"))
        #expect(sent.contains("\r\nX-Two: 2\r\n") && sent.contains("\r\nContent-Length: 10\r\n"))
        #expect(sent.hasSuffix("\r\n\r\n{\"a\":\"ä\"}"))
    }

    @Test(arguments: Kind.allCases) func noBody(_ kind: Kind) async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 204 No Content\r\n\r\n")] }
        let answer = try await kind.transport(server).send(Self.request)
        #expect(answer.head.code == 204 && answer.body == [])
        #expect(server.requests[0].hasPrefix("GET /x HTTP/1.1\r\n"))
    }

    @Test(arguments: Kind.allCases) func piecesAsTheyCome(_ kind: Kind) async throws {
        let isRead = Flag()
        let server = try ScriptedServer { _ in
            [.bytes("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none"), .wait(isRead), .bytes("two")]
        }
        server.isClosingAfterEach = true
        let transport = kind.transport(server)
        let (head, body) = try await transport.open(Self.request)
        #expect(head.code == 200)
        var all: [UInt8] = []
        for try await piece in body {
            all += piece
            isRead.raise()
        }
        #expect(all == Array("onetwo".utf8))
    }

    @Test(arguments: Kind.allCases) func theEndOfTheSequenceEndsTheRequest(_ kind: Kind) async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\n\r\none"), .untilGone] }
        let transport = kind.transport(server)
        let (_, body) = try await transport.open(Self.request)
        let reading = Task { for try await _ in body {} }
        reading.cancel()
        _ = await reading.result
        try await server.isGone.raised()
    }

    @Test(arguments: Kind.allCases) func aCancelledTaskEndsItsRequest(_ kind: Kind) async throws {
        let server = try ScriptedServer { _ in [.untilGone] }
        let transport = kind.transport(server)
        for isStream in [false, true] {
            server.isGone.lower()
            let asking = Task {
                if isStream {
                    _ = try await transport.open(Self.request)
                } else {
                    _ = try await transport.send(Self.request)
                }
            }
            try await server.isAsked.raised()
            server.isAsked.lower()
            asking.cancel()
            await #expect(throws: (any Error).self) { try await asking.value }
            try await server.isGone.raised()
        }
    }

    @Test(arguments: Kind.allCases) func nobodyThere(_ kind: Kind) async throws {
        let server = try ScriptedServer { _ in [] }
        let transport = kind.transport(server)
        server.close()
        await #expect(throws: (any Error).self) { try await transport.send(Self.request) }
        await #expect(throws: (any Error).self) { try await transport.open(Self.request) }
    }

    @Test(arguments: Kind.allCases) func aCutAnswer(_ kind: Kind) async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour")] }
        server.isClosingAfterEach = true
        await #expect(throws: (any Error).self) { try await kind.transport(server).send(Self.request) }
    }

    // MARK: libcurl

    @Test func headsBeforeTheRealOneAndFieldsOfOneName() async throws {
        let server = try ScriptedServer { _ in
            [
                .bytes("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nVary: A\r\nvary:B\r\n"),
                .bytes("Empty:\r\nContent-Length: 2\r\n\r\nok"),
            ]
        }
        let answer = try await Kind.curl.transport(server).send(Self.request)
        #expect(answer.head.code == 200 && answer.head["Link"] == nil)
        #expect(answer.head["Vary"] == "A, B" && answer.head["Empty"] == "")
        #expect(answer.body == Array("ok".utf8))
    }

    @Test func codedContentIsDecoded() async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="))
        let server = try ScriptedServer { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"),
                .data([UInt8](coded)),
            ]
        }
        let answer = try await Kind.curl.transport(server).send(Self.request)
        #expect(answer.body == Array("hello".utf8))
        #expect(server.requests[0].contains("gzip"))
    }

    @Test func oneConnectionForRequestsAfterEachOther() async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")] }
        let transport = Kind.curl.transport(server)
        for _ in 0..<5 { #expect(try await transport.send(Self.request).head.code == 200) }
        #expect(server.requests.count == 5 && server.connections == 1)
    }

    /// A body of more than a megabyte would be announced by `Expect`, and wait a second for an answer to that.
    @Test func longBodiesAreSentAtOnce() async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")] }
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
        _ = try await Kind.curl.transport(server).send(
            WireRequest(method: "PUT", target: "/x", fields: [:], body: body))
        #expect(server.requests[0].utf8.count > body.count && !server.requests[0].contains("Expect"))
    }

    @Test func aSilentServerIsGivenUp() async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\n\r\none"), .untilGone] }
        let transport = try #require(
            CurlTransport(URL(string: "http://127.0.0.1:\(server.port)")!, silenceSeconds: 1))
        let error = await #expect(throws: CurlError.self) { try await transport.send(Self.request) }
        #expect(error?.code == 28)
    }

    @Test func aSequenceGoesOnWithoutItsTransportUntilItIsLetGo() async throws {
        let isRead = Flag()
        let server = try ScriptedServer { _ in
            [.bytes("HTTP/1.1 200 OK\r\n\r\none"), .wait(isRead), .bytes("two"), .untilGone]
        }
        var pieces: AsyncThrowingStream<[UInt8], any Error>.Iterator? =
            try await Kind.curl.transport(server).open(Self.request).body.makeAsyncIterator()
        #expect(try await pieces?.next() == Array("one".utf8))
        isRead.raise()
        #expect(try await pieces?.next() == Array("two".utf8))
        #expect(!server.isGone.isUp)
        pieces = nil
        try await server.isGone.raised()
    }

    @Test func anEndlessHeadIsRefused() async throws {
        let lines = String(repeating: "X: \(String(repeating: "y", count: 1_000))\r\n", count: 300)
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\n"), .bytes(lines), .untilGone] }
        let error = await #expect(throws: CurlError.self) { try await Kind.curl.transport(server).send(Self.request) }
        #expect(error?.code == 23)
    }

    @Test func aNameThatIsNoNameIsNoField() async throws {
        let marks = String(repeating: "\u{0301}\u{0327}", count: 20_000)
        let server = try ScriptedServer { _ in
            [.bytes("HTTP/1.1 200 OK\r\n\(marks): 1\r\nX:\(marks)\r\nContent-Length: 2\r\n\r\nok")]
        }
        let answer = try await Kind.curl.transport(server).send(Self.request)
        #expect(answer.head["x"].map { Array($0.utf8) } == Array(marks.utf8))
        #expect(answer.body == Array("ok".utf8))
    }

    @Test func aHeadAloneHasNoContent() async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")] }
        let request = WireRequest(method: "HEAD", target: "/x", fields: ["X-Empty": ""], body: nil)
        let answer = try await Kind.curl.transport(server).send(request)
        #expect(answer.head["Content-Length"] == "5" && answer.body == [])
        #expect(server.requests[0].contains("\r\nX-Empty:"))
    }

    /// It would be sent on a connection that is there already.
    @Test func whatIsCancelledBeforeItsStartIsNotSent() async throws {
        let server = try ScriptedServer { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")] }
        let transport = Kind.curl.transport(server)
        _ = try await transport.send(Self.request)
        for _ in 0..<20 {
            let asking = Task {
                try? await Task.sleep(for: .seconds(60))
                _ = try await transport.send(Self.request)
            }
            asking.cancel()
            await #expect(throws: CancellationError.self) { try await asking.value }
        }
        #expect(server.requests.count == 1)
    }

    @Test func manyAtOnce() async throws {
        let server = try ScriptedServer { request in
            let name = request.split(separator: " ")[1]
            return [.bytes("HTTP/1.1 200 OK\r\nContent-Length: \(name.count)\r\n\r\n\(name)")]
        }
        let transport = Kind.curl.transport(server)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let target = "/\(number)"
                    let answer = try await transport.send(
                        WireRequest(method: "GET", target: target, fields: [:], body: nil))
                    #expect(answer.body == Array(target.utf8))
                }
            }
            try await group.waitForAll()
        }
    }

    private static let request = WireRequest(method: "GET", target: "/x", fields: [:], body: nil)
}
