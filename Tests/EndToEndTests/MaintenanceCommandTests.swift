import Foundation
import TestSupport
import Testing

/// Backup, restore, export, import, verify and compact, as a user runs them.
@Suite struct MaintenanceCommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func run(_ arguments: String..., code: Int32 = 0) throws -> String {
        let result = try ServerProcess.run(arguments)
        #expect(result.exitCode == code, "\(arguments): \(result.output) \(result.errors)")
        return code == 0 ? result.output : result.output + result.errors
    }

    private func serve(_ name: String, _ options: String...) throws -> ServerProcess {
        try ServerProcess(["--data", path(name)] + options)
    }

    @Test func aBackupOfAServedFolderIsRestoredInNewEpochs() throws {
        let server = try serve("a", "--samples")
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k","content":{"n":1}}]}]}"#
        let first = try #require(server.client.send("PUT", "/v1/lists/l", json: start)["List-Version"])
        let second = try #require(server.client.send("POST", "/v1/lists/l/items/i/star")["List-Version"])
        #expect(try run("backup", "--data", path("a"), path("copy")).contains("was read and checked"))
        #expect(try run("backup", "--data", path("a"), path("copy"), code: 74).contains("is there already"))
        let third = try #require(server.client.send("POST", "/v1/lists/l/items/i/star")["List-Version"])
        #expect(try run("export", "--data", path("a"), path("lines")) == "")
        #expect(server.stop() == 0)

        _ = try run("restore", "--data", path("b"), path("copy"))
        let restored = try serve("b")
        let list = try restored.client.send("GET", "/v1/lists/l")
        #expect(list.text.contains(#""starred":true"#))
        #expect(list["List-Version"] != second)
        for version in [first, second, third] {
            let changes = try restored.client.send("GET", "/v1/lists/l/changes?since=\(version)")
            #expect(changes.text.contains(#""reset":true"#))
        }
        #expect(restored.stop() == 0)
        #expect(try run("restore", "--data", path("b"), path("copy"), code: 74).contains("is there already"))
        #expect(try run("verify", path("copy")).contains("is whole"))
        #expect(try run("verify", "--data", path("b")).contains("is whole"))
    }

    /// A content nests as deep as it may by itself, whatever a line of an export has around it.
    @Test func theDeepestContentIsExportedAndImported() throws {
        let deepest = String(repeating: #"{"a":"#, count: 31) + "{}" + String(repeating: "}", count: 31)
        let start = """
            {"title":"T","sections":[{"id":"s","header":\(deepest),"items":[{"id":"i","kind":"k","content":\(deepest)}]}]}
            """
        let server = try serve("a")
        #expect(try server.client.send("PUT", "/v1/lists/l", json: start).status == 201)
        let served = try server.client.send("GET", "/v1/lists/l").text
        #expect(
            try server.client.send("PUT", "/v1/lists/copy", json: served.replacing(#""id":"l","#, with: "")).status
                == 201)
        #expect(server.stop() == 0)
        _ = try run("export", "--data", path("a"), path("lines"))
        #expect(try run("import", "--data", path("b"), path("lines")).contains("2 lists"))
        #expect(try run("export", "--data", path("b")) == String(contentsOfFile: path("lines"), encoding: .utf8))

        let line = #"{"item":{"id":"i","kind":"k","content":{"a":\#(deepest)}}}"#
        let lines = [
            #"{"liststate":"export","format":1}"#, #"{"list":{"id":"l","title":"L"}}"#, #"{"section":{"id":"s"}}"#,
        ]
        try (lines + [line]).joined(separator: "\n").write(toFile: path("deeper"), atomically: true, encoding: .utf8)
        #expect(try run("import", "--data", path("c"), path("deeper"), code: 65).contains("Line 4"))
    }

    @Test func anExportIsImportedAsItWas() throws {
        let server = try serve("a", "--samples")
        let tree = """
            {"title":"T","layout":{"kind":"list"},"sections":[{"id":"s","title":"S","header":"H","reorderable":false,
            "items":[{"id":"p","kind":"k","expanded":true},{"id":"c\u{301}","parent":"p","kind":"k","starred":true,
            "content":{"n":1.50,"é":"\\u0000"}},{"id":"x","kind":"k","reorderable":false}]},{"id":"empty"}]}
            """
        #expect(try server.client.send("PUT", "/v1/lists/tree", json: tree).status == 201)
        _ = try run("export", "--data", path("a"), path("lines"))
        let bodies = try ["tree", "emoji-explorer"].map { try content(server.client.send("GET", "/v1/lists/\($0)")) }
        #expect(server.stop() == 0)
        #expect(try run("import", "--data", path("b"), path("lines")).contains("31 lists"))
        #expect(try run("import", "--data", path("b"), path("lines"), code: 73).contains("already"))
        #expect(try run("export", "--data", path("b")) == String(contentsOfFile: path("lines"), encoding: .utf8))
        #expect(try run("export", "--data", path("b"), "--list", "none", code: 66).contains("no list none"))
        let imported = try serve("b")
        #expect(
            try ["tree", "emoji-explorer"].map { try content(imported.client.send("GET", "/v1/lists/\($0)")) } == bodies
        )
    }

    /// What is in it, without its version.
    private func content(_ answer: RawResponse) throws -> Substring {
        let text = answer.text
        return text[try #require(text.range(of: #""sections""#)).lowerBound...]
    }

    @Test(arguments: [
        ("", "none"), ("{}", "does not begin"), (#"{"liststate":"export","format":1}"# + "\n[]", "no object of JSON"),
        (#"{"liststate":"export","format":1}"# + "\n" + #"{"list":{"id":"l","title":"L"}}"#, "end inside a list"),
        (#"{"liststate":"export","format":1}"# + "\n" + #"{"item":{"id":"l"}}"#, "Line 2"),
    ])
    func linesThatAreNoExportAreRefused(text: String, part: String) throws {
        try text.write(toFile: path("lines"), atomically: true, encoding: .utf8)
        #expect(try run("import", "--data", path("b"), path("lines"), code: 65).contains(part))
    }

    @Test func damageIsNamedAndMended() throws {
        let server = try serve("a")
        let content = String(repeating: "x", count: 2_000)
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k","content":{"n":"\#(content)"}}]}]}"#
        for list in ["first", "second"] {
            #expect(try server.client.send("PUT", "/v1/lists/\(list)", json: start).status == 201)
        }
        #expect(server.stop() == 0)
        let database = URL(filePath: path("a/liststate.db"))
        var bytes = try Data(contentsOf: database)
        let place = try #require(bytes.range(of: Data("xxxxxxxx".utf8), options: .backwards)).lowerBound
        bytes[place] ^= 1
        try bytes.write(to: database)

        let refused = try #require(throws: ServerProcess.NotReady.self) { try serve("a") }
        #expect(refused.exitCode == 65)
        #expect(refused.said.contains("list second, version 1"))
        #expect(try run("verify", "--data", path("a"), code: 65).contains("(list second, version 1) is damaged."))
        #expect(
            try run("verify", "--repair", "--data", path("a")).contains(
                "liststate.db.damaged-1 is the damaged database"))
        let mended = try serve("a")
        #expect(try mended.client.send("GET", "/v1/lists/first").status == 200)
        #expect(try mended.client.send("GET", "/v1/lists/second").status == 404)
    }

    @Test func compactKeepsWhatCanBeAskedFor() throws {
        let server = try serve("a")
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#
        var versions = [try #require(server.client.send("PUT", "/v1/lists/l", json: start)["List-Version"])]
        for _ in 0..<30 {
            versions.append(try #require(server.client.send("POST", "/v1/lists/l/items/i/star")["List-Version"]))
        }
        #expect(try run("compact", "--data", path("a"), code: 75).contains("Another process"))
        #expect(server.stop() == 0)
        _ = try run("compact", "--data", path("a"), "--history-versions-max", "10")
        #expect(try run("verify", "--data", path("a")).contains("1 lists, 10 rows"))
        let again = try serve("a")
        #expect(try again.client.send("GET", "/v1/lists/l")["List-Version"] == versions[30])
        let kept = try again.client.send("GET", "/v1/lists/l/changes?since=\(versions[20])").text
        let gone = try again.client.send("GET", "/v1/lists/l/changes?since=\(versions[19])").text
        #expect(!kept.contains(#""reset":true"#))
        #expect(gone.contains(#""reset":true"#))
        #expect(try again.client.send("GET", "/v1/lists/l?at=\(versions[20])").status == 200)
        #expect(try again.client.send("GET", "/v1/lists/l?at=\(versions[19])").status == 410)
    }

    @Test func nothingIsMadeOfAFolderThatIsNotThere() throws {
        for command in ["verify", "export"] {
            #expect(try run(command, "--data", path("none"), code: 74).contains("is not there"))
        }
        #expect(!FileManager.default.fileExists(atPath: path("none")))
    }
}
