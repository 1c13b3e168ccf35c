internal import Access
internal import HTTPTypes
internal import Microhttpd
internal import Texts
internal import Threads

/// The one who uses a quota: whoever a token names, or else an address.
enum Tenant: Hashable, Sendable {
    case address(ClientAddress)
    case token(ByteText)
    /// The subject of a token of somebody else.
    case foreign(ByteText)
}

/// What each client may use, and what it has used.
public final class Quotas: Sendable {
    /// The limits; 0 stands for none.
    public struct Limits: Sendable {
        public var requestsPerMinute: Int
        public var writesPerMinute: Int
        /// Bytes of the bodies of requests and answers.
        public var bytesPerMinute: Int
        /// Streams and long polls that are open at a time.
        public var streamsMax: Int
        /// Wrong tokens that an address may send. Each costs a look-up or the check of a signature.
        public var wrongTokensPerMinute: Int
        /// The milliseconds after which a refusal is sent, so that a client that asks again at once costs little.
        public var refusalMilliseconds: Int
        /// The clients that are remembered.
        public var clientsMax = 65_536

        public init(
            requestsPerMinute: Int, writesPerMinute: Int, bytesPerMinute: Int, streamsMax: Int,
            wrongTokensPerMinute: Int, refusalMilliseconds: Int
        ) {
            self.requestsPerMinute = requestsPerMinute
            self.writesPerMinute = writesPerMinute
            self.bytesPerMinute = bytesPerMinute
            self.streamsMax = streamsMax
            self.wrongTokensPerMinute = wrongTokensPerMinute
            self.refusalMilliseconds = refusalMilliseconds
        }
    }

    let limits: Limits
    let prices: Meter.Prices
    let meters: Meters
    /// The fields that every answer with the state of quotas has.
    private let policy: ByteText
    /// Milliseconds of the monotonic clock.
    private let milliseconds: @Sendable () -> Int
    /// The hashes of tokens that were right. The seed of the hash is secret, so nobody finds a token with a wanted hash.
    private let rightTokens = Locked<Set<Int>>([])

    public init(_ limits: Limits, milliseconds: @escaping @Sendable () -> Int) {
        self.limits = limits
        self.milliseconds = milliseconds
        meters = Meters(most: limits.clientsMax)
        prices = Self.amounts { Meter.price(ofOneOf: limits.perMinute($0)) }
        let rates = Meter.Kind.allCases.compactMap { kind -> ByteText? in
            guard let name = kind.policyName, limits.perMinute(kind) > 0 else { return nil }
            let unit = kind == .bytes ? ";qu=\"content-bytes\"" : ""
            return ByteText("\(name);q=\(limits.perMinute(kind))\(unit);w=60")
        }
        policy = rates.joined(separator: ", ")
    }

    var now: Int { milliseconds() }

    func meter(of tenant: Tenant) -> Meter { meters.meter(of: tenant, at: now) }

    static func amounts(_ amount: (Meter.Kind) -> Int) -> Meter.Amounts {
        Meter.Amounts(amount(.requests), amount(.writes), amount(.bytes), amount(.wrongTokens))
    }

    // MARK: What clients are told

    /// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10): how much is left of each quota of
    /// which more than half is used, and the seconds after which all of it is there again.
    func fields(of meter: Meter) -> (state: ByteText, policy: ByteText) {
        let now = now
        let items = Meter.Kind.allCases.compactMap { kind -> ByteText? in
            let used = meter.used(kind, at: now)
            guard let name = kind.policyName, used > 0.5 else { return nil }
            let left = Double(limits.perMinute(kind)) * (1 - used)
            return ByteText("\(name);r=\(Int(max(left + 1e-6, 0)));t=\(Int((used * 60).rounded(.up)))")
        }
        return (items.joined(separator: ", "), policy)
    }

    // MARK: Tokens that were right

    /// A token is found by its hash. One that was right is checked again also for an address that has sent many wrong
    /// ones, so nobody is shut out by others of the same address.
    func wasRight(_ hash: Int) -> Bool { rightTokens.withLock { $0.contains(hash) } }

    func note(_ hash: Int, isRight: Bool) {
        rightTokens.withLock { tokens in
            guard isRight else {
                tokens.remove(hash)
                return
            }
            if tokens.count >= limits.clientsMax { tokens.removeAll(keepingCapacity: true) }
            tokens.insert(hash)
        }
    }
}

extension Quotas.Limits {
    func perMinute(_ kind: Meter.Kind) -> Int {
        switch kind {
        case .requests: requestsPerMinute
        case .writes: writesPerMinute
        case .bytes: bytesPerMinute
        case .wrongTokens: wrongTokensPerMinute
        }
    }
}

extension Meter.Kind {
    /// The name of the quota for clients; nil if they are not told of it.
    fileprivate var policyName: ByteText? {
        switch self {
        case .requests: "\"requests\""
        case .writes: "\"writes\""
        case .bytes: "\"bytes\""
        case .wrongTokens: nil
        }
    }

    /// The limit as openapi.yaml has it.
    fileprivate func limit(_ limits: Quotas.Limits) -> Problem.Limit {
        switch self {
        case .requests: Problem.Limit(name: "clientRequestsPerMinute", value: limits.requestsPerMinute)
        case .writes: Problem.Limit(name: "clientWritesPerMinute", value: limits.writesPerMinute)
        case .bytes: Problem.Limit(name: "clientMebibytesPerMinute", value: limits.bytesPerMinute >> 20)
        case .wrongTokens: Problem.Limit(name: "wrongTokensPerMinute", value: limits.wrongTokensPerMinute)
        }
    }
}

extension Problem {
    /// The problem of a client that has used up a quota.
    static func usedUp(_ kind: Meter.Kind, milliseconds: Int, _ quotas: Quotas, _ meter: Meter) -> Problem {
        var problem = exceeded(.tooManyRequests, kind.limit(quotas.limits)).retrying(
            afterSeconds: (milliseconds + 999) / 1_000)
        let (state, policy) = quotas.fields(of: meter)
        if !state.isEmpty { problem.fields[.rateLimit] = "\(state)" }
        problem.fields[.rateLimitPolicy] = "\(policy)"
        return problem
    }

    static func usedUpStreams(most: Int) -> Problem {
        exceeded(.tooManyRequests, Limit(name: "clientStreamsMax", value: most)).retrying(afterSeconds: 5)
    }
}

extension HTTPField.Name {
    static let rateLimit = Self("RateLimit")!
    static let rateLimitPolicy = Self("RateLimit-Policy")!
}
