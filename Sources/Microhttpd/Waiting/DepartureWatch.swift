internal import CMicrohttpd
internal import Glibc

/// Notices that a client has closed its connection while the engine does not look at it. Only the thread of the loop
/// uses it.
final class DepartureWatch {
    let descriptor: Int32
    private static let eventsMax = 64

    init() throws(ServerError) {
        descriptor = watch_open()
        guard descriptor >= 0 else { throw .system(.wakeDescriptor, errno: errno) }
    }

    deinit { close(descriptor) }

    /// Watches an exchange until `remove`. A client that ends only its half of the connection is taken as gone too.
    func add(_ exchange: Exchange) {
        watch_add(descriptor, exchange.descriptor, Unmanaged.passUnretained(exchange).toOpaque())
    }

    /// To be called before the exchange ends.
    func remove(_ exchange: Exchange) {
        watch_remove(descriptor, exchange.descriptor)
    }

    /// Calls `body` with exchanges whose clients have gone, and no longer watches these exchanges.
    func collect(_ body: (Exchange) -> Void) {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: Self.eventsMax) { departed in
            let count = Int(watch_next(descriptor, departed.baseAddress, Int32(Self.eventsMax)))
            for index in 0..<max(count, 0) {
                guard let pointer = departed[index] else { continue }
                // Watched exchanges exist: they are removed before they end.
                let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
                remove(exchange)
                body(exchange)
            }
        }
    }
}
