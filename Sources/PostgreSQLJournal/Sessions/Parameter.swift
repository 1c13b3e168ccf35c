/// A value that a statement is given, in PostgreSQL's binary form.
struct Parameter: Sendable {
    /// A type of PostgreSQL, by the number that all servers give it (`pg_type.dat`).
    enum Kind: UInt32, Sendable {
        case bytes = 17
        case integer = 20
        case text = 25
        case byteArrays = 1001
        case texts = 1009
        case integers = 1016
    }

    let kind: Kind
    let bytes: [UInt8]

    private init(_ kind: Kind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }

    static func integer(_ number: Int) -> Parameter { Parameter(.integer, binary(number)) }
    static func text(_ text: [UInt8]) -> Parameter { Parameter(.text, text) }
    static func bytes(_ bytes: [UInt8]) -> Parameter { Parameter(.bytes, bytes) }

    static func integers(_ numbers: [Int]) -> Parameter {
        Parameter(.integers, array(numbers.map(binary), of: .integer))
    }

    static func texts(_ texts: [[UInt8]]) -> Parameter { Parameter(.texts, array(texts, of: .text)) }
    static func byteArrays(_ arrays: [[UInt8]]) -> Parameter { Parameter(.byteArrays, array(arrays, of: .bytes)) }

    /// The form of `array_recv`: dimensions, a flag for nulls, the type; length and lower bound; each element with its
    /// length before it.
    private static func array(_ elements: [[UInt8]], of kind: Kind) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.reduce(20) { $0 + 4 + $1.count })
        append(elements.isEmpty ? 0 : 1, to: &bytes)
        append(0, to: &bytes)
        append(kind.rawValue, to: &bytes)
        guard !elements.isEmpty else { return bytes }
        append(UInt32(elements.count), to: &bytes)
        append(1, to: &bytes)
        for element in elements {
            append(UInt32(element.count), to: &bytes)
            bytes += element
        }
        return bytes
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    private static func binary(_ number: Int) -> [UInt8] { withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) } }
}

/// A value that a statement returns, in PostgreSQL's binary form; nil stands for NULL.
struct Cell: Sendable {
    let bytes: [UInt8]?

    /// The number of an integer column of any width, or of a boolean one; nil if it is none.
    var integer: Int? {
        guard let bytes, (1...8).contains(bytes.count) else { return nil }
        let isNegative = bytes[0] & 0x80 != 0 && bytes.count > 1
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
    }
}
