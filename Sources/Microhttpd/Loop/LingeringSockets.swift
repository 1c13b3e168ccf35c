internal import Glibc

/// Connections that were refused while their body was still on its way.
///
/// Closing such a socket resets the connection, and the client may lose the answer. So a duplicate keeps the socket
/// open for a moment, and bytes that still come are read and dropped (RFC 9112, section 9.6).
struct LingeringSockets {
    private var sockets: [(descriptor: Int32, end: UInt64)] = []

    /// The most sockets that are kept. The clients of others see a reset.
    static let countMax = 64
    /// The time for which a socket is kept, in milliseconds.
    private static let time: UInt64 = 2000
    private static let pieceBytes = 65_536

    var isEmpty: Bool { sockets.isEmpty }

    mutating func add(_ descriptor: Int32, now: UInt64) {
        guard sockets.count < Self.countMax else { return }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return }
        sockets.append((duplicate, now + Self.time))
    }

    mutating func drain(now: UInt64) {
        sockets.removeAll { socket in
            let isOver = now >= socket.end || !Self.drop(socket.descriptor)
            if isOver { close(socket.descriptor) }
            return isOver
        }
    }

    mutating func closeAll() {
        for socket in sockets { close(socket.descriptor) }
        sockets = []
    }

    /// - Returns: False when nothing more will come.
    private static func drop(_ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: pieceBytes, alignment: 1) { piece in
            // No more than a receive buffer holds is read, so that one client does not hold up the others.
            for _ in 0..<64 {
                let count = recv(descriptor, piece.baseAddress, piece.count, Int32(MSG_DONTWAIT))
                if count == 0 { return false }
                if count < 0 { return errno == EAGAIN || errno == EINTR }
            }
            return true
        }
    }
}
