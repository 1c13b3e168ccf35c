import Foundation
import Glibc
import TestSupport
import Testing

@testable import liststate

/// The socket on which a server is asked for backups.
@Suite(.enabled(if: FileCalls.isPossible)) struct ControlSocketTests {
    private let data: TemporaryFolder
    private let target: TemporaryFolder

    init() throws {
        data = try TemporaryFolder()
        target = try TemporaryFolder()
    }

    /// Asks for a backup and does not wait for the answer.
    private func ask(for path: String) throws -> LocalSocket {
        let socket = try #require(LocalSocket(connectedTo: data.path))
        #expect(socket.write("backup \(path)\n"))
        return socket
    }

    private func lastLine(of socket: LocalSocket) -> String? {
        var last: String?
        while let line = socket.readLine() { last = line }
        return last
    }

    /// A library in which the first tries to accept a command fail, each with an error that says what the system lacks
    /// at the moment. It ends the process if a try follows without a pause.
    private func library(failing tries: Int) throws -> PreloadedLibrary {
        let source = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <poll.h>
            #include <sys/socket.h>
            #include <unistd.h>
            static const int errors[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
            static unsigned tries;
            static int has_paused = 1;
            static int is_local(int socket) {
                struct sockaddr_storage address;
                socklen_t size = sizeof address;
                return getsockname(socket, (struct sockaddr *)&address, &size) == 0 && address.ss_family == AF_UNIX;
            }
            int accept(int socket, struct sockaddr *address, socklen_t *size) {
                int (*true_one)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "accept");
                if (!is_local(socket)) return true_one(socket, address, size);
                if (!has_paused) _exit(99);
                if (tries == \(tries)) return true_one(socket, address, size);
                has_paused = 0;
                errno = errors[tries++ % 4];
                return -1;
            }
            int poll(struct pollfd *files, nfds_t count, int milliseconds) {
                int (*true_one)(struct pollfd *, nfds_t, int) = dlsym(RTLD_NEXT, "poll");
                int ready = true_one(files, count, milliseconds);
                if (count == 1 && ready == 0 && is_local(files->fd)) has_paused = 1;
                return ready;
            }
            """
        return try PreloadedLibrary(source, in: target)
    }

    @Test func aLackOfDescriptorsOrMemoryPasses() throws {
        let server = try ServerProcess(["--data", data.path], environment: library(failing: 4).environment)
        let backup = try ServerProcess.run(["backup", "--data", data.path, target.path + "/copy"])
        #expect(backup.exitCode == 0, "\(backup.errors)")
        #expect(server.stop() == 0)
    }

    /// Without a free descriptor, `accept` fails in the same way once the socket has been shut down.
    @Test func aStopEndsTheWaitForADescriptor() throws {
        let server = try ServerProcess(["--data", data.path], environment: library(failing: 1 << 30).environment)
        #expect(server.stop() == 0)
    }

    /// The server answers one request after the other. The second one waits in the queue of the socket while the server
    /// begins to stop.
    @Test func aBackupThatWaitsInTheQueueDoesNotBeginAfterTheStop() throws {
        let calls = try FileCalls(under: target.path)
        let server = try ServerProcess(
            ["--data", data.path, "--drain-grace-seconds", "60"], environment: try calls.environment())
        // Three calls remove the rest of an earlier backup, and one makes the file. The fifth one writes.
        calls.plan(.waits, at: 5)
        let first = try ask(for: target.path + "/first")
        calls.wait { $0.struckCount > 0 }
        // A backup that begins would say that the folder is missing.
        let second = try ask(for: target.path + "/none/second")
        let writer = try RawSocket(port: server.port)
        try writer.send("PUT /v1/lists/l HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        try writer.send("Content-Length: 15\r\n\r\n{")
        kill(server.processIdentifier, SIGTERM)
        while try server.client.send("GET", "/readyz").status == 200 {}
        // Another thread cancels the first backup. One that is cancelled too late is finished.
        while try !FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty { usleep(1_000) }
        calls.openGate()
        #expect(lastLine(of: first) == "error The server stops: there is no copy.")
        #expect(lastLine(of: second) == "error The server stops: there is no copy.")
        try writer.send(#""sections":[]}"#)
        #expect(try writer.readResponse().status == 201)
        #expect(server.waitUntilEnd() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
    }

    /// The stop comes while the file of the copy is made, so there is nothing to cancel yet.
    @Test func aStopWaitsForABackupThatBegins() throws {
        let calls = try FileCalls(under: target.path)
        let server = try ServerProcess(
            ["--data", data.path, "--drain-grace-seconds", "60"], environment: try calls.environment())
        calls.plan(.waits, at: 4)
        let backup = try ask(for: target.path + "/copy")
        calls.wait { $0.struckCount > 0 }
        kill(server.processIdentifier, SIGTERM)
        // The server closes its port at the end of the drain.
        while (try? RawSocket(port: server.port)) != nil {}
        // A server that does not wait for the backup ends here, without an answer.
        usleep(200_000)
        calls.openGate()
        #expect(lastLine(of: backup) == "error The server stops: there is no copy.")
        #expect(server.waitUntilEnd() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
    }
}
