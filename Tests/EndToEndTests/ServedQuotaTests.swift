import JSONValue
import TestSupport
import Testing

/// Quotas of clients behind a trusted proxy, tested on the real binary.
@Suite struct ServedQuotaTests {
    private func ask(_ client: HTTPClient, from address: String, _ path: String = "/v1/lists") throws -> RawResponse {
        try client.send("GET", path, [("X-Forwarded-For", address)])
    }

    @Test func eachClientOfAProxyHasItsOwn() throws {
        let server = try ServerProcess([
            "--memory", "--trusted-proxies", "127.0.0.0/8", "--client-requests-per-minute", "4",
        ])
        let client = server.client
        // One comes back in 15 s.
        for _ in 1...3 { #expect(try ask(client, from: "192.0.2.1").status == 200) }
        let last = try ask(client, from: "192.0.2.1")
        #expect(last.status == 200 && last["RateLimit"] == #""requests";r=0;t=60"#)
        let start = ContinuousClock.now
        let refused = try ask(client, from: "192.0.2.1")
        // The refusal is held back, with the connection.
        #expect(ContinuousClock.now - start >= .milliseconds(900))
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        #expect(refused.text.contains(#""limit":{"name":"clientRequestsPerMinute","value":4}"#))
        #expect(try ask(client, from: "192.0.2.2").status == 200)
        #expect(try ask(client, from: "192.0.2.1", "/readyz").status == 200)
        #expect(server.stop() == 0)
    }

    /// Whoever may not send a body hears it before it sends one.
    @Test func aLongBodyIsNotRead() throws {
        let server = try ServerProcess([
            "--memory", "--trusted-proxies", "127.0.0.1", "--client-writes-per-minute", "1",
        ])
        let head = "PUT /v1/lists/l HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n"
        let socket = try RawSocket(port: server.port)
        try socket.send(head + "Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"title\":\"Lists\"}")
        #expect(try socket.readResponse().status == 201)
        let other = try RawSocket(port: server.port)
        try other.send(head + "Content-Length: 60000000\r\n\r\n")
        let refused = try other.readResponse()
        #expect(refused.status == 429 && refused["Connection"] == "close")
        #expect(server.stop() == 0)
    }

    @Test func wrongRangesAreNamed() throws {
        for range in ["10.0.0.1/8", "proxy.example.org", "10.0.0.0/33", ""] {
            let refused = try #require(throws: ServerProcess.NotReady.self) {
                _ = try ServerProcess(["--memory", "--trusted-proxies", range])
            }
            #expect(refused.exitCode == 64 && refused.said.contains("--trusted-proxies"))
        }
    }
}
