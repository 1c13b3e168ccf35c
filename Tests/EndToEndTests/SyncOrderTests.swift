import Foundation
import TestSupport
import Testing

/// An acknowledged write is on the disk. A kill does not test this, because the system's memory outlives the process.
@Suite struct SyncOrderTests {
    @Test("Each write is synchronized between its request and its answer") func order() throws {
        let counts = try synchronizations(with: [])
        #expect(counts.count == 21)
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    }

    /// The first write makes the write-ahead log, whose header is synchronized even so.
    @Test("No write waits for the disk with --durability async") func noOrder() throws {
        let counts = try synchronizations(with: ["--durability", "async"])
        #expect(counts.count == 21)
        #expect(counts.dropFirst().allSatisfy { $0 == 0 }, "\(counts)")
    }

    /// For each of 21 writes, the number of syncs between its request and its answer.
    private func synchronizations(with options: [String]) throws -> [Int] {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/trace"
        // With -D the server is our child process, not strace's.
        let calls = "fdatasync,fsync,sendto,sendmsg,write,writev,exit_group"
        let server = try ServerProcess(
            ["--data", folder.path + "/data"] + options,
            under: ["strace", "-D", "-f", "-qq", "-s", "16", "-e", "trace=\(calls)", "-o", trace])
        let client = server.client
        // Work that the server still does after an answer is done during these requests, and is not counted for the
        // next write.
        func pause() throws {
            for _ in 0..<5 { #expect(try client.send("GET", "/v1/lists/none").status == 404) }
        }

        try pause()
        let start = #"{"sections":[{"id":"s","items":[{"id":"a","kind":"k"}]}]}"#
        #expect(try client.send("PUT", "/v1/lists/l", json: start).status == 201)
        for _ in 0..<20 {
            try pause()
            #expect(try client.send("POST", "/v1/lists/l/items/a/star").status == 200)
        }
        #expect(server.stop() == 0)

        return try Self.synchronizations(trace)
    }

    /// For each write, the number of syncs that ended after the pause before it and before its answer.
    private static func synchronizations(_ trace: String) throws -> [Int] {
        var counts: [Int] = []
        var count = 0
        for line in try lines(trace) {
            if line.contains("sync"), line.hasSuffix("= 0") { count += 1 }
            if line.contains("\"HTTP/1.1 404") { count = 0 }
            if line.contains("\"HTTP/1.1 20") { counts.append(count) }
        }
        return counts
    }

    /// Waits for the last line of the tracer.
    private static func lines(_ trace: String) throws -> [Substring] {
        while true {
            let text = try String(contentsOfFile: trace, encoding: .utf8)
            guard !text.contains("exit_group(0)") else { return text.split(separator: "\n") }
            sched_yield()
        }
    }
}
