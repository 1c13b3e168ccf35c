extension Server {
    /// Where and within which bounds a server works.
    public struct Configuration: Sendable {
        /// An IPv4 or IPv6 address written in numbers.
        public var host: String
        /// 0 picks a free one.
        public var port: UInt16
        /// How many threads serve; each has connections of its own.
        public var loopCount: Int
        /// Open connections, over all loops. A client too many waits until another leaves.
        public var connectionsMax: Int
        /// Open connections of one address, for each loop. A client too many is closed without an answer.
        public var connectionsPerAddressMax: Int
        /// The engine's memory for each connection, which bounds target and fields together; more
        /// of them are answered 414 or 431 by the engine itself.
        public var headPoolBytes: Int
        /// From the first line of a request, or the start of a connection, to the end of its body.
        public var requestDeadlineSeconds: Int
        /// From one request's end to the next one's first line; also the longest a client may
        /// leave an answer unread.
        public var idleTimeoutSeconds: Int
        /// Connections that wait to be accepted.
        public var listenBacklog: Int

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

extension Server.Configuration {
    private var loops: Int { max(loopCount, 1) }

    var engineOptions: EngineOptions {
        EngineOptions(
            connectionsMax: max((connectionsMax + loops - 1) / loops, 1),
            connectionsPerAddressMax: connectionsPerAddressMax,
            headPoolBytes: headPoolBytes,
            patience: Exchange.Patience(
                request: UInt64(max(requestDeadlineSeconds, 1)) * 1000,
                idle: UInt64(max(idleTimeoutSeconds, 1)) * 1000))
    }

    /// One listening socket for each loop, all on one port. None is left open on failure.
    func listen() throws(ServerError) -> [ListeningSocket] {
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
