import Foundation
import JSONValue
import TestSupport
import Testing

@Suite struct ServedDrainTests {
    /// A write that has begun before the signal is finished and kept. Later writes are told that the server stops.
    @Test(arguments: [SIGTERM, SIGINT])
    func finishesWhatHadBegun(_ signal: Int32) throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path, "--drain-grace-seconds", "60"])
        let client = server.client
        #expect(try client.send("GET", "/healthz").status == 200)
        let writer = try RawSocket(port: server.port)
        let body = #"{"title":"Begun"}"#
        let head = [
            "PUT /v1/lists/l HTTP/1.1", "Host: localhost", "Content-Type: application/json",
            "Content-Length: \(body.utf8.count)", "", "",
        ]
        try writer.send(head.joined(separator: "\r\n") + body.prefix(5))

        kill(server.processIdentifier, signal)
        var response = try server.client.send("GET", "/readyz")
        while response.status == 200 { response = try server.client.send("GET", "/readyz") }
        for refused in [response, try client.send("DELETE", "/v1/lists/l")] {
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "5")
            #expect(refused["Connection"] == "close")
            #expect(refused["Content-Type"] == "application/problem+json")
            #expect(refused.text.contains(#""code":"stopping""#))
        }
        // A 503 would make an `EventSource` give up, so the answer is a stream.
        for target in ["/v1/lists/l/changes", "/v1/changes?list=l"] {
            let stream = try EventClient(port: server.port, target)
            #expect(stream.head.status == 200)
            let bye = try #require(try stream.next())
            #expect(bye.name == "bye" && bye.json["code"] == "stopping" && bye.json["retryAfter"] == 5)
            #expect((5_000..<10_000).contains(stream.retryMilliseconds ?? 0))
            #expect(try stream.next() == nil)
        }
        try writer.send(String(body.dropFirst(5)))
        #expect(try writer.readResponse().status == 201)
        #expect(server.waitUntilEnd() == 0)
        #expect(!server.log.contains(" error "))

        let again = try ServerProcess(["--data", folder.path])
        #expect(try again.client.send("GET", "/v1/lists/l").text.contains("Begun"))
    }
}
