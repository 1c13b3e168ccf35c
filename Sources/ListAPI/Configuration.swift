public import HTTPTypes
public import Texts
public import Threads

extension API {
    /// The limits of docs/contract.md section 12 and the policies of section 13.
    public struct Configuration: Sendable {
        /// The origins whose pages may read the answers (CORS).
        public enum Origins: Sendable, Equatable {
            case none
            case any
            case these(Set<ByteText>)
        }

        /// The host names that the server accepts in `Host`. It always accepts addresses and `localhost`.
        public enum Hosts: Sendable, Equatable {
            case any
            /// Names in lower case.
            case these(Set<ByteText>)
        }

        /// One request, as `observe` is told of it.
        public struct Event: Sendable {
            public let requestID: ByteText
            /// Nil if the head of the request could not be read.
            public let method: HTTPRequest.Method?
            public let path: ByteText
            public let status: HTTPResponse.Status
            /// Nil for a success.
            public let code: ProblemCode?
            /// The cause that the client is not told, such as which file failed.
            public let cause: String?
        }

        public var bodyBytesMax: Int
        /// The limit for `PUT` of a list and for `POST` of a new one, in bytes.
        public var listBodyBytesMax: Int
        public var operationsMax: Int
        public var contentBytesMax: Int
        /// How many streams may follow one list.
        public var streamsPerListMax: Int
        /// How many different queries with a filter, a sort or a viewer's own disclosure may follow one list. There is
        /// no limit on other queries.
        public var queriesPerListMax: Int
        /// The seconds without an event after which a stream sends a heartbeat.
        public var heartbeatSeconds: Int
        public var origins: Origins
        public var hosts: Hosts
        /// Makes the id of a request. It never returns the same id twice.
        public var requestID: @Sendable () -> ByteText
        /// The number of threads that do the work by which loops would hold up others; 0 leaves all work to the loops.
        public var workers = 0
        /// The seconds for which a cache that several clients share may use the answer to a read without asking again; 0
        /// for none.
        public var sharedCacheSeconds = 0
        /// The memory of the process.
        public var memory = MemoryBudget.unbounded
        /// Knows who may do what.
        public var gate = Gate.open
        /// What each client may use; nil for no limits.
        public var quotas: Quotas?
        /// Returns a random number from 0 up to, but not including, its argument.
        public var spread: @Sendable (Int) -> Int = { _ in 0 }
        /// Runs work on a thread of its own: after so many milliseconds, and again after those that the work returns, until
        /// it returns nil. The result says whether there is such a thread.
        public typealias Repeating =
            @Sendable (_ milliseconds: Int, _ work: @escaping @Sendable () -> Int?) -> Bool

        /// Keeps time for samples that the server moves by itself; nil leaves them still.
        public var repeating: Repeating?
        /// Makes an id for an item or a list that comes without one. Each id sorts behind the one before: see
        /// `IdentifierMaker`.
        public var identifier: @Sendable () -> ByteText
        /// The closure that is told of every request that is over, on the thread of its loop; nil costs nothing.
        public var requestEnded: (@Sendable (RequestLine) -> Void)?
        /// Makes the answer to `GET /metrics`.
        public var metrics: @Sendable () -> [UInt8] = { [] }
        /// The closure that is told of every problem; nil costs nothing.
        public var observe: (@Sendable (Event) -> Void)?
        /// Whether `observe` is also told of every request that succeeds.
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
