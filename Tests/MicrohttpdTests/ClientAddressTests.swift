import Glibc
import Testing

@testable import Microhttpd

@Suite struct ClientAddressTests {
    /// Pairs of addresses, and whether they count as one address.
    static let pairs = [
        ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
        ("2001:db8::1", "2001:db8::1", true),
        ("2001:db8::1", "2001:db8:0:0:ffff:ffff:ffff:ffff", true),
        ("2001:db8::1", "2001:db8:0:1::1", false),
        ("::1", "::2", true),
        ("::1", "0.0.0.0", false),
        // These are not mapped IPv4 addresses: one bit before the address differs.
        ("::fffe:192.0.2.1", "192.0.2.1", false),
        ("::1:ffff:192.0.2.1", "192.0.2.1", false),
    ]

    @Test(arguments: pairs)
    func whoCountsAsOne(_ one: String, _ other: String, _ isOne: Bool) throws {
        #expect(try (address(one) == address(other)) == isOne)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("::1", "0:0:0:0::/64"), ("255.255.255.255", "255.255.255.255"), ("fe80::1", "fe80:0:0:0::/64"),
    ])
    func isAText(_ address: String, _ text: ByteText) throws {
        #expect(try self.address(address).text == text)
    }

    @Test func othersHaveNone() {
        var unix = sockaddr()
        unix.sa_family = sa_family_t(AF_UNIX)
        #expect(ClientAddress(&unix) == nil)
    }

    private func address(_ text: String) throws -> ClientAddress {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            return try made(v4)
        }
        try #require(inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        v6.sin6_family = sa_family_t(AF_INET6)
        return try made(v6)
    }

    private func made<Kind>(_ address: Kind) throws -> ClientAddress {
        let made = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ClientAddress($0) }
        }
        return try #require(made)
    }
}
