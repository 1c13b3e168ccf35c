import Foundation
import Threads
import TestSupport

/// A proxy between clients and server that breaks connections at random.
///
/// It has one port through all lives of the server. While there is no server, clients wait.
final class FaultProxy: Sendable {
    /// A fault of one connection.
    enum Fault: CaseIterable {
        case none
        /// The connection is closed after a number of bytes of the request, or of the answer.
        case cutRequest, cutAnswer
        /// The connection is reset instead of closed, on both sides.
        case resetRequest, resetAnswer
        /// The bytes come a few at a time in both directions, except in long messages. Then the connection is cut like
        /// an answer.
        case dribble
    }

    private struct State {
        /// The port of the server; nil while there is none.
        var backend: UInt16?
        var isStopped = false
        var connections = 0
        var faulted = 0
    }

    let port: UInt16
    private let listener: Int32
    private let state = Locked(State())
    private let seed: UInt64
    /// The closure that is called when the server acknowledges a write, before the client is told. It gets the length
    /// of the request.
    private let onAcknowledgement: @Sendable (_ bytes: Int) -> Void

    init(seed: UInt64, onAcknowledgement: @escaping @Sendable (_ bytes: Int) -> Void) throws {
        self.seed = seed
        self.onAcknowledgement = onAcknowledgement
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw RawSocket.Failure.system("socket", errno: errno) }
        self.listener = listener
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withSocketAddress(&address) { pointer in
            guard bind(listener, pointer, size) == 0, listen(listener, 128) == 0 else { return Int32(-1) }
            return getsockname(listener, pointer, &size)
        }
        guard result == 0 else { throw RawSocket.Failure.system("bind", errno: errno) }
        port = UInt16(bigEndian: address.sin_port)
        Foundation.Thread.detachNewThread { [self] in accept() }
    }

    /// Names the port of the server; nil makes clients wait.
    func lead(to backend: UInt16?) { state.change { $0.backend = backend } }

    /// Refuses new connections, and ends those that wait.
    func stop() {
        state.change { $0.isStopped = true }
        // This wakes the thread that accepts, which closes the socket.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The number of connections that had a fault.
    var faultedCount: Int { state.withLock { $0.faulted } }

    private func accept() {
        var random = SeededGenerator(seed: seed)
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            let fault = random.pick(Fault.allCases)
            // Most faults come within the first few requests, and some within the first line.
            let bytes = 1 + random.below(1 << (6 + random.below(9)))
            Foundation.Thread.detachNewThread { [self] in serve(client, fault, after: bytes) }
        }
        close(listener)
    }

    private func serve(_ client: Int32, _ fault: Fault, after bytes: Int) {
        guard let server = connect() else {
            close(client)
            return
        }
        var relay = Relay(client: client, server: server, fault: fault, bytesLeft: bytes)
        relay.run(onAcknowledgement)
        // A fault is not counted if the connection ended before it.
        if relay.isFaulted { state.withLock { $0.faulted += 1 } }
    }

    /// Nil if the proxy is stopped before there is a server.
    private func connect() -> Int32? {
        var refused: UInt16?
        while true {
            let backend: UInt16? = state.wait(until: { $0.isStopped || ($0.backend != nil && $0.backend != refused) }) {
                $0.isStopped ? nil : $0.backend
            }
            guard let backend else { return nil }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = loopback(port: backend)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            if withSocketAddress(&address, { Glibc.connect(server, $0, size) }) == 0 { return server }
            close(server)
            // This server has just been killed; the next one listens on another port.
            refused = backend
        }
    }
}

/// Passes bytes on between two sockets until one of them ends or the fault comes.
private struct Relay {
    let client: Int32
    let server: Int32
    let fault: FaultProxy.Fault
    /// The number of bytes before the fault, in the direction that the fault counts.
    var bytesLeft: Int
    private(set) var isFaulted = false
    /// The number of pieces since the direction last changed.
    private var piecesInARow = 0
    private var isAnswering = false
    /// The number of bytes of a write that have come so far; nil if no write is being sent.
    private var writeBytes: Int?

    init(client: Int32, server: Int32, fault: FaultProxy.Fault, bytesLeft: Int) {
        (self.client, self.server, self.fault, self.bytesLeft) = (client, server, fault, bytesLeft)
        var on: Int32 = 1
        for end in [client, server] {
            setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    mutating func run(_ onAcknowledgement: (Int) -> Void) {
        var ends = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ends, 2, -1) > 0 {
            guard ends[1].revents == 0 || passAnswer(onAcknowledgement) else { break }
            guard ends[0].revents == 0 || passRequest() else { break }
        }
        if isFaulted, fault == .resetRequest || fault == .resetAnswer {
            var none = linger(l_onoff: 1, l_linger: 0)
            for end in [client, server] {
                setsockopt(end, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
            }
        }
        close(client)
        close(server)
    }

    /// - Returns: False when the connection is over.
    private mutating func passRequest() -> Bool {
        guard let bytes = receive(client) else { return false }
        // A client sends its next request after the answer to the last one.
        if bytes.starts(with: "POST ".utf8) { writeBytes = 0 }
        if bytes.starts(with: "GET ".utf8) { writeBytes = nil }
        writeBytes = writeBytes.map { $0 + bytes.count }
        return pass(bytes, to: server, isAnswer: false)
    }

    /// - Returns: False when the connection is over.
    private mutating func passAnswer(_ onAcknowledgement: (Int) -> Void) -> Bool {
        guard let bytes = receive(server) else { return false }
        if let writeBytes, bytes.starts(with: "HTTP/1.1 200".utf8) { onAcknowledgement(writeBytes) }
        return pass(bytes, to: client, isAnswer: true)
    }

    private var isDribbling: Bool { fault == .dribble && piecesInARow < 200 }

    /// Nil when no more bytes come.
    private func receive(_ source: Int32) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: isDribbling ? 7 : 16_384)
        let count = recv(source, &bytes, bytes.count, 0)
        return count > 0 ? bytes[..<count] : nil
    }

    private mutating func pass(_ bytes: ArraySlice<UInt8>, to target: Int32, isAnswer: Bool) -> Bool {
        if isDribbling { poll(nil, 0, 1) }
        piecesInARow = isAnswer == isAnswering ? piecesInARow + 1 : 0
        isAnswering = isAnswer
        guard counts(isAnswer: isAnswer) else { return send(bytes, to: target) }
        let passed = bytes.prefix(bytesLeft)
        guard send(passed, to: target) else { return false }
        bytesLeft -= passed.count
        isFaulted = bytesLeft == 0
        return !isFaulted
    }

    private func counts(isAnswer: Bool) -> Bool {
        switch fault {
        case .none: false
        case .cutRequest, .resetRequest: !isAnswer
        case .cutAnswer, .resetAnswer, .dribble: isAnswer
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

private func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

private func withSocketAddress<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
}
