import Foundation
import JSONValue
import TestSupport
import Testing

/// `liststate migrate`, as a user runs it.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct MigrateCommandTests {
    private let folder: TemporaryFolder
    private let database: PostgreSQLServer

    init() throws { (folder, database) = (try TemporaryFolder(), try PostgreSQLServer.shared) }

    private func path(_ name: String) -> String { folder.path + "/" + name }
    private func newURL() throws -> String { try database.url(database.newDatabase()) }

    @discardableResult
    private func migrate(_ from: String, _ to: String, code: Int32 = 0) throws -> String {
        let result = try ServerProcess.run(["migrate", "--from", from, "--to", to])
        #expect(result.exitCode == code, "\(result)")
        return code == 0 ? result.output : result.errors
    }

    // MARK: What clients notice

    private static let start = #"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]},{"id":"t"}]}"#
    private static let requests = [
        ("/v1/lists/l/items", #"{"items":[{"content":{"n":1}},{}],"section":"t"}"#),
        ("/v1/lists/l/items/a/star", ""),
        ("/v1/lists/l/transactions", #"{"operations":[{"op":"moveItem","item":"a","after":"b"}]}"#),
    ]

    private static func send(_ number: Int, _ client: HTTPClient) throws -> RawResponse {
        try client.send(
            "POST", requests[number].0, [("Idempotency-Key", "k\(number)"), ("Content-Type", "application/json")],
            body: Array(requests[number].1.utf8))
    }

    @Test func clientsGoOnThereAndBack() throws {
        let url = try newURL()
        var server = try ServerProcess(["--data", path("a")])
        let first = try #require(server.client.send("PUT", "/v1/lists/l", json: Self.start)["List-Version"])
        #expect(try server.client.send("PUT", "/v1/lists/m", json: Self.start).status == 201)
        let answers = try Self.requests.indices.map { try Self.send($0, server.client) }
        #expect(answers.allSatisfy { $0.status < 300 })
        #expect(try server.client.send("DELETE", "/v1/lists/m").status == 204)
        let subscription = try server.client.send(
            "POST", "/v1/changes", [("Content-Type", "application/json"), ("Prefer", "respond-async")],
            body: Array(#"{"lists":[{"list":"l"}]}"#.utf8))
        let location = try #require(subscription["Location"])
        let reset = try #require(try EventClient(port: server.port, location).next())
        let paths = [
            "/v1/lists/l", "/v1/lists/l/changes?since=\(first)", "/v1/lists/l/transactions",
            "/v1/lists/l?at=\(first)", "/v1/lists?deleted=true",
        ]
        let before = try paths.map { try server.client.send("GET", $0) }
        #expect(before.allSatisfy { $0.status == 200 } && !before[1].text.contains(#""reset":true"#))
        #expect(server.stop() == 0)

        #expect(try migrate(path("a"), url).contains("has 2 lists, 3 answers for retries and 1 other records"))
        #expect(try migrate(url, path("b")).contains("has 2 lists, 3 answers for retries and 1 other records"))
        #expect(try ServerProcess.run(["verify", "--data", path("b")]).output.contains("is whole: 2 lists"))

        for place in [["--store", url], ["--data", path("b")]] {
            server = try ServerProcess(place)
            for (path, reply) in zip(paths, before) {
                #expect(try server.client.send("GET", path).text == reply.text, "\(place[0]): \(path)")
            }
            for (number, answer) in answers.enumerated() {
                let retry = try Self.send(number, server.client)
                #expect(retry["Idempotency-Replayed"] == "true" && retry.text == answer.text, "\(place[0])")
            }
            let restored = try server.client.send("POST", "/v1/lists/m/restore")
            #expect(restored.status == 200 && restored["List-Version"]?.hasSuffix("-2") == true, "\(restored.text)")
            #expect(try server.client.send("POST", "/v1/lists/l/items/b/star").status == 200)
            let change = try #require(try EventClient(port: server.port, location, lastEventID: reset.id).next())
            #expect(change.name == "change" && change.json["from"] == reset.json["to"], "\(place[0])")
            #expect(server.stop() == 0)
        }
    }

    // MARK: Interruptions

    /// A run of the command that is ended after it has said a few times how far it is.
    private func interrupted(_ from: String, _ to: String, after lines: Int, _ signal: Int32) throws -> (Int32, String)
    {
        let process = Process()
        process.executableURL = ServerProcess.executable
        process.arguments = ["migrate", "--from", from, "--to", to]
        process.environment = ServerProcess.sanitizerOptions(isTraced: false)
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.runAlone()
        var said: [UInt8] = []
        while said.count(where: { $0 == UInt8(ascii: "\n") }) < lines,
            let byte = errors.fileHandleForReading.readData(ofLength: 1).first
        { said.append(byte) }
        kill(process.processIdentifier, signal)
        said += errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    /// `LISTSTATE_SOAK_MIGRATIONS` is the number of migrations, each with a few interruptions there and back.
    @Test func anInterruptedMigrationIsRunAgain() throws {
        let lines = (0..<1_500).map { number in
            """
            {"list":{"id":"l\(number)","title":"\(number)"}}
            {"section":{"id":"s"}}
            {"item":{"id":"a","kind":"item","content":{"n":\(number)}}}
            {"end":{"id":"l\(number)","sections":1,"items":1}}
            """
        }
        try (["{\"liststate\":\"export\",\"format\":1}"] + lines + [""]).joined(separator: "\n")
            .write(toFile: path("lines"), atomically: false, encoding: .utf8)
        try #require(ServerProcess.run(["import", "--data", path("a"), path("lines")]).exitCode == 0)
        let wanted = try versions(path("a"))
        try #require(wanted.count == 1_500)

        var random = SeededGenerator(seed: UInt64(Soak.number("LISTSTATE_MIGRATION_SEED") ?? 1))
        for round in 1...Soak.migrations {
            let (url, back) = (try newURL(), path("b\(round)"))
            for (from, to) in [(path("a"), url), (url, back)] {
                for _ in 0..<3 {
                    let signal = random.once(in: 3) ? SIGINT : SIGKILL
                    let (code, said) = try interrupted(from, to, after: random.below(10), signal)
                    let isStopped = code == 75 && said.contains("Run it again to go on") || code == signal
                    #expect(isStopped || code == 0, "\(code): \(said)")
                }
                #expect(try migrate(from, to).contains("has 1500 lists"))
            }
            #expect(try ServerProcess.run(["verify", "--data", back]).output.contains("is whole: 1500 lists"))
            #expect(try versions(back) == wanted)
        }
    }

    /// The version and the title of each list of a folder.
    private func versions(_ data: String) throws -> [String: String] {
        let server = try ServerProcess(["--data", data])
        var versions: [String: String] = [:]
        var next: String? = "/v1/lists?limit=1000"
        while let path = next {
            let reply = try server.client.send("GET", path)
            for list in try JSONValue(parsing: reply.body)["lists"]?.elements ?? [] {
                versions[list["id"]?.string ?? ""] = "\(list["version"]?.string ?? "") \(list["title"]?.string ?? "")"
            }
            next = reply["Link"].flatMap { link in link.firstMatch(of: /<([^>]+)>; rel="next"/).map { String($0.1) } }
        }
        #expect(server.stop() == 0)
        return versions
    }
}
