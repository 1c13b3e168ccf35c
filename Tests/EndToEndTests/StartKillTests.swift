import Foundation
import TestSupport
import Testing

/// A kill while the data folder is being made, or while it is opened after a crash, does not keep the next start from
/// succeeding.
///
/// `strace` kills the server in each call that changes a file, one run after another. The port of the server is in use,
/// so the server ends by itself as soon as it has opened the folder.
@Suite struct StartKillTests {
    static let portIsTaken: Int32 = 69

    @Test("A first start that was killed can be repeated")
    func firstStart() throws {
        let neighbour = try ServerProcess(["--memory"])
        try Self.killEverywhere(["mkdir", "openat", "pwrite64", "fsync", "fdatasync", "rename", "unlink"]) { isKilled in
            let folder = try TemporaryFolder()
            let serve = ["serve", "--port", "\(neighbour.port)", "--data", folder.path + "/data"]
            let wasKilled = try isKilled(folder.path + "/data", serve)
            let again = try ServerProcess.run(serve)
            #expect(again.exitCode == Self.portIsTaken, "\(again.errors)")
            return wasKilled
        }
    }

    @Test("A start after a crash that was killed can be repeated, with everything there", arguments: [true, false])
    func laterStart(_ hasMark: Bool) throws {
        let neighbour = try ServerProcess(["--memory"])
        let start = #"{"sections":[{"id":"s","items":[{"id":"a","kind":"k"}]}]}"#

        try Self.killEverywhere(["openat", "pwrite64"]) { isKilled in
            let folder = try TemporaryFolder()
            let data = folder.path + "/data"
            // The folder is made anew for each run, because the server notices that a folder is a copy.
            let server = try ServerProcess(["--data", data])
            #expect(try server.client.send("PUT", "/v1/lists/l", json: start).status == 201)
            let starred = try server.client.send("POST", "/v1/lists/l/items/a/star", [("Idempotency-Key", "k")])
            server.crash()
            // A folder without the acknowledged mark, as a copy may be.
            if !hasMark { try FileManager.default.removeItem(atPath: data + "/acknowledged") }
            let wasKilled = try isKilled(data, ["serve", "--port", "\(neighbour.port)", "--data", data])
            let again = try ServerProcess(["--data", data])
            let repeated = try again.client.send("POST", "/v1/lists/l/items/a/star", [("Idempotency-Key", "k")])
            #expect(repeated["Idempotency-Replayed"] == "true")
            // Without a mark the list may continue in another epoch.
            #expect(!hasMark || repeated.body == starred.body)
            return wasKilled
        }
    }

    /// Calls `body` for each call of a start that is in `calls`, and for each occurrence of that call.
    ///
    /// - Parameter body: Runs the server with the function that it gets, and returns the result of that function:
    ///   whether the server was killed.
    static func killEverywhere(
        _ calls: [String], _ body: ((_ data: String, _ serve: [String]) throws -> Bool) throws -> Bool
    ) throws {
        for call in calls {
            var killCount = 0
            while try body({ data, serve in try isKilled(in: call, number: killCount + 1, data, serve) }) {
                killCount += 1
            }
            // A start makes each of these calls; otherwise nothing was tested.
            #expect(killCount > 0, "\(call)")
        }
    }

    /// Runs the server until it ends.
    ///
    /// - Returns: Whether it was killed at the occurrence `number` of `call` on a file of the folder.
    private static func isKilled(in call: String, number: Int, _ data: String, _ serve: [String]) throws -> Bool {
        let database = data + "/liststate.db"
        let files = [
            data, data + "/lock", data + "/acknowledged", data + "/acknowledged.new", data + "/may-miss-commits",
            database, database + ".new",
        ]
        let paths = files + ["-wal", "-shm", "-journal"].flatMap { [database + $0, database + ".new" + $0] }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):signal=SIGKILL:when=\(number)"]
            + paths.flatMap { ["-P", $0] } + [ServerProcess.executable.path] + serve
        process.environment = ServerProcess.sanitizerOptions(isTraced: true)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        process.waitUntilExit()
        guard process.terminationStatus != SIGKILL else { return true }
        try #require(process.terminationStatus == portIsTaken)
        return false
    }
}
