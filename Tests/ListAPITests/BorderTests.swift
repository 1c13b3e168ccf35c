import JSONValue
import TestSupport
import Testing
import Texts

@testable import ListAPI
@testable import ListWire

/// Requests that a browser sends for a stranger's page, and requests that only look like them.
@Suite struct BorderTests {
    struct Asking: Sendable, CustomTestStringConvertible {
        var fields: [String: String]
        /// Whether the request may read.
        var reads: Bool
        /// Whether the request may write and follow.
        var writes: Bool

        var testDescription: String { "\(fields)" }
    }

    private static let own = "127.0.0.1:8080"
    private static func page(_ origin: String, _ site: String? = nil, host: String = own) -> [String: String] {
        var fields = ["Host": host, "Origin": origin]
        fields["Sec-Fetch-Site"] = site
        return fields
    }

    static let ofNobodyElse = [
        Asking(fields: [:], reads: true, writes: true),
        Asking(fields: ["Host": own], reads: true, writes: true),
        Asking(fields: ["Host": "localhost:8080"], reads: true, writes: true),
        Asking(fields: ["Host": "lists.localhost"], reads: true, writes: true),
        Asking(fields: ["Host": "[::1]:8080"], reads: true, writes: true),
        Asking(fields: ["Host": own, "Sec-Fetch-Site": "none"], reads: true, writes: true),
        Asking(fields: ["Host": own, "Sec-Fetch-Site": "same-origin"], reads: true, writes: true),
        Asking(fields: page("http://127.0.0.1:8080"), reads: true, writes: true),
        Asking(fields: page("https://127.0.0.1:8080"), reads: true, writes: true),
        Asking(fields: page("http://127.0.0.1:8080", "same-origin"), reads: true, writes: true),
        // A proxy has changed `Host`, but `Sec-Fetch-Site` still says that the page is the server's own.
        Asking(fields: page("https://lists.example", "same-origin"), reads: true, writes: true),
        // A stranger's name that resolves to this machine (DNS rebinding).
        Asking(fields: ["Host": "evil.example"], reads: false, writes: false),
        Asking(fields: ["Host": "evil.example:8080"], reads: false, writes: false),
        Asking(fields: page("http://evil.example", "same-origin", host: "evil.example"), reads: false, writes: false),
        Asking(fields: ["Host": "127.0.0.1.evil.example"], reads: false, writes: false),
        Asking(fields: ["Host": "localhost.evil.example"], reads: false, writes: false),
        // Pages of other origins.
        Asking(fields: page("http://evil.example"), reads: true, writes: false),
        Asking(fields: page("https://evil.example", "cross-site"), reads: true, writes: false),
        Asking(fields: page("http://127.0.0.1:9090"), reads: true, writes: false),
        Asking(fields: page("http://127.0.0.1:9090", "same-site"), reads: true, writes: false),
        Asking(fields: page("http://localhost:8080"), reads: true, writes: false),
        Asking(fields: page("http://127.0.0.1"), reads: true, writes: false),
        Asking(fields: page("ftp://127.0.0.1:8080"), reads: true, writes: false),
        Asking(fields: page("null"), reads: true, writes: false),
        Asking(fields: page("null", "cross-site"), reads: true, writes: false),
        Asking(fields: ["Host": own, "Sec-Fetch-Site": "cross-site"], reads: true, writes: false),
        Asking(fields: ["Host": own, "Sec-Fetch-Site": "same-site"], reads: true, writes: false),
        Asking(fields: ["Host": own, "Sec-Fetch-Site": "new-word"], reads: true, writes: false),
    ]

    static let ofSome = [
        Asking(fields: page("https://a.example", "cross-site"), reads: true, writes: true),
        Asking(fields: page("https://a.example"), reads: true, writes: true),
        Asking(fields: page("https://b.example", "cross-site"), reads: true, writes: false),
        Asking(fields: page("null"), reads: true, writes: false),
        Asking(fields: ["Host": "lists.example"], reads: true, writes: true),
        Asking(fields: ["Host": "LISTS.example:8080"], reads: true, writes: true),
        Asking(fields: page("http://lists.example", host: "lists.example"), reads: true, writes: true),
        Asking(fields: ["Host": "a.lists.example"], reads: false, writes: false),
    ]

    static let ofAny = [
        Asking(fields: page("https://b.example", "cross-site"), reads: true, writes: true),
        Asking(fields: page("null", "cross-site"), reads: true, writes: true),
        Asking(fields: ["Host": "anything"], reads: true, writes: true),
    ]

    @Test(arguments: ofNobodyElse)
    func nobodyElse(_ row: Asking) throws {
        try check(row, .none, .these([]))
    }

    @Test(arguments: ofSome)
    func some(_ row: Asking) throws {
        try check(row, .these(["https://a.example"]), .these(["lists.example"]))
    }

    @Test(arguments: ofAny)
    func any(_ row: Asking) throws {
        try check(row, .any, .any)
    }

    private func check(
        _ row: Asking, _ origins: API.Configuration.Origins, _ hosts: API.Configuration.Hosts
    ) throws {
        let harness = try Harness(origins: origins, hosts: hosts)
        let before = try harness.ask("GET", "/v1/lists/l").text
        for target in ["/", "/v1/lists", "/v1/lists/l", "/v1/lists/l/changes", "/openapi.yaml"] {
            try expect(harness, row, "GET", target, row.reads)
        }
        try expect(harness, row, "OPTIONS", "/v1/lists/l", row.reads)
        for target in ["/v1/lists/l/changes?wait=0", "/v1/lists/l/changes?wait=0&view=items"] {
            try expect(harness, row, "GET", target, row.writes)
        }
        try expect(harness, row, "HEAD", "/v1/lists/l/changes", row.writes, ["Accept": "text/event-stream"])
        try expect(harness, row, "HEAD", "/v1/changes?list=l", row.writes, ["Accept": "text/event-stream"])
        try expect(harness, row, "GET", "/v1/lists/l/changes", row.writes, ["Prefer": "wait=0"])
        try expect(harness, row, "PUT", "/v1/lists/l/items/a/star", row.writes)
        #expect(try (harness.ask("GET", "/v1/lists/l").text == before) == !row.writes)
        try expect(harness, row, "POST", "/v1/lists/l/items/p/expand", row.writes)
        try expect(harness, row, "DELETE", "/v1/lists/l", row.writes)
        for target in ["/healthz", "/readyz"] { try expect(harness, row, "GET", target, true) }
    }

    private func expect(
        _ harness: Harness, _ row: Asking, _ method: String, _ target: String, _ isAllowed: Bool,
        _ others: [String: String] = [:]
    ) throws {
        let reply = try harness.ask(method, target, row.fields.merging(others) { $1 })
        #expect((reply.status < 300) == isAllowed, "\(method) \(target): \(reply.status) \(reply.text)")
        guard !isAllowed else { return }
        #expect(reply.status == 403)
        #expect(reply.code == "foreign_origin")
    }

    @Test func theRefusalNamesTheOption() throws {
        let harness = try Harness()
        func detail(_ fields: [String: String]) throws -> String {
            try harness.ask("PUT", "/v1/lists/l/items/a/star", fields).json["detail"]?.string ?? ""
        }
        #expect(try detail(["Host": "Lists.lan:8080"]).contains("--allow-host lists.lan "))
        #expect(try detail(["Host": "a b"]).contains("--allow-host NAME "))
        #expect(try detail(Self.page("https://a.example")).contains("--allow-origin https://a.example "))
        #expect(try detail(Self.page("null")).contains("--allow-origin '*' "))
        #expect(try detail(Self.page("https://a;b")).contains("--allow-origin ORIGIN "))
        #expect(try detail(["Sec-Fetch-Site": "cross-site"]).contains("--allow-origin"))
    }

    /// A page of an allowed origin may read the answer. The answer to its preflight request allows its method.
    @Test func anAllowedPageIsToldSo() throws {
        let harness = try Harness(origins: .these(["https://a.example"]))
        let asked = ["Origin": "https://a.example", "Access-Control-Request-Method": "PUT"]
        #expect(try harness.ask("OPTIONS", "/v1/lists/l", asked)["Access-Control-Allow-Methods"]?.isEmpty == false)
        let other = ["Origin": "https://b.example", "Access-Control-Request-Method": "PUT"]
        #expect(try harness.ask("OPTIONS", "/v1/lists/l", other)["Access-Control-Allow-Methods"] == nil)
        let reply = try harness.ask("PUT", "/v1/lists/l/items/a/star", ["Origin": "https://a.example"])
        #expect(reply["Access-Control-Allow-Origin"] == "https://a.example")
    }
}
