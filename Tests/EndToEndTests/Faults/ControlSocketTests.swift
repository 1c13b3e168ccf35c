import Foundation
import Glibc
import TestSupport
import Testing

/// The socket on which a server is asked for backups.
@Suite(.enabled(if: FileCalls.isPossible)) struct ControlSocketTests {
    private let data: TemporaryFolder
    private let target: TemporaryFolder

    init() throws {
        data = try TemporaryFolder()
        target = try TemporaryFolder()
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
}
