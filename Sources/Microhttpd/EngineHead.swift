internal import CMicrohttpd
internal import HTTPTypes

/// A request's head as the engine holds it.
///
/// The engine frees or reuses that memory when the request is over; the exchange then counts on, and the head
/// knows that it has become void.
struct EngineHead {
    private let exchange: Exchange
    private let serial: UInt
    private let connection: OpaquePointer
    private let pathStart: UnsafePointer<CChar>

    init(_ exchange: Exchange, connection: OpaquePointer, path: UnsafePointer<CChar>) {
        self.exchange = exchange
        serial = exchange.serial
        self.connection = connection
        pathStart = path
    }

    private var isVoid: Bool { exchange.serial != serial }

    var path: String { isVoid ? "" : exchange.path(at: pathStart) }
    var query: String? { isVoid ? nil : exchange.query }
    var contentLength: UInt64? { isVoid ? nil : exchange.framing.length }
    var hasBody: Bool { !isVoid && exchange.framing.hasBody }

    func field(_ name: HTTPField.Name) -> String? {
        guard !isVoid, exchange.fieldNames.mayHold(name) else { return nil }
        var start: UnsafePointer<CChar>?
        var count = 0
        var canonical = name.canonicalName
        // Passing the string itself would copy it, to end it with a NUL that the engine does not need.
        let found = canonical.withUTF8 { name in
            name.withMemoryRebound(to: CChar.self) {
                MHD_lookup_connection_value_n(connection, .HEADER_KIND, $0.baseAddress, $0.count, &start, &count)
            }
        }
        guard found == .YES, let start else { return nil }
        return string(fieldValue: bytes(start, count))
    }

    func fields(_ name: HTTPField.Name) -> [String] {
        guard !isVoid, exchange.fieldNames.mayHold(name) else { return [] }
        var search = FieldSearch(name: Array(name.canonicalName.utf8))
        withUnsafeMutablePointer(to: &search) {
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, collectField, $0)
        }
        return search.values
    }
}

private struct FieldSearch {
    let name: [UInt8]
    var values: [String] = []
}

private let collectField: MHD_KeyValueIteratorN = { search, _, name, nameCount, value, valueCount in
    guard let search, let name else { return .NO }
    let found = search.assumingMemoryBound(to: FieldSearch.self)
    let isSame = found.pointee.name.withUnsafeBytes { equalIgnoringCase(bytes(name, nameCount), $0) }
    guard isSame else { return .YES }
    found.pointee.values.append(string(fieldValue: bytes(value, valueCount)))
    return .YES
}

/// The bytes of a string that the engine knows the length of; an absent one is empty.
func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
}

/// A value without the spaces and tabs around it, which the engine leaves at the end.
private func string(fieldValue: UnsafeRawBufferPointer) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = fieldValue.firstIndex(where: { !isSpace($0) }),
        let last = fieldValue.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: fieldValue[first...last], as: UTF8.self)
}

/// Whether `name` is `lowercased` but for the case of its letters.
func equalIgnoringCase(_ name: UnsafeRawBufferPointer, _ lowercased: UnsafeRawBufferPointer) -> Bool {
    guard name.count == lowercased.count else { return false }
    for index in 0..<name.count {
        let byte = name[index]
        let isUpper = byte >= 0x41 && byte <= 0x5A
        guard (isUpper ? byte | 0x20 : byte) == lowercased[index] else { return false }
    }
    return true
}

func equalIgnoringCase(_ name: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
    equalIgnoringCase(
        name, UnsafeRawBufferPointer(start: lowercased.utf8Start, count: lowercased.utf8CodeUnitCount))
}
