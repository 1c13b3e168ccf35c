extension ClientAddress {
    /// The address in numbers, such as `192.0.2.1`, or the network, such as `2001:db8:0:1::/64` (RFC 5952, without its
    /// shortest form).
    public var text: ByteText {
        switch self {
        case .v4(let address):
            // In the order in which it is in memory.
            withUnsafeBytes(of: address) { bytes in "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])" }
        case .v6(let network):
            withUnsafeBytes(of: network) { bytes in
                let groups = stride(from: 0, to: 8, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
                return ByteText(groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64")
            }
        }
    }
}
