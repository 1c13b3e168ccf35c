import Foundation
import TestSupport
import Testing

/// The real binary on disks that are full, that fail, or that may not be written.
@Suite struct FaultTests {
    private static let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#

    @Test func aFullDiskRefusesWritesUntilThereIsRoom() throws {
        guard let disk = try SmallDisk(mebibytes: 4) else { return }
        let server = try ServerProcess(["--data", disk.folder.path + "/data"])
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        try disk.fill(true)
        var accepted = try #require(client.send("GET", "/v1/lists/l")["List-Version"])
        let content = String(repeating: "x", count: 20_000)
        var refused = 0
        for number in 0..<20 {
            let patch = #"{"content":{"n":\#(number),"text":"\#(content)"}}"#
            let answer = try client.send("PATCH", "/v1/lists/l/items/i", json: patch)
            if answer.status == 200 {
                accepted = try #require(answer["List-Version"])
            } else {
                #expect(answer.status == 507 && answer.text.contains("disk_full"), "\(answer.text)")
                refused += 1
            }
            #expect(try client.send("GET", "/v1/lists/l")["List-Version"] == accepted)
        }
        #expect(refused > 10)
        #expect(try client.send("GET", "/readyz").status == 200)
        try disk.fill(false)
        // The thread that gave the last refusal may still refuse later writes that were built on the refused ones.
        var resumed = try client.send("PUT", "/v1/lists/l/items/i/star")
        while resumed.status == 507, refused < 1_000 {
            refused += 1
            resumed = try client.send("PUT", "/v1/lists/l/items/i/star")
        }
        #expect(resumed.status == 200)
        server.crash()
        let again = try ServerProcess(["--data", disk.folder.path + "/data"])
        #expect(try again.client.send("GET", "/v1/lists/l")["List-Version"] == resumed["List-Version"])
        #expect(again.stop() == 0)
    }

    /// The first sync that fails ends all writing: the state of the disk is unknown, so no write is acknowledged.
    @Test func aFailedSyncEndsWriting() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/trace"
        let failing = "fdatasync,fsync:error=EIO:when=40+"
        let server = try ServerProcess(
            ["--data", folder.path + "/data"],
            under: ["strace", "-D", "-f", "-qq", "-e", "trace=fdatasync,fsync", "-e", "inject=\(failing)", "-o", trace])
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        #expect(try client.send("GET", "/readyz").status == 200)
        var last = ""
        var refused: RawResponse?
        for _ in 0..<60 where refused == nil {
            let answer = try client.send("POST", "/v1/lists/l/items/i/star")
            if answer.status == 200 { last = try #require(answer["List-Version"]) } else { refused = answer }
        }
        #expect(try #require(refused).status == 503)
        #expect(try client.send("GET", "/readyz").status == 503)
        #expect(try client.send("GET", "/healthz").status == 200)
        #expect(try client.send("GET", "/v1/lists/l")["List-Version"] == last)
        for _ in 0..<3 { #expect(try client.send("POST", "/v1/lists/l/items/i/star").status == 503) }
        let synced = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let failed = synced.firstIndex { $0.contains("EIO") } ?? synced.endIndex
        #expect(synced[failed...].allSatisfy { $0.contains("EIO") || !$0.contains("= 0") })
        server.crash()

        let again = try ServerProcess(["--data", folder.path + "/data"])
        let found = try #require(again.client.send("GET", "/v1/lists/l")["List-Version"])
        let number = { (version: String) in Int(version.split(separator: "-").last ?? "") ?? 0 }
        // The write without an answer may be there. No acknowledged write may be missing.
        #expect(number(found) == number(last) || number(found) == number(last) + 1)
        #expect(again.stop() == 0)
    }

    @Test func aFolderThatMayNotBeWrittenIsSaidSo() throws {
        guard let disk = try SmallDisk(mebibytes: 4) else { return }
        let path = disk.folder.path + "/data"
        let server = try ServerProcess(["--data", path])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        #expect(server.stop() == 0)
        #expect(mount("none", disk.folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
        let refused = try #require(throws: ServerProcess.NotReady.self) { try ServerProcess(["--data", path]) }
        #expect(refused.exitCode == 77)
        #expect(refused.said.contains("Cannot write in \(path)"), "\(refused.said)")
    }

    @Test func aSecondServerIsToldWhy() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path])
        let refused = try #require(throws: ServerProcess.NotReady.self) { try ServerProcess(["--data", folder.path]) }
        #expect(refused.exitCode == 75)
        #expect(refused.said.contains("Another process has the data in \(folder.path) open."))
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
    }
}
