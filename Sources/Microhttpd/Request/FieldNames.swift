public import HTTPTypes

/// The names that the fields of a head may have, so that most absent fields are known without a search.
///
/// Each name sets one of 64 bits, and several names share a bit. A name whose bit is not set is absent. A name whose
/// bit is set must be looked for.
public struct FieldNames: Sendable {
    private var bits: UInt64 = 0

    /// The names of a head of which nothing is known.
    static let all = FieldNames(bits: .max)

    init() {}

    private init(bits: UInt64) { self.bits = bits }

    /// The name of the field with credentials.
    static let credentials = FieldNames([.authorization])

    mutating func insert(_ names: FieldNames) { bits |= names.bits }

    /// - Parameter name: The name as it was sent.
    mutating func insert(_ name: UnsafeRawBufferPointer) {
        guard let first = name.first else { return }
        bits |= Self.bit(first: first, count: name.count)
    }

    /// A set of field names.
    public init(_ names: [HTTPField.Name]) {
        for name in names { Array(name.canonicalName.utf8).withUnsafeBytes { insert($0) } }
    }

    /// Whether the set may have one of these names.
    func mayHold(anyOf names: FieldNames) -> Bool { bits & names.bits != 0 }

    func mayHold(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName.utf8
        guard let first = name.first else { return false }
        return bits & Self.bit(first: first, count: name.count) != 0
    }

    /// Two names that differ only in case are one name, so the bit of the case is set in the first byte.
    private static func bit(first: UInt8, count: Int) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: Int(first | 0x20) &* 5 &+ count)
    }
}
