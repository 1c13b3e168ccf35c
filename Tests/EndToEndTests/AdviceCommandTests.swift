import Foundation
import TestSupport
import Testing

/// The messages of commands about a folder or file that is missing, damaged or of another kind.
@Suite struct AdviceCommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    /// Runs a command that must fail, and returns its message.
    private func run(_ arguments: String..., code: Int32) throws -> String {
        let result = try ServerProcess.run(arguments)
        #expect(result.exitCode == code, "\(arguments): \(result.output) \(result.errors)")
        return result.errors
    }

    private func serve(_ name: String) throws -> ServerProcess { try ServerProcess(["--data", path(name)]) }

    /// The message names the file, and no store is made.
    @Test(arguments: [
        (nil, 74, "copy: No such file or directory."), ("text", 65, "copy is no copy of a store"),
        (#"{"liststate":"export","format":1}"#, 65, "copy is no copy of a store, but an export: `liststate import "),
    ])
    func whatIsNoCopyIsNamed(text: String?, code: Int32, part: String) throws {
        try text?.write(toFile: path("copy"), atomically: true, encoding: .utf8)
        for command in [["restore"], ["restore", "--repair"], ["verify"]] {
            let target = command[0] == "restore" ? ["--data", path("b")] : []
            let result = try ServerProcess.run(command + target + [path("copy")])
            #expect(result.exitCode == code && result.errors.contains(path(part)), "\(command): \(result)")
        }
        #expect(!FileManager.default.fileExists(atPath: path("b")))
        guard text != nil else { return }
        #expect(try run("export", "--data", path("copy"), code: code).contains(path(part)))
    }

    /// The database of another program begins as a copy does. The message must not show the temporary name under which
    /// the file is examined.
    @Test func anotherDatabaseIsNoCopy() throws {
        let server = try serve("a")
        #expect(server.stop() == 0)
        var bytes = try Data(contentsOf: URL(filePath: path("a/liststate.db"))).prefix(4096)
        bytes[100..<4096] = Data(count: 3996)
        try bytes.write(to: URL(filePath: path("copy")))
        for command in [["restore"], ["restore", "--repair"], ["verify"]] {
            let target = command[0] == "restore" ? ["--data", path("b")] : []
            let result = try ServerProcess.run(command + target + [path("copy")])
            #expect(result.exitCode == 65 && result.errors.contains(path("copy")), "\(command): \(result)")
            #expect(!result.errors.contains("liststate.db"), "\(command): \(result)")
        }
        // No store can be repaired from it either, so no repair is proposed.
        try bytes.write(to: URL(filePath: path("a/liststate.db")))
        for command in [["verify"], ["verify", "--repair"]] {
            let result = try ServerProcess.run(command + ["--data", path("a")])
            #expect(result.exitCode == 65 && result.errors.contains("beyond repair"), "\(command): \(result)")
        }
    }

    @Test func aBackupNamesTheFolderThatIsNotThere() throws {
        let server = try serve("a")
        let said = "No copy could be made: there is no folder \(path("none"))."
        #expect(try run("backup", "--data", path("a"), path("none/copy"), code: 74).contains(said))
        #expect(server.stop() == 0)
        #expect(try run("backup", "--data", path("a"), path("none/copy"), code: 74).contains(said))
    }

    /// A server that finds damage while it makes a backup names the folder as the command knows it, not as the server
    /// does.
    @Test func aServerThatCopiesDamageSaysWhatToDo() throws {
        let content = String(repeating: "x", count: 2_000)
        let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k","content":{"n":"\#(content)"}}]}]}"#
        let first = try serve("a")
        #expect(try first.client.send("PUT", "/v1/lists/l", json: start).status == 201)
        #expect(first.stop() == 0)
        // The restart has moved the list from the log into the database.
        let server = try serve("a")
        let database = try FileHandle(forUpdating: URL(filePath: path("a/liststate.db")))
        let bytes = try #require(try database.readToEnd())
        let place = try #require(bytes.range(of: Data("xxxxxxxx".utf8))).lowerBound
        try database.seek(toOffset: UInt64(place))
        try database.write(contentsOf: Data("y".utf8))
        for command in ["backup", "export"] {
            let said = try run(command, "--data", path("a"), path(command), code: 74)
            #expect(said.contains("verify --repair --data \(path("a"))`"), "\(said)")
            #expect(said.contains("Stop the server first."), "\(said)")
            #expect(!FileManager.default.fileExists(atPath: path(command)))
        }
        #expect(try server.client.send("GET", "/v1/lists/none").status == 404)
    }

    /// The proposed command can be pasted into a shell.
    @Test func aFolderWithASpaceIsOneWord() throws {
        let server = try serve("it's a")
        #expect(server.stop() == 0)
        try "text".write(toFile: path("it's a/liststate.db"), atomically: false, encoding: .utf8)
        let word = "'" + path("it's a").replacing("'", with: #"'\''"#) + "'"
        #expect(try run("export", "--data", path("it's a"), code: 65).contains("--data \(word)`"))
    }
}
