import Foundation
import JSONValue
import TestSupport
import Testing

/// The commands backup, restore, export, import, verify and compact, as a user runs them.
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

    /// The whole folder is put back from a copy that was made with `cp` instead of `backup`.
    @Test func aFolderThatIsPutBackUsesNoVersionTwice() throws {
        let server = try serve("a")
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k","content":{"n":1}}]}]}"#
        let first = try #require(server.client.send("PUT", "/v1/lists/l", json: start)["List-Version"])
        #expect(server.stop() == 0)
        try FileManager.default.copyItem(atPath: path("a"), toPath: path("copy"))
        let later = try serve("a")
        let lost = try #require(later.client.send("POST", "/v1/lists/l/items/i/star")["List-Version"])
        #expect(lost.hasSuffix("-2"))
        #expect(later.stop() == 0)
        try FileManager.default.removeItem(atPath: path("a"))
        try FileManager.default.moveItem(atPath: path("copy"), toPath: path("a"))

        for _ in 1...2 {
            let again = try serve("a")
            let patch = #"{"content":{"n":2}}"#
            #expect(try again.client.send("PATCH", "/v1/lists/l/items/i", json: patch).status == 200)
            for version in [first, lost] {
                let list = try again.client.send("GET", "/v1/lists/l", [("If-None-Match", "\"\(version)\"")])
                #expect(list.status == 200, "\(version)")
                let changes = try again.client.send("GET", "/v1/lists/l/changes?since=\(version)")
                #expect(changes.text.contains(#""reset":true"#), "\(version)")
            }
            #expect(again.stop() == 0)
        }
        #expect(try run("verify", "--data", path("a")).contains("is whole"))
    }

    /// A folder keeps as much as it was last told to keep, through restarts, repairs and copies.
    @Test func aStartWithoutOptionsKeepsWhatWasKept() throws {
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#
        func star(_ server: ServerProcess, _ key: Int) throws -> Bool {
            let answer = try server.client.send("POST", "/v1/lists/l/items/i/star", [("Idempotency-Key", "\(key)")])
            return answer["Idempotency-Replayed"] == "true"
        }
        func oldest(_ server: ServerProcess) throws -> String? {
            let history = try JSONValue(parsing: server.client.send("GET", "/v1/lists/l/transactions?limit=100").body)
            return history["transactions"]?.elements.last?["version"]?.string?.split(separator: "-").last.map(
                String.init)
        }
        let first = try serve("a", "--history-versions-max", "7", "--receipts-max", "5")
        #expect(try first.client.send("PUT", "/v1/lists/l", json: start).status == 201)
        for key in 1...30 { #expect(try !star(first, key)) }
        #expect(try oldest(first) == "24")
        #expect(first.stop() == 0)
        // The defaults would keep everything.
        let second = try serve("a")
        for key in 31...33 { #expect(try !star(second, key)) }
        #expect(try oldest(second) == "27")
        #expect(try !star(second, 28))
        #expect(try star(second, 31))
        #expect(second.stop() == 0)
        // An option changes the setting for good. The other settings still hold.
        for options in [["--receipts-max", "9"], []] {
            let server = try ServerProcess(["--data", path("a")] + options)
            if !options.isEmpty { for key in 41...49 { #expect(try !star(server, key)) } }
            #expect(try star(server, 41))
            #expect(server.stop() == 0)
        }
        _ = try run("backup", "--data", path("a"), path("copy.db"))
        _ = try run("restore", "--data", path("b"), path("copy.db"))
        let restored = try serve("b")
        #expect(try star(restored, 41))
        for key in 51...59 { #expect(try !star(restored, key)) }
        #expect(try !star(restored, 49))
        #expect(restored.stop() == 0)
    }

    @Test func aDamagedMarkIsNamedAndMended() throws {
        let server = try serve("a")
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#
        let version = try #require(server.client.send("PUT", "/v1/lists/l", json: start)["List-Version"])
        #expect(server.stop() == 0)
        try "garbage".write(toFile: path("a/acknowledged"), atomically: false, encoding: .utf8)
        #expect(try run("verify", "--data", path("a"), code: 65).contains("acknowledged is damaged"))
        #expect(try run("verify", "--data", path("a"), "--repair").contains("every list goes on in a new epoch"))
        #expect(try run("verify", "--data", path("a")).contains("is whole"))
        let again = try serve("a")
        let list = try again.client.send("GET", "/v1/lists/l")
        #expect(list.status == 200 && list["List-Version"] != version)
        #expect(again.stop() == 0)
    }

    /// A content may have its full depth in an export, whatever the line has around it.
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
        #expect(try run("import", "--data", path("b"), path("lines")).contains("31 lists are new"))
        #expect(try run("import", "--data", path("b"), path("lines")).contains("31 were there already"))
        #expect(try run("export", "--data", path("b")) == String(contentsOfFile: path("lines"), encoding: .utf8))
        #expect(try run("export", "--data", path("b"), "--list", "none", code: 66).contains("no list none"))
        let imported = try serve("b")
        #expect(
            try ["tree", "emoji-explorer"].map { try content(imported.client.send("GET", "/v1/lists/\($0)")) } == bodies
        )
    }

    /// An import that was interrupted goes on where it ended. A list that exists with other content stays unchanged.
    @Test func anImportIsRunAgain() throws {
        func lines(_ lists: [(id: String, title: String)]) throws {
            let lists = lists.map { id, title in
                #"{"list":{"id":"\#(id)","title":"\#(title)"}}"# + "\n" + #"{"section":{"id":"s"}}"# + "\n"
                    + #"{"item":{"id":"i","kind":"k","content":{"n":1}}}"# + "\n"
                    + #"{"end":{"id":"\#(id)","sections":1,"items":1}}"#
            }
            try ([#"{"liststate":"export","format":1}"#] + lists).joined(separator: "\n")
                .write(toFile: path("lines"), atomically: true, encoding: .utf8)
        }
        try lines([("a", "A"), ("b", "B")])
        #expect(try run("import", "--data", path("d"), path("lines")).contains("2 lists are new"))
        try lines([("a", "A"), ("b", "other"), ("c", "C")])
        let mixed = try run("import", "--data", path("d"), path("lines"), code: 73)
        #expect(mixed.contains("1 list is new in \(path("d")); 1 were there already, with the same content."))
        #expect(mixed.contains("with other content, and left as they are: b."))
        let exported = try run("export", "--data", path("d"))
        #expect(exported.contains(#""title":"B""#) && exported.contains(#""title":"C""#))
        try lines([("a", "A"), ("b", "B"), ("c", "C")])
        #expect(try run("import", "--data", path("d"), path("lines")).contains("0 lists are new"))
        #expect(try run("export", "--data", path("d")) == String(contentsOfFile: path("lines"), encoding: .utf8) + "\n")
    }

    @Test(.enabled(if: FileCalls.isPossible)) func listsThatAreImportedShareSyncs() throws {
        var lines = #"{"liststate":"export","format":1}"# + "\n"
        for number in 0..<1_000 {
            lines += #"{"list":{"id":"l\#(number)","title":"L"}}"# + "\n"
            lines += #"{"end":{"id":"l\#(number)","sections":0,"items":0}}"# + "\n"
        }
        try lines.write(toFile: path("lines"), atomically: true, encoding: .utf8)
        let calls = try FileCalls(under: path("d"))
        let result = try ServerProcess.run(
            ["import", "--data", path("d"), path("lines")], environment: try calls.environment())
        #expect(result.output.contains("1000 lists are new"))
        #expect(calls.syncCount < 500)
    }

    /// A link to a folder is followed. A link to a file is refused if SQLite would look for the log in another place
    /// than we do.
    @Test func linksAreFollowedOrRefused() throws {
        let manager = FileManager.default
        let server = try serve("a")
        #expect(try server.client.send("PUT", "/v1/lists/l", json: #"{"sections":[]}"#).status == 201)
        server.crash()
        try manager.createSymbolicLink(atPath: path("folder"), withDestinationPath: path("a"))
        #expect(try run("export", "--data", path("folder")).contains(#""id":"l""#))
        let linked = try serve("folder")
        #expect(try linked.client.send("GET", "/v1/lists/l").status == 200)
        linked.crash()

        try manager.createDirectory(atPath: path("b"), withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: path("b/liststate.db"), withDestinationPath: path("a/liststate.db"))
        let refused = try #require(throws: ServerProcess.NotReady.self) { try serve("b") }
        #expect(refused.exitCode == 74)
        #expect(refused.said.contains("is a symbolic link"))
        for command in [["verify"], ["verify", "--repair"], ["export"], ["compact"], ["backup", path("copy")]] {
            let result = try ServerProcess.run([command[0], "--data", path("b")] + command.dropFirst())
            #expect(result.exitCode == 74 && result.errors.contains("is a symbolic link"), "\(command): \(result)")
        }
        // If the file is named directly, its log is beside the target of the link.
        try manager.createSymbolicLink(atPath: path("file"), withDestinationPath: path("a/liststate.db"))
        #expect(try run("verify", path("file")).contains("1 lists, 1 rows"))
        _ = try run("restore", "--data", path("c"), path("file"))
        #expect(try run("export", "--data", path("c")).contains(#""id":"l""#))
    }

    @Test func aCopyIsVerifiedWhereNothingCanBeWritten() throws {
        guard let disk = try SmallDisk(mebibytes: 8) else { return }
        let server = try serve("a", "--samples")
        let copy = disk.folder.path + "/copy?1%.db"
        _ = try run("backup", "--data", path("a"), copy)
        #expect(server.stop() == 0)
        _ = try run("restore", "--data", disk.folder.path + "/data", copy)
        #expect(try run("verify", "--data", disk.folder.path + "/data").contains("30 lists"))
        #expect(mount("none", disk.folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
        #expect(try run("verify", copy).contains("is whole: 30 lists"))
        #expect(try run("verify", "--data", disk.folder.path + "/data").contains("is whole: 30 lists"))
        #expect(try run("export", "--data", disk.folder.path + "/data") == run("export", "--data", path("a")))
        _ = try run("restore", "--data", path("c"), copy)
    }

    /// The content of an answer, without its version.
    private func content(_ answer: RawResponse) throws -> Substring {
        let text = answer.text
        return text[try #require(text.range(of: #""sections""#)).lowerBound...]
    }

    @Test(arguments: [
        ("", "no lines"), ("{}", "does not begin"),
        (#"{"liststate":"export","format":1}"# + "\n[]", "no object of JSON"),
        (#"{"liststate":"export","format":1}"# + "\n" + #"{"list":{"id":"l","title":"L"}}"#, "end inside a list"),
        (#"{"liststate":"export","format":1}"# + "\n" + #"{"item":{"id":"l"}}"#, "Line 2"),
    ])
    func linesThatAreNoExportAreRefused(text: String, part: String) throws {
        try text.write(toFile: path("lines"), atomically: true, encoding: .utf8)
        #expect(try run("import", "--data", path("b"), path("lines"), code: 65).contains(part))
        // No store is made from a file that does not begin as an export.
        let isExport = text.hasPrefix(#"{"liststate":"export","format":1}"#)
        #expect(FileManager.default.fileExists(atPath: path("b")) == isExport)
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

        // A copy is refused and repaired in the same way.
        let copy = path("a/liststate.db")
        #expect(
            try run("verify", copy, code: 65).contains("Run `liststate restore --repair \(copy) --data FOLDER`"))
        #expect(try run("verify", "--repair", copy, code: 64).contains("`liststate restore --repair \(copy) --data"))
        let notRestored = try run("restore", "--data", path("b"), copy, code: 65)
        #expect(notRestored.contains("\(copy) is damaged"))
        #expect(notRestored.contains("(list second, version 1) is damaged."))
        #expect(notRestored.contains("Run `liststate restore --repair \(copy) --data \(path("b"))`"))
        let restored = try run("restore", "--repair", "--data", path("b"), path("a/liststate.db"), code: 72)
        #expect(restored.contains("The list second is gone: nothing of it can be read."))
        #expect(try run("verify", "--data", path("b")).contains("is whole: 1 lists"))

        let refused = try #require(throws: ServerProcess.NotReady.self) { try serve("a") }
        #expect(refused.exitCode == 65)
        #expect(refused.said.contains("list second, version 1"))
        let wayOut = "Run `liststate verify --repair --data \(path("a"))`, or restore a backup"
        #expect(refused.said.contains(wayOut), "\(refused.said)")
        for command in [["export"], ["compact"], ["backup", path("copy")], ["verify"]] {
            let result = try ServerProcess.run([command[0], "--data", path("a")] + command.dropFirst())
            #expect(result.exitCode == 65 && result.errors.contains(wayOut), "\(command): \(result)")
        }
        #expect(try run("verify", "--data", path("a"), code: 65).contains("(list second, version 1) is damaged."))
        let mending = try run("verify", "--repair", "--data", path("a"), code: 72)
        #expect(mending.contains("liststate.db.damaged-1 is the damaged database"))
        #expect(mending.contains("The list second is gone: nothing of it can be read."))
        #expect(mending.contains("1 lists are whole."))
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
        // Every transaction that is kept has its actor, the first one too.
        func transactions() throws -> String {
            let server = try serve("a")
            defer { #expect(server.stop() == 0) }
            return try server.client.send("GET", "/v1/lists/l/transactions?limit=100").text
        }
        let before = try transactions()
        #expect(before.split(separator: #""version""#).count == 32)
        _ = try run("compact", "--data", path("a"))
        #expect(try transactions() == before)
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
        for command in [["verify"], ["verify", "--repair"], ["export"], ["compact"], ["backup", path("copy")]] {
            let result = try ServerProcess.run([command[0], "--data", path("none")] + command.dropFirst())
            #expect(result.exitCode == 74, "\(command): \(result)")
            let said = "\(path("none"))/liststate.db is not there. The folder of the store is named with --data"
            #expect(result.errors.contains(said), "\(command): \(result)")
        }
        #expect(!FileManager.default.fileExists(atPath: path("none")))
    }
}
