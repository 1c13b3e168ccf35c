import Foundation
import TestSupport
import Testing
import Threads

@Suite struct LogTests {
    /// A pipe that the servers of other tests do not inherit.
    private static func newPipe() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }

    /// The pipe takes 64 KiB of a log that nobody reads, and the memory of the server some more. Requests go on.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aLogThatNobodyReadsHoldsUpNobody() throws {
        let pipe = Self.newPipe()
        let server = try ServerProcess(["--memory", "--log-level", "debug"], log: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let client = server.client
        let path = "/v1/" + String(repeating: "l", count: 200)
        for _ in 0..<4_000 { #expect(try client.send("GET", path).status == 404) }

        let log = Locked(Data())
        let reader = try Thread { [handle = pipe.fileHandleForReading] in
            let data = handle.readDataToEndOfFile()
            log.withLock { $0 = data }
        }
        #expect(server.stop() == 0)
        reader.join()
        let lines = String(decoding: log.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        let lost = lines.compactMap { $0.wholeMatch(of: /(\d+) lines of this log were lost, .*/).flatMap { Int($0.1) } }
        #expect(lost.count == 1)
        #expect(lines.count { $0.contains(path) } + lost.reduce(0, +) == 4_000)
    }

    /// Nobody reads it when the server stops either.
    @Test func aLogThatNobodyReadsHoldsUpNoStop() throws {
        let pipe = Self.newPipe()
        let server = try ServerProcess(["--memory", "--log-level", "debug"], log: pipe.fileHandleForWriting)
        let client = server.client
        for _ in 0..<1_000 { #expect(try client.send("GET", "/v1/lists/none").status == 404) }
        #expect(server.stop() == 0)
        #expect(try pipe.fileHandleForReading.read(upToCount: 4)?.count == 4)
    }
}
