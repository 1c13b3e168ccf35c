import Testing

@testable import liststate

@Suite struct ServerAddressTests {
    static let good = [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("HTTP://lists.example", "http://lists.example:80"), ("http://[::1]:9000", "http://[::1]:9000"),
        ("http://[::1]", "http://[::1]:80"),
    ]

    @Test(arguments: good)
    func reads(_ text: String, _ description: String) {
        #expect(ServerAddress(argument: text)?.description == description)
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "https://localhost", "http://", "http:///", "http://:80", "http://a:", "http://a:0",
        "http://a:65536", "http://a:-1", "http://a:80:80", "http://a/v1", "http://a//", "http://u@a", "http://a?b",
        "http://a#b", "http://a b", "http://a\r\nX: y", "http://[::1", "http://[]:80", "http://[::1]80", "http://ä",
    ])
    func refuses(_ text: String) {
        #expect(ServerAddress(argument: text) == nil, "\(text)")
    }
}
