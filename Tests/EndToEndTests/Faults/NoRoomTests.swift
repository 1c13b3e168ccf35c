import Foundation
import TestSupport
import Testing

/// Every error of the system that means no room counts as a full disk: of the disk, of a user's quota, or of a file's
/// size.
@Suite struct NoRoomTests {
    private static let list = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.enabled(if: FileCalls.isPossible), arguments: [ENOSPC, EDQUOT, EFBIG])
    func aServerGoesOnWhenThereIsRoomAgain(_ number: Int32) throws {
        let calls = try FileCalls(under: folder.path)
        let server = try ServerProcess(["--data", folder.path + "/data"], environment: try calls.environment())
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        calls.plan(.hasNoRoom(number), at: 1)
        let refused = try client.send("POST", "/v1/lists/l/items/i/star")
        #expect(refused.status == 507 && refused.text.contains("disk_full"), "\(refused.text)")
        #expect(calls.struckCount > 0)
        calls.endFault()
        // Requests that come while the refusal is still being sent may be refused too.
        var resumed = try client.send("POST", "/v1/lists/l/items/i/star")
        for _ in 0..<100 where resumed.status == 507 { resumed = try client.send("POST", "/v1/lists/l/items/i/star") }
        #expect(resumed.status == 200)
        server.crash()
        let again = try ServerProcess(["--data", folder.path + "/data"])
        #expect(try again.client.send("GET", "/v1/lists/l")["List-Version"] == resumed["List-Version"])
    }

    /// With `ulimit -f` the system sends a signal that ends the process, unless the process ignores it. Then the write
    /// fails.
    @Test(.enabled(if: canLimitFiles)) func aFileThatMayNotGrowIsAFullDisk() throws {
        let server = try ServerProcess(["--data", folder.path + "/data"], under: Self.limited(blocks: 400))
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        let content = String(repeating: "x", count: 60_000)
        var refused: RawResponse?
        for number in 0..<100 where refused == nil {
            let patch = #"{"content":{"n":\#(number),"text":"\#(content)"}}"#
            let answer = try client.send("PATCH", "/v1/lists/l/items/i", json: patch)
            if answer.status != 200 { refused = answer }
        }
        #expect(try #require(refused).status == 507)
        #expect(try client.send("GET", "/v1/lists/l").status == 200)
        #expect(try client.send("GET", "/readyz").status == 200)
        #expect(server.stop() == 0)
    }

    @Test(.enabled(if: canLimitFiles)) func aCommandWhoseFileMayNotGrowSaysSo() throws {
        let server = try ServerProcess(["--data", folder.path + "/data", "--samples"])
        #expect(server.stop() == 0)
        let data = ["--data", folder.path + "/data"]
        for command in ["export", "backup"] {
            let arguments = [command] + data + [folder.path + "/out"]
            let refused = try ServerProcess.run(arguments, under: Self.limited(blocks: 40))
            #expect(refused.exitCode == 74, "\(refused)")
            #expect(refused.errors.contains("liststate: "))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
            #expect(try ServerProcess.run(arguments).exitCode == 0)
            try FileManager.default.removeItem(atPath: folder.path + "/out")
        }
    }

    /// Whether files can be limited. They cannot under the thread sanitizer, which writes a file of its own when a
    /// process starts.
    private static let canLimitFiles = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil

    /// - Parameter blocks: The limit of a file's size in blocks of 512 bytes.
    private static func limited(blocks: Int) -> [String] { ["sh", "-c", #"ulimit -f \#(blocks); exec "$@""#, "sh"] }
}
