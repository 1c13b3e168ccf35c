import Foundation
import JSONValue
import TestSupport
import Testing

/// What a token may keep, tested on the real binary: in memory, in a folder and in a database.
@Suite struct StoredQuotaTests {
    enum Place: String, Sendable, CaseIterable {
        case memory, folder, database
    }

    /// A request that would take its sender over a limit.
    private struct Refused {
        let method: String
        let path: String
        let body: String
        let limit: String
    }

    private static let five = #"[{"id":"a"},{"id":"v"},{"id":"w"},{"id":"x"},{"id":"y"}]"#
    private static let two = #"[{"id":"x"},{"id":"y"}]"#
    private static let lists = "clientListsMax"
    private static let items = "clientItemsMax"

    /// The list `full` has three of four items, and there is one list of two left but for `empty`.
    private static let refused = [
        Refused(method: "POST", path: "/v1/lists", body: #"{"title":"more"}"#, limit: lists),
        Refused(method: "PUT", path: "/v1/lists/more", body: "{}", limit: lists),
        Refused(method: "PUT", path: "/v1/lists/more?dryRun=true", body: "{}", limit: lists),
        Refused(method: "POST", path: "/v1/samples/mountains", body: "{}", limit: lists),
        Refused(
            method: "PUT", path: "/v1/lists/full", body: #"{"sections":[{"id":"s","items":\#(five)}]}"#, limit: items),
        Refused(method: "PUT", path: "/v1/lists/full/sections/s", body: #"{"items":\#(five)}"#, limit: items),
        Refused(method: "PUT", path: "/v1/lists/full/sections/t", body: #"{"items":\#(two)}"#, limit: items),
        Refused(method: "POST", path: "/v1/lists/full/items", body: #"{"items":\#(two)}"#, limit: items),
        Refused(
            method: "POST", path: "/v1/lists/full/transactions",
            body: #"{"operations":[{"op":"appendItems","items":\#(two)}]}"#, limit: items),
        Refused(
            method: "PATCH", path: "/v1/lists/full/items/a",
            body: #"{"content":{"text":"\#(String(repeating: "x", count: 1 << 20))"}}"#,
            limit: "clientStoredMebibytesMax"),
    ]

    private static let options = [
        "--client-lists-max", "2", "--client-items-max", "4", "--client-stored-mebibytes-max", "1",
        "--content-bytes-max", "2000000", "--body-bytes-max", "4000000",
    ]

    private static func token(_ client: HTTPClient, _ name: String, _ right: String, by secret: String) throws -> String
    {
        let made = try client.send(
            "POST", "/v1/tokens", [("Authorization", "Bearer \(secret)")],
            json: #"{"name":"\#(name)","grants":[{"lists":["*"],"can":["\#(right)"]}]}"#)
        return try #require(try JSONValue(parsing: made.body)["token"]?.string, "\(made.text)")
    }

    private func expectQuotaReached(_ answer: RawResponse, _ limit: String, _ what: String) throws {
        let problem = try JSONValue(parsing: answer.body)
        #expect(answer.status == 413 && problem["code"]?.string == "quota_reached", "\(what): \(answer.text)")
        #expect(problem["limit"]?["name"]?.string == limit, "\(what): \(answer.text)")
        #expect(answer["Retry-After"] == nil)
    }

    @Test(arguments: Place.allCases)
    func aTokenKeepsWhatItMay(_ place: Place) throws {
        let folder = try TemporaryFolder()
        let arguments =
            switch place {
            case .memory: ["--memory"]
            case .folder: ["--data", folder.path]
            case .database: try ["--store", PostgreSQLServer.shared.url(PostgreSQLServer.shared.newDatabase())]
            }
        var server = try ServerProcess(arguments + Self.options)
        let admin = try Self.token(server.client, "admin", "administer", by: "none")
        let ada = [("Authorization", "Bearer \(try Self.token(server.client, "ada", "administer", by: admin))")]
        let bob = [("Authorization", "Bearer \(try Self.token(server.client, "bob", "administer", by: admin))")]
        func put(_ list: String, _ fields: [(String, String)], _ body: String = "{}") throws -> Int {
            try server.client.send("PUT", "/v1/lists/\(list)", fields, json: body).status
        }
        let full = #"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"},{"id":"c"}]}]}"#
        #expect(try put("full", ada, full) == 201)
        #expect(try put("empty", ada) == 201)
        #expect(try put("of-bob", bob) == 201)

        let isKept = place != .memory
        for round in 0..<(isKept ? 2 : 1) {
            if round == 1 {
                server.crash()
                server = try ServerProcess(arguments + Self.options)
                // The lists of a folder are counted beside other work.
                for _ in 0..<3_000 {
                    if try put("more?dryRun=true", ada) == 413 { break }
                    usleep(10_000)
                }
            }
            // A server looks at its database beside its writes, and misses what is in flight then. After a start it has
            // looked, and nothing is.
            guard place != .database || round == 1 else { continue }
            let before = try server.client.send("GET", "/v1/lists/full", ada)
            for one in Self.refused {
                let answer = try server.client.send(one.method, one.path, ada, json: one.body)
                try expectQuotaReached(answer, one.limit, "\(one.method) \(one.path)")
            }
            // The list counts for who has made it.
            let others = try server.client.send(
                "POST", "/v1/lists/full/items", bob, json: #"{"items":\#(Self.two)}"#)
            try expectQuotaReached(others, Self.items, "bob")
            let after = try server.client.send("GET", "/v1/lists/full", ada)
            #expect(before.body == after.body && before["ETag"] == after["ETag"])
            #expect(try server.client.send("GET", "/v1/lists/more", ada).status == 404)
        }

        // What does not grow passes, others have room, and deleting makes room.
        #expect(try server.client.send("PUT", "/v1/lists/full/items/a/star", ada).status == 200)
        #expect(try put("of-bob-2", bob, full) == 201)
        #expect(try server.client.send("DELETE", "/v1/lists/full/items/b", ada).status == 200)
        let added = try server.client.send("POST", "/v1/lists/full/items", ada, json: #"{"items":\#(Self.two)}"#)
        #expect(added.status == 200)
        let undone = try server.client.send("POST", "/v1/lists/full/undo", ada, json: "{}")
        #expect(undone.status == 200)
        #expect(try server.client.send("DELETE", "/v1/lists/empty", ada).status == 204)
        #expect(try put("more", ada) == 201)
        if place != .database {
            let restored = try server.client.send("POST", "/v1/lists/empty/restore", ada, json: "{}")
            try expectQuotaReached(restored, Self.lists, "restore")
        }

        let metrics = try server.client.send("GET", "/metrics", [("Authorization", "Bearer \(admin)")]).text
        let row = #"liststate_refusals_total{code="quota_reached"} "#
        let count = metrics.split(separator: "\n").first { $0.hasPrefix(row) }.flatMap { Int($0.dropFirst(row.count)) }
        #expect((count ?? 0) > Self.refused.count)
        #expect(server.stop() == 0)
    }

    /// A client that asks on for room has soon used up its writes.
    @Test func aRefusalForLackOfRoomCountsAsTwentyWrites() throws {
        let server = try ServerProcess(["--memory", "--client-lists-max", "1", "--client-writes-per-minute", "100"])
        let admin = try Self.token(server.client, "admin", "administer", by: "none")
        let ada = [("Authorization", "Bearer \(try Self.token(server.client, "ada", "administer", by: admin))")]
        func statuses(_ count: Int, _ method: String, _ path: String) throws -> [Int] {
            try (0..<count).map { _ in try server.client.send(method, path, ada, json: "{}").status }
        }
        #expect(try statuses(3, "PUT", "/v1/lists/one") == [201, 200, 200])
        #expect(try statuses(6, "POST", "/v1/lists") == [413, 413, 413, 413, 413, 429])
        #expect(server.stop() == 0)
    }
}
