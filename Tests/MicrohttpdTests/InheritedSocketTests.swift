import Glibc
import Microhttpd
import TestSupport
import Testing

@Suite struct InheritedSocketTests {
    @Test("Loops share the socket, and it stays open for the next server", arguments: [1, 3])
    func isServed(loopCount: Int) throws {
        // A service manager keeps a descriptor of its own.
        let kept = try listeningSocket(AF_INET)
        defer { close(kept) }
        for _ in 1...2 {
            let inherited = try #require(InheritedSocket(descriptor: dup(kept)))
            #expect(inherited.host == "127.0.0.1")
            let configuration = Server.Configuration.test.with(\.loopCount, loopCount).with(\.inherited, inherited)
            let server = try Server(configuration, handler: TestHandler.echo)
            #expect(server.port == inherited.port)
            let clients = try (0..<30).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/")) }
            for client in clients { #expect(try client.readResponse().status == 200) }
            server.stop(graceSeconds: 1)
            // Whoever connects now waits for the next server.
            _ = try RawSocket(port: inherited.port)
        }
    }

    @Test func knowsIPv6() throws {
        let descriptor = try listeningSocket(AF_INET6)
        defer { close(descriptor) }
        #expect(InheritedSocket(descriptor: descriptor)?.host == "::1")
    }

    @Test func refusesWhatDoesNotListen() throws {
        let idle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let local = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let file = open("/dev/null", O_RDONLY)
        defer { for descriptor in [idle, local, datagrams, file] { close(descriptor) } }
        for descriptor in [idle, local, datagrams, file, -1, 1_000_000] {
            #expect(InheritedSocket(descriptor: descriptor) == nil, "\(descriptor)")
        }
    }

    private struct NoSocket: Error {}

    /// A socket on a free port of the loopback.
    private func listeningSocket(_ family: Int32) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(family)
        withUnsafeMutableBytes(of: &address) { bytes in
            let (text, offset) = family == AF_INET ? ("127.0.0.1", 4) : ("::1", 8)
            inet_pton(family, text, bytes.baseAddress?.advanced(by: offset))
        }
        let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(size)) == 0 }
        }
        guard isBound, listen(descriptor, 64) == 0 else { throw NoSocket() }
        return descriptor
    }
}
