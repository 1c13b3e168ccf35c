@testable import Microhttpd

/// The reader that stands before the engine: a head is read alike however its bytes come, and the engine gets no byte by
/// which another reader could find another request.
///
/// The first bytes say how the others are cut; the rest are those of a client.
func tryHead(_ input: [UInt8]) -> Int32 {
    let cuts = input.prefix(4)
    let sent = Array(input.dropFirst(4))
    let whole = Reading([sent])
    var pieces: [[UInt8]] = []
    var rest = sent[...]
    while !rest.isEmpty {
        let length = Int(cuts.isEmpty ? 1 : cuts[cuts.startIndex + pieces.count % cuts.count]) + 1
        pieces.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
    }
    require(Reading(pieces) == whole, "cut into \(pieces.map(\.count)): \(Reading(pieces)), and whole: \(whole)")
    require(Reading(sent.map { [$0] }) == whole, "byte by byte: \(Reading(sent.map { [$0] })), and whole: \(whole)")
    if whole.isWhole { checkHead(whole.head) }
    return 0
}

/// The bytes of a head with which the engine begins a request.
private func checkHead(_ head: [UInt8]) {
    var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)
    require(lines.popLast()?.isEmpty == true, "the head does not end in a line feed")
    for (index, line) in lines.enumerated() {
        require(line.last == 0x0D, "line \(index) ends in a line feed alone")
        require(!line.contains(0), "line \(index) has a NUL")
        let isNameless = [0x20, 0x09, UInt8(ascii: ":")].contains(line.first)
        require(!isNameless || index == 0, "line \(index) is folded or has no name")
    }
    require(lines.last?.count == 1, "the last line is not empty")
    require(!lines.dropFirst().dropLast().contains { $0.count == 1 }, "an empty line is inside")
}

private struct Reading: Equatable {
    /// The bytes that the engine gets of the head, without the line of the credentials.
    var head: [UInt8] = []
    var credentials: [UInt8]?
    var fault: HeadReader.Fault?
    /// Whether the head has ended. What follows is read only when the end of its body is known.
    var isWhole = false

    private static let limits = HeadReader.Limits(headBytesMax: 256, notedBytesMax: 512)

    init(_ pieces: [[UInt8]]) {
        var reader = HeadReader(Self.limits)
        var got: [UInt8] = []
        for piece in pieces where !reader.isOver { got += Self.read(piece, &reader) }
        while reader.hasMoreToSay { got += Self.read([], &reader) }
        fault = reader.fault
        let end = Self.end(of: got)
        isWhole = end != nil
        // A head that has no end yet, and one that is refused, is nobody's.
        head = Array(got.prefix(end ?? 0))
        if fault != nil { head = got }
        guard fault == nil, isWhole else { return }
        _ = reader.credentials.settle(inEngine: nil)
        // Those with a control character are refused, whichever part of them is kept from the engine.
        credentials = reader.credentials.present.map { Array($0.prefix { $0 != 0x0D }) }
        // Of a head that comes in pieces, the engine gets the line of the credentials without its value.
        if reader.credentials.hasLine { head = Self.withoutCredentials(head) }
    }

    private static func withoutCredentials(_ head: [UInt8]) -> [UInt8] {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { $0.count > 1 }),
            let place = lines[(first + 1)...].firstIndex(where: {
                $0.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }.starts(with: "authorization:".utf8)
            })
        else { return head }
        lines.remove(at: place)
        return Array(lines.joined(separator: [0x0A]))
    }

    private static func read(_ piece: [UInt8], _ reader: inout HeadReader) -> [UInt8] {
        let room = piece.count + 64
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            for (index, byte) in piece.enumerated() { start[index] = byte }
            count =
                piece.isEmpty
                ? reader.readEnding(start, room: room)
                : reader.read(start, count: piece.count, room: room, isBetweenRequests: true)
        }
    }

    /// The number of bytes up to the empty line that ends the head; lines before the request line may be empty.
    private static func end(of bytes: [UInt8]) -> Int? {
        var (start, hasBegun) = (0, false)
        while let feed = bytes[start...].firstIndex(of: 0x0A) {
            let isEmpty = feed - start == 1
            if isEmpty && hasBegun { return feed + 1 }
            if !isEmpty { hasBegun = true }
            start = feed + 1
        }
        return nil
    }
}
