import Glibc
import Texts

/// Sends one request per connection. That is enough for commands that talk to a server like any other client.
struct HTTPClient {
    /// The reason why there is no answer.
    enum Fault: Error {
        case unknownHost
        /// A system call failed with this error number.
        case system(Int32)
        case timedOut
        /// There is no libcurl, by which requests go over TLS.
        case noLibrary
        /// The reason that libcurl gives, and its number for that.
        case secure(ByteText, Int32)
        /// The bytes that came are not an HTTP answer, or the answer is too long.
        case noAnswer
    }

    struct Answer {
        var status: Int
        /// The names are in lower case.
        var fields: [(name: ByteText, value: ByteText)]
        var body: [UInt8]

        /// The value of the first field of this name, in any case of its letters.
        subscript(name: ByteText) -> ByteText? { fields.first { $0.name == name.lowercasedASCII }?.value }
    }

    let address: ServerAddress
    /// The longest time in seconds that one read or one write may wait.
    let patience: Int

    private static let answerBytesMax = 16 * 1024 * 1024

    /// Sends a request and reads the answer to its end.
    ///
    /// - Parameter json: The body; nil for a request without a body.
    func send(
        _ method: String, _ path: String, fields: [(name: String, value: String)] = [], json: [UInt8]? = nil
    ) throws(Fault) -> Answer {
        let reader = AnswerReader(contentBytesMax: Self.answerBytesMax)
        try send(method, path, fields: fields, json: json, to: reader)
        guard let answer = reader.whole else { throw .noAnswer }
        return answer
    }

    /// Sends a request, and hands the answer over as it comes. Returns when it has ended, or when the reader wants no
    /// more.
    func send(
        _ method: String, _ path: String, fields: [(name: String, value: String)], json: [UInt8]?,
        to reader: AnswerReader
    ) throws(Fault) {
        guard !address.isSecure else { return try sendSecurely(method, path, fields, json, reader) }
        let descriptor = try connected()
        defer { close(descriptor) }
        try write(head(method, path, fields, json) + (json ?? []), to: descriptor)
        try read(from: descriptor, to: reader)
    }

    private func sendSecurely(
        _ method: String, _ path: String, _ fields: [(name: String, value: String)], _ json: [UInt8]?,
        _ reader: AnswerReader
    ) throws(Fault) {
        var lines = fields.map { "\($0.name): \($0.value)" }
        if json != nil { lines.append("Content-Type: application/json") }
        try SecureClient.send(
            method, "\(address)\(path)", fields: lines, body: json, patience: patience, to: reader)
    }

    /// The head of the request. It is HTTP/1.0, so the answer ends with the connection and is never chunked (RFC 9112,
    /// section 6.3).
    private func head(
        _ method: String, _ path: String, _ fields: [(name: String, value: String)], _ json: [UInt8]?
    ) -> [UInt8] {
        var lines = ["\(method) \(path) HTTP/1.0", "Host: \(address.authority)"]
        lines += fields.map { "\($0.name): \($0.value)" }
        if let json { lines += ["Content-Type: application/json", "Content-Length: \(json.count)"] }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

// MARK: - The socket

extension HTTPClient {
    /// Connects to the first address of the host that accepts.
    private func connected() throws(Fault) -> Int32 {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let list else {
            throw .unknownHost
        }
        defer { freeaddrinfo(list) }
        var fault = Fault.unknownHost
        for candidate in sequence(first: list, next: { $0.pointee.ai_next }) {
            do throws(Fault) { return try connected(to: candidate.pointee) } catch { fault = error }
        }
        throw fault
    }

    private func connected(to candidate: addrinfo) throws(Fault) -> Int32 {
        let kind = candidate.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(candidate.ai_family, kind, candidate.ai_protocol)
        guard descriptor >= 0 else { throw .system(errno) }
        limitWaits(of: descriptor, seconds: patience)
        guard connect(descriptor, candidate.ai_addr, candidate.ai_addrlen) == 0 else {
            let fault = Self.lastFault
            close(descriptor)
            throw fault
        }
        return descriptor
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(Fault) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EPIPE || errno == ECONNRESET {
                // A server that refuses a body may answer and close before it has read all of it.
                return
            } else if errno != EINTR {
                throw Self.lastFault
            }
        }
    }

    private func read(from descriptor: Int32, to reader: AnswerReader) throws(Fault) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var hasCome = false
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                hasCome = true
                guard buffer.withUnsafeBytes({ reader.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) else {
                    return
                }
            } else if count == 0 || errno == ECONNRESET && hasCome {
                return
            } else if errno != EINTR {
                throw Self.lastFault
            }
        }
    }

    private static var lastFault: Fault {
        errno == EAGAIN || errno == EINPROGRESS || errno == ETIMEDOUT ? .timedOut : .system(errno)
    }
}
