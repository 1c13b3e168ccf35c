import HTTPTypes
import TestSupport
import Testing

@testable import Microhttpd

/// A connection keeps the one whom the handler has taken for its sender, as long as its requests have the same
/// credentials.
@Suite struct VisitorTests {
    private final class Guest: Visitor {
        let credentials: ByteText?
        let wasKnown: Bool

        init(_ credentials: ByteText?, wasKnown: Bool) { (self.credentials, self.wasKnown) = (credentials, wasKnown) }

        func note(bytes: Int, at milliseconds: UInt64) {}
    }

    /// Answers with the credentials of the request, and whether its sender was known. It says if that was another one.
    private static var handler: TestHandler {
        var handler = TestHandler { request in
            let guest = request.head.visitor as? Guest
            let isRight = guest.map { $0.credentials == request.head.field(.authorization) } ?? false
            let text = "\(request.head.fields(.authorization)) \(guest?.wasKnown == true ? "known" : "new")"
            return .send(.text(isRight ? text : "\(text), but another one"))
        }
        handler.admission = { head in
            let (known, credentials) = (head.visitor as? Guest, head.field(.authorization))
            if let known, known.credentials != credentials { return .refuse(.text("another one")) }
            return .accept(bodyBytesMax: 1000, visitor: Guest(credentials, wasKnown: known != nil))
        }
        return handler
    }

    /// Requests of one connection: the credentials of each, and whether its sender is that of the one before.
    private static let requests: [(credentials: String?, isKnown: Bool)] = [
        (nil, false), (nil, true), ("Bearer one", false), ("Bearer one", true), ("Bearer two", false),
        ("Bearer two", true), ("Bearer one", false), (nil, false), (nil, true), ("", false), ("", true), (nil, false),
        ("Bearer one", false), ("Bearer onE", false), ("Bearer one more", false), ("Bearer one", false),
        (String(repeating: "x", count: 64), false), (String(repeating: "x", count: 64), true),
        (String(repeating: "x", count: 63) + "y", false), ("y" + String(repeating: "x", count: 63), false),
        (String(repeating: "x", count: 33), false), (String(repeating: "x", count: 33), true),
        ("y" + String(repeating: "x", count: 32), false), (String(repeating: "x", count: 31) + "yx", false),
    ]

    private static func head(_ credentials: String?, _ method: String = "GET", _ fields: String = "") -> String {
        let line = credentials.map { "Authorization: \($0)\r\n" } ?? ""
        return "\(method) /path HTTP/1.1\r\nHost: test\r\n\(line)Accept: */*\r\n\(fields)\r\n"
    }

    private static func answer(_ credentials: String?, isKnown: Bool) -> String {
        "\(credentials.map { [$0] } ?? []) \(isKnown ? "known" : "new")"
    }

    @Test func theSameCredentialsAreTheSameSender() throws {
        try withServer(Self.handler) { server in
            let client = try RawSocket(port: server.port)
            for request in Self.requests {
                try client.send(Self.head(request.credentials))
                #expect(try client.readResponse().text == Self.answer(request.credentials, isKnown: request.isKnown))
            }
        }
    }

    /// However the bytes come, nobody is taken for somebody else.
    @Test(arguments: [1, 7, 60, 100, 1_000, 1_000_000])
    func nobodyIsTakenForAnother(pieceBytes: Int) throws {
        let bytes = Array(Self.requests.map { Self.head($0.credentials) }.joined().utf8)
        try withServer(Self.handler) { server in
            let client = try RawSocket(port: server.port)
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try client.send(Array(bytes[start..<min(start + pieceBytes, bytes.count)]))
            }
            for request in Self.requests {
                let (text, known) = (try client.readResponse().text, Self.answer(request.credentials, isKnown: true))
                #expect(text == Self.answer(request.credentials, isKnown: false) || request.isKnown && text == known)
            }
        }
    }

    /// The end of a body comes together with the head of somebody else.
    @Test(arguments: ["Bearer one", "Bearer two", nil])
    func aHeadBehindABodyIsItsOwn(_ next: String?) throws {
        try withServer(Self.handler) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...3 {
                try client.send(Self.head("Bearer one", "POST", "Content-Length: 4\r\n"))
                try client.send("bo")
                try client.send("dy" + Self.head(next))
                #expect(try client.readResponse().text.hasPrefix(#"["Bearer one"] "#))
                #expect(try client.readResponse().text.hasPrefix("\(next.map { [$0] } ?? []) "))
            }
        }
    }

    /// A proxy has the connections of many clients, which may all send the same.
    @Test func anotherClientOfAProxyIsAnother() throws {
        let proxies = TrustedProxies([try #require(AddressRange("127.0.0.1"))], .xForwardedFor)
        let clients = [("192.0.2.1", false), ("192.0.2.1", true), ("192.0.2.2", false), ("192.0.2.1", false)]
        try withServer(Self.handler, .test.with(\.proxies, proxies)) { server in
            let client = try RawSocket(port: server.port)
            for (address, isKnown) in clients {
                try client.send(Self.head("Bearer one", "GET", "X-Forwarded-For: \(address)\r\n"))
                #expect(try client.readResponse().text == Self.answer("Bearer one", isKnown: isKnown))
            }
        }
    }

    /// Nothing else of a head changes when its credentials are taken out.
    @Test func theOtherFieldsStay() throws {
        let handler = TestHandler { request in
            let kept = RequestHead(request.head.kept)
            let all = [request.head, kept].map { head in
                "\(head.fields(.authorization)) \(head.field(.accept) ?? "nil") \(head.field(.host) ?? "nil")"
            }
            return .send(.text(all[0] == all[1] ? all[0] : "\(all)"))
        }
        let line = "Authorization: Bearer one\r\n"
        let others = ["Accept: text/plain\r\n", "Host: test\r\n"]
        let heads: [(lines: [String], credentials: String)] = [
            ([line] + others, #"["Bearer one"]"#), (others + [line], #"["Bearer one"]"#),
            ([others[0], line, others[1]], #"["Bearer one"]"#),
            ([others[0], "AUTHORIZATION:b\r\n", others[1]], #"["b"]"#),
            (others + ["authorizatio: no\r\n", "authorizations: no\r\n", "author: no\r\n"], "[]"),
        ]
        try withServer(handler) { server in
            for (lines, credentials) in heads {
                let head = "GET /path HTTP/1.1\r\n\(lines.joined())\r\n"
                // Alone, two at once, and in pieces.
                for texts in [[head], [head + head], [String(head.prefix(30)), String(head.dropFirst(30))]] {
                    let client = try RawSocket(port: server.port)
                    for text in texts { try client.send(text) }
                    for _ in 0..<(texts[0].count > head.count ? 2 : 1) {
                        #expect(try client.readResponse().text == "\(credentials) text/plain test")
                    }
                }
            }
        }
    }
}
