public import HTTPTypes

/// Which names the fields of a head may have: most of those that are absent are told without a search.
///
/// A set of bits that names share, so what it does not hold is absent, and what it holds must be looked for.
public struct FieldNames: Sendable {
    private var bits: UInt64 = 0

    /// Of a head that nothing is known of.
    static let all = FieldNames(bits: .max)

    init() {}

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameter name: As it was sent.
    mutating func insert(_ name: UnsafeRawBufferPointer) {
        guard let first = name.first else { return }
        bits |= Self.bit(first: first, count: name.count)
    }

    /// Those that one of these has.
    public init(_ names: [HTTPField.Name]) {
        for name in names { Array(name.canonicalName.utf8).withUnsafeBytes { insert($0) } }
    }

    /// Whether it may hold one of these.
    func mayHold(anyOf names: FieldNames) -> Bool { bits & names.bits != 0 }

    func mayHold(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName.utf8
        guard let first = name.first else { return false }
        return bits & Self.bit(first: first, count: name.count) != 0
    }

    /// Names are alike but for the case of their letters, so the bit of the case is set in both.
    private static func bit(first: UInt8, count: Int) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: Int(first | 0x20) &* 5 &+ count)
    }
}
