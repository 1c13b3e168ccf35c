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

/// A value that a statement returns, as PostgreSQL's binary form says it.
enum Cell: Sendable, Equatable {
    case null
    /// A number of any width, or a boolean as 0 or 1.
    case number(Int)
    case bytes([UInt8])

    /// - Parameters:
    ///   - value: The value in binary form.
    ///   - type: The number of its type, as `Parameter.Kind` has it.
    init(_ value: UnsafeRawBufferPointer, ofType type: UInt32) {
        guard Self.isOfNumbers(type), let first = value.first else {
            self = .bytes(Array(value))
            return
        }
        let isNegative = first & 0x80 != 0 && value.count > 1
        self = .number(value.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) })
    }

    /// Whether a type is that of booleans, or of integers of eight, two or four bytes (`pg_type.dat`).
    private static func isOfNumbers(_ type: UInt32) -> Bool { type == 20 || type == 16 || type == 23 || type == 21 }

    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var integer: Int? { if case .number(let number) = self { number } else { nil } }
    var isNull: Bool { self == .null }
}
