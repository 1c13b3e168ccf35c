import Foundation
import JSONValue
import TestSupport
import Testing

/// Stores that earlier programs wrote go on as if their own program had been started again.
///
/// `OldStores/make.py` has made each folder in `OldStores` by the server of an earlier commit. Its `answers.json` says
/// what that server answered. A folder is kept for as long as its format is read.
@Suite struct OldStoreTests {
    /// The first format 2 has no subscriptions and no summaries, and the last one has both.
    static let stores = ["format-2-first", "format-2-last", "format-3-first"]
    /// The stores are older than what a server keeps by default.
    static let keeping = [
        "--receipt-age-seconds", "3000000000", "--deleted-days", "36500", "--subscription-days", "3650",
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A copy of a store, and what its own program answered.
    private func copied(_ name: String) throws -> (path: String, answers: JSONValue) {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "OldStores/\(name)")
        let path = folder.path + "/data"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for file in ["liststate.db", "acknowledged"] {
            try FileManager.default.copyItem(atPath: source.path + "/" + file, toPath: path + "/" + file)
        }
        return (path, try JSONValue(parsing: Array(Data(contentsOf: source.appending(path: "answers.json")))))
    }

    private func check(_ answers: JSONValue, _ client: HTTPClient, where isWanted: (String) -> Bool) throws {
        let reads = try #require(answers["reads"]).elements
        for read in reads {
            let path = try #require(read["path"]?.string)
            guard isWanted(path) else { continue }
            let answer = try client.send("GET", path)
            #expect(answer.status == 200, "\(path)")
            #expect(try JSONValue(parsing: answer.body) == read["answer"], "\(path)")
        }
        let retries = try #require(answers["retries"]).elements
        #expect(reads.count == 6 && retries.count == 4)
        for retry in retries {
            let body = Array(try #require(retry["body"]?.string).utf8)
            let fields = [
                ("Idempotency-Key", try #require(retry["key"]?.string)), ("Content-Type", "application/json"),
            ]
            let (method, path) = (try #require(retry["method"]?.string), try #require(retry["path"]?.string))
            let answer = try client.send(method, path, body.isEmpty ? [fields[0]] : fields, body: body)
            #expect(answer["Idempotency-Replayed"] == "true", "\(path)")
            #expect(try JSONValue(parsing: answer.body)["version"] == retry["version"], "\(path)")
        }
    }

    private func versions(_ client: HTTPClient) throws -> [JSONValue] {
        let answer = try client.send("GET", "/v1/lists/groceries/transactions")
        return try JSONValue(parsing: answer.body)["transactions"]?.elements.compactMap { $0["version"] } ?? []
    }

    @Test(arguments: stores) func itGoesOn(name: String) throws {
        let (path, answers) = try copied(name)
        #expect(try ServerProcess.run(["verify", "--data", path]).exitCode == 0)
        // Twice: the first start makes the format new.
        for _ in 0..<2 {
            let server = try ServerProcess(["--data", path] + Self.keeping)
            try check(answers, server.client) { _ in true }
            #expect(try versions(server.client) == answers["transactions"]?.elements)
            #expect(server.stop() == 0)
        }

        var server = try ServerProcess(["--data", path] + Self.keeping)
        let undoable = try #require(answers["undoable"]?.text)
        let undo = try server.client.send("POST", "/v1/lists/groceries/undo", json: #"{"transaction":\#(undoable)}"#)
        #expect(undo.status == 200 && undo.text.contains(#""changed":true"#), "\(undo.text)")
        let restored = try server.client.send("POST", "/v1/lists/gone/restore")
        let gone = try #require(answers["gone"]?.string)
        #expect(restored.status == 200, "\(restored.text)")
        let change = try server.client.send("GET", "/v1/lists/gone/changes?since=\(gone)")
        #expect(change.status == 200 && !change.text.contains(#""reset":true"#), "\(change.text)")
        server.crash()

        server = try ServerProcess(["--data", path] + Self.keeping)
        try check(answers, server.client) { $0.contains("?at=") || $0.hasSuffix("/long") }
        let head = try #require(undo["List-Version"])
        #expect(try server.client.send("GET", "/v1/lists/groceries")["List-Version"] == head)
        #expect(try server.client.send("GET", "/v1/lists/gone")["List-Version"] == restored["List-Version"])
        #expect(server.stop() == 0)
        #expect(try ServerProcess.run(["verify", "--data", path]).exitCode == 0)
    }

    @Test(arguments: ["format-2-last", "format-3-first"]) func streamsGoOn(name: String) throws {
        let (path, answers) = try copied(name)
        let location = try #require(answers["stream"]?.string)
        try #require(!location.isEmpty)
        for _ in 0..<2 {
            let server = try ServerProcess(["--data", path] + Self.keeping)
            let reset = try #require(try EventClient(port: server.port, location).next())
            #expect(reset.name == "reset" && reset.json["to"] == answers["reads"]?[0]?["answer"]?["version"])
            #expect(server.stop() == 0)
        }
    }

    /// Format 6 is the first one after 3 whose checksum has as many bytes in the row as that of 3.
    @Test func aNewerFormatIsRefused() throws {
        let path = try copied("format-3-first").path
        var database = try Data(contentsOf: URL(filePath: path + "/liststate.db"))
        let row = Data("format".utf8) + [3, 0x52, 0xD1, 0xA9, 0xCE]
        let place = try #require(database.range(of: row))
        database.replaceSubrange(place, with: Data("format".utf8) + [6, 0x3A, 0xF0, 0x56, 0x84])
        try database.write(to: URL(filePath: path + "/liststate.db"))
        for command in ["serve", "verify", "compact"] {
            let port = command == "serve" ? ["--port", "0"] : []
            let result = try ServerProcess.run([command, "--data", path] + port)
            #expect(result.exitCode == 76, "\(result)")
            #expect(result.errors.contains("has format 6, and this program knows formats up to 3"), "\(result)")
            #expect(result.errors.contains("A newer program wrote it: use that one."), "\(result)")
        }
        #expect(try Data(contentsOf: URL(filePath: path + "/liststate.db")) == database)
    }
}
