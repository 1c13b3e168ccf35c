internal import HTTPTypes
internal import Microhttpd
internal import Texts

/// What `Accept-Encoding` says of gzip (RFC 9110, section 12.5.3).
struct AcceptedCodings {
    private typealias Bytes = Substring.UTF8View

    /// Weights in thousandths; nil if the coding is not named. Of one that is repeated the first counts.
    private var gzip: Int?
    private var identity: Int?
    /// `*`: what is not named.
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

    /// Whether gzip may be sent and is not wanted less than the plain bytes, which nobody needs to name.
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

    /// What stands before the separator, which is taken too.
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

    /// - Parameter lowercased: ASCII, to which letters of either case are alike.
    private static func isSame(_ bytes: Bytes, _ lowercased: StaticString) -> Bool {
        lowercased.withUTF8Buffer { bytes.elementsEqual($0) { $0 == $1 || $0 | 0x20 == $1 && $0 >= 0x40 } }
    }
}

extension RequestHead {
    /// Whether the answer is to come as gzip, if that is worth it.
    var wantsGzip: Bool {
        let values = fields(.acceptEncoding)
        guard let first = values.first else { return false }
        return AcceptedCodings(values.count == 1 ? first : values.joined(separator: ",")).prefersGzip
    }
}
