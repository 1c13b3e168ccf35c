import Testing

@testable import liststate

@Suite struct ServerAddressTests {
    static let good = [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("HTTP://lists.example", "http://lists.example:80"), ("http://[::1]:9000", "http://[::1]:9000"),
        ("http://[::1]", "http://[::1]:80"), ("https://lists.example", "https://lists.example:443"),
        ("https://lists.example:8443/", "https://lists.example:8443"),
    ]

    @Test(arguments: good)
    func reads(_ text: String, _ description: String) {
        #expect(ServerAddress(argument: text)?.description == description)
    }

    @Test(arguments: [
        ("http://127.0.0.1", true), ("http://127.9.9.9:80", true), ("http://localhost", true), ("http://[::1]", true),
        ("http://127.evil.example", false), ("http://127.0.0.1.example", false), ("http://127.0.0", false),
        ("http://128.0.0.1", false), ("http://lists.example", false), ("https://lists.example", true),
        ("http://127.0.0.256", false), ("http://localhost.example", false),
    ])
    func knowsWhereATokenMayGo(_ text: String, _ mayGo: Bool) {
        #expect(ServerAddress(argument: text)?.isPrivate == mayGo)
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "ftp://localhost", "http://", "https://", "https://a/v1", "http:///", "http://:80",
        "http://a:", "http://a:0",
        "http://a:65536", "http://a:-1", "http://a:80:80", "http://a/v1", "http://a//", "http://u@a", "http://a?b",
        "http://a#b", "http://a b", "http://a\r\nX: y", "http://[::1", "http://[]:80", "http://[::1]80", "http://ä",
    ])
    func refuses(_ text: String) {
        #expect(ServerAddress(argument: text) == nil, "\(text)")
    }
}
