import Foundation
import Glibc
import TestSupport

/// Stands between commands and a server. It passes requests on, and keeps some answers for itself.
///
/// - Safety: `@unchecked` is sound because what changes is behind a lock.
final class AnswerThief: @unchecked Sendable {
    /// What happens to the next answers.
    enum Deed {
        /// The connection ends without the answer.
        case cut
        /// The connection stays open, and nothing comes.
        case hold
    }

    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var deeds: [Deed] = []
    private var server: UInt16
    private var held: [Int32] = []
    private let stolen = DispatchSemaphore(value: 0)

    init(to server: UInt16) throws {
        self.server = server
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { self.pass(client) }
            }
        }
    }

    /// Ends what stands between. Threads that wait for a connection hold the object until then.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        lock.withLock {
            for client in held { close(client) }
            held = []
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Keeps the next answers.
    func steal(_ next: Deed...) { lock.withLock { deeds = next } }

    /// Waits until the server has answered something that was stolen.
    func waitForTheft() { stolen.wait() }

    /// From now on requests go to another server.
    func lead(to port: UInt16) { lock.withLock { server = port } }

    /// Requests of commands are HTTP/1.0: they say how long they are, and the answer ends with the connection.
    private func pass(_ client: Int32) {
        var request: [UInt8] = []
        while !isWhole(request), let part = receive(client) { request += part }
        let answer = ask(request)
        let deed = lock.withLock { deeds.isEmpty ? nil : deeds.removeFirst() }
        switch deed {
        case nil:
            answer.withUnsafeBytes { _ = send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            close(client)
        case .cut:
            close(client)
            stolen.signal()
        case .hold:
            lock.withLock { held.append(client) }
            stolen.signal()
        }
    }

    private func ask(_ request: [UInt8]) -> [UInt8] {
        guard let socket = try? RawSocket(port: lock.withLock { server }) else { return [] }
        try? socket.send(request)
        return (try? socket.readToEnd()) ?? []
    }

    private func isWhole(_ request: [UInt8]) -> Bool {
        let text = String(decoding: request, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text.firstMatch(of: #/Content-Length: (\d+)/#).flatMap { Int($0.1) } ?? 0
        return text[end.upperBound...].utf8.count >= length
    }

    private func receive(_ client: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(client, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
