public import JSONValue

/// A JSON value kept as its minified bytes, so that it is written out without being encoded again.
///
/// Two texts are equal if their values are: members in any order, numbers as written.
public struct JSONText: Sendable {
    /// Minified JSON, UTF-8.
    public let bytes: [UInt8]

    /// Encodes `value` once.
    public init(_ value: JSONValue) {
        bytes = value.bytes
    }

    /// Takes bytes that `init(_:)` made, such as those of our own log.
    public init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The empty object.
    public static let emptyObject = JSONText(unchecked: Array("{}".utf8))

    /// The value, decoded again; null if the bytes are no JSON, which cannot happen to checked ones.
    public var value: JSONValue {
        (try? JSONValue(parsing: bytes)) ?? .null
    }
}

extension JSONText: Equatable {
    public static func == (left: JSONText, right: JSONText) -> Bool {
        left.bytes == right.bytes || left.value == right.value
    }
}
