import HTTPTypes
import Testing
import Texts

@testable import Microhttpd

/// The values of `Host` that are names which a stranger's name server could lead here.
@Suite struct HostFieldTests {
    static let local: [ByteText] = [
        "127.0.0.1", "127.0.0.1:8080", "192.168.1.20:80", "0.0.0.0", "255.255.255.255:", "[::1]", "[::1]:8080",
        "[fe80::1%25eth0]:1", "[::ffff:192.0.2.1]", "localhost", "localhost:8080", "LocalHost:1", "a.localhost",
        "lists.a.LOCALHOST:8080", "1.localhost", "",
    ]

    static let foreign: [ByteText] = [
        "example.org", "example.org:8080", "lists", "localhost.example.org", "notlocalhost", "localhost.",
        "127.0.0.1.example.org", "127.0.0.1.nip.io:80", "127.0.0.256", "127.0.0", "127.0.0.1.1", "127..0.1", "1",
        "2130706433", "0x7f.1", "127.0.0.0001", "127.0.0.1:8080:1", "127.0.0.1:a", "::1", "[::1", "[::1]x", "[]",
        "[localhost]", "[a:b].example.org", "localhost:8080.example.org", ":8080x", "é.example",
    ]

    @Test(arguments: local)
    func isLocal(_ host: ByteText) {
        #expect(!host.withBytes(HostField.isForeignName))
    }

    @Test(arguments: foreign)
    func isForeign(_ host: ByteText) {
        #expect(host.withBytes(HostField.isForeignName))
    }

    @Test func theNameIsInLowerCaseAndWithoutItsPort() {
        #expect(HostField.name("Lists.Example.ORG:8080") == "lists.example.org")
        #expect(HostField.name("lists") == "lists")
        #expect(HostField.name("lists:") == "lists")
    }
}
