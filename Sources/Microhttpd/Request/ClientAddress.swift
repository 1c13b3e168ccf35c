internal import Glibc

/// The part of a client's address to which its connections are counted, and for which its work takes turns.
///
/// An IPv4 address counts as a whole, even if it comes over IPv6 (`::ffff:192.0.2.1`; RFC 4291, section 2.5.5.2). Of an
/// IPv6 address the first 64 bits count, which name a network. The owner of a network chooses the other bits freely
/// (RFC 6177), and could evade a limit on whole addresses.
public enum ClientAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(network: UInt64)

    init(_ address: NetworkAddress) {
        self = address.isV4 ? .v4(UInt32(truncatingIfNeeded: address.low)) : .v6(network: address.high)
    }

    /// Nil if the address is of neither kind.
    init?(_ address: UnsafePointer<sockaddr>) {
        guard let address = NetworkAddress(address) else { return nil }
        self.init(address)
    }

    /// Whether it is an address of this machine itself, 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        switch self {
        case .v4(let address): address >> 24 == 127
        case .v6(let network): network == 0
        }
    }
}
