package import JSONValue
package import Texts

extension JSONValue {
    /// The value as JSON, for an answer that repeats it; nil if it is long, or could not stand in a terminal.
    package var shown: ByteText? {
        var left = 16
        guard isSmall(&left) else { return nil }
        let text = ByteText(decoding: bytes)
        return KnownNames.isShown(text) ? text : nil
    }

    /// - Parameter left: How many values there may be, inside each other or side by side.
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
