import Foundation
import Glibc
import TestSupport
import Testing

/// The process ends within its grace even if a thread is stuck.
@Suite struct StopDeadlineTests {
    /// A loop in a call that does not return stands for a loop that computes.
    @Test func aLoopThatDoesNotComeBackDoesNotKeepTheProcess() throws {
        let folder = try TemporaryFolder()
        let stuck = folder.path + "/stuck"
        #expect(mkfifo(stuck, 0o600) == 0)
        let server = try ServerProcess(
            ["--memory", "--loops", "1", "--drain-grace-seconds", "0"],
            environment: try PreloadedLibrary(Self.source(saying: stuck), in: folder).environment)
        let client = try RawSocket(port: server.port)
        try client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        // This open returns when the server has opened the other end, so the server is in the call.
        _ = try #require(FileHandle(forReadingAtPath: stuck))
        kill(server.processIdentifier, SIGTERM)
        #expect(server.waitUntilEnd() == 75)
        let lines = server.log.split(separator: "\n").filter { $0.contains("Ended without having stopped") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains("1 of 1 loops run") && $0.contains("1 connections are open") })
    }

    /// A library in which nothing that is sent ever goes out. The first thread that sends opens the pipe.
    private static func source(saying pipe: String) -> String {
        """
        #include <fcntl.h>
        #include <sys/socket.h>
        #include <unistd.h>
        static ssize_t stay(void) { open("\(pipe)", O_WRONLY); for (;;) pause(); }
        ssize_t sendmsg(int socket, const struct msghdr *message, int flags) { return stay(); }
        ssize_t send(int socket, const void *bytes, size_t count, int flags) { return stay(); }
        """
    }
}
