public import Threads

extension Server {
    /// The address and the bounds of a server.
    public struct Configuration: Sendable {
        /// An IPv4 or IPv6 address written in numbers.
        public var host: String
        /// The port on which the server listens; 0 picks a free one.
        public var port: UInt16
        /// A socket that listens already, and is served in the place of `host` and `port`.
        public var inherited: InheritedSocket?
        /// How many threads serve; each has connections of its own.
        public var loopCount: Int
        /// The most open connections, over all loops. The first request of one too many is refused as
        /// `Refusal.tooManyConnections`, unless another has left by then.
        public var connectionsMax: Int
        /// The most open connections of one address, over all loops; an IPv6 address counts by its first 64 bits. The
        /// first request of one too many is refused as `Refusal.tooManyConnectionsOfAddress`.
        public var connectionsPerAddressMax: Int
        /// The most connections beyond `connectionsMax` that are open only to hear a refusal, over all loops.
        ///
        /// Each has two seconds for its request. If all of them are in use too, a new connection is closed without an
        /// answer, or waits to be accepted.
        public var connectionsReserve = 256
        /// The engine's memory for each connection, which bounds target and fields together; more
        /// of them are answered 414 or 431 by the engine itself.
        public var headPoolBytes: Int
        /// The time from the first line of a request, or from the start of a connection, to the end of the body.
        public var requestDeadlineSeconds: Int
        /// The time from the end of one request to the first line of the next one; also the longest time for which a
        /// client may leave an answer unread.
        public var idleTimeoutSeconds: Int
        /// The most connections that wait to be accepted.
        public var listenBacklog: Int
        /// The proxies that are believed when they say for whom they ask. Their own connections do not count towards
        /// `connectionsPerAddressMax`.
        public var proxies = TrustedProxies.none
        /// The memory that bodies, unsent answers and connections take of the process.
        public var memory = MemoryBudget.unbounded
        /// The fewest bytes a second that a client must read while there is something to read, over the time of
        /// `idleTimeoutSeconds`; 0 for any.
        public var readBytesPerSecondMin = 0

        public init(
            host: String, port: UInt16, loopCount: Int, connectionsMax: Int, connectionsPerAddressMax: Int,
            headPoolBytes: Int = 8192, requestDeadlineSeconds: Int, idleTimeoutSeconds: Int, listenBacklog: Int
        ) {
            self.host = host
            self.port = port
            self.loopCount = loopCount
            self.connectionsMax = connectionsMax
            self.connectionsPerAddressMax = connectionsPerAddressMax
            self.headPoolBytes = headPoolBytes
            self.requestDeadlineSeconds = requestDeadlineSeconds
            self.idleTimeoutSeconds = idleTimeoutSeconds
            self.listenBacklog = listenBacklog
        }
    }
}

/// The most connections that the engine accepts in one turn.
private let acceptedInTurnMax = 10

extension Server.Configuration {
    private var loops: Int { max(loopCount, 1) }
    /// About how many bytes a connection takes besides the head of its request.
    private static let connectionBytes = 4_096

    /// The most file descriptors that the server may have open at a time.
    public var descriptorsMax: Int {
        // A listening socket, two epolls, an eventfd, and what has been accepted in the last turn to be closed.
        let ofLoop = 4 + LingeringSockets.countMax + acceptedInTurnMax
        return connectionsMax + connectionsReserve + loops * ofLoop
    }

    var connectionLimits: Connections.Limits {
        Connections.Limits(
            regular: max(connectionsMax, 1), perAddress: max(connectionsPerAddressMax, 1),
            reserve: max(connectionsReserve, 1), bytesOfEach: headPoolBytes + Self.connectionBytes)
    }

    var engineOptions: EngineOptions {
        EngineOptions(
            // Each loop may get all of them; the sum over the loops is bounded by `Connections`.
            connectionsMax: connectionLimits.regular + connectionLimits.reserve,
            headPoolBytes: headPoolBytes,
            patience: Exchange.Patience(
                request: UInt64(max(requestDeadlineSeconds, 1)) * 1000,
                idle: UInt64(max(idleTimeoutSeconds, 1)) * 1000),
            proxies: proxies.ranges.isEmpty ? nil : proxies,
            memory: LoopMemory(
                memory,
                LoopMemory.Readers(
                    bytesPerSecondMin: max(readBytesPerSecondMin, 0),
                    interval: UInt64(max(idleTimeoutSeconds, 1)) * 1000)))
    }

    /// One listening socket for each loop, all on one port. None is left open on failure.
    func listen() throws(ServerError) -> [ListeningSocket] {
        if let inherited { return try inherited.sockets(count: loops) }
        // Alone on its port first: sockets that share one would also share it with another server.
        let first = try ListeningSocket(host: host, port: port, backlog: listenBacklog, isShared: false)
        guard loops > 1 else { return [first] }
        first.close()
        var sockets: [ListeningSocket] = []
        do throws(ServerError) {
            for _ in 0..<loops {
                sockets.append(
                    try ListeningSocket(host: host, port: first.port, backlog: listenBacklog, isShared: true))
            }
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
        return sockets
    }
}
