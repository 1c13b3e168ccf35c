import Dispatch
import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

/// The request that the handler gets.
@Suite struct RequestTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var request: String
        var echo: String
        var testDescription: String { name }

        init(_ name: String, _ request: String, _ echo: String) {
            self.name = name
            self.request = request
            self.echo = echo
        }
    }

    static let rows = [
        Row("path as it was sent", get("/a%2Fb/%2e%2e/%C3%A9/+"), "GET /a%2Fb/%2e%2e/%C3%A9/+ [] "),
        Row("query", get("/p?a=1&b&a=2&=x&c=d=e"), "GET /p [a=1;b=nil;a=2;=x;c=d=e] "),
        Row("query as it was sent", get("/?q=a+b%2Bc%26&r=/?"), "GET / [q=a+b%2Bc%26;r=/?] "),
        Row("empty query", get("/p?"), "GET /p [] "),
        Row("empty parts of a query", get("/p?&&a=&"), "GET /p [a=] "),
        Row("PUT", "PUT /x HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\nhi", "PUT /x [] hi"),
        Row("PATCH", "PATCH /x HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\nhi", "PATCH /x [] hi"),
        Row("DELETE", "DELETE /x HTTP/1.1\r\nHost: test\r\n\r\n", "DELETE /x [] "),
        Row("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n", "OPTIONS * [] "),
        Row("OPTIONS of a path", "OPTIONS /x HTTP/1.1\r\nHost: test\r\n\r\n", "OPTIONS /x [] "),
        Row("POST without a length", "POST /x HTTP/1.1\r\nHost: test\r\n\r\n", "POST /x [] "),
        Row("Content-Length 0", post("/x", ""), "POST /x [] "),
        Row("leading empty line", "\r\n" + get("/x"), "GET /x [] "),
        Row(
            "upgrade is ignored", "GET /x HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "GET /x [] "),
        Row("HTTP/1.0 without a host", "GET /x HTTP/1.0\r\n\r\n", "GET /x [] "),
        Row("Expect on HTTP/1.0 is ignored", "GET /x HTTP/1.0\r\nExpect: foo\r\n\r\n", "GET /x [] "),
        Row("tab in a value", "GET /x HTTP/1.1\r\nHost: test\r\nX-A: a\tb\r\n\r\n", "GET /x [] "),
    ]

    @Test(arguments: rows)
    func arrives(_ row: Row) throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(row.request)
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.text == row.echo)
        }
    }

    /// A field that was sent must be found, whatever the case of its letters.
    @Test func findsEveryFieldThatWasSent() throws {
        let names = ["If-None-Match", "X-Request-Id", "Prefer", "Accept", "Idempotency-Key", "X", "_a", "0-b"]
        let handler = TestHandler { request in
            let found = names.map { name in
                let name = HTTPField.Name(name)!
                let isThere = request.head.field(name, is: "v") && !request.head.field(name, is: "V")
                return isThere && request.head.field(name) == "v" && request.head.fields(name) == ["v"]
            }
            return .send(.text("\(found.count { $0 }) \(request.head.field(.origin, is: "v"))"))
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for spell in [{ $0 }, { $0.lowercased() }, { $0.uppercased() }] as [(String) -> String] {
                let lines = names.map { spell($0) + ": v \r\n" }.joined()
                try client.send("GET /x HTTP/1.1\r\nHost: test\r\n\(lines)\r\n")
                #expect(try client.readResponse().text == "\(names.count) false")
                // The next request of the connection has its own fields.
                try client.send(get("/x"))
                #expect(try client.readResponse().text == "0 false")
            }
        }
    }

    @Test func tellsTheSegmentBehindAPrefix() throws {
        let handler = TestHandler { request in
            .send(.text(request.head.segment(after: "/a/")?.string ?? "nil"))
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            let rows = [
                ("/a/b%2Fc?q", "b%2Fc"), ("/a/b/c", "nil"), ("/a/b/", "nil"), ("/a/b?c/d", "b"), ("/a/", ""),
                ("/a", "nil"), ("/A/b", "nil"), ("/", "nil"),
            ]
            for (target, rest) in rows {
                try client.send(get(target))
                #expect(try client.readResponse().text == rest, "\(target)")
                let path = String(target.prefix { $0 != "?" })
                let head = RequestHead(method: .get, path: ByteText(path), query: [], fields: [:])
                #expect(head.segment(after: "/a/")?.string ?? "nil" == rest, "\(target)")
            }
        }
    }

    @Test func looksFieldsUp() throws {
        let handler = TestHandler { request in
            let head = request.head
            let name = HTTPField.Name("X-Thing")!
            let text =
                "\(head.field(name) ?? "nil") \(head.fields(name)) \(head.field(.accept) ?? "nil")"
                + " \(head.fields(.accept)) \(head.contentLength ?? 99) \(head.hasBody) \(head.hasQuery)"
            return .send(.text(text))
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            try client.send(
                "POST /?a HTTP/1.1\r\nHost: test\r\nx-thing:  one \t\r\nX-THING: two, three\r\nContent-Length: 2\r\n\r\nhi"
            )
            #expect(try client.readResponse().text == #"one ["one", "two, three"] nil [] 2 true true"#)
            try client.send(get("/"))
            #expect(try client.readResponse().text == "nil [] nil [] 99 false false")
        }
    }

    @Test func aKeptHeadSaysTheSame() throws {
        let handler = TestHandler { request in
            .later { [kept = request.head.kept, text = Self.said(by: request.head)] resumption in
                DispatchQueue.global().async {
                    let said = Self.said(by: RequestHead(kept))
                    resumption.resume(with: .text(said == text ? said : "\(said) is not \(text)"))
                }
            }
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send(
                    """
                    POST /a%20b?c=d&e HTTP/1.1\r\nHost: Test:80\r\nx-thing:  one \t\r\nX-THING: two, three\r\n\
                    AUTHORIZATION: Bearer x\r\nContent-Length: 2\r\n\r\nhi
                    """)
                let said = try client.readResponse().text
                #expect(said == #"POST /a%20b ["c=d", "e="] ["one", "two, three"] ["Bearer x"] test 2 true true"#)
                try client.send(get("/"))
                #expect(try client.readResponse().text.hasPrefix("GET / [] [] []"))
            }
        }
    }

    private static func said(by head: RequestHead) -> String {
        let query = head.query.map { "\($0.name)=\($0.value ?? "")" }
        let things = head.fields(HTTPField.Name("X-Thing")!)
        return "\(head.method) \(head.path) \(query) \(things) \(head.fields(.authorization)) \(head.hostName ?? "")"
            + " \(head.contentLength ?? 0) \(head.hasBody) \(head.field(.authorization) == "Bearer x")"
    }

    @Test func aHeadOfValuesSaysTheSame() {
        let name = HTTPField.Name("X-Thing")!
        var fields = HTTPFields()
        fields.append(HTTPField(name: name, value: "one"))
        fields.append(HTTPField(name: name, value: "two"))
        fields[.contentLength] = "2"
        let query = [QueryItem(name: "a", value: nil)]
        let head = RequestHead(method: .post, path: "/p", query: query, fields: fields)
        #expect(head.path == "/p")
        #expect(head.hasQuery)
        #expect(head.query == query)
        #expect(head.field(name) == "one")
        #expect(head.fields(name) == ["one", "two"])
        #expect(head.field(.accept) == nil)
        #expect(head.contentLength == 2)
        #expect(head.hasBody)
    }

    @Test func aHeadIsVoidAfterItsRequest() throws {
        let kept = Locked<KeptHead?>(nil)
        let handler = TestHandler { request in
            let last = kept.withLock { kept in
                defer { kept = KeptHead(head: request.head) }
                return kept.map { "\($0.head.path)|\($0.head.field(.accept) ?? "nil")|\($0.head.query)" }
            }
            return .send(.text(last ?? "first"))
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            try client.send("GET /one?a=b HTTP/1.1\r\nHost: test\r\nAccept: x\r\n\r\n")
            #expect(try client.readResponse().text == "first")
            try client.send(get("/two"))
            #expect(try client.readResponse().text == "|nil|[]")
        }
    }
}

/// - Safety: `@unchecked` is sound because only the loop's thread reads it.
private struct KeptHead: @unchecked Sendable {
    let head: RequestHead
}
