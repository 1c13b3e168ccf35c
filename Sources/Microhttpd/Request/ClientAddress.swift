internal import CMicrohttpd
internal import Glibc

/// To whom a connection is counted.
///
/// An IPv4 address counts as itself, also where it comes over IPv6 (`::ffff:192.0.2.1`; RFC 4291, section 2.5.5.2). Of
/// an IPv6 address the first 64 bits count, which are a network's: whoever was given one chooses the rest freely
/// (RFC 6177), so a limit on whole addresses would bind nobody who does not want it to.
enum ClientAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(network: UInt64)

    /// Nil if it is of neither kind.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { .v4($0.pointee.sin_addr.s_addr) }
        case AF_INET6:
            let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_addr }
            self = withUnsafeBytes(of: bytes) { Self($0) }
        default:
            return nil
        }
    }

    /// - Parameter bytes: The sixteen of an IPv6 address.
    private init(_ bytes: UnsafeRawBufferPointer) {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        self =
            isMapped
            ? .v4(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            : .v6(network: bytes.loadUnaligned(as: UInt64.self))
    }
}
