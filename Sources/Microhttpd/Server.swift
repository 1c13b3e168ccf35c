internal import Threads

/// An HTTP/1.1 server: listens, guards, reads requests whole, asks its handler, answers.
///
/// A server serves from `init` until `stop`.
public final class Server: Sendable {
    /// The port on which the server listens; the picked one if 0 was asked for.
    public let port: UInt16
    let loops: [EventLoop]
    let connections: Connections
    /// The threads of the loops. The first `stop` empties the array.
    private let threads: Locked<[Thread]>

    /// - Throws: `.badHost`, `.addressInUse` or another reason why the server did not start; nothing listens then.
    public init(_ configuration: Configuration, handler: any RequestHandler) throws(ServerError) {
        let sockets = try configuration.listen()
        port = sockets[0].port
        connections = Connections(configuration.connectionLimits, configuration.memory)
        loops = try Self.makeLoops(sockets, configuration, connections, handler)
        threads = Locked([])
        try start()
    }

    deinit {
        stop(graceSeconds: 0)
    }

    /// Lets requests in flight finish, refuses others as `Refusal.stopping`, then closes everything.
    ///
    /// Returns when everything is closed. A request is in flight if it has been sent when this is called, or if it
    /// waits for its answer. Requests that are not finished after `graceSeconds` are cut, and later answers are
    /// ignored. A second call waits for the first. A handler must not call this, because it would wait for itself.
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
