import Foundation
import JSONValue
import TestSupport
import Testing

/// The commands that are clients: `import` and `samples run`.
@Suite struct ClientCommandTests {
    private static let twoFaces = """
        # group: Faces
        # subgroup: cheerful
        1F600 ; fully-qualified # 😀 E1.0 first
        1F603 ; fully-qualified # 😃 E0.6 second
        """

    private func file(_ text: String, in folder: TemporaryFolder) throws -> String {
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent("emoji-test.txt")
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    @Test func importsAnOutlineAndChangesItLater() throws {
        let (server, folder) = (try ServerProcess(["--memory"]), try TemporaryFolder())
        let url = "http://127.0.0.1:\(server.port)"
        func run(_ text: String) throws -> (exitCode: Int32, output: String, errors: String) {
            try ServerProcess.run(["import", "unicode-emoji", file(text, in: folder), "--url", url, "--list", "faces"])
        }
        let first = try run(Self.twoFaces)
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(first.output.hasSuffix("-1: 2 emoji in 1 subgroups of 1 groups\n"))
        try #require(
            try server.client.send("POST", "/v1/lists/faces/items/group.faces/expand", json: "{}").status == 200)
        #expect(try run(Self.twoFaces).output.contains("-2: "), "Nothing has changed but what was expanded.")

        let third = try run(Self.twoFaces + "\n1F604 ; fully-qualified # 😄 E0.6 third")
        #expect(third.output.contains("-3: 3 emoji"))
        let list = try JSONValue(parsing: Array(server.client.send("GET", "/v1/lists/faces").text.utf8))
        let items = try #require(list["sections"]?[0]?["items"]).elements
        #expect(items.compactMap { $0["id"]?.string }.last == "emoji.1f604")
        #expect(items[0]["expanded"] == true)
    }

    @Test func saysWhyItCannotImport() throws {
        let (server, folder) = (try ServerProcess(["--memory"]), try TemporaryFolder())
        let url = "http://127.0.0.1:\(server.port)"
        let good = try file(Self.twoFaces, in: folder)
        let rows: [(arguments: [String], exitCode: Int32, says: String)] = [
            ([folder.path + "/none", "--url", url], 66, "No such file"),
            ([folder.path, "--url", url], 66, "directory"),
            ([good, "--url", url, "--list", "UPPER"], 64, "--list"),
            ([good, "--url", "ftp://127.0.0.1"], 64, "--url"),
            ([good, "--url", "http://127.0.0.1:\(server.port)/v2"], 64, "--url"),
            ([good, "--url", "http://no such host"], 64, "--url"),
        ]
        for row in rows {
            let run = try ServerProcess.run(["import", "unicode-emoji"] + row.arguments)
            #expect(run.exitCode == row.exitCode, "\(row.arguments): \(run.errors)")
            #expect(run.errors.contains(row.says), "\(row.arguments): \(run.errors)")
        }
        let bad = try ServerProcess.run(
            ["import", "unicode-emoji", file("# group: A\nhello", in: folder), "--url", url])
        #expect(bad.exitCode == 65)
        #expect(bad.errors.contains("line 2"))
        #expect(server.stop() == 0)
        let refused = try ServerProcess.run(
            ["import", "unicode-emoji", file(Self.twoFaces, in: folder), "--url", url])
        #expect(refused.exitCode == 69)
    }

    @Test func aRefusalIsPassedOn() throws {
        let (server, folder) = (try ServerProcess(["--memory", "--items-max", "3"]), try TemporaryFolder())
        let run = try ServerProcess.run(
            ["import", "unicode-emoji", file(Self.twoFaces, in: folder), "--url", "http://127.0.0.1:\(server.port)"])
        #expect(run.exitCode == 76)
        #expect(run.errors.contains("413"))
    }

    /// The server answers and closes the connection before it has read the whole body.
    @Test func aRefusalBeforeTheEndOfTheBodyIsPassedOn() throws {
        let limits = ["--body-bytes-max", "9", "--list-body-bytes-max", "9"]
        let (server, folder) = (try ServerProcess(["--memory"] + limits), try TemporaryFolder())
        let lines = (0x4E00..<0x6E00).map { "\(String($0, radix: 16)) ; fully-qualified # x E1.0 number \($0)" }
        let many = try file("# group: A\n# subgroup: b\n" + lines.joined(separator: "\n"), in: folder)
        let url = "http://127.0.0.1:\(server.port)"
        let run = try ServerProcess.run(["import", "unicode-emoji", many, "--url", url])
        #expect(run.exitCode == 76, "\(run.errors)")
        #expect(run.errors.contains("413"))
    }

    @Test("A sample that is missing is installed, and then moves", arguments: ["wifi", "insertion-sort"])
    func runs(_ sample: String) throws {
        let server = try ServerProcess(["--memory"])
        let run = try ServerProcess.run([
            "samples", "run", sample, "--url", "http://127.0.0.1:\(server.port)", "--every-milliseconds", "1",
            "--steps", "4", "--seed", "7",
        ])
        #expect(run.exitCode == 0, "\(run.errors)")
        let versions = run.output.split(separator: "\n").map { $0.suffix(2) }
        #expect(versions == ["-1", "-2", "-3", "-4"])
    }

    @Test("Insertion sort begins again when it is sorted")
    func beginsAgain() throws {
        let server = try ServerProcess(["--memory"])
        let run = try ServerProcess.run([
            "samples", "run", "insertion-sort", "--url", "http://127.0.0.1:\(server.port)", "--every-milliseconds",
            "1", "--steps", "30",
        ])
        #expect(run.exitCode == 0, "\(run.errors)")
        let revisions = run.output.split(separator: "\n").compactMap { Int($0.split(separator: "-").last ?? "") }
        #expect(revisions.count == 30)
        #expect(zip(revisions, revisions.dropFirst()).filter(==).count == 1, "Sorted once: \(revisions)")
        #expect(zip(revisions, revisions.dropFirst()).filter { $1 == $0 + 2 }.count == 1, "Shuffled once.")
    }

    @Test func onlyWhatMovesRuns() throws {
        for arguments in [["grid"], ["none"], ["wifi", "--steps", "0"], ["wifi", "--every-milliseconds", "0"]] {
            #expect(try ServerProcess.run(["samples", "run"] + arguments).exitCode == 64)
        }
        #expect(try ServerProcess.run(["samples"]).output.split(separator: "\n").count == 30)
    }
}
