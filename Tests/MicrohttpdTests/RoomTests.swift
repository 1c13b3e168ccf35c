import HTTPTypes
import TestSupport
import Testing

@testable import Microhttpd

/// Whatever the size of a head is, there is an answer.
@Suite struct RoomTests {
    /// Heads that grow by one byte, or by one field, with the most that they may be served at.
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

    @Test(arguments: growths)
    func everySizeIsAnswered(_ growth: Growth) throws {
        try withServer(.echo) { server in
            var statuses: [Int] = []
            for size in growth.sizes {
                let client = try RawSocket(port: server.port)
                try client.send(growth.head(size) + "Host: test\r\n\r\n")
                let status = try client.readHead().status
                if status != statuses.last { statuses.append(status) }
            }
            #expect(statuses == (growth.status == 414 ? [200, 431, 414] : [200, 431]))
        }
    }

    /// One whose head repeats that of the request, as a link to the next page does.
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
