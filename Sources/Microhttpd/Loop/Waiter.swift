internal import CMicrohttpd
internal import Glibc

/// Waits for events of the engine, or for another thread to call.
///
/// - Safety: `@unchecked` is sound because `descriptors` is touched only by `wait`, which one thread
///   calls, and the descriptor is a constant that stays open as long as anyone can call.
final class Waiter: @unchecked Sendable {
    private let descriptors: UnsafeMutablePointer<pollfd>
    private let own: Int32

    init() throws(ServerError) {
        own = wake_descriptor()
        guard own >= 0 else { throw .system(.wakeDescriptor, errno: errno) }
        descriptors = .allocate(capacity: 3)
        descriptors.initialize(repeating: pollfd(fd: own, events: Int16(POLLIN), revents: 0), count: 3)
    }

    deinit {
        descriptors.deallocate()
        close(own)
    }

    /// - Parameter milliseconds: The longest time to wait; -1 sets no bound.
    /// - Returns: Whether `other` is ready.
    func wait(for descriptor: Int32, or other: Int32, milliseconds: Int32) -> Bool {
        descriptors[1].fd = descriptor
        descriptors[2].fd = other
        descriptors[0].revents = 0  // `poll` does not write this if a signal ends the wait.
        descriptors[2].revents = 0
        poll(descriptors, 3, milliseconds)
        takeCalls()
        return descriptors[2].revents != 0
    }

    private func takeCalls() {
        guard descriptors[0].revents != 0 else { return }
        var count: UInt64 = 0
        _ = read(own, &count, MemoryLayout<UInt64>.size)
    }

    /// Ends the wait, or the next one.
    func call() {
        var one: UInt64 = 1
        _ = write(own, &one, MemoryLayout<UInt64>.size)
    }
}

/// Whether a descriptor can be read without waiting.
func isReadable(_ descriptor: Int32) -> Bool {
    var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&one, 1, 0) == 1
}

/// Whether a peer has sent its last byte, and all of it has been read.
func isAtEnd(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
}

/// A clock that only goes forward.
func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
