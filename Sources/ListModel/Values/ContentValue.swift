public import JSONValue
public import Texts

/// A value in a content that a query can ask for: any value but an object or an array.
public enum ContentValue: Sendable, Hashable {
    /// The value null. It stands for a missing value too.
    case null
    case bool(Bool)
    /// A number. Numbers are compared by value: 1 and 1.0 are equal.
    case number(JSONNumber.Order)
    /// A string. Strings are compared by bytes.
    case text(ByteText)

    /// Nil for an object or an array.
    public init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = .number(number.magnitudeOrder)
        case .string(let text): self = .text(text)
        case .array, .object: return nil
        }
    }
}

extension JSONText {
    /// Whether the value at a path is equal to a given one.
    package func holds(_ value: ContentValue, at path: ContentPath) -> Bool {
        withSpan { json in
            guard let start = path.start(in: json) else { return value == .null }
            let text = json.extracting(start..<JSONScan.end(ofValueAt: start, in: json))
            guard let first = text.isEmpty ? nil : text[0] else { return false }
            switch (first, value) {
            case (UInt8(ascii: "n"), .null): return true
            case (UInt8(ascii: "t"), .bool(let wanted)): return wanted
            case (UInt8(ascii: "f"), .bool(let wanted)): return !wanted
            case (UInt8(ascii: "\""), .text(let wanted)): return Self.isString(text, wanted)
            case (UInt8(ascii: "-"), .number(let wanted)), (UInt8(ascii: "0")...UInt8(ascii: "9"), .number(let wanted)):
                guard case .number(let number) = Self.parsed(text) else { return false }
                return number.magnitudeOrder == wanted
            default: return false
            }
        }
    }

    /// - Parameter json: A string with its quotes.
    private static func isString(_ json: Span<UInt8>, _ wanted: ByteText) -> Bool {
        wanted.withSpan { bytes in
            var isSame = bytes.count == json.count - 2
            for index in 1..<json.count - 1 {
                guard json[index] != UInt8(ascii: "\\") else { return parsed(json) == .string(wanted) }
                isSame = isSame && json[index] == bytes[index - 1]
            }
            return isSame
        }
    }

    private static func parsed(_ json: Span<UInt8>) -> JSONValue? {
        try? JSONValue(parsing: json.withUnsafeBufferPointer { Array($0) })
    }
}
