internal import Texts

/// Reads the value of `Host` (RFC 9110, section 7.2): a name or an address, and perhaps a port.
enum HostField {
    /// Whether the value has a name that a stranger's name server can lead to this machine.
    ///
    /// An address is no such name. Neither is `localhost`, nor any name below it (RFC 6761, section 6.3).
    static func isForeignName(_ host: UnsafeRawBufferPointer) -> Bool {
        let name = UnsafeRawBufferPointer(rebasing: host[..<nameCount(host)])
        guard let first = name.first else { return !host.isEmpty }
        if first == UInt8(ascii: "[") { return !isBracketedAddress(name) }
        return !(isDigit(first) && isDottedAddress(name)) && !isLocal(name)
    }

    /// The name or address alone, in lower case.
    static func name(_ host: ByteText) -> ByteText {
        host.withBytes { ByteText(decoding: $0[..<nameCount($0)]) }.lowercasedASCII
    }

    /// The number of bytes before the port.
    private static func nameCount(_ host: UnsafeRawBufferPointer) -> Int {
        var index = host.count
        while index > 0, isDigit(host[index - 1]) { index -= 1 }
        return index > 0 && host[index - 1] == UInt8(ascii: ":") ? index - 1 : host.count
    }

    private static func isLocal(_ name: UnsafeRawBufferPointer) -> Bool {
        let local: StaticString = "localhost"
        let count = local.utf8CodeUnitCount
        guard name.count >= count else { return false }
        guard equalIgnoringCase(UnsafeRawBufferPointer(rebasing: name.suffix(count)), local) else { return false }
        return name.count == count || name[name.count - count - 1] == UInt8(ascii: ".")
    }

    /// Whether `name` is four numbers below 256 with dots. Anything else may be a name.
    private static func isDottedAddress(_ name: UnsafeRawBufferPointer) -> Bool {
        var dots = 0
        var digits = 0
        var number = 0
        for byte in name {
            if isDigit(byte) {
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard digits <= 3, number <= 255 else { return false }
            } else {
                guard byte == UInt8(ascii: "."), digits > 0 else { return false }
                dots += 1
                (digits, number) = (0, 0)
            }
        }
        return dots == 3 && digits > 0
    }

    /// Whether `name` is an IPv6 address in brackets, perhaps with a zone. No name has a bracket or a colon.
    private static func isBracketedAddress(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count > 2, name[name.count - 1] == UInt8(ascii: "]") else { return false }
        let inside = name[1..<name.count - 1]
        return inside.contains(UInt8(ascii: ":")) && !inside.contains(UInt8(ascii: "["))
            && !inside.contains(UInt8(ascii: "]"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
