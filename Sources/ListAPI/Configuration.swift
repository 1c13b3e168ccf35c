public import HTTPTypes
public import Texts

extension API {
    /// The limits of docs/contract.md section 12 and the policies of section 13.
    public struct Configuration: Sendable {
        /// Whose pages may read the answers (CORS).
        public enum Origins: Sendable, Equatable {
            case none
            case any
            case these(Set<ByteText>)
        }

        /// The names by which a request may speak of this server, besides addresses and `localhost`.
        public enum Hosts: Sendable, Equatable {
            case any
            /// In lower case.
            case these(Set<ByteText>)
        }

        /// What a request asks of the log.
        public struct Event: Sendable {
            public let requestID: ByteText
            public let method: HTTPRequest.Method
            public let path: ByteText
            public let status: HTTPResponse.Status
            /// Nil for a success.
            public let code: ProblemCode?
            /// What the client is not told, such as which file failed.
            public let cause: String?
        }

        public var bodyBytesMax: Int
        /// For PUT of a list, and POST of a new one.
        public var listBodyBytesMax: Int
        public var operationsMax: Int
        public var contentBytesMax: Int
        /// Streams that follow one list.
        public var streamsPerListMax: Int
        /// Different queries by which one list is followed: those that look at what items are, at an order of their own
        /// or at a viewer's own disclosure.
        public var queriesPerListMax: Int
        /// Seconds without an event after which a stream says that it is alive.
        public var heartbeatSeconds: Int
        public var origins: Origins
        public var hosts: Hosts
        /// Makes a name for a request, never the same twice.
        public var requestID: @Sendable () -> ByteText
        /// A number below another one, by chance.
        public var spread: @Sendable (Int) -> Int = { _ in 0 }
        /// Makes an id for an item or a list that comes without one, which sorts behind the one before: see
        /// `IdentifierMaker`.
        public var identifier: @Sendable () -> ByteText
        /// Told of every problem; nil costs nothing.
        public var observe: (@Sendable (Event) -> Void)?
        /// Whether `observe` is told of every request that succeeds, too.
        public var observesSuccesses: Bool

        public init(
            bodyBytesMax: Int, listBodyBytesMax: Int, operationsMax: Int, contentBytesMax: Int,
            streamsPerListMax: Int, queriesPerListMax: Int, heartbeatSeconds: Int, origins: Origins, hosts: Hosts,
            requestID: @escaping @Sendable () -> ByteText, identifier: @escaping @Sendable () -> ByteText,
            observe: (@Sendable (Event) -> Void)?, observesSuccesses: Bool
        ) {
            self.bodyBytesMax = bodyBytesMax
            self.listBodyBytesMax = listBodyBytesMax
            self.operationsMax = operationsMax
            self.contentBytesMax = contentBytesMax
            self.streamsPerListMax = streamsPerListMax
            self.queriesPerListMax = queriesPerListMax
            self.heartbeatSeconds = heartbeatSeconds
            self.origins = origins
            self.hosts = hosts
            self.requestID = requestID
            self.identifier = identifier
            self.observe = observe
            self.observesSuccesses = observesSuccesses
        }
    }
}
