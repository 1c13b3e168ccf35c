import Foundation
import TestSupport
import Testing

/// A folder that another process has open.
@Suite(.enabled(if: FileCalls.isPossible)) struct LockTests {
    let folder: TemporaryFolder
    let calls: FileCalls

    init() throws {
        folder = try TemporaryFolder()
        calls = try FileCalls(under: folder.path)
    }

    @Test func aServerWaitsForACommand() throws {
        let data = folder.path + "/data"
        #expect(try ServerProcess(["--data", data]).stop() == 0)
        // The backup stops where it makes its copy, with the lock: what it does in the folder itself writes nothing.
        let target = try FileCalls(under: folder.path + "/copy")
        target.plan(.waits, at: 1)
        let backup = try ServerProcess.start(
            ["backup", "--data", data, folder.path + "/copy"], environment: try target.environment())
        target.wait { $0.struckCount > 0 || !backup.isRunning }
        let serve = try ServerProcess.start(
            ["serve", "--port", "0", "--data", data], environment: try calls.environment())
        // It has met the lock and tried again.
        calls.wait { $0.lockCount > 1 || !serve.isRunning }
        #expect(serve.isRunning)
        target.openGate()
        backup.waitUntilExit()
        #expect(backup.terminationStatus == 0)
        // It has the lock: only then the database is opened, and its log made durable.
        calls.wait { $0.syncCount > 0 || !serve.isRunning }
        #expect(serve.isRunning)
        kill(serve.processIdentifier, SIGTERM)
        serve.waitUntilExit()
    }

    @Test func aServerDoesNotWaitForAServer() throws {
        let server = try ServerProcess(["--data", folder.path])
        let refused = try #require(throws: ServerProcess.NotReady.self) {
            try ServerProcess(["--data", folder.path], environment: try calls.environment())
        }
        #expect(refused.exitCode == 75)
        #expect(refused.said.contains("server (process \(server.processIdentifier))"), "\(refused.said)")
        // The second look is for who has just taken the lock and not said so yet.
        #expect(calls.lockCount == 2)
    }
}
