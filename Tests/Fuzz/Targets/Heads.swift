import Texts

@testable import Microhttpd

/// The reader that stands before the engine, and the guard behind it: requests are read alike however their bytes come,
/// and the engine gets no byte by which another reader could find another request.
///
/// The first bytes say how the others are cut; the rest are those of a client.
///
/// - Returns: Whether a request is served.
func tryHeads(_ input: [UInt8]) throws -> Bool {
    let cuts = input.prefix(4)
    let sent = Array(input.dropFirst(4))
    let whole = try Conversation([sent], spareRoom: 64)
    var pieces: [[UInt8]] = []
    var rest = sent[...]
    while !rest.isEmpty {
        let length = Int(cuts.isEmpty ? 1 : cuts[cuts.startIndex + pieces.count % cuts.count]) + 1
        pieces.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
    }
    for pieces in [pieces, sent.map { [$0] }] {
        let other = try Conversation(pieces, spareRoom: 0)
        try require(
            whole.isLike(other), "cut into \(pieces.map(\.count)): \(other.requests), and whole: \(whole.requests)")
    }
    return whole.requests.contains { if case .served = $0.outcome { true } else { false } }
}

/// The requests that a server finds in the bytes of one connection, without socket and engine.
private struct Conversation {
    struct Request: Equatable {
        enum Outcome: Equatable {
            case served(Framing)
            case faulty(HeadReader.Fault)
            case refused(Refusal)
            /// The engine refuses it.
            case unreadable
        }

        /// The bytes of the head, without the line of its credentials.
        var head: [UInt8]
        var credentials: [UInt8]?
        /// The bytes that the reader has counted for them; none for a head that is refused.
        var counted: [Int] = []
        var outcome: Outcome
    }

    private(set) var requests: [Request] = []
    /// The fault of a chunked body, which ends the conversation.
    private var bodyFault: HeadReader.Fault?

    private static let limits = HeadReader.Limits(headBytesMax: 256, notedBytesMax: 512)
    private var reader = HeadReader(Self.limits)
    /// The bytes that the engine has got and not used yet.
    private var got: [UInt8] = []
    /// The bytes of a body that are still to come.
    private var bodyLeft: UInt64 = 0
    private var isChunked = false
    private var isClosed = false

    /// - Parameter spareRoom: The room behind what is received, in which an ending has room as a whole.
    init(_ pieces: [[UInt8]], spareRoom: Int) throws {
        for piece in pieces where !piece.isEmpty && !reader.isOver && !isClosed {
            let isBetweenRequests = bodyLeft == 0 && !isChunked
            got += receive(piece, room: piece.count + spareRoom) { reader, bytes, room in
                reader.read(bytes, count: piece.count, room: room, isBetweenRequests: isBetweenRequests)
            }
            try proceed()
        }
        while reader.hasMoreToSay && !isClosed {
            got += receive([], room: 5) { reader, bytes, room in reader.readEnding(bytes, room: room) }
            try proceed()
        }
        guard isChunked else { return }
        bodyFault = reader.fault
        try require((bodyFault != nil) == hasUnclearFrame(got), "the frame of \(got) has the fault \(bodyFault as Any)")
    }

    /// Whether another cut has led to the same. Credentials may count only for a head at the beginning: another one may
    /// have come together with the request before, and is then left to the engine as it is.
    func isLike(_ other: Self) -> Bool {
        guard requests.first == other.requests.first else { return false }
        let isCounted = [self, other].contains { conversation in
            conversation.requests.dropFirst().contains { $0.credentials != nil || $0.head.authorization != nil }
        }
        return isCounted || (requests == other.requests && bodyFault == other.bodyFault)
    }

    private mutating func receive(
        _ piece: [UInt8], room: Int, _ read: (inout HeadReader, UnsafeMutablePointer<UInt8>, Int) -> Int
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            for (index, byte) in piece.enumerated() { start[index] = byte }
            count = read(&reader, start, room)
        }
    }

    /// Uses what the engine has got.
    private mutating func proceed() throws {
        while !isClosed && !isChunked {
            let used = Int(min(bodyLeft, UInt64(got.count)))
            got.removeFirst(used)
            bodyLeft -= UInt64(used)
            guard bodyLeft == 0, let head = endOfHead(in: got) else { return }
            try take(Array(got[..<head]))
        }
    }

    private mutating func take(_ head: [UInt8]) throws {
        got.removeFirst(head.count)
        let begun = head.withoutEmptyLines
        var request = Request(head: begun, outcome: .unreadable)
        defer { requests.append(request) }
        if let fault = reader.fault {
            request.outcome = .faulty(fault)
            return isClosed = true
        }
        try require(reader.headBytes == begun.count, "the reader has counted \(reader.headBytes) bytes of \(begun)")
        try checkHead(begun)
        let areRepeated = settle(inEngine: begun.authorization.map { Array(begun[$0.value]) })
        let credentials = reader.credentials.present
        // The engine gets the line, or its name alone, or nothing of it.
        let line = reader.credentials.hasLine ? begun.authorization?.line : nil
        if let line { request.head.removeSubrange(line) }
        // Those with a control character are refused, whichever part of them is kept from the engine.
        request.credentials = credentials.map { $0.prefix { $0 != 0x0D }.trimmed }
        request.counted = [
            reader.headBytes - (line?.count ?? 0), reader.noteBytes - (line == nil ? 0 : EngineOptions.noteBytes),
        ]
        request.outcome = outcome(of: begun, areRepeated ? nil : credentials)
        guard case .served(let framing) = request.outcome else { return isClosed = true }
        isChunked = framing.isChunked
        bodyLeft = framing.isChunked ? 0 : framing.length ?? 0
        var behind = got.isEmpty ? [0] : got
        behind.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { reader.follow(framing, start) }
        }
        if !got.isEmpty { got = behind }
    }

    private mutating func settle(inEngine value: [UInt8]?) -> Bool {
        guard let value else { return reader.credentials.settle(inEngine: nil) }
        return value.withUnsafeBufferPointer { reader.credentials.settle(inEngine: $0) }
    }

    private func outcome(of head: [UInt8], _ credentials: [UInt8]?) -> Request.Outcome {
        let lines = head.split(separator: 0x0A).map { $0.dropLast() }
        let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8), words[2].count == 8 else { return .unreadable }
        var fields = HeadGuard()
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return .unreadable }
            let name = Array(line[..<colon])
            let value = Array(line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 })
            name.withUnsafeBytes { name in value.withUnsafeBytes { fields.note(name: name, value: $0) } }
        }
        credentials?.withUnsafeBytes { fields.note(credentials: $0) }
        if !reader.credentials.hasLine { fields.noteCutCredentials() }
        let name = words[0].map { CChar(bitPattern: $0) } + [0]
        let refusal = fields.refusal(
            method: method(named: name), targetIsValid: Array(words[1]).withUnsafeBytes(Target.isValid),
            isHTTP10: words[2].last == UInt8(ascii: "0"))
        return refusal.map { .refused($0) } ?? .served(fields.framing)
    }
}

// MARK: - The slow and obvious reading

/// The bytes of a head with which the engine begins a request.
private func checkHead(_ head: [UInt8]) throws {
    var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)
    try require(lines.popLast()?.isEmpty == true, "the head does not end in a line feed")
    for (index, line) in lines.enumerated() {
        try require(line.last == 0x0D, "line \(index) ends in a line feed alone")
        try require(!line.contains(0), "line \(index) has a NUL")
        let isNameless = [0x20, 0x09, UInt8(ascii: ":")].contains(line.first)
        try require(!isNameless || index == 0, "line \(index) is folded or has no name")
    }
    try require(lines.last?.count == 1, "the last line is not empty")
    try require(!lines.dropLast().contains { $0.count == 1 }, "an empty line is inside")
}

/// The number of bytes up to the empty line that ends the head; nil if there is none. Lines before the request line may
/// be empty.
private func endOfHead(in bytes: [UInt8]) -> Int? {
    var (start, hasBegun) = (0, false)
    while let feed = bytes[start...].firstIndex(of: 0x0A) {
        let isEmpty = feed - start == 1
        if isEmpty && hasBegun { return feed + 1 }
        if !isEmpty { hasBegun = true }
        start = feed + 1
    }
    return nil
}

private let authorizationName = Array("\r\nauthorization:".utf8)

extension [UInt8] {
    fileprivate var withoutEmptyLines: [UInt8] {
        var rest = self[...]
        while rest.starts(with: [0x0D, 0x0A]) { rest = rest.dropFirst(2) }
        return Array(rest)
    }

    /// The first line of an `Authorization`, and its value without spaces before it.
    fileprivate var authorization: (line: Range<Int>, value: Range<Int>)? {
        let name = authorizationName
        let small = map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let places = small.indices.dropLast(name.count - 1)
        guard let start = places.first(where: { small[$0...].starts(with: name) }),
            let feed = self[(start + 2)...].firstIndex(of: 0x0A)
        else { return nil }
        let value = self[(start + name.count)..<feed].dropLast()
        let begin = value.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? value.endIndex
        return (start + 2..<feed + 1, begin..<value.endIndex)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: [UInt8] {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        return Array(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// Whether other readers could find the end of a chunked body elsewhere, as far as it is here. Where the size of a chunk
/// is no number, the engine stops reading.
private func hasUnclearFrame(_ body: [UInt8]) -> Bool {
    var index = 0
    while true {
        var size: UInt64 = 0
        while index < body.count, let digit = body[index].hexDigitValue {
            guard size < 1 << 60 else { return false }
            size = size << 4 | UInt64(digit)
            index += 1
        }
        guard index < body.count else { return false }
        guard [0x0D, 0x0A, 0, UInt8(ascii: ";")].contains(body[index]) else { return false }
        switch endOfLine(in: body, from: index) {
        case .unclear: return true
        case .missing: return false
        case .found(let end): index = end
        }
        guard size > 0 else { return hasUnclearTrailer(body[index...]) }
        guard size < UInt64(body.count - index) else { return false }
        index += Int(size)
        // Nothing but the end of a line stands behind the data.
        guard body[index] == 0x0D else { return true }
        switch endOfLine(in: body, from: index) {
        case .unclear: return true
        case .missing: return false
        case .found(let end): index = end
        }
    }
}

private func hasUnclearTrailer(_ trailer: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(trailer)
    var index = 0
    while index < bytes.count {
        if [0x20, 0x09, UInt8(ascii: ":")].contains(bytes[index]) { return true }
        switch endOfLine(in: bytes, from: index) {
        case .unclear: return true
        case .missing: return false
        case .found(index + 2): return false
        case .found(let end): index = end
        }
    }
    return false
}

private enum EndOfLine: Equatable {
    case found(Int), missing, unclear
}

/// The index behind the CR LF that ends the line.
private func endOfLine(in bytes: [UInt8], from start: Int) -> EndOfLine {
    var index = start
    while index < bytes.count {
        switch bytes[index] {
        case 0x0D:
            guard index + 1 < bytes.count else { return .missing }
            return bytes[index + 1] == 0x0A ? .found(index + 2) : .unclear
        case 0x0A, 0: return .unclear
        default: index += 1
        }
    }
    return .missing
}
