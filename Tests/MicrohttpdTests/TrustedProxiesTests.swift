import TestSupport
import Testing

@testable import Microhttpd

@Suite struct TrustedProxiesTests {
    struct Chain: Sendable, CustomTestStringConvertible {
        var field = TrustedProxies.Field.xForwardedFor
        var values: [ByteText]
        var protocols: [ByteText] = []
        var client: ByteText
        var isSecure = false
        var testDescription: String { "\(values) \(protocols)" }
    }

    /// Requests that come from 10.0.0.1, where 10.0.0.0/8 and 2001:db8:f::/48 are trusted.
    static let chains = [
        Chain(values: [], client: "10.0.0.1"),
        Chain(values: ["192.0.2.1"], client: "192.0.2.1"),
        Chain(values: ["192.0.2.1"], protocols: ["https"], client: "192.0.2.1", isSecure: true),
        Chain(values: ["192.0.2.1"], protocols: ["https, http"], client: "192.0.2.1"),
        Chain(values: ["192.0.2.1"], protocols: ["http", " HTTPS "], client: "192.0.2.1", isSecure: true),
        // What the client itself has sent stands before its address.
        Chain(values: ["203.0.113.9, 192.0.2.1"], client: "192.0.2.1"),
        Chain(values: ["203.0.113.9", "192.0.2.1"], client: "192.0.2.1"),
        Chain(values: ["10.9.9.9, 192.0.2.1"], client: "192.0.2.1"),
        // A chain of trusted proxies.
        Chain(values: ["192.0.2.1, 10.0.0.2,10.0.0.3"], client: "192.0.2.1"),
        Chain(values: ["10.0.0.2, 10.0.0.3"], client: "10.0.0.2"),
        Chain(values: ["192.0.2.1, 2001:db8:f::2"], client: "192.0.2.1"),
        // Ports, brackets, and what is no address.
        Chain(values: ["192.0.2.1:4711"], client: "192.0.2.1"),
        Chain(values: ["[2001:db8::7]:4711"], client: "2001:db8::7"),
        Chain(values: ["2001:db8::7"], client: "2001:db8::7"),
        Chain(values: ["::ffff:192.0.2.1"], client: "192.0.2.1"),
        Chain(values: ["192.0.2.1, unknown"], client: "10.0.0.1"),
        Chain(values: ["192.0.2.1, 10.0.0.2:x"], client: "10.0.0.1"),
        Chain(values: ["192.0.2.1, "], client: "10.0.0.1"),
        Chain(values: ["192.0.2.1, 10.0.0.2, garbage, 10.0.0.3"], client: "10.0.0.3"),
        Chain(values: ["192.0.2.1\u{0}"], client: "10.0.0.1"),
        Chain(values: ["192.0.2.0/24"], client: "10.0.0.1"),
        // Forwarded.
        Chain(field: .forwarded, values: ["for=192.0.2.1"], client: "192.0.2.1"),
        Chain(field: .forwarded, values: ["For=192.0.2.1;Proto=HTTPS"], client: "192.0.2.1", isSecure: true),
        Chain(field: .forwarded, values: [#"for="[2001:db8::7]:4711""#], client: "2001:db8::7"),
        Chain(field: .forwarded, values: [#"by=10.0.0.1; for="192.0.2.1:80" ; host=x"#], client: "192.0.2.1"),
        Chain(
            field: .forwarded, values: [#"for=203.0.113.9;host="a,for=1.1.1.1", for=192.0.2.1"#], client: "192.0.2.1"),
        Chain(field: .forwarded, values: [#"for=192.0.2.1;host="a\",for=1.1.1.1""#], client: "192.0.2.1"),
        Chain(
            field: .forwarded, values: ["for=192.0.2.1;proto=https", "for=10.0.0.2;proto=http"], client: "192.0.2.1",
            isSecure: true),
        Chain(field: .forwarded, values: ["for=192.0.2.1, for=_hidden"], client: "10.0.0.1"),
        Chain(field: .forwarded, values: ["for=192.0.2.1, proto=https"], client: "10.0.0.1"),
        Chain(field: .forwarded, values: [""], client: "10.0.0.1"),
    ]

    @Test(arguments: chains)
    func origin(_ row: Chain) throws {
        let ranges = ["10.0.0.0/8", "2001:db8:f::/48"].compactMap { AddressRange($0) }
        try #require(ranges.count == 2)
        let origin = TrustedProxies(ranges, row.field)
            .origin(peer: try #require(NetworkAddress("10.0.0.1")), row.values, protocols: row.protocols)
        #expect(origin.client == NetworkAddress(row.client))
        #expect(origin.isSecure == row.isSecure)
    }

    /// Ranges, with an address inside and one outside; nil for what is no range.
    static let ranges: [(ByteText, (ByteText, ByteText)?)] = [
        ("192.0.2.0/24", ("192.0.2.255", "192.0.3.0")),
        ("192.0.2.7", ("192.0.2.7", "192.0.2.6")),
        ("192.0.2.0/24", ("::ffff:192.0.2.1", "::192.0.2.1")),
        ("0.0.0.0/0", ("255.1.1.1", "2001:db8::1")),
        ("2001:db8::/32", ("2001:db8:ffff::1", "2001:db9::1")),
        ("2001:db8::/65", ("2001:db8::7fff:0:0:1", "2001:db8::8000:0:0:1")),
        ("::1/128", ("::1", "::2")),
        ("::/0", ("192.0.2.1", "")),
        ("192.0.2.1/24", nil), ("2001:db8::1/64", nil), ("192.0.2.0/33", nil), ("192.0.2.0/", nil), ("/8", nil),
        ("192.0.2.0/-1", nil), ("192.0.2/24", nil), ("example.org", nil), ("", nil), ("10.0.0.0/8/8", nil),
        ("10.0.0.0/+8", nil), ("10.0.0.0/8 ", nil), ("10.0.0.0/99999999999999999999", nil),
    ]

    @Test(arguments: ranges)
    func range(_ text: ByteText, _ expected: (inside: ByteText, outside: ByteText)?) throws {
        guard let expected else {
            #expect(AddressRange(text) == nil)
            return
        }
        let range = try #require(AddressRange(text))
        #expect(range.contains(try #require(NetworkAddress(expected.inside))))
        #expect(NetworkAddress(expected.outside).map(range.contains) != true)
    }

    private static let tellsClient = TestHandler { request in
        let client = request.head.client.map { "\($0)" } ?? "nobody"
        return .send(.text("\(client) \(request.head.isSecure)"))
    }

    private func ask(_ fields: String, trusting ranges: [ByteText]) throws -> String {
        let proxies = TrustedProxies(ranges.compactMap { AddressRange($0) }, .xForwardedFor)
        var text = ""
        try withServer(Self.tellsClient, .test.with(\.proxies, proxies)) { server in
            let socket = try RawSocket(port: server.port)
            try socket.send("GET / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
            text = try socket.readResponse().text
        }
        return text
    }

    @Test func theFieldOfATrustedProxyIsRead() throws {
        let fields = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n"
        let v4 = ClientAddress.v4(0xC000_0201)
        #expect(try ask(fields, trusting: ["127.0.0.0/8"]) == "\(v4) true")
        // A field that is not the one that the proxies write may come from anybody.
        #expect(try ask("Forwarded: for=192.0.2.1;proto=https\r\n", trusting: ["127.0.0.0/8"]).hasSuffix(" false"))
    }

    @Test func theFieldOfOthersIsNot() throws {
        let fields = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n"
        #expect(try ask(fields, trusting: ["10.0.0.0/8"]) == "\(ClientAddress.v4(0x7F00_0001)) false")
        #expect(try ask(fields, trusting: []) == "\(ClientAddress.v4(0x7F00_0001)) false")
    }

    /// The connections of a proxy are those of many clients.
    @Test func aProxyHasNoLimitOfItsOwn() throws {
        let proxies = TrustedProxies([try #require(AddressRange("127.0.0.1"))], .xForwardedFor)
        for (proxies, isServed) in [(proxies, true), (.none, false)] {
            let configuration = Server.Configuration.test.with(\.connectionsPerAddressMax, 2).with(\.proxies, proxies)
            try withServer(.echo, configuration) { server in
                let sockets = try (0..<4).map { _ in try RawSocket(port: server.port) }
                for socket in sockets { try socket.send(get("/")) }
                let statuses = try sockets.map { try $0.readResponse().status }
                #expect(statuses.allSatisfy { $0 == 200 } == isServed)
            }
        }
    }
}
