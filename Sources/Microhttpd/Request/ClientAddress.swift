internal import CMicrohttpd
internal import Glibc

/// The part of a client's address to which its connections are counted, and for which its work takes turns.
///
/// An IPv4 address counts as a whole, even if it comes over IPv6 (`::ffff:192.0.2.1`; RFC 4291, section 2.5.5.2). Of an
/// IPv6 address the first 64 bits count, which name a network. The owner of a network chooses the other bits freely
/// (RFC 6177), and could evade a limit on whole addresses.
public enum ClientAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(network: UInt64)

    /// The address of the client of a connection; nil if it is of neither kind.
    init?(of connection: OpaquePointer) {
        guard let address = mhd_client_address(connection) else { return nil }
        self.init(address)
    }

    /// Nil if the address is of neither kind.
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

    /// - Parameter bytes: The sixteen bytes of an IPv6 address.
    private init(_ bytes: UnsafeRawBufferPointer) {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        self =
            isMapped
            ? .v4(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            : .v6(network: bytes.loadUnaligned(as: UInt64.self))
    }
}

extension ClientAddress: CustomStringConvertible {
    /// `192.0.2.1`, or a network such as `2001:db8:0:1::/64`.
    public var description: String {
        switch self {
        case .v4(let address): withUnsafeBytes(of: address) { $0.map { "\($0)" }.joined(separator: ".") }
        case .v6(let network):
            withUnsafeBytes(of: network) { bytes in
                let groups = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
                return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
            }
        }
    }
}
