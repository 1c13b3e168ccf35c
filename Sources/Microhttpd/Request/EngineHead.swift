internal import CMicrohttpd
internal import Glibc
internal import HTTPTypes
internal import Texts

/// A request's head as the engine holds it.
///
/// The engine frees or reuses that memory when the request is over. The exchange then has another serial number, which
/// tells the head that it has become void.
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

    var client: ClientAddress? {
        guard !isVoid, let peer = exchange.peer else { return nil }
        return ClientAddress(origin(peer)?.client ?? peer)
    }
    /// Whether a proxy has been asked by TLS.
    var isSecure: Bool { isVoid ? false : exchange.peer.flatMap { origin($0)?.isSecure } ?? false }
    var visitor: (any Visitor)? { isVoid ? nil : exchange.visitor }
    var watcher: (any RequestWatcher)? { isVoid ? nil : exchange.watcher }
    var path: ByteText { isVoid ? "" : exchange.path(at: pathStart) }
    var query: ByteText? { isVoid ? nil : exchange.query }
    var fieldNames: FieldNames { exchange.fieldNames }
    var hasForeignHost: Bool { exchange.hasForeignHost }
    var contentLength: UInt64? { isVoid ? nil : exchange.framing.length }
    var hasBody: Bool { !isVoid && exchange.framing.hasBody }

    func note(route: UInt8) { if !isVoid { exchange.route = route } }

    /// The one for whom a proxy asks; nil if no trusted proxy has sent the request.
    private func origin(_ peer: NetworkAddress) -> TrustedProxies.Origin? {
        guard let proxies = exchange.proxies else { return nil }
        if let known = exchange.origin { return known }
        let origin =
            switch proxies.field {
            case .forwarded: proxies.origin(peer: peer, fields(.forwarded), protocols: [])
            case .xForwardedFor: proxies.origin(peer: peer, fields(.forwardedFor), protocols: fields(.forwardedProto))
            }
        exchange.origin = origin
        return origin
    }

    /// The last segment of the path behind a prefix. The text is not kept, because each request asks for it once.
    func segment(after prefix: StaticString) -> ByteText? {
        guard !isVoid else { return nil }
        let count = prefix.utf8CodeUnitCount
        let isPrefix = prefix.utf8Start.withMemoryRebound(to: CChar.self, capacity: count) {
            strncmp(pathStart, $0, count) == 0
        }
        guard isPrefix, strchr(pathStart + count, Int32(UInt8(ascii: "/"))) == nil else { return nil }
        return ByteText(cString: pathStart + count)
    }

    func field(_ name: HTTPField.Name) -> ByteText? {
        if let credentials = credentials(name) { return credentials }
        return value(of: name).map { ByteText(decoding: $0) }
    }

    /// The first value of the field, if the reader has kept it.
    private func credentials(_ name: HTTPField.Name) -> ByteText? {
        guard name.isOfCredentials, let value = exchange.credentials, !isVoid else { return nil }
        return value.withUnsafeBytes { ByteText(decoding: trimmed($0)) }
    }

    func field(_ name: HTTPField.Name, is wanted: ByteText) -> Bool {
        if let credentials = credentials(name) { return credentials == wanted }
        guard let value = value(of: name) else { return false }
        return wanted.withBytes { wanted in
            guard wanted.count == value.count, let start = wanted.baseAddress, let found = value.baseAddress else {
                return wanted.isEmpty && value.isEmpty
            }
            return memcmp(start, found, wanted.count) == 0
        }
    }

    /// The engine's bytes of the first value, without the spaces around it.
    private func value(of name: HTTPField.Name) -> UnsafeRawBufferPointer? {
        guard !isVoid else { return nil }
        var start: UnsafePointer<CChar>?
        var count = 0
        var canonical = name.canonicalName
        // A string argument would be copied to end with a NUL, which the engine does not need.
        let found = canonical.withUTF8 { name in
            name.withMemoryRebound(to: CChar.self) {
                MHD_lookup_connection_value_n(connection, .HEADER_KIND, $0.baseAddress, $0.count, &start, &count)
            }
        }
        guard found == .YES, let start else { return nil }
        return trimmed(bytes(start, count))
    }

    /// All fields in order, with names in lower case.
    var allFields: [(name: ByteText, value: ByteText)] {
        guard !isVoid else { return [] }
        var fields: [(name: ByteText, value: ByteText)] = []
        withUnsafeMutablePointer(to: &fields) {
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, collectAll, $0)
        }
        if let kept = credentials(.authorization) {
            let place = hasLineOfCredentials ? fields.firstIndex { $0.name == "authorization" } : nil
            if let place { fields[place].value = kept } else { fields.insert(("authorization", kept), at: 0) }
        }
        return fields
    }

    private var hasLineOfCredentials: Bool { exchange.reader.credentials.hasLine }

    func fields(_ name: HTTPField.Name) -> [ByteText] {
        guard !isVoid else { return [] }
        var search = FieldSearch(name: Array(name.canonicalName.utf8))
        withUnsafeMutablePointer(to: &search) {
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, collectField, $0)
        }
        guard let kept = credentials(name) else { return search.values }
        return [kept] + search.values.dropFirst(hasLineOfCredentials ? 1 : 0)
    }
}

extension HTTPField.Name {
    /// The lengths are compared first, because nearly all fields are others.
    fileprivate var isOfCredentials: Bool { canonicalName.utf8.count == 13 && self == .authorization }

    fileprivate static let forwarded = Self("Forwarded")!
    fileprivate static let forwardedFor = Self("X-Forwarded-For")!
    fileprivate static let forwardedProto = Self("X-Forwarded-Proto")!
}

private struct FieldSearch {
    let name: [UInt8]
    var values: [ByteText] = []
}

private let collectField: MHD_KeyValueIteratorN = { search, _, name, nameCount, value, valueCount in
    guard let search, let name else { return .NO }
    let found = search.assumingMemoryBound(to: FieldSearch.self)
    let isSame = found.pointee.name.withUnsafeBytes { equalIgnoringCase(bytes(name, nameCount), $0) }
    guard isSame else { return .YES }
    found.pointee.values.append(ByteText(decoding: trimmed(bytes(value, valueCount))))
    return .YES
}

private let collectAll: MHD_KeyValueIteratorN = { fields, _, name, nameCount, value, valueCount in
    guard let fields else { return .NO }
    let name = ByteText(decoding: bytes(name, nameCount)).lowercasedASCII
    fields.assumingMemoryBound(to: [(name: ByteText, value: ByteText)].self).pointee
        .append((name, ByteText(decoding: trimmed(bytes(value, valueCount)))))
    return .YES
}

/// The bytes of a string that the engine knows the length of; an absent one is empty.
func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
}

/// A value without the spaces and tabs around it, which the engine leaves at the end.
func trimmed(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = value.firstIndex(where: { !isSpace($0) }),
        let last = value.lastIndex(where: { !isSpace($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: value[first...last])
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
