import TestSupport
import Testing

@testable import Microhttpd

/// The part of a head that reaches the engine, tested without engine and socket.
@Suite struct HeadReaderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var sent: String
        /// The bytes that the engine gets; nil stands for all that were sent.
        var got: String?
        var fault: HeadReader.Fault?
        var testDescription: String { sent.debugDescription }

        init(_ sent: String, _ got: String? = nil, _ fault: HeadReader.Fault? = nil) {
            self.sent = sent
            self.got = got
            self.fault = fault
        }
    }

    static let rows = [
        Row("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nContent-Length: 12\r\nCookie: a=b; c=d\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nContent-Lengths: x\r\nCo: y\r\nCookies: z\r\n\r\n"),
        Row("GET / HTTP/1.1\nX: y\r\n\r\n", "GET / HTTP/1.1X / HTTP/1.1\r\n\r\n", .bareLineFeed),
        Row("\nGET / HTTP/1.1\r\n\r\n", "X / HTTP/1.1\r\n\r\n", .bareLineFeed),
        Row("GET / HTTP/1.1\r\nX: y\nZ: z\r\n\r\n", "GET / HTTP/1.1\r\nX: yX:\r\n\r\n", .bareLineFeed),
        Row("GET / HTTP/1.1\r\nX: y\r\n\n", "GET / HTTP/1.1\r\nX: y\r\nX:\r\n\r\n", .bareLineFeed),
        Row("GET / HTTP/1.1\r\nX: y\r\n z\r\n\r\n", "GET / HTTP/1.1\r\nX: y\r\nX:\r\n\r\n", .foldedField),
        Row("GET / HTTP/1.1\r\n\tz\r\n\r\n", "GET / HTTP/1.1\r\nX:\r\n\r\n", .foldedField),
        Row("GET / HTTP/1.1\r\n: z\r\n\r\n", "GET / HTTP/1.1\r\nX:\r\n\r\n", .emptyName),
        Row("GET / HTTP/1.1\r\nX: \0\r\n\r\n", "GET / HTTP/1.1\r\nX: X:\r\n\r\n", .nul),
        Row("\0", "X / HTTP/1.1\r\n\r\n", .nul),
        Row("P / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", "P / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", .badLength),
        Row("P / HTTP/1.1\r\nContent-Length: 5,5\r\n\r\n", "P / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", .badLength),
        Row("P / HTTP/1.1\r\nContent-Length:\r\n 5\r\n\r\n", "P / HTTP/1.1\r\nContent-Length:0\r\n\r\n", .badLength),
        Row("P / HTTP/1.1\r\nContent-Length: 5\rX\r\n\r\n", "P / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", .badLength),
        Row("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999999999\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nHost: a\r\ncontent-length:\t18446744073709551615\r\n\r\n"),
        Row(
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1844674407370955161\r\n\r\n", .longLength),
        Row(
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 \r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", .badLength),
        Row(
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", .badLength),
        Row("GET / HTTP/1.1\r\nAuthorization: Bearer a\r\nauthorization:b\r\nAuthorizations: c\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nAuthorization:\r\nAUTHORIZATION: b\r\nAuth: c\r\n\r\n"),
        Row("\r\nAuthorization: / HTTP/1.1\r\nAuthorization: a\t\u{E9}\r\n\r\n"),
        Row(
            "GET / HTTP/1.1\r\nX: \(repeated("a", 450))\r\nAuthorization: \(repeated("b", 510))\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nAuthorization: \(repeated("b", 510))\r\nX: \(repeated("a", 450))\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nAuthorization: \(repeated("b", 512))\r\n\r\n", nil, .longHead),
        Row("GET / HTTP/1.1\r\nAuthorization: a\n\r\n", nil, .bareLineFeed),
        Row("GET / HTTP/1.1\r\nAuthorization: a\rX: b\r\n\r\n"),
        Row("GET / HTTP/1.1\r\nAuthorization: \0\r\n\r\n", nil, .nul),
        Row("GET / HTTP/1.1\r\nAuthorization: a\r\n b\r\n\r\n", nil, .foldedField),
        Row("GET /" + String(repeating: "a", count: 600), nil, .longTarget),
        Row("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 600), nil, .longHead),
        // The first byte beyond the limit counts, whatever it is and whatever follows.
        Row("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 493) + "\n\r\n", nil, .longHead),
        Row("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 492) + "\n\r\n", nil, .bareLineFeed),
        Row("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 600) + "\n\r\n", nil, .longHead),
        Row("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 600) + "\0\r\n\r\n", nil, .longHead),
        Row("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 491) + "\r\n z\r\n\r\n", nil, .longHead),
        Row("GET /" + String(repeating: "a", count: 600) + "\nX: y\r\n\r\n", nil, .longTarget),
        Row("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 30), nil, .longHead),
        Row("GET / HTTP/1.1\r\nCookie: " + String(repeating: "a;", count: 60), nil, .longHead),
    ]

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let limits = HeadReader.Limits(headBytesMax: 512, notedBytesMax: 1024)

    /// The reader gives the same result wherever the bytes are cut into two.
    @Test(arguments: rows)
    func readsAlikeHoweverItIsCut(_ row: Row) {
        let sent = Array(row.sent.utf8)
        let whole = Self.read([sent])
        #expect(whole.fault == row.fault)
        if let got = row.got { #expect(whole.got == Array(got.utf8)) }
        if row.fault == nil { #expect(whole.got == Self.withoutCredentials(sent).bytes) }
        #expect(whole.gotBytes <= Self.limits.headBytesMax + "X / HTTP/1.1\r\n\r\n".utf8.count)
        for cut in sent.indices.dropFirst() {
            let parts = Self.read([Array(sent[..<cut]), Array(sent[cut...])])
            #expect(parts.got == whole.got && parts.fault == whole.fault, "cut at \(cut)")
            #expect(parts.credentials == whole.credentials, "cut at \(cut)")
        }
        let bytes = Self.read(sent.map { [$0] })
        #expect(bytes.got == whole.got && bytes.fault == whole.fault)
    }

    /// Bytes behind a head are examined only when it is known whether they are a body or a head.
    @Test(arguments: 0...40)
    func looksBehindAHeadOnlyWhenToldWhatFollows(_ length: Int) {
        let head = Array("P / HTTP/1.1\r\n\r\n".utf8)
        var bytes = head + Array(repeating: UInt8(0), count: length) + Array("GET / HTTP/1.1\n".utf8)
        let count = bytes.count
        var reader = HeadReader(Self.limits)
        bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            #expect(reader.read(start, count: count, room: count, isBetweenRequests: true) == count)
            #expect(reader.fault == nil && reader.headBytes == head.count)
            reader.follow(Framing(length: UInt64(length)), start + head.count)
        }
        #expect(reader.fault == .bareLineFeed)
    }

    /// Heads that are plain, and heads that are not. Nearly all real heads are plain. A head that is not plain may
    /// still be correct, and is then read in the other way.
    static let plainness: [(head: String, isPlain: Bool)] = [
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\0\n\n and more", true),
        ("GET / HTTP/1.1\r\nAccept: */*\r\nConnection: keep-alive\r\nContent-Type: text/plain\r\n\r\n", true),
        ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 123\r\n\r\n", true),
        ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1234567890123456789\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 12x\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length:\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=b\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y\r\n", false),
        ("\r\nGET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", false),
        ("GET / HTTP/1.1\nHost: 127.0.0.1\r\nX: y\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y\r\n\n", false),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\0\r\nX: y\r\n\r\n", false),
        ("GET / HTTP/1.1\r\n Host: 127.0.0.1\r\nX: y\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\ty\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n: y\r\n\r\n", false),
        ("GET / HTTP/1.1\r\n\r\n", false),  // The head is too short.
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 600) + "\r\n\r\n", false),
        ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 30) + "\r\n", false),
    ]

    @Test(arguments: plainness)
    func takesAPlainHeadAtOnce(_ head: String, isPlain: Bool) {
        var reader = HeadReader(Self.limits)
        var bytes = Array(head.utf8)
        var count = bytes.count
        let isTaken = bytes.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { reader.takePlainHead($0, 0, &count, .out) }
        }
        #expect(isTaken == isPlain)
    }

    /// A head that comes in one piece is read as if it came byte by byte: with the same bytes for the engine, the same
    /// fault, and the same `headBytes` and `noteBytes`.
    @Test(arguments: Soak.seeds(200))
    func readsAWholeHeadAsByteByByte(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let sent = Self.randomHead(&random)
            let (whole, bytes) = (Self.read([sent]), Self.read(sent.map { [$0] }))
            let isSame = whole == bytes
            #expect(isSame, "\(String(decoding: sent, as: UTF8.self).debugDescription)")
        }
    }

    /// A random head. It is mostly correct, has any length, and has bytes behind it.
    private static func randomHead(_ random: inout SeededGenerator) -> [UInt8] {
        var head = random.pick(["GET / HTTP/1.1\r\n", "POST /v1/lists/a/items/b/star HTTP/1.1\r\n", "\r\nX / Y\r\n"])
        for _ in 0..<random.below(5) {
            head += random.pick([
                "Host: ", "Content-Length: ", "CoNtent-LengtH:", "Content-Type: ", "Cookie: ", "X:", "AuthorizatioN:",
            ])
            head += random.once(in: 2) ? "\(random.below(10_000))" : String(repeating: "a", count: random.below(70))
            head += "\r\n"
        }
        var bytes = Array((head + "\r\n").utf8)
        if random.once(in: 2) {
            bytes[random.below(bytes.count)] = random.pick(Array("\0\n\r\t :;0cC".utf8))
        }
        return bytes + Array(random.pick(["", "\0", "\n", "GET / HTTP/1.1\r\n\r\n", " \r\n\r\n"]).utf8)
    }

    private struct Reading: Equatable {
        /// The bytes that the engine gets, without the line of the credentials if the head has no fault.
        var got: [UInt8]
        var credentials: [UInt8]?
        var fault: HeadReader.Fault?
        var headBytes: Int
        var noteBytes: Int
        /// The number of bytes that the engine gets.
        var gotBytes: Int

        /// How much the engine gets depends on the cut.
        static func == (one: Self, other: Self) -> Bool {
            (one.got, one.credentials, one.fault) == (other.got, other.credentials, other.fault)
                && (one.headBytes, one.noteBytes) == (other.headBytes, other.noteBytes)
        }
    }

    /// - Returns: The bytes that the engine gets with a pool that is large enough, and the credentials that it does not
    ///   get.
    private static func read(_ parts: [[UInt8]]) -> Reading {
        var reader = HeadReader(limits)
        var got: [UInt8] = []
        for part in parts where !reader.isOver { got += read(part, &reader) }
        while reader.hasMoreToSay { got += read([], &reader) }
        // Nobody asks for the credentials, and for `headBytes` and `noteBytes`, of a head that is refused.
        guard reader.fault == nil else {
            return Reading(got: got, fault: reader.fault, headBytes: 0, noteBytes: 0, gotBytes: got.count)
        }
        _ = reader.credentials.settle(inEngine: nil)
        // The engine gets the line without its value, or not even the line.
        let (kept, lineBytes) = reader.credentials.hasLine ? withoutCredentials(got) : (got, 0)
        return Reading(
            got: kept, credentials: reader.credentials.present?.upToReturn, fault: nil,
            headBytes: reader.headBytes - lineBytes,
            noteBytes: reader.noteBytes - (lineBytes > 0 ? EngineOptions.noteBytes : 0), gotBytes: got.count)
    }

    /// Takes out the first line of credentials. A name at the beginning of the request is a method.
    private static func withoutCredentials(_ bytes: [UInt8]) -> (bytes: [UInt8], count: Int) {
        let name = Array("\r\nauthorization:".utf8)
        func isNamed(at start: Int) -> Bool {
            zip(bytes[start...], name).allSatisfy { byte, letter in
                byte == letter || byte | 0x20 == letter && (0x41...0x5A).contains(byte)
            }
        }
        let places = bytes.indices.dropFirst().dropLast(name.count - 1)
        guard let start = places.first(where: isNamed).map({ $0 + 2 }),
            let end = bytes[start...].firstIndex(of: 0x0A).map({ $0 + 1 })
        else { return (bytes, 0) }
        return (Array(bytes[..<start] + bytes[end...]), end - start)
    }

    private static func read(_ part: [UInt8], _ reader: inout HeadReader) -> [UInt8] {
        var buffer = part + Array(repeating: 0, count: part.isEmpty ? 1 : 0)
        let room = buffer.count
        let count = buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return part.isEmpty
                ? reader.readEnding(start, room: room)
                : reader.read(start, count: room, room: room, isBetweenRequests: true)
        }
        return Array(buffer[..<count])
    }
}

extension [UInt8] {
    /// Credentials with a control character are refused, whichever part of them is kept from the engine.
    fileprivate var upToReturn: [UInt8] { Array(prefix { $0 != 0x0D }) }
}
