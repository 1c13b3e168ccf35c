internal import Threads

/// An HTTP/1.1 server: listens, guards, reads requests whole, asks its handler, answers.
///
/// Serves from the moment it exists until `stop`.
public final class Server: Sendable {
    /// The port that is listened on; the one that was picked if 0 was asked for.
    public let port: UInt16
    let loops: [EventLoop]
    let connections: Connections
    /// Emptied by the first `stop`.
    private let threads: Locked<[Thread]>

    /// - Throws: `.badHost`, `.addressInUse` or whatever kept the server from starting; then
    ///   nothing listens.
    public init(_ configuration: Configuration, handler: any RequestHandler) throws(ServerError) {
        let sockets = try configuration.listen()
        port = sockets[0].port
        connections = Connections(configuration.connectionLimits)
        loops = try Self.makeLoops(sockets, configuration, connections, handler)
        threads = Locked([])
        try start()
    }

    deinit {
        stop(graceSeconds: 0)
    }

    /// Lets requests in flight finish, refuses others as `Refusal.stopping`, then closes everything.
    ///
    /// Returns when all is closed. In flight is what has been sent when this is called, also what waits for its answer.
    /// What is not finished after `graceSeconds` is cut, and what answers later is ignored. A second call waits for the
    /// first. Not to be called from a handler, which would wait for itself.
    public func stop(graceSeconds: Int) {
        for loop in loops { loop.stop(graceSeconds: graceSeconds) }
        threads.withLock { threads in
            for thread in threads { thread.join() }
            threads = []
        }
    }

    private static func makeLoops(
        _ sockets: [ListeningSocket], _ configuration: Configuration, _ connections: Connections,
        _ handler: any RequestHandler
    ) throws(ServerError) -> [EventLoop] {
        var loops: [EventLoop] = []
        for (index, socket) in sockets.enumerated() {
            do throws(ServerError) {
                loops.append(try EventLoop(socket, configuration.engineOptions, connections, handler))
            } catch {
                for loop in loops { loop.close() }
                for socket in sockets[(index + 1)...] { socket.close() }
                throw error
            }
        }
        return loops
    }

    private func start() throws(ServerError) {
        for (index, loop) in loops.enumerated() {
            do throws(ThreadError) {
                let thread = try Thread { loop.run() }
                threads.withLock { $0.append(thread) }
            } catch {
                for loop in loops[index...] { loop.close() }
                throw .system(.thread, errno: error.code)  // The others stop in `deinit`.
            }
        }
    }
}
