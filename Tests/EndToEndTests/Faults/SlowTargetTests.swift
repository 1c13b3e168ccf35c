import Foundation
import TestSupport
import Testing

/// A disk for backups that does not answer holds nothing else up.
@Suite(.enabled(if: FileCalls.isPossible)) struct SlowTargetTests {
    private static let list = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#

    private let data: TemporaryFolder
    private let target: TemporaryFolder
    private let calls: FileCalls

    init() throws {
        data = try TemporaryFolder()
        target = try TemporaryFolder()
        calls = try FileCalls(under: target.path)
    }

    /// Runs `body` while a server makes a backup that is stuck in a call that writes to the target.
    private func stuck(_ body: (ServerProcess, Process) throws -> Void) throws {
        let server = try ServerProcess(
            ["--data", data.path + "/data", "--drain-grace-seconds", "2"], environment: try calls.environment())
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        // Three calls remove the rest of an earlier backup, and one makes the file. The fifth one writes.
        calls.plan(.waits, at: 5)
        let backup = try ServerProcess.start(["backup", "--data", data.path + "/data", target.path + "/copy"])
        calls.wait { $0.struckCount > 0 || !backup.isRunning }
        defer { calls.openGate() }
        try body(server, backup)
    }

    @Test func writesGoOnWhileTheTargetDoesNotAnswer() throws {
        try stuck { server, backup in
            let client = server.client
            var last = ""
            for number in 0..<20 {
                let answer = try client.send("PATCH", "/v1/lists/l/items/i", json: #"{"content":{"n":\#(number)}}"#)
                #expect(answer.status == 200)
                last = try #require(answer["List-Version"])
            }
            #expect(try client.send("GET", "/readyz").status == 200)
            #expect(backup.isRunning)
            calls.openGate()
            backup.waitUntilExit()
            #expect(backup.terminationStatus == 0)
            #expect(server.stop() == 0)
            let restored = data.path + "/restored"
            #expect(try ServerProcess.run(["restore", "--data", restored, target.path + "/copy"]).exitCode == 0)
            // The backup has the last write, because writing to the target began only after that write was
            // acknowledged.
            let again = try ServerProcess(["--data", restored])
            let list = try again.client.send("GET", "/v1/lists/l")
            #expect(list.text.contains(#""n":19}"#))
            #expect(last != list["List-Version"])
        }
    }

    @Test func aStopEndsABackupAtOnce() throws {
        try stuck { server, backup in
            #expect(server.stop() == 0)
            backup.waitUntilExit()
            #expect(backup.terminationStatus == 74)
            let names = try FileManager.default.contentsOfDirectory(atPath: target.path)
            #expect(names == [])
        }
    }

    @Test func aBackupThatNobodyWaitsForEnds() throws {
        try stuck { server, backup in
            kill(backup.processIdentifier, SIGKILL)
            backup.waitUntilExit()
            calls.openGate()
            // The next backup waits until the server has finished with this one.
            let next = try ServerProcess.run(["backup", "--data", data.path + "/data", target.path + "/next"])
            #expect(next.exitCode == 0, "\(next.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["next"])
            #expect(server.stop() == 0)
        }
    }
}
