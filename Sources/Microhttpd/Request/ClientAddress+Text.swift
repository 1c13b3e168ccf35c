extension ClientAddress {
    /// The address in numbers, such as `192.0.2.1`, or the network, such as `2001:db8:0:1::/64` (RFC 5952, without its
    /// shortest form).
    public var text: ByteText {
        switch self {
        case .v4(let address):
            "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
        case .v6(let network):
            ByteText(
                [48, 32, 16, 0].map { String(network >> UInt64($0) & 0xFFFF, radix: 16) }.joined(separator: ":")
                    + "::/64")
        }
    }
}
