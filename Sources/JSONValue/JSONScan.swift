/// Finds values in JSON text without decoding it.
///
/// The text must be valid, and for all but `end(ofValueAt:in:)` without white space, as `JSONValue.bytes` writes it. For
/// other bytes the results have no meaning, but no byte outside the span is read.
public enum JSONScan {
    /// The index behind the value that begins at `start`.
    public static func end(ofValueAt start: Int, in json: Span<UInt8>) -> Int {
        guard start < json.count else { return json.count }
        switch json[start] {
        case UInt8(ascii: "\""): return end(ofStringAt: start, in: json)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return end(ofContainerAt: start, in: json)
        default:
            var index = start
            while index < json.count, !isBehindValue(json[index]) { index += 1 }
            return index
        }
    }

    private static func isBehindValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || isJSONSpace(byte)
    }

    static func end(ofStringAt start: Int, in json: Span<UInt8>) -> Int {
        json.withUnsafeBytes { json in
            var index = start + 1
            while index < json.count {
                index += plainCount(json, from: index) { $0.has("\"") | $0.has("\\") }
                guard index < json.count else { break }
                switch json[index] {
                case UInt8(ascii: "\""): return index + 1
                case UInt8(ascii: "\\"): index += 2
                default: index += 1
                }
            }
            return json.count
        }
    }

    /// The number of bytes that are certainly not of interest, if eight bytes are left: up to eight of them.
    ///
    /// - Parameter interest: Sets the highest bit of each byte that is of interest. Behind such a byte it may set more.
    @inline(__always)
    private static func plainCount(
        _ json: UnsafeRawBufferPointer, from index: Int, _ interest: (Eight) -> UInt64
    ) -> Int {
        guard index &+ 8 <= json.count else { return 0 }
        let word = json.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        return (interest(Eight(UInt64(littleEndian: word))) & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
    }

    private static func end(ofContainerAt start: Int, in json: Span<UInt8>) -> Int {
        var depth = 0
        var index = start
        while index < json.count {
            // `[` and `{`, and `]` and `}`, differ in one bit.
            index += json.withUnsafeBytes { bytes in
                plainCount(bytes, from: index) { $0.has("\"") | $0.lower.has("{") | $0.lower.has("}") }
            }
            guard index < json.count else { break }
            switch json[index] {
            case UInt8(ascii: "\""):
                index = end(ofStringAt: index, in: json)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return index }
        }
        return json.count
    }

    /// The index at which the value of a member begins; nil if `start` is not at an object, or the object has no such
    /// member.
    ///
    /// - Parameter key: The member's name as a JSON string with its quotes, as `appendJSON(string:)` writes it.
    public static func member(_ key: [UInt8], ofObjectAt start: Int, in json: Span<UInt8>) -> Int? {
        guard start < json.count, json[start] == UInt8(ascii: "{") else { return nil }
        var index = start + 1
        while index < json.count, json[index] == UInt8(ascii: "\"") {
            let keyEnd = end(ofStringAt: index, in: json)
            if isEqual(key, json, index..<keyEnd) { return keyEnd + 1 }
            index = end(ofValueAt: keyEnd + 1, in: json) + 1
        }
        return nil
    }

    private static func isEqual(_ key: [UInt8], _ json: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard key.count == range.count else { return false }
        for offset in key.indices where key[offset] != json[range.lowerBound + offset] { return false }
        return true
    }

    /// Whether `test` is true for the value, if it is a string, or for a string anywhere inside it. Names of members
    /// are not tested.
    ///
    /// - Parameter test: Receives the bytes between the quotes, with their escapes.
    public static func hasString(
        inValueAt start: Int, of json: Span<UInt8>, where test: (Span<UInt8>) -> Bool
    ) -> Bool {
        let end = end(ofValueAt: start, in: json)
        var index = start
        while index < end {
            guard json[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let stringEnd = self.end(ofStringAt: index, in: json)
            let isName = stringEnd < end && json[stringEnd] == UInt8(ascii: ":")
            if !isName, stringEnd - 1 > index, test(json.extracting(index + 1..<stringEnd - 1)) { return true }
            index = stringEnd
        }
        return false
    }
}

/// Eight bytes of a text, the first one lowest.
private struct Eight {
    private let bytes: UInt64

    init(_ bytes: UInt64) { self.bytes = bytes }

    /// The same bytes, each with the bit set that letters in lower case have.
    var lower: Eight { Eight(bytes | 0x2020_2020_2020_2020) }

    /// Sets the highest bit of each byte that is `character`. Behind such a byte it may set more.
    @inline(__always)
    func has(_ character: Unicode.Scalar) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        let difference = bytes ^ UInt64(UInt8(ascii: character)) &* each
        return (difference &- each) & ~difference
    }
}
