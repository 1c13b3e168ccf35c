import Foundation
import TestSupport
import Testing

/// A fault at every call by which a command changes files: a full disk, an error, or the end of the process.
///
/// Some of the calls are tried here, and all of them by `make soak-faultcalls`. After each fault the old data must
/// still be there. No unfinished file may be left, unless the process was killed. The command must succeed when it is
/// run again. Unfinished files are also looked for after a failure of the first and of the last call on each file.
@Suite(.enabled(if: FileCalls.isPossible)) struct EveryCallTests {
    static let faults: [FileCalls.Fault] = [
        .hasNoRoom(ENOSPC), .isKilled, .fails(EIO), .hasNoRoom(EDQUOT), .fails(ENOSPC), .hasNoRoom(EFBIG),
    ]

    /// The faults that do not end the process.
    static let failures: [FileCalls.Fault] = [.hasNoRoom(ENOSPC), .fails(EIO), .hasNoRoom(EDQUOT), .fails(ENOSPC)]

    /// A command, the thing that it makes, and a check of that thing.
    struct Command: Sendable, CustomTestStringConvertible {
        let name: String
        /// The arguments of the command in a folder with the files of `Scene`.
        let arguments: @Sendable (_ folder: String) -> [String]
        /// The name of the store or file that the command makes or changes.
        let result: String
        /// The exit code of the command when it has succeeded.
        var doneCode: Int32 = 0
        /// Whether the result is complete; nil if it does not exist.
        let isDone: @Sendable (Scene) throws -> Bool?
        var testDescription: String { name }
    }

    static let commands = [
        Command(name: "backup", arguments: { ["backup", "--data", $0 + "/a", $0 + "/out"] }, result: "out") { scene in
            try scene.has("out") ? scene.says(["verify", scene.path + "/out"], "is whole: 2 lists") : nil
        },
        Command(name: "export", arguments: { ["export", "--data", $0 + "/a", $0 + "/out"] }, result: "out") { scene in
            scene.has("out") ? try String(contentsOfFile: scene.path + "/out", encoding: .utf8) == scene.lines : nil
        },
        Command(name: "restore", arguments: { ["restore", "--data", $0 + "/b", $0 + "/copy"] }, result: "b") { scene in
            try scene.has("b/liststate.db") ? scene.exported("b") == scene.lines : nil
        },
        Command(name: "import", arguments: { ["import", "--data", $0 + "/b", $0 + "/lines"] }, result: "b") { scene in
            try scene.has("b/liststate.db") ? scene.exported("b") == scene.lines : nil
        },
        Command(
            name: "migrate", arguments: { ["migrate", "--from", Scene.database, "--to", $0 + "/b"] }, result: "b"
        ) { scene in
            guard scene.has("b/liststate.db") else { return nil }
            return try scene.exported("b") == scene.lines
                && scene.says(["verify", "--data", scene.path + "/b"], "is whole")
        },
        Command(
            name: "compact", arguments: { ["compact", "--data", $0 + "/a", "--history-versions-max", "3"] }, result: "a"
        ) { scene in
            try scene.exported("a") == scene.lines && scene.says(["verify", "--data", scene.path + "/a"], "is whole")
        },
        // The copy has a write-ahead log beside it.
        Command(
            name: "restore --repair",
            arguments: { ["restore", "--repair", "--data", $0 + "/b", $0 + "/damaged/liststate.db"] }, result: "b",
            doneCode: 72
        ) { scene in
            guard scene.has("b/liststate.db") else { return nil }
            let says = try scene.says(["verify", "--data", scene.path + "/b"], "is whole")
            return try says && scene.exported("b") == scene.kept
        },
        Command(
            name: "verify --repair", arguments: { ["verify", "--repair", "--data", $0 + "/damaged"] },
            result: "damaged", doneCode: 72
        ) { scene in
            let says = try scene.says(["verify", "--data", scene.path + "/damaged"], "is whole")
            return try says && scene.exported("damaged") == scene.kept
        },
    ]

    @Test(arguments: commands) func aCommandIsRunAgain(_ command: Command) throws {
        let calls = try FileCalls(under: Scene.parent)
        calls.endFault()
        let scene = try Scene()
        let first = try scene.run(command, try calls.environment())
        #expect(first.exitCode == command.doneCode, "\(first.errors)")
        #expect(try command.isDone(scene) == true)
        #expect(calls.count > 10)
        let all = calls.count
        let firstAndLast = calls.firstAndLast
        for (number, call) in stride(from: 1, through: all, by: Soak.faultCallStride).enumerated() {
            for fault in Soak.faultCallStride == 1 ? Self.faults : [Self.faults[number % Self.faults.count]] {
                try strike(command, fault, at: call, calls)
            }
        }
        guard Soak.faultCallStride > 1 else { return }
        for (number, call) in firstAndLast.sorted().enumerated() {
            _ = try fail(command, Self.failures[number % Self.failures.count], at: call, calls)
        }
    }

    /// Tries every moment in which one file takes the place of another.
    @Test func aRepairThatIsKilledAsItEndsLosesNothing() throws {
        let calls = try FileCalls(under: Scene.parent)
        let command = try #require(Self.commands.last)
        calls.plan(.fails(0), at: 0)
        _ = try Scene().run(command, try calls.environment())
        let all = calls.count
        for call in max(1, all - 24)...all { try strike(command, .isKilled, at: call, calls) }
    }

    private func strike(_ command: Command, _ fault: FileCalls.Fault, at call: Int, _ calls: FileCalls) throws {
        let (scene, struck) = try fail(command, fault, at: call, calls)
        let place: Comment = "\(command.name): \(fault) at call \(call)"
        if struck.exitCode == command.doneCode { #expect(try command.isDone(scene) == true, "\(place)") }
        #expect(try scene.isUnchanged("a") || scene.exported("a") == scene.lines, "\(place)")
        #expect(try command.result == "damaged" || scene.isUnchanged("damaged"), "\(place)")
        let again = try scene.run(command, [:])
        let wasDone = again.exitCode != 0 && ["already", "exists"].contains(where: again.errors.contains)
        #expect(
            again.exitCode == 0 || again.exitCode == command.doneCode || wasDone, "\(place): \(struck), then \(again)")
        #expect(try command.isDone(scene) == true, "\(place): \(struck), then \(again)")
    }

    /// Runs a command with a fault, and checks its message and the files that are left.
    private func fail(
        _ command: Command, _ fault: FileCalls.Fault, at call: Int, _ calls: FileCalls
    ) throws -> (Scene, (exitCode: Int32, output: String, errors: String)) {
        let scene = try Scene()
        let place: Comment = "\(command.name): \(fault) at call \(call)"
        let before = try scene.names()
        calls.plan(fault, at: call)
        let struck = try scene.run(command, try calls.environment())
        guard struck.exitCode != SIGKILL else { return (scene, struck) }
        #expect(struck.exitCode == command.doneCode || struck.exitCode >= 64, "\(place): \(struck)")
        #expect(struck.exitCode == 0 || struck.errors.contains("liststate: "), "\(place): \(struck)")
        let made = try scene.names().subtracting(before).filter {
            try !Self.mayStay($0, command) && !($0.contains(".damaged-") && scene.isRepaired(command))
        }
        #expect(made.isEmpty, "\(place): \(struck), leaves \(made)")
        return (scene, struck)
    }

    /// Whether a file may be left: the result itself, and the files of a store.
    private static func mayStay(_ name: String, _ command: Command) -> Bool {
        guard name != command.result else { return true }
        let file = name.split(separator: "/").last.map(String.init) ?? ""
        return [
            "liststate.db", "liststate.db-wal", "liststate.db.repaired", "acknowledged", "lock", "may-miss-commits",
        ]
        .contains(file)
    }
}

extension EveryCallTests {
    /// A folder with four things: a store that a crash has left, a copy of it, its lists as lines, and a damaged store.
    /// Some writes to the undamaged list of the damaged store are only in its log.
    final class Scene: Sendable {
        static let parent = FileManager.default.temporaryDirectory.appending(path: "every-call-").path
        let path: String
        let lines: String
        /// The list of the damaged store that a repair must keep.
        let kept: String

        init() throws {
            let made = try Self.made.get()
            path = Self.parent + UUID().uuidString
            try FileManager.default.copyItem(atPath: made.path, toPath: path)
            lines = try String(contentsOfFile: path + "/lines", encoding: .utf8)
            kept = try String(contentsOfFile: path + "/kept", encoding: .utf8)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

        /// Whether a store has the same files as before, byte for byte.
        func isUnchanged(_ store: String) throws -> Bool {
            let made = try Self.made.get()
            return FileManager.default.contentsEqual(atPath: path + "/" + store, andPath: made.path + "/" + store)
        }

        /// Whether a repair is done, or so far that the next process that opens the folder finishes it.
        func isRepaired(_ command: Command) throws -> Bool {
            try has(command.result + "/liststate.db.repaired") || command.isDone(self) == true
        }

        func names() throws -> Set<String> { Set(try FileManager.default.subpathsOfDirectory(atPath: path)) }

        func run(
            _ command: Command, _ environment: [String: String]
        ) throws -> (exitCode: Int32, output: String, errors: String) {
            try ServerProcess.run(command.arguments(path), environment: environment)
        }

        func exported(_ store: String) throws -> String {
            try ServerProcess.run(["export", "--data", path + "/" + store]).output
        }

        func says(_ arguments: [String], _ text: String) throws -> Bool {
            try ServerProcess.run(arguments).output.contains(text)
        }

        /// The URL of a database with the lists of the store `a`; empty if there is no PostgreSQL, which the tests need.
        static let database: String = {
            guard let server = try? PostgreSQLServer.shared, let name = try? server.newDatabase() else { return "" }
            return server.url(name)
        }()

        private static let made = Result<TemporaryFolder, any Error> {
            let folder = try TemporaryFolder()
            let path = { folder.path + "/" + $0 }
            let server = try ServerProcess(["--data", path("a")])
            // The list gets pages of its own, which no later write touches.
            let content = String(repeating: "x", count: 9_000)
            let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k","content":{"n":"\#(content)"}}]}]}"#
            for list in ["first", "second"] {
                try #require(server.client.send("PUT", "/v1/lists/\(list)", json: start).status == 201)
                for _ in 0..<6 {
                    try #require(server.client.send("POST", "/v1/lists/\(list)/items/i/star").status == 200)
                }
            }
            server.crash()
            try #require(ServerProcess.run(["migrate", "--from", path("a"), "--to", Scene.database]).exitCode == 0)
            try FileManager.default.copyItem(atPath: path("a"), toPath: path("damaged"))
            for command in [["backup", path("copy")], ["export", path("lines")]] {
                try #require(ServerProcess.run([command[0], "--data", path("a"), command[1]]).exitCode == 0)
            }
            // The stop moves the log into the database.
            try #require(ServerProcess(["--data", path("damaged")]).stop() == 0)
            let again = try ServerProcess(["--data", path("damaged")])
            for _ in 0..<5 {
                try #require(again.client.send("POST", "/v1/lists/first/items/i/star").status == 200)
            }
            again.crash()
            let export = ["export", "--data", path("damaged"), "--list", "first", path("kept")]
            try #require(ServerProcess.run(export).exitCode == 0)
            let database = URL(filePath: path("damaged/liststate.db"))
            var bytes = try Data(contentsOf: database)
            bytes[try #require(bytes.range(of: Data(content.utf8.prefix(4_000)), options: .backwards)).lowerBound] ^= 1
            try bytes.write(to: database)
            return folder
        }
    }
}

// MARK: - A server

extension EveryCallTests {
    /// A few writes of each kind, with a note of those that were acknowledged.
    private struct Session {
        var lists: Set<String> = []
        var isDeleted = false
        var number = 0
        var tried = 0

        mutating func run(_ client: HTTPClient) {
            func isDone(_ method: String, _ path: String, _ json: String = "") -> Bool {
                let answer = try? json.isEmpty ? client.send(method, path) : client.send(method, path, json: json)
                return answer.map { $0.status < 300 } ?? false
            }
            let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k","content":{"n":0}}]}]}"#
            for list in ["l", "m"] where isDone("PUT", "/v1/lists/\(list)", start) { lists.insert(list) }
            for number in 1...4 {
                tried = number
                if isDone("PATCH", "/v1/lists/l/items/i", #"{"content":{"n":\#(number)}}"#) { self.number = number }
            }
            isDeleted = isDone("DELETE", "/v1/lists/m")
        }

        /// Whether every acknowledged write is still there.
        func isKept(_ client: HTTPClient) throws -> Bool {
            for list in lists where list != "m" || !isDeleted {
                let status = try client.send("GET", "/v1/lists/\(list)").status
                // A deletion that failed may still have reached the disk.
                guard status == 200 || (list == "m" && status == 404) else { return false }
            }
            if isDeleted, try client.send("GET", "/v1/lists/m").status != 404 { return false }
            guard number > 0 else { return true }
            let text = try client.send("GET", "/v1/lists/l").text
            return (number...tried).contains { text.contains(#""n":\#($0)}"#) }
        }
    }

    @Test func aServerKeepsWhatItAcknowledged() throws {
        let calls = try FileCalls(under: Scene.parent)
        calls.endFault()
        try serve(calls, "no fault")
        #expect(calls.count > 30)
        let all = calls.count
        for (number, call) in stride(from: 1, through: all, by: Soak.faultCallStride).enumerated() {
            for fault in Soak.faultCallStride == 1 ? Self.faults : [Self.faults[number % Self.faults.count]] {
                calls.plan(fault, at: call)
                try serve(calls, "\(fault) at call \(call)")
            }
        }
    }

    private func serve(_ calls: FileCalls, _ place: Comment) throws {
        let path = Scene.parent + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        var session = Session()
        var isKilled = false
        do {
            let server = try ServerProcess(["--data", path], environment: try calls.environment())
            session.run(server.client)
            let code = server.stop()
            isKilled = code == SIGKILL
            #expect(code == 0 || isKilled, "\(place)")
        } catch let refusal as ServerProcess.NotReady {
            isKilled = refusal.exitCode == SIGKILL
            #expect(isKilled || refusal.said.contains("liststate: "), "\(place): \(refusal)")
        }
        if !isKilled, FileManager.default.fileExists(atPath: path) {
            let unfinished = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains(".new") }
            #expect(unfinished.isEmpty, "\(place): leaves \(unfinished)")
        }
        let again = try ServerProcess(["--data", path])
        #expect(try session.isKept(again.client), "\(place): \(session)")
        #expect(again.stop() == 0)
        let verified = try ServerProcess.run(["verify", "--data", path])
        #expect(verified.exitCode == 0, "\(place): \(verified)")
    }
}
