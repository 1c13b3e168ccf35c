import HTTPTypes
import Microhttpd
import TestSupport
import Testing

/// Requests that the engine alone would accept.
@Suite struct GuardTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var request: [UInt8]
        var status: Int
        var refusal: Refusal
        var testDescription: String { name }

        init(_ name: String, _ request: String, _ status: Int, _ refusal: Refusal) {
            self.init(name, Array(request.utf8), status, refusal)
        }

        init(_ name: String, _ request: [UInt8], _ status: Int, _ refusal: Refusal) {
            self.name = name
            self.request = request
            self.status = status
            self.refusal = refusal
        }
    }

    static let framing = [
        Row(
            "CL+TE", head("POST /", "Content-Length: 5", "Transfer-Encoding: chunked"), 400,
            .badFraming(.lengthAndCoding)),
        Row(
            "CL+TE, GET", head("GET /", "Transfer-Encoding: chunked", "Content-Length: 0"), 400,
            .badFraming(.lengthAndCoding)),
        Row(
            "two CL, differing", head("POST /", "Content-Length: 5", "Content-Length: 6"), 400,
            .badFraming(.repeatedLength)),
        Row(
            "two CL, same", head("POST /", "Content-Length: 5", "content-length: 5"), 400, .badFraming(.repeatedLength)),
        Row(
            "two TE", head("POST /", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 400,
            .badFraming(.repeatedCoding)),
        Row("TE on 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, .badFraming(.codingInHTTP10)),
        Row("TE xchunked", head("POST /", "Transfer-Encoding: xchunked"), 501, .unsupportedTransferCoding),
        Row("TE gzip, chunked", head("POST /", "Transfer-Encoding: gzip, chunked"), 501, .unsupportedTransferCoding),
        Row(
            "TE chunked, identity", head("POST /", "Transfer-Encoding: chunked, identity"), 501,
            .unsupportedTransferCoding),
        Row("TE chunked with a tab", head("POST /", "Transfer-Encoding: chunked\t"), 501, .unsupportedTransferCoding),
        Row("TE empty", head("POST /", "Transfer-Encoding:"), 501, .unsupportedTransferCoding),
        Row("CL 2^63", head("POST /", "Content-Length: 9223372036854775808"), 413, .bodyTooLarge(limit: 1000)),
        Row("CL 2^64", head("POST /", "Content-Length: 18446744073709551616"), 413, .bodyTooLarge(limit: 1000)),
        Row("CL +5", head("POST /", "Content-Length: +5"), 400, .badFraming(.badLength)),
        Row("CL empty", head("POST /", "Content-Length:"), 400, .badFraming(.badLength)),
        Row("CL 5, 5", head("POST /", "Content-Length: 5, 5"), 400, .badFraming(.badLength)),
        Row("CL with a CR alone", head("POST /", "Content-Length: 5\rX"), 400, .badFraming(.badLength)),
        Row("folded CL", head("POST /", "Content-Length:\r\n 5"), 400, .badFraming(.badLength)),
        Row("folded TE", head("POST /", "Transfer-Encoding:\r\n chunked"), 400, .badFraming(.foldedField)),
        Row("folded by a tab", head("GET /", "X: y\r\n\tz"), 400, .badFraming(.foldedField)),
        Row("no name", head("GET /", ": y"), 400, .badFraming(.emptyName)),
        Row("LF alone", "GET / HTTP/1.1\nHost: test\r\n\r\n", 400, .badFraming(.bareLineFeed)),
        Row("LF alone behind a field", head("GET /", "X: y\nZ: z"), 400, .badFraming(.bareLineFeed)),
        Row("LF as the empty line", "GET / HTTP/1.1\r\nHost: test\r\n\n", 400, .badFraming(.bareLineFeed)),
        Row("NUL in a name", head("GET /", "X\0: y"), 400, .badFraming(.nul)),
        Row("NUL in a value", head("GET /", "X: y\0z"), 400, .badFraming(.nul)),
        Row("NUL and LF", "GET / HTTP/1.1\r\nHost: test\r\n\0\n", 400, .badFraming(.nul)),
        Row("20 kB target", head("GET /" + String(repeating: "a", count: 20_000)), 414, .targetTooLong),
        Row("20 kB field", head("GET /", "X: " + String(repeating: "a", count: 20_000)), 431, .headTooLarge),
        Row("500 fields", head("GET /", String(repeating: "X: y\r\n", count: 500) + "Z: z"), 431, .headTooLarge),
        Row("many cookies", head("GET /", "Cookie: " + String(repeating: "a=b;", count: 500)), 431, .headTooLarge),
    ]

    /// Errors in a chunked body. The request is refused when it is complete.
    static let chunks = [
        ("LF behind a size", "1\na\r\n0\r\n\r\n", .bareLineFeed),
        ("LF behind data", "1\r\na\n0\r\n\r\n", .bareLineFeed),
        ("LF in an extension", "1;b\na\r\n0\r\n\r\n", .bareLineFeed),
        ("LF behind the last size", "0\n\r\n", .bareLineFeed), ("LF at the end", "0\r\n\n", .bareLineFeed),
        ("CR in an extension", "1;\rb\r\na\r\n0\r\n\r\n", .badChunk),
        ("NUL in an extension", "1;\0\r\na\r\n0\r\n\r\n", .nul),
        ("folded trailer", "0\r\nX: y\r\n z\r\n\r\n", .foldedField), ("no name", "0\r\n: y\r\n\r\n", .emptyName),
        ("NUL in a trailer", "0\r\nX: \0\r\n\r\n", .nul), ("LF behind a trailer", "0\r\nX: y\n\r\n", .bareLineFeed),
    ].map { (name: String, body: String, fault: Refusal.FramingFault) in
        Row(name, head("POST /", "Transfer-Encoding: chunked") + body, 400, .badFraming(fault))
    }

    static let fields = [
        Row("no Host", "GET / HTTP/1.1\r\n\r\n", 400, .missingHost),
        Row("empty Host", "GET / HTTP/1.1\r\nHost: \r\n\r\n", 400, .missingHost),
        Row("two Hosts", head("GET /", "Host: other"), 400, .repeatedHost),
        Row("two tokens", head("GET /", "Authorization: a", "authorization: b"), 400, .repeatedAuthorization),
        Row("space before colon", head("GET /", "Content-Length : 5"), 400, .badField),
        Row("bare CR in value", head("GET /", "X-A: one\rX-B: two"), 400, .badField),
        Row("control in value", head("GET /", "X-A: one\u{1}two"), 400, .badField),
        Row("DEL in value", head("GET /", "X-A: one\u{7F}"), 400, .badField),
        Row("non-ASCII in name", head("GET /", "X-É: one"), 400, .badField),
        Row("Expect something", head("POST /", "Expect: foo", "Content-Length: 5"), 417, .expectationFailed),
        Row("Expect more", head("POST /", "Expect: 100-continue, foo", "Content-Length: 5"), 417, .expectationFailed),
    ]

    static let requestLines = [
        Row("lower-case method", head("get /"), 501, .methodNotImplemented),
        Row("TRACE", head("TRACE /"), 501, .methodNotImplemented),
        Row("CONNECT", head("CONNECT test:80"), 501, .methodNotImplemented),
        Row("unknown method", head("FOO /"), 501, .methodNotImplemented),
        Row("1 kB method", head(String(repeating: "M", count: 1000) + " /"), 501, .methodNotImplemented),
        Row("method that is no token", head("G@T /"), 501, .methodNotImplemented),
        Row("absolute-form", head("GET http://test/"), 400, .badTarget),
        Row("no slash", head("GET path"), 400, .badTarget),
        Row("* with GET", head("GET *"), 400, .badTarget),
        Row("* with a tail", head("OPTIONS *x"), 400, .badTarget),
        Row("%00", head("GET /a%00b"), 400, .badTarget),
        Row("%zz", head("GET /%zz"), 400, .badTarget),
        Row("cut percent", head("GET /a%4"), 400, .badTarget),
        Row("percent at the end", head("GET /a%"), 400, .badTarget),
        Row("bad percent in query", head("GET /?q=%4g"), 400, .badTarget),
        Row("space in path", head("GET /a b"), 400, .badTarget),
        Row("space in query", head("GET /?a=b c"), 400, .badTarget),
        Row("raw UTF-8", head("GET /é"), 400, .badTarget),
        Row("fragment", head("GET /a#b"), 400, .badTarget),
        Row("raw NUL in path", head("GET /a\0b"), 400, .badFraming(.nul)),
        Row("raw NUL, then a version", head("GET /a\0HTTP/1.1"), 400, .badFraming(.nul)),
        Row("raw NUL in query", head("GET /?a\0b"), 400, .badFraming(.nul)),
    ]

    @Test(arguments: framing + chunks + fields + requestLines)
    func refuses(_ row: Row) throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(row.request)
            let response = try client.readResponse()
            #expect(response.status == row.status)
            #expect(response.text == "\(row.refusal)")
            #expect(response["Connection"] == "close")
            #expect(try client.isClosedByServer())

            let next = try RawSocket(port: server.port)
            try next.send(get("/next"))
            #expect(try next.readResponse().text == "GET /next [] ")
        }
    }

    /// Values are examined in words of eight bytes. A tab and bytes outside of ASCII are not control characters.
    @Test(arguments: ["\u{1}", "\u{1F}", "\u{7F}", "\t", "é", "\u{80}"])
    func findsControlCharactersAnywhere(character: String) throws {
        let isControl = ["\u{1}", "\u{1F}", "\u{7F}"].contains(character)
        try withServer(.echo) { server in
            for place in 1...20 {
                let value = String(repeating: "\t", count: place) + "a" + character
                for tail in ["b", "bcdefghijklmnop"] {
                    let client = try RawSocket(port: server.port)
                    try client.send(head("GET /", "X: z" + value + tail))
                    #expect(try client.readResponse().status == (isControl ? 400 : 200), "place \(place), \(tail)")
                }
            }
        }
    }

    struct EngineRow: Sendable, CustomTestStringConvertible {
        var name: String
        var request: String
        var status: Int?
        var testDescription: String { name }

        init(_ name: String, _ request: String, _ status: Int?) {
            self.name = name
            self.request = request
            self.status = status
        }
    }

    /// Requests that the engine refuses itself, with its own text; nil means that it closes without an answer.
    static let byTheEngine = [
        EngineRow("no colon", head("GET /", "nonsense"), 400),
        EngineRow("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        EngineRow("lower-case version", "GET / http/1.1\r\nHost: test\r\n\r\n", 400),
        EngineRow("chunk size zz", head("POST /", "Transfer-Encoding: chunked") + "zz\r\n", 400),
        EngineRow("chunk size -1", head("POST /", "Transfer-Encoding: chunked") + "-1\r\n", 400),
        EngineRow("chunk size 2^64", head("POST /", "Transfer-Encoding: chunked") + "10000000000000000\r\n", 413),
        EngineRow("no CRLF after a chunk", head("POST /", "Transfer-Encoding: chunked") + "1\r\naXX0\r\n\r\n", 400),
    ]

    @Test(arguments: byTheEngine)
    func leavesToTheEngine(_ row: EngineRow) throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(row.request)
            let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
            let status = answer.isEmpty ? nil : Int(answer.dropFirst(9).prefix(3))
            #expect(status == row.status)
        }
    }
}

/// The head of a request with a host and these other fields.
private func head(_ start: String, _ fields: String...) -> String {
    ([start + " HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
}
