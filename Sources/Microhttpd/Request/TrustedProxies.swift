internal import CMicrohttpd
internal import Glibc
public import Texts

/// The proxies that are believed when they say for whom they ask.
///
/// A proxy passes on a field that it does not know as its client has sent it. So one field alone is read, which all of
/// these proxies must write.
public struct TrustedProxies: Sendable {
    public enum Field: Sendable, Equatable {
        /// `Forwarded` (RFC 7239).
        case forwarded
        /// `X-Forwarded-For` and `X-Forwarded-Proto`.
        case xForwardedFor
    }

    public let ranges: [AddressRange]
    public let field: Field

    public static let none = TrustedProxies([], .xForwardedFor)

    public init(_ ranges: [AddressRange], _ field: Field) {
        self.ranges = ranges
        self.field = field
    }

    func trusts(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// The one for whom a chain of proxies asks.
    struct Origin: Equatable {
        var client: NetworkAddress
        /// Whether the client has asked by TLS.
        var isSecure: Bool
    }

    /// Goes back along the chain, from the last proxy, for as long as the addresses are those of trusted proxies. What
    /// stands before the first other address was written by whoever has it, and means nothing.
    ///
    /// - Parameters:
    ///   - peer: The address of a trusted proxy.
    ///   - values: The values of the field, in order.
    ///   - protocols: The values of `X-Forwarded-Proto`, in order; empty if `Forwarded` is read.
    func origin(peer: NetworkAddress, _ values: [ByteText], protocols: [ByteText]) -> Origin {
        var origin = Origin(client: peer, isSecure: protocols.last.map { Self.isSecure(lastOf: $0) } ?? false)
        let hops = values.flatMap { ForwardedHop.all(of: $0, field) }
        for hop in hops.reversed() where trusts(origin.client) {
            // A proxy may hide an address or not know it. Then the client is whoever that proxy is.
            guard let address = hop.address else { break }
            origin.client = address
            if field == .forwarded { origin.isSecure = hop.isSecure }
        }
        return origin
    }

    private static func isSecure(lastOf value: ByteText) -> Bool {
        value.split(at: ",").last.map { $0.trimmed.lowercasedASCII == "https" } ?? false
    }
}

/// An address of IPv6, or one of IPv4 as `::ffff:192.0.2.1` (RFC 4291, section 2.5.5.2).
struct NetworkAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    private init(_ bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    private init(v4: UInt32) {
        high = 0
        low = 0xFFFF << 32 | UInt64(v4)
    }

    /// Nil if the address is of neither kind.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Self(v4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_addr }
            self = withUnsafeBytes(of: bytes) { Self($0) }
        default:
            return nil
        }
    }

    /// Nil if the text is no address in numbers.
    init?(_ text: ByteText) {
        // The longest is that of an IPv6 address which ends in one of IPv4.
        guard (2...45).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        var name = [CChar](text.utf8.map { CChar(bitPattern: $0) })
        name.append(0)
        var four = in_addr()
        if inet_pton(AF_INET, name, &four) == 1 {
            self.init(v4: UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, name, &six) == 1 else { return nil }
        self = withUnsafeBytes(of: six) { Self($0) }
    }

    var isV4: Bool { high == 0 && low >> 32 == 0xFFFF }
}

/// The addresses that begin with the same bits, written as `192.0.2.0/24` (RFC 4632).
public struct AddressRange: Sendable, Hashable {
    private let first: NetworkAddress
    private let bits: Int

    /// - Parameter text: An address in numbers, alone or with `/` and the number of bits that count. The other bits must
    ///   be 0.
    /// - Returns: Nil for anything else.
    public init?(_ text: ByteText) {
        let parts = text.split(at: "/")
        guard (1...2).contains(parts.count), let address = NetworkAddress(parts[0]) else { return nil }
        let most = address.isV4 ? 32 : 128
        var count = most
        if parts.count == 2 {
            let isDigits = parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isDigits, let number = Int(parts[1]), number <= most else { return nil }
            count = number
        }
        first = address
        bits = count + 128 - most
        let (high, low) = mask
        guard address.high & high == address.high, address.low & low == address.low else { return nil }
    }

    private var mask: (high: UInt64, low: UInt64) {
        func ones(_ count: Int) -> UInt64 { count <= 0 ? 0 : UInt64.max << (64 - min(count, 64)) }
        return (ones(bits), ones(bits - 64))
    }

    func contains(_ address: NetworkAddress) -> Bool {
        let (high, low) = mask
        return address.high & high == first.high && address.low & low == first.low
    }
}

/// One step of a request from its client to this server, as the proxy wrote it that took it.
struct ForwardedHop: Equatable {
    /// Who sent the request to the proxy; nil if that is hidden, unknown or malformed.
    var address: NetworkAddress?
    var isSecure = false

    /// The hops of a value, in order.
    static func all(of value: ByteText, _ field: TrustedProxies.Field) -> [Self] {
        switch field {
        case .xForwardedFor: value.split(at: ",").map { Self(address: address(of: $0.trimmed)) }
        case .forwarded: parts(of: value, at: UInt8(ascii: ",")).map(Self.init(element:))
        }
    }

    private init(address: NetworkAddress?) { self.address = address }

    /// - Parameter element: Pairs such as `for=192.0.2.1;proto=https` (RFC 7239, section 4).
    private init(element: ByteText) {
        for pair in Self.parts(of: element, at: UInt8(ascii: ";")) {
            let sides = Self.parts(of: pair, at: UInt8(ascii: "="))
            guard sides.count == 2 else { continue }
            let value = Self.unquoted(sides[1].trimmed)
            switch sides[0].trimmed.lowercasedASCII {
            case "for": address = Self.address(of: value)
            case "proto": isSecure = value.lowercasedASCII == "https"
            default: break
            }
        }
    }

    /// An address with or without a port. That of IPv6 may be in brackets, and must be if it has a port.
    private static func address(of node: ByteText) -> NetworkAddress? {
        let bytes = Array(node.utf8)
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), isPort(bytes[(end + 1)...]) else { return nil }
            return NetworkAddress(ByteText(decoding: bytes[1..<end]))
        }
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard colons.count == 1 else { return NetworkAddress(node) }
        return isPort(bytes[colons[0]...]) ? NetworkAddress(ByteText(decoding: bytes[..<colons[0]])) : nil
    }

    /// Whether the bytes are nothing, or a colon and a port.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first else { return true }
        let isDigits = bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return first == UInt8(ascii: ":") && (2...6).contains(bytes.count) && isDigits
    }

    /// Splits where a separator is outside of quotes.
    private static func parts(of text: ByteText, at separator: UInt8) -> [ByteText] {
        var parts: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            if byte == separator && !isQuoted {
                parts.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            parts[parts.count - 1].append(byte)
        }
        return parts.map { ByteText(decoding: $0) }
    }

    private static func unquoted(_ text: ByteText) -> ByteText {
        guard let inside = text.dropping(prefix: "\"")?.dropping(suffix: "\"") else { return text }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in inside.utf8 {
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { bytes.append(byte) }
        }
        return ByteText(decoding: bytes)
    }
}
