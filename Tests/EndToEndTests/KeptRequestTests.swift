import Foundation
import TestSupport
import Testing

/// Keys, labels and other members of requests hold across a crash. A retry gets the same ids and outcomes, and a write
/// that was not animated stays so.
@Suite struct KeptRequestTests {
    private static let start = """
        {"title":"Groceries","sections":[{"id":"s","items":[{"id":"a","content":{"done":false}},
          {"id":"p","expanded":true},{"id":"c","parent":"p","starred":true},{"id":"b","content":{"done":true}}]},{"id":"t"}]}
        """

    /// Requests that are sent with a key, and a part of each answer.
    private static let requests: [(path: String, body: String, status: Int, says: String)] = [
        ("/v1/lists", #"{"title":"To do"}"#, 201, #""list":"0"#),
        ("/v1/lists/l/items", #"{"items":[{"content":{"n":1}},{}],"section":"t"}"#, 201, #""created":["0"#),
        ("/v1/lists/l/items", #"{"items":[{"id":"a","starred":true}],"after":"b"}"#, 200, "moved_existing"),
        (
            "/v1/lists/l/transactions", #"{"operations":[{"op":"moveItem","item":"c","after":"b"}]}"#, 200,
            #""reparented":["c"]"#
        ),
        (
            "/v1/lists/l/transactions", #"{"operations":[{"op":"appendItems","items":[{}]}],"animated":false}"#, 200,
            #""animated":false"#
        ),
        ("/v1/lists/l/reorders", #"{"sections":{"s":{"final":["p","a","c","b"]}},"animated":false}"#, 200, "applied"),
    ]

    @Test func aRetryAfterACrashIsAnsweredAlike() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        let first = try Self.requests.enumerated().map { index, request in
            let reply = try server.client.send(
                "POST", request.path, [("Idempotency-Key", "k\(index)")], json: request.body)
            #expect(reply.status == request.status && reply.text.contains(request.says), "\(reply.text)")
            #expect((reply["Location"] != nil) == (request.status == 201))
            return reply
        }
        let made = try #require(first[0]["Location"])
        let items = try #require(first[1]["Location"])
        let version = try #require(first.last?["List-Version"])
        let epoch = version.split(separator: "-")[0]
        let paths = [
            "/v1/lists/l", made, items, "/v1/lists/l/transactions", "/v1/lists/l?where=content.done:true",
            "/v1/lists/l?starred=false&where=content.n:1.0", "/v1/lists?filter=TO%20DO",
            "/v1/lists/l/changes?since=\(epoch)-4", "/v1/lists/l/changes?since=\(epoch)-3",
            "/v1/lists/l/changes?since=\(epoch)-5&starred=true",
        ]
        let dry = try server.client.send("DELETE", "/v1/lists/l?dryRun=true", [("Idempotency-Key", "dry")])
        #expect(dry.status == 200)
        let before = try paths.map { try server.client.send("GET", $0) }
        #expect(before.allSatisfy { $0.status == 200 })
        #expect(before[7].text.contains(#""animated":false"#) && before[9].text.contains(#""animated":false"#))
        #expect(!before[8].text.contains("animated"))

        server.crash()
        server = try ServerProcess(["--data", folder.path])

        for (path, reply) in zip(paths, before) {
            #expect(try server.client.send("GET", path).text == reply.text, "\(path)")
        }
        for (index, (request, reply)) in zip(Self.requests, first).enumerated() {
            let retry = try server.client.send(
                "POST", request.path, [("Idempotency-Key", "k\(index)")], json: request.body)
            #expect(retry.status == reply.status && retry.text == reply.text, "\(retry.text)")
            #expect(retry["Idempotency-Replayed"] == "true" && retry["Location"] == reply["Location"])
        }
        #expect(try server.client.send("GET", "/v1/lists/l")["List-Version"] == version)
        // The dry run did not use up its key.
        let end = try server.client.send("DELETE", "/v1/lists/l", [("Idempotency-Key", "dry")])
        #expect(end.status == 204 && end["Idempotency-Replayed"] == nil)
        #expect(server.stop() == 0)
    }

    /// Ids are UUIDs of version 7 and sort in the order in which they were made.
    @Test func idsAreInOrder() throws {
        let server = try ServerProcess(["--memory"])
        var made: [String] = []
        for _ in 0..<20 {
            let reply = try server.client.send("POST", "/v1/lists", json: "{}")
            made.append(String(try #require(reply["Location"]?.split(separator: "/").last)))
        }
        #expect(made == made.sorted() && Set(made).count == made.count)
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(made.allSatisfy { $0.wholeMatch(of: form) != nil })
        let now = UInt64(Date().timeIntervalSince1970 * 1_000)
        let time = try #require(UInt64(made[0].prefix(13).replacing("-", with: ""), radix: 16))
        #expect(time <= now && now - time < 3_600_000)
        #expect(server.stop() == 0)
    }
}
