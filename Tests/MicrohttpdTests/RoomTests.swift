import HTTPTypes
import TestSupport
import Testing

@testable import Microhttpd

/// There is an answer to heads of every size.
@Suite struct RoomTests {
    /// Heads that grow by one byte or one field, with the status of those that are too large.
    struct Growth: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sizes: ClosedRange<Int>
        var status: Int
        var head: @Sendable (Int) -> String
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    static let growths = [
        Growth(testDescription: "target", sizes: 7500...9000, status: 414) {
            "GET /\(repeated("a", $0 - 1)) HTTP/1.1\r\n"
        },
        Growth(testDescription: "query", sizes: 7500...9000, status: 414) {
            "GET /?\(repeated("&", $0 - 2)) HTTP/1.1\r\n"
        },
        Growth(testDescription: "field", sizes: 7500...9000, status: 431) {
            "GET / HTTP/1.1\r\nX: \(repeated("a", $0))\r\n"
        },
        Growth(testDescription: "credentials", sizes: 7500...9000, status: 431) {
            "GET / HTTP/1.1\r\nAuthorization: \(repeated("a", $0))\r\n"
        },
        Growth(testDescription: "target beside credentials", sizes: 7500...9000, status: 414) {
            "GET /\(repeated("a", $0 - 1)) HTTP/1.1\r\nAuthorization: \(repeated("a", 4096))\r\n"
        },
        Growth(testDescription: "fields", sizes: 1...300, status: 431) {
            "GET / HTTP/1.1\r\n\(repeated("X: y\r\n", $0))"
        },
        Growth(testDescription: "cookie", sizes: 4000...5500, status: 431) {
            "GET / HTTP/1.1\r\nCookie: a=\(repeated("a", $0))\r\n"
        },
        Growth(testDescription: "cookies", sizes: 1...300, status: 431) {
            "GET / HTTP/1.1\r\ncOOKIE: \(repeated("a=b; ", $0))\r\n"
        },
    ]

    /// Tests every size near the ones at which the answer changes, and some others.
    @Test(arguments: growths)
    func everySizeIsAnswered(_ growth: Growth) throws {
        try withServer(.echo) { server in
            var known: [Int: Int] = [:]
            func status(_ size: Int) throws -> Int {
                if let status = known[size] { return status }
                let client = try RawSocket(port: server.port)
                try client.send(growth.head(size) + "Host: test\r\n\r\n")
                let status = try client.readHead().status
                known[size] = status
                return status
            }
            let some = Array(stride(from: growth.sizes.lowerBound, to: growth.sizes.upperBound, by: 30))
            for (size, next) in zip(some, some.dropFirst()) where try status(size) != status(next) {
                for near in size - 30..<next + 30 where growth.sizes.contains(near) { _ = try status(near) }
            }
            var statuses: [Int] = []
            for (_, status) in known.sorted(by: { $0.key < $1.key }) where status != statuses.last {
                statuses.append(status)
            }
            #expect(statuses == (growth.status == 414 ? [200, 431, 414] : [200, 431]))
        }
    }

    /// The head may be cut anywhere, and its fields may come in any order.
    @Test(arguments: [1, 13, 700, 5_000, 12_000])
    func credentialsHaveRoomOfTheirOwn(pieceBytes: Int) throws {
        let handler = TestHandler { request in
            let all = request.head.fields(.authorization)
            let isFirst = all.first.map { request.head.field(.authorization, is: $0) } ?? false
            return .send(.text("\(request.head.path.utf8.count) \(all.map(\.utf8.count)) \(isFirst)"))
        }
        let token = "aUthorization: \(Self.repeated("t", 4_096))\r\n"
        let target = "GET /\(Self.repeated("a", 7_999)) HTTP/1.1\r\nHost: test\r\n"
        let heads = [
            (target + token, "8000 [4096] true"),
            (target, "8000 [] false"),
        ]
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for (head, answer) in heads {
                let bytes = Array((head + "\r\n").utf8)
                for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                    try client.send(Array(bytes[start..<min(start + pieceBytes, bytes.count)]))
                }
                #expect(try client.readResponse().text == answer)
            }
        }
    }

    /// Which of them counted would depend on how the head comes: alone, behind another request, or in pieces.
    @Test func twoCredentialsAreRefused() throws {
        let first = "GET / HTTP/1.1\r\nHost: test\r\nAuthorization: a\r\n"
        let head = first + "Authorization: b\r\n\r\n"
        let one = first + "\r\n"
        let ways = [
            [head], [String(head.prefix(50)), String(head.dropFirst(50))], [one, head], [one + head],
            [one + first, "Authorization: b\r\n\r\n"],
        ]
        try withServer(.echo) { server in
            for texts in ways {
                let client = try RawSocket(port: server.port)
                try client.send(texts[0])
                if texts[0].hasPrefix(one) { #expect(try client.readResponse().status == 200) }
                for text in texts.dropFirst() { try client.send(text) }
                let answer = try client.readResponse()
                #expect(answer.status == 400 && answer.text == "repeatedAuthorization", "\(texts)")
            }
        }
    }

    /// The rule is that of all other fields, wherever the head is cut.
    @Test(arguments: ["a\u{1}b", "a\rb", "a\r", "\u{7F}"], [1, 100])
    func credentialsHaveNoControlCharacters(value: String, pieceBytes: Int) throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: test\r\nAuthorization: \(value)\r\n\r\n".utf8)
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try client.send(Array(bytes[start..<min(start + pieceBytes, bytes.count)]))
            }
            let answer = try client.readResponse()
            #expect(answer.status == 400 && answer.text == "badField")
        }
    }

    /// The head of the answer repeats that of the request, as a link to the next page does.
    @Test func anAnswerThatDoesNotFitIsRefused() throws {
        let handler = TestHandler { request in
            .send(.text("", fields: [.location: request.head.path.string + request.head.path.string]))
        }
        try withServer(handler) { server in
            var statuses: Set<Int> = []
            for size in stride(from: 1000, through: 8000, by: 50) {
                let client = try RawSocket(port: server.port)
                try client.send(get("/" + Self.repeated("a", size)))
                statuses.insert(try client.readHead().status)
            }
            #expect(statuses == [200, 431])
        }
    }
}
