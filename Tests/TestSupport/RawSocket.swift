internal import Glibc

/// A client that sends exactly the bytes it is given, and reads the answers.
///
/// It blocks. A timeout protects the tests against a server that never answers: a read then throws.
public final class RawSocket {
    private var descriptor: Int32
    /// Bytes that were received but not read yet, such as the start of the next response.
    private var buffer: [UInt8] = []

    public enum Failure: Error, Equatable {
        case system(String, errno: Int32)
        case timeout
        /// The server closed the connection before the response was complete.
        case closedEarly(received: [UInt8])
        case malformed(String)
    }

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - host: 127.0.0.1 or ::1.
    ///   - source: The address to connect from. All of 127.0.0.0/8 belongs to this machine.
    /// - Throws: `Failure`.
    public init(
        port: UInt16, host: String = "127.0.0.1", from source: String? = nil, timeoutSeconds: Int = 120
    ) throws {
        let address = Address(host, port: port)
        descriptor = socket(
            address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket", errno: errno) }
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        // If the initializer throws, `deinit` closes the descriptor.
        if let source {
            let result = Address(source, port: 0).withPointer { bind(descriptor, $0, $1) }
            guard result == 0 else { throw Failure.system("bind", errno: errno) }
        }
        let result = address.withPointer { connect(descriptor, $0, $1) }
        guard result == 0 else { throw Failure.system("connect", errno: errno) }
    }

    deinit {
        close()
    }

    public func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes the connection with a reset instead of an orderly end.
    public func reset() {
        var none = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Cuts the client off as if the network were gone. Nothing that the server sends arrives any more, and the server
    /// is not told.
    public func vanish() throws {
        // A filter of one instruction: keep no byte of any packet (Linux, linux/filter.h).
        var instruction: UInt64 = 0x06
        try withUnsafeMutablePointer(to: &instruction) { instruction in
            var program = (count: UInt16(1), instructions: UnsafeMutableRawPointer(instruction))
            let size = socklen_t(MemoryLayout.size(ofValue: program))
            let result = setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, size)
            guard result == 0 else { throw Failure.system("setsockopt", errno: errno) }
        }
    }

    /// Ends the sending direction. Answers can still be read.
    public func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    public func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.system("send", errno: errno) }
            sent += count
        }
    }

    /// Sends `text` repeatedly at this pace until the server closes the connection.
    ///
    /// - Returns: The bytes that the server has sent.
    public func dribble(_ text: String, everyMilliseconds pace: Int32, atMost count: Int) throws -> [UInt8] {
        for _ in 0..<count {
            do { try send(text) } catch Failure.system { return try readToEnd() }
            var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, pace) == 0 else { return try readToEnd() }
        }
        throw Failure.timeout
    }

    /// All bytes until the server closes the connection.
    public func readToEnd() throws -> [UInt8] {
        while try receive() {}
        defer { buffer = [] }
        return buffer
    }

    /// Whether the server closes the connection without sending anything more.
    public func isClosedByServer() throws -> Bool {
        try buffer.isEmpty && !receive()
    }

    /// Reads a response whose body is not in chunks.
    ///
    /// - Parameter hasNoBody: Whether the request was a HEAD. Its response has no body, whatever length it announces.
    public func readResponse(hasNoBody: Bool = false) throws -> RawResponse {
        var response = try readHead()
        if !hasNoBody { response.body = try readBody(behind: response) }
        return response
    }

    /// Reads a body of the length that the head announces.
    public func readBody(behind head: RawResponse) throws -> [UInt8] {
        try take(head.neverHasBody ? 0 : head["Content-Length"].flatMap { Int($0) } ?? 0)
    }

    /// Reads the head of a response. Its body is then still unread.
    public func readHead() throws -> RawResponse {
        var end = RawResponse.endOfHead(in: buffer)
        while end == nil {
            try receiveMore()
            end = RawResponse.endOfHead(in: buffer)
        }
        guard let end, let response = RawResponse(head: buffer[..<end]) else {
            throw Failure.malformed(String(decoding: buffer, as: UTF8.self))
        }
        buffer.removeFirst(end)
        return response
    }

    /// Reads a chunk of a body as text (RFC 9112, section 7.1). The last chunk is empty.
    public func readChunk() throws -> String { String(decoding: try readChunkBytes(), as: UTF8.self) }

    /// Reads a chunk of a body. It may end in the middle of a character.
    public func readChunkBytes() throws -> [UInt8] {
        var lineEnd = buffer.firstIndex(of: UInt8(ascii: "\n"))
        while lineEnd == nil {
            try receiveMore()
            lineEnd = buffer.firstIndex(of: UInt8(ascii: "\n"))
        }
        let line = String(decoding: try take((lineEnd ?? 0) + 1).dropLast(2), as: UTF8.self)
        guard let count = Int(line, radix: 16) else { throw Failure.malformed(line) }
        let chunk = try take(count)
        guard try take(2) == Array("\r\n".utf8) else { throw Failure.malformed("after a chunk") }
        return chunk
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try receiveMore() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func receiveMore() throws {
        guard try receive() else { throw Failure.closedEarly(received: buffer) }
    }

    /// - Returns: False at the end of the stream. A reset counts as an end.
    private func receive() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count < 0 else {
            buffer += piece[..<count]
            return count > 0
        }
        switch errno {
        case ECONNRESET: return false
        case EAGAIN: throw Failure.timeout
        default: throw Failure.system("recv", errno: errno)
        }
    }
}

/// An address in numbers. It is an IPv6 address if it has a colon.
private struct Address {
    let family: Int32
    private var v4 = sockaddr_in()
    private var v6 = sockaddr_in6()

    init(_ host: String, port: UInt16) {
        family = host.contains(":") ? AF_INET6 : AF_INET
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        if family == AF_INET {
            inet_pton(AF_INET, host, &v4.sin_addr)
        } else {
            inet_pton(AF_INET6, host, &v6.sin6_addr)
        }
    }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        func call<Kind>(_ address: Kind) -> Int32 {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Kind>.size))
                }
            }
        }
        return family == AF_INET ? call(v4) : call(v6)
    }
}

/// A response as it was received.
public struct RawResponse: Equatable, Sendable {
    public var status: Int
    public var statusLine: String
    /// The fields in order, with their names as they were sent.
    public var fields: [Field]
    public var body: [UInt8] = []

    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String
    }

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a field. Upper and lower case of its name are equal.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var neverHasBody: Bool { status < 200 || status == 204 || status == 304 }

    static func endOfHead(in bytes: [UInt8]) -> Int? {
        // A plain loop, because this runs for every answer of every test.
        for end in stride(from: 3, to: bytes.count, by: 1) where bytes[end] == 10 {
            if bytes[end - 1] == 13, bytes[end - 2] == 10, bytes[end - 3] == 13 { return end + 1 }
        }
        return nil
    }

    init?(head: ArraySlice<UInt8>) {
        // In a `String`, "\r\n" is one character.
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "),
            let status = Int(first.dropFirst(9).prefix(3))
        else { return nil }
        self.status = status
        statusLine = String(first)
        fields = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields.append(Field(name: String(line[..<colon]), value: String(value)))
        }
    }
}
