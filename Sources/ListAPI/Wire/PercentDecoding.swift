/// Reads percent-encoded text strictly.
///
/// Source: RFC 3986 sections 2.1 and 3.3.
enum PercentDecoding {
    /// Decodes one segment of a path; a `+` is a plus sign.
    ///
    /// - Returns: Nil where a percent sign is not followed by two hex digits, where a byte stands raw that must be
    ///   encoded (white space, a control character, or anything beyond ASCII), and where the result holds U+0000 or is
    ///   no UTF-8.
    static func segment(_ text: Substring) -> String? {
        guard let decoded = decode(text.utf8, plus: UInt8(ascii: "+")), !decoded.utf8.contains(0) else { return nil }
        return decoded
    }

    /// Decodes a name or a value of a query; a `+` is a space, as forms and `URLSearchParams` write it.
    ///
    /// - Returns: Nil where a segment would be nil, except that U+0000 is allowed.
    ///
    /// Source: the `application/x-www-form-urlencoded` parser of the URL standard, but strict.
    static func query(_ text: Substring) -> String? {
        decode(text.utf8, plus: UInt8(ascii: " "))
    }

    private static func decode(_ text: Substring.UTF8View, plus: UInt8) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+"):
                bytes.append(plus)
            case 0x21...0x7E:
                bytes.append(byte)
            default:
                return nil
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// The segments of a path, split before they are decoded: `%2F` is a slash inside an id.
struct PathSegments: Sendable, Equatable {
    /// Decoded. A path that ends with a slash has an empty last segment; the path `/` has one, which is empty.
    let segments: [String]

    /// - Parameter path: The path of a request target, without its query.
    /// - Returns: Nil if it does not begin with a slash, or one of its segments does not decode.
    init?(_ path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/" as Character, omittingEmptySubsequences: false) {
            guard let segment = PercentDecoding.segment(part) else { return nil }
            segments.append(segment)
        }
        self.segments = segments
    }
}

/// The parameters of a query in their order; a name may come more than once.
struct QueryParameters: Sendable {
    let parameters: [(name: String, value: String)]

    /// - Parameter query: What follows the question mark of a request target; nil if there is none.
    /// - Returns: Nil if a name or a value does not decode. Empty pieces between ampersands are skipped; a piece without
    ///   an equals sign has an empty value.
    init?(_ query: String?) {
        var parameters: [(name: String, value: String)] = []
        for piece in (query ?? "").split(separator: "&" as Character) {
            let parts = piece.split(separator: "=" as Character, maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentDecoding.query(parts[0]) else { return nil }
            guard let value = parts.count == 1 ? "" : PercentDecoding.query(parts[1]) else { return nil }
            parameters.append((name, value))
        }
        self.parameters = parameters
    }

    /// The values of the parameter named `name`, in their order.
    func values(_ name: String) -> [String] {
        parameters.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }
}
