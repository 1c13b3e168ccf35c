package import JSONValue
public import Texts

/// The path to a value in the content of items: the names of members, each within the one before.
public struct ContentPath: Sendable, Hashable {
    /// The names as JSON strings, with quotes.
    private let keys: [[UInt8]]

    /// - Parameter text: Names joined by dots; nil if a name is empty. No path leads to a name that has a dot in it.
    public init?(_ text: ByteText) {
        let names = text.split(at: ".")
        guard names.allSatisfy({ !$0.isEmpty }) else { return nil }
        keys = names.map { name in
            var key: [UInt8] = []
            key.appendJSON(string: name)
            return key
        }
    }

    func start(in json: Span<UInt8>) -> Int? {
        var index = 0
        for key in keys {
            guard let next = JSONScan.member(key, ofObjectAt: index, in: json) else { return nil }
            index = next
        }
        return index
    }
}

extension JSONText {
    /// Whether a test holds for one of the strings in the value, or in the one that a path leads to.
    ///
    /// - Parameter test: Gets the bytes between a string's quotes, with escapes as written.
    package func hasString(at path: ContentPath?, where test: (Span<UInt8>) -> Bool) -> Bool {
        withSpan { json in
            guard let start = path.map({ $0.start(in: json) }) ?? 0 else { return false }
            return JSONScan.hasString(inValueAt: start, of: json, where: test)
        }
    }

    /// The string of the bytes between two quotes of JSON, with escapes as written.
    package static func string(escaped json: Span<UInt8>) -> ByteText {
        let quoted = [UInt8(ascii: "\"")] + [UInt8](copying: json) + [UInt8(ascii: "\"")]
        guard case .string(let string) = try? JSONValue(parsing: quoted) else { return "" }
        return string
    }

    /// The key by which an item with this content is sorted.
    package func sortKey(at path: ContentPath) -> SortKey {
        withSpan { json in
            guard let start = path.start(in: json) else { return .none }
            let end = JSONScan.end(ofValueAt: start, in: json)
            switch start < end ? json[start] : 0 {
            case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                return SortKey(try? JSONValue(parsing: Array(copying: json.extracting(start..<end))))
            default: return .none
            }
        }
    }
}

extension [UInt8] {
    fileprivate init(copying span: Span<UInt8>) { self = span.withUnsafeBufferPointer { Array($0) } }
}

/// A value to sort by: numbers come first, then strings by code point, then all other values, which are equal.
package enum SortKey: Sendable, Comparable {
    case number(JSONNumber.Order)
    /// A string as UTF-8, in which bytes are ordered as code points are.
    case text([UInt8])
    case none

    fileprivate init(_ value: JSONValue?) {
        switch value {
        case .number(let number): self = .number(number.magnitudeOrder)
        case .string(let string): self = .text(Array(string.utf8))
        case .null, .bool, .array, .object, nil: self = .none
        }
    }

    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.number, .text), (.number, .none), (.text, .none): true
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        case (.text, .number), (.none, _): false
        }
    }

    /// The order with numbers and strings reversed, each among themselves.
    package static func isDescending(_ left: Self, _ right: Self) -> Bool {
        switch (left, right) {
        case (.number, .number), (.text, .text): right < left
        case (.number, _), (.text, _), (.none, _): left < right
        }
    }
}
