internal import HTTPTypes
internal import Microhttpd
internal import Texts

/// The weights that `Accept-Encoding` gives to gzip and to plain bytes (RFC 9110, section 12.5.3).
struct AcceptedCodings {
    private typealias Bytes = Substring.UTF8View

    /// The weight of each coding in thousandths; nil if the field does not name it. If a coding is repeated, its first
    /// weight is used.
    private var gzip: Int?
    private var identity: Int?
    /// The weight of `*`, which stands for all codings that are not named.
    private var others: Int?

    /// - Parameter value: The value of the field; an element that is not well-formed is ignored.
    init(_ value: ByteText) {
        var rest = value.utf8[...]
        while !rest.isEmpty {
            var element = Self.pop(until: ",", &rest)
            let name = Self.trimmed(Self.pop(until: ";", &element))
            let parameter = Self.trimmed(element)
            guard let weight = parameter.isEmpty ? QualityValue.most : QualityValue.parse(parameter) else { continue }
            insert(name, weight)
        }
    }

    /// Whether gzip may be sent and its weight is not below that of the plain bytes. Plain bytes are allowed without
    /// being named.
    var prefersGzip: Bool {
        let weight = gzip ?? others ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    private mutating func insert(_ name: Bytes, _ weight: Int) {
        if Self.isSame(name, "gzip") || Self.isSame(name, "x-gzip") {
            gzip = gzip ?? weight
        } else if Self.isSame(name, "identity") {
            identity = identity ?? weight
        } else if Self.isSame(name, "*") {
            others = others ?? weight
        }
    }

    /// Removes and returns the bytes before the separator, and removes the separator.
    private static func pop(until separator: Unicode.Scalar, _ rest: inout Bytes) -> Bytes {
        let end = rest.firstIndex(of: UInt8(ascii: separator)) ?? rest.endIndex
        let popped = rest[..<end]
        rest = rest[end...].dropFirst()
        return popped
    }

    private static func trimmed(_ bytes: Bytes) -> Bytes {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }

    /// - Parameter lowercased: A lower-case ASCII name; letters of either case are equal to it.
    private static func isSame(_ bytes: Bytes, _ lowercased: StaticString) -> Bool {
        lowercased.withUTF8Buffer { bytes.elementsEqual($0) { $0 == $1 || $0 | 0x20 == $1 && $0 >= 0x40 } }
    }
}

extension RequestHead {
    /// Whether the client prefers gzip. The answer is gzip only if that makes it shorter.
    var wantsGzip: Bool {
        let values = fields(.acceptEncoding)
        guard let first = values.first else { return false }
        return AcceptedCodings(values.count == 1 ? first : values.joined(separator: ",")).prefersGzip
    }
}
