internal import Access
internal import JSONValue
public import JSONWebTokens
public import Texts
internal import Threads

/// Somebody else whose tokens this server takes.
public final class TokenIssuer: Sendable {
    public struct Settings: Sendable {
        /// The place of the issuer's keys.
        public var keys: KeySource.Place
        public var issuer: ByteText
        public var audience: ByteText
        /// The name of the claim with the rights.
        public var claim: ByteText
        /// The seconds between two looks for new keys.
        public var everySeconds: Int
        /// Gives a time in seconds that never goes back.
        public var uptime: @Sendable () -> Int
        /// Hears what each look for new keys has found.
        public var report: @Sendable (Result<KeySource.Found, KeySourceError>) -> Void

        public init(
            keys: KeySource.Place, issuer: ByteText, audience: ByteText, claim: ByteText, everySeconds: Int,
            uptime: @escaping @Sendable () -> Int,
            report: @escaping @Sendable (Result<KeySource.Found, KeySourceError>) -> Void
        ) {
            self.keys = keys
            self.issuer = issuer
            self.audience = audience
            self.claim = claim
            self.everySeconds = everySeconds
            self.uptime = uptime
            self.report = report
        }
    }

    /// The most tokens that are remembered, each with at most `WebToken.bytesMax` bytes.
    private static let cachedMax = 4_096
    /// By how much the clock of the issuer may be ahead. `exp` is exact all the same: see `holder(of:at:)`.
    private static let leewaySeconds = 60

    let claim: ByteText
    private let source: KeySource
    private let verifier: TokenVerifier<Caller>

    /// - Parameter noteKeys: It is called, on any thread, after the keys have changed.
    init(_ settings: Settings, noteKeys: @escaping @Sendable () -> Void) {
        let (claim, suffix) = (settings.claim, Self.suffix(settings.issuer))
        self.claim = claim
        source = KeySource(
            settings.keys, everySeconds: settings.everySeconds, clock: settings.uptime,
            report: { [report = settings.report] found in
                if case .success(.newKeys) = found { noteKeys() }
                report(found)
            })
        verifier = TokenVerifier(
            source: source, issuer: settings.issuer, audience: settings.audience,
            leewaySeconds: Self.leewaySeconds, cachedMax: Self.cachedMax
        ) { token throws(WebTokenError) in
            guard let grants = RightsClaim.grants(token.claims[claim]) else { throw .badMember(claim) }
            return .foreign("\(token.subject)\(suffix)", grants, expires: token.expiry, signer: token.signer)
        }
    }

    /// The end of the actors of an issuer: `ada@https://id.example`. No name of a token has an `@`. The issuer behind the
    /// last one has no other, so the subject is all before it.
    private static func suffix(_ issuer: ByteText) -> ByteText {
        var bytes = [UInt8(ascii: "@")]
        for byte in issuer.utf8 {
            switch byte {
            case UInt8(ascii: "@"): bytes += Array("%40".utf8)
            case UInt8(ascii: "%"): bytes += Array("%25".utf8)
            default: bytes.append(byte)
            }
        }
        return ByteText(decoding: bytes)
    }

    /// Looks for keys now. It blocks for up to five seconds.
    public func look() throws(KeySourceError) { _ = try source.look() }

    func start() throws(ThreadError) { try source.start() }

    func stop() { source.stop() }

    /// How often the keys were replaced.
    var keysNumber: Int { source.number }

    /// Whether the issuer still has the key that has signed a caller's token.
    func has(signerOf caller: Caller) -> Bool { source.current.keys.has(caller.digest) }

    /// The holder of a token that was found right before; nil if it must be checked. It costs no signature.
    func known(_ text: ByteText, at time: Int) -> Caller? { verifier.known(text, now: time) }

    /// The holder of a token. It may take a millisecond.
    ///
    /// - Throws: The reason why it is refused.
    func holder(of text: ByteText, at time: Int) throws(WebTokenError) -> Caller {
        try verifier.verify(text, now: time)
    }
}

/// The claim of a token that says what its holder may do.
enum RightsClaim {
    /// The beginning of the words that are about this server, among others: `liststate:read,write:team-a-*`.
    private static let prefix: ByteText = "liststate:"

    /// - Parameter value: Grants as in `POST /v1/tokens`, or words, in a string with spaces or in an array.
    /// - Returns: Nil for anything else, for nobody knows then what was meant. No grants if the claim is missing.
    static func grants(_ value: JSONValue?) -> Grants? {
        switch value {
        case nil: return Grants.none
        case .string(let text)?: return grants(words: text.split(at: " "))
        case .array(let elements)?:
            let words = elements.compactMap { element -> ByteText? in
                if case .string(let word) = element { word } else { nil }
            }
            return words.count == elements.count ? grants(words: words) : Grants(.array(elements))
        case .null?, .bool?, .number?, .object?: return nil
        }
    }

    private static func grants(words: [ByteText]) -> Grants? {
        var grants: [Grant] = []
        for word in words {
            guard let rest = word.dropping(prefix: prefix) else { continue }
            guard let grant = grant(rest) else { return nil }
            grants.append(grant)
        }
        return Grants(grants)
    }

    private static func grant(_ text: ByteText) -> Grant? {
        let parts = text.split(at: ":")
        guard parts.count == 2, let rights = Rights(names: parts[0].split(at: ",")) else { return nil }
        let names = parts[1].split(at: ",")
        let patterns = names.compactMap { ListPattern($0) }
        return patterns.count == names.count ? Grant(patterns, rights) : nil
    }
}
