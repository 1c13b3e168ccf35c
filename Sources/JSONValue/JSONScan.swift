/// Finds values in JSON text without decoding it.
///
/// The text must be valid and without white space, as `JSONValue.bytes` writes it. For other bytes the results have no
/// meaning, but no byte outside the span is read.
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
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    private static func end(ofStringAt start: Int, in json: Span<UInt8>) -> Int {
        var index = start + 1
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return json.count
    }

    private static func end(ofContainerAt start: Int, in json: Span<UInt8>) -> Int {
        var depth = 0
        var index = start
        while index < json.count {
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
