internal import Glibc

/// A listening TCP socket that another process has made and handed on, as systemd does.
///
/// The server that gets it in its configuration takes it over.
public struct InheritedSocket: Sendable {
    private let descriptor: Int32
    /// The address on which the socket listens, in numbers.
    public let host: String
    public let port: UInt16

    /// - Returns: Nil if the descriptor is no TCP socket, or does not listen.
    public init?(descriptor: Int32) {
        guard Self.option(descriptor, SO_PROTOCOL) == Int32(IPPROTO_TCP), Self.option(descriptor, SO_ACCEPTCONN) == 1,
            let (host, service) = Self.name(of: descriptor), let port = UInt16(service)
        else { return nil }
        self.descriptor = descriptor
        self.host = host
        self.port = port
    }

    /// One socket for each loop. All of them are the same one, so that whichever loop has time accepts. None is left
    /// open on failure.
    func sockets(count: Int) throws(ServerError) -> [ListeningSocket] {
        var sockets = [ListeningSocket(descriptor: descriptor, port: port)]
        do throws(ServerError) {
            let flags = fcntl(descriptor, F_GETFL)
            guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                ListeningSocket.setInherited(descriptor)
            else { throw .system(.option, errno: errno) }
            while sockets.count < count {
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { throw .system(.socket, errno: errno) }
                sockets.append(ListeningSocket(descriptor: copy, port: port))
            }
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
        return sockets
    }

    /// - Returns: Nil if this is no socket, or has no such option.
    private static func option(_ descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// The address and the port of a socket, in numbers.
    private static func name(of descriptor: Int32) -> (host: String, service: String)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // The longest address is an IPv6 address with the name of an interface.
        var host = [CChar](repeating: 0, count: 128)
        var service = [CChar](repeating: 0, count: 16)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &size) == 0
                    && getnameinfo(
                        address, size, &host, socklen_t(host.count), &service, socklen_t(service.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        return isKnown ? (text(host), text(service)) : nil
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
