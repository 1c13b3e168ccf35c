import Foundation
import TestSupport
import Testing

/// The syncs of a copied file.
@Suite(.enabled(if: FileCalls.isPossible)) struct CopySyncTests {
    /// The ways in which a store is copied.
    enum Copying: CaseIterable {
        case backupByServer, backupByCommand, restore
    }

    private static let items = (0..<400).map { number in
        #"{"id":"i\#(number)","content":{"t":"\#(String(repeating: "x", count: 16_000))"}}"#
    }
    private static let list = #"{"sections":[{"id":"s","items":[\#(items.joined(separator: ","))]}]}"#

    /// A commit on the same disk waits for one part of the copy at most.
    @Test(arguments: Copying.allCases) func aCopyIsSynchronizedInParts(_ copying: Copying) throws {
        let folder = try TemporaryFolder()
        let (data, copy, restored) = (folder.path + "/data", folder.path + "/copy", folder.path + "/restored")
        let file = copying == .restore ? restored + "/liststate.db" : copy
        let calls = try FileCalls(under: file)
        let watched = try calls.environment()
        let server = try ServerProcess(["--data", data], environment: watched)
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        if copying != .backupByServer { #expect(server.stop() == 0) }
        let backup = try ServerProcess.run(["backup", "--data", data, copy], environment: watched)
        #expect(backup.exitCode == 0, "\(backup.errors)")
        if copying == .restore {
            let restore = try ServerProcess.run(["restore", "--data", restored, copy], environment: watched)
            #expect(restore.exitCode == 0, "\(restore.errors)")
        }
        let size = try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
        #expect(size > 6 << 20)
        #expect(calls.syncCount >= size >> 20)
    }
}
