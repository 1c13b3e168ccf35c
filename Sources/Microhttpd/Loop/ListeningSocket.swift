internal import Glibc

/// A bound and listening socket. The code that takes its descriptor closes it.
///
/// It is not made by the engine, because the engine does not say why it failed.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// - Parameter descriptor: A socket that listens.
    init(descriptor: Int32, port: UInt16) {
        self.descriptor = descriptor
        self.port = port
    }

    /// - Parameters:
    ///   - port: 0 picks a free one.
    ///   - isShared: Whether other sockets of this process listen on the same port.
    init(host: String, port: UInt16, backlog: Int, isShared: Bool) throws(ServerError) {
        let address = try SocketAddress(host: host, port: port)
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(address.family, Int32(kind), 0)
        guard descriptor >= 0 else { throw .system(.socket, errno: errno) }
        do throws(ServerError) {
            try Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR)
            guard Self.setInherited(descriptor) else { throw .system(.option, errno: errno) }
            if isShared { try Self.set(descriptor, SOL_SOCKET, SO_REUSEPORT) }
            try Self.bind(descriptor, to: address, host: host, port: port)
            guard listen(descriptor, Int32(clamping: backlog)) == 0 else {
                // Without SO_REUSEPORT two sockets may be bound to a port, but only one may listen.
                throw errno == EADDRINUSE
                    ? .addressInUse(host: host, port: port) : .system(.listen, errno: errno)
            }
            self.port = try SocketAddress.port(of: descriptor)
            self.descriptor = descriptor
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    func close() {
        Glibc.close(descriptor)
    }

    /// Sets the options that accepted sockets inherit.
    ///
    /// - Returns: Whether the system took them; if not, `errno` says why.
    static func setInherited(_ descriptor: Int32) -> Bool {
        let level = Int32(IPPROTO_TCP)
        return setOption(descriptor, level, TCP_NODELAY, 1)
            && setOption(descriptor, level, TCP_NOTSENT_LOWAT, unsentBytesMax)
    }

    /// About how many bytes the system takes beyond those that are on their way to a client. Without this bound it takes
    /// megabytes of a long answer for each client that does not read. The loop would copy them at once.
    static let unsentBytesMax: Int32 = 256 << 10

    private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32) throws(ServerError) {
        guard setOption(descriptor, level, name, 1) else { throw .system(.option, errno: errno) }
    }

    private static func bind(
        _ descriptor: Int32, to address: SocketAddress, host: String, port: UInt16
    ) throws(ServerError) {
        guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw errno == EADDRINUSE ? .addressInUse(host: host, port: port) : .system(.bind, errno: errno)
        }
    }
}

/// An IPv4 or IPv6 address and a port.
private enum SocketAddress {
    case v4(sockaddr_in)
    case v6(sockaddr_in6)

    init(host: String, port: UInt16) throws(ServerError) {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            self = .v4(v4)
        } else if inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            self = .v6(v6)
        } else {
            throw .badHost(host)
        }
    }

    var family: Int32 {
        switch self {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        func call<Address>(_ address: Address) -> Result {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        return switch self {
        case .v4(let address): call(address)
        case .v6(let address): call(address)
        }
    }

    static func port(of descriptor: Int32) throws(ServerError) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0 else { throw .system(.name, errno: errno) }
        // The port is at the same place in both kinds of address.
        return withUnsafeBytes(of: storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}

/// - Returns: Whether the system took the value; if not, `errno` says why.
@discardableResult
func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
    var value = value
    return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
}
