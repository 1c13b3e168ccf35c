import Foundation
import Glibc
import Threads

/// A fact that becomes true, for which others wait.
final class Flag: Sendable {
    private let isRaised = Locked(false)

    func raise() { isRaised.withLock { $0 = true } }
    func lower() { isRaised.withLock { $0 = false } }
    var isUp: Bool { isRaised.withLock { $0 } }

    func raised() async throws { while !isUp { try await Task.sleep(for: .milliseconds(2)) } }
}

/// A server of TCP that answers each request with the steps of a script.
final class ScriptedServer: Sendable {
    enum Step {
        case bytes(String)
        case data([UInt8])
        /// Goes on when somebody has raised the flag.
        case wait(Flag)
        /// Goes on when the other side has closed the connection.
        case untilGone
    }

    struct Failed: Error {}

    let port: UInt16
    private let listening: Int32
    private let script: @Sendable (String) -> [Step]
    private let asked = Locked<[String]>([])
    private let taken = Locked(0)
    private let closesAfterEach = Locked(false)
    /// A request has come.
    let isAsked = Flag()
    /// The other side has closed a connection that `untilGone` looks at.
    let isGone = Flag()

    /// - Parameter script: The steps after a request, which is given with its head and its body.
    init(script: @escaping @Sendable (String) -> [Step]) throws {
        self.script = script
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listening
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw Failed() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard connection >= 0 else {
                    Glibc.close(descriptor)
                    return
                }
                guard let server = self else {
                    Glibc.close(connection)
                    continue
                }
                server.taken.withLock { $0 += 1 }
                Thread.detachNewThread { server.serve(connection) }
            }
        }
    }

    deinit { close() }

    /// The requests that have come, each with its head and its body.
    var requests: [String] { asked.withLock { $0 } }
    /// How many connections there were.
    var connections: Int { taken.withLock { $0 } }
    var isClosingAfterEach: Bool {
        get { closesAfterEach.withLock { $0 } }
        set { closesAfterEach.withLock { $0 = newValue } }
    }

    /// Takes no more connections.
    func close() {
        // `close` alone does not wake the thread that accepts.
        shutdown(listening, Int32(SHUT_RDWR))
    }

    private func serve(_ connection: Int32) {
        defer { Glibc.close(connection) }
        var bytes: [UInt8] = []
        while let request = Self.request(from: connection, &bytes) {
            asked.withLock { $0.append(request) }
            isAsked.raise()
            for step in script(request) {
                switch step {
                case .bytes(let text): Self.write(Array(text.utf8), to: connection)
                case .data(let data): Self.write(data, to: connection)
                case .wait(let flag): while !flag.isUp { usleep(1_000) }
                case .untilGone:
                    var byte: UInt8 = 0
                    while recv(connection, &byte, 1, 0) > 0 {}
                    isGone.raise()
                    return
                }
            }
            if isClosingAfterEach { return }
        }
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { rest in
                send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Reads one request with its body; nil at the end of the connection.
    private static func request(from connection: Int32, _ bytes: inout [UInt8]) -> String? {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let end = Array("\r\n\r\n".utf8)
        var needed: Int?
        while needed.map({ bytes.count < $0 }) ?? true {
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            let searched = max(0, bytes.count - 3)
            bytes += piece[..<count]
            if needed == nil, let head = bytes[searched...].firstRange(of: end) {
                let text = String(decoding: bytes[..<head.upperBound], as: UTF8.self).lowercased()
                let length = text.firstRange(of: "content-length: ").flatMap { found in
                    Int(text[found.upperBound...].prefix { $0.isNumber })
                }
                needed = head.upperBound + (length ?? 0)
            }
        }
        defer { bytes.removeFirst(needed!) }
        return String(decoding: bytes[..<needed!], as: UTF8.self)
    }
}
