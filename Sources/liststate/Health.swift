import ArgumentParser
import Glibc

/// Asks a server on this machine whether it is ready, so that an image needs no HTTP client for its health check.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exits with 0 if the server on this machine is ready, otherwise with 1.")

    @Option(help: "The server's port. (default: LISTSTATE_PORT, else 8080)")
    var port: UInt16?

    func run() throws {
        let given = port ?? getenv("LISTSTATE_PORT").flatMap { UInt16(String(cString: $0)) }
        guard statusLine(port: given ?? 8080).hasPrefix("HTTP/1.1 200 ") else { throw ExitCode.failure }
    }

    /// The first bytes of the answer to `GET /readyz`; empty if there is none within two seconds.
    private func statusLine(port: UInt16) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        limitWaiting(descriptor)
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        guard connectToLoopback(descriptor, port), send(descriptor, request, request.utf8.count, noSignal) > 0 else {
            return ""
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL))
            return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        }
    }

    private var noSignal: Int32 { Int32(MSG_NOSIGNAL) }

    private func limitWaiting(_ descriptor: Int32) {
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    private func connectToLoopback(_ descriptor: Int32, _ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
