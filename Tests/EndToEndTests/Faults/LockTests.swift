import Foundation
import TestSupport
import Testing

/// A start or a command in a folder that another process has open.
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
        // The backup stops at the first call on its copy, while it holds the lock. In the folder itself a backup writes
        // nothing.
        let target = try FileCalls(under: folder.path + "/copy")
        target.plan(.waits, at: 1)
        let backup = try ServerProcess.start(
            ["backup", "--data", data, folder.path + "/copy"], environment: try target.environment())
        target.wait { $0.struckCount > 0 || !backup.isRunning }
        let serve = try ServerProcess.start(
            ["serve", "--port", "0", "--data", data], environment: try calls.environment())
        // The server has found the folder locked and has tried again.
        calls.wait { $0.lockCount > 1 || !serve.isRunning }
        #expect(serve.isRunning)
        target.openGate()
        backup.waitUntilExit()
        #expect(backup.terminationStatus == 0)
        // A sync shows that the server has got the lock: only then it opens the database and makes its log durable.
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
        // The second try is there because a process that has just taken the lock has not written its name yet.
        #expect(calls.lockCount == 2)
    }
}
