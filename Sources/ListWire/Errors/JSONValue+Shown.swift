package import JSONValue
package import Texts

extension JSONSlice {
    /// The most bytes that a shown value takes in its body. White space and escapes may be a part of them.
    private static let shownBytesMax = 16 * KnownNames.bytesMax

    /// The value as JSON, for answers that repeat it; nil if it is long or has control characters.
    ///
    /// - Complexity: O(1), because not more than `shownBytesMax` bytes are looked at.
    package var shown: ByteText? {
        guard isWithin(Self.shownBytesMax), extent.byteCount <= KnownNames.bytesMax else { return nil }
        return JSONValue(self).shown
    }
}

extension JSONValue {
    /// The value as JSON, for answers that repeat it; nil if it is long or has control characters.
    package var shown: ByteText? {
        var left = 16
        guard isSmall(&left) else { return nil }
        let text = ByteText(decoding: bytes)
        return KnownNames.isShown(text) ? text : nil
    }

    /// Whether the value has at most `left` values, and all its names and strings are short.
    ///
    /// - Parameter left: The values that may still be counted. An array or an object counts as one, and so does each of
    ///   its values.
    private func isSmall(_ left: inout Int) -> Bool {
        left -= 1
        guard left >= 0 else { return false }
        switch self {
        case .string(let text): return KnownNames.isShown(text)
        case .array(let values): return values.allSatisfy { $0.isSmall(&left) }
        case .object(let object):
            return object.members.allSatisfy { KnownNames.isShown($0.key) && $0.value.isSmall(&left) }
        case .null, .bool, .number: return true
        }
    }
}
