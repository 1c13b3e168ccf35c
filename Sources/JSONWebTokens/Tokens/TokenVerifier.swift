public import JSONValue

/// Checks tokens of one issuer, and remembers what was made of those that are right.
public final class TokenVerifier<Content: Sendable>: Sendable {
    private let source: KeySource
    private let issuer: ByteText
    private let audience: ByteText
    private let leewaySeconds: Int
    private let read: @Sendable (WebToken) throws(WebTokenError) -> Content
    let cache: TokenCache<Content>

    /// - Parameters:
    ///   - leewaySeconds: By how much the clock of the issuer may be wrong.
    ///   - cachedMax: The most tokens that are remembered.
    ///   - read: Makes of a right token what is remembered of it. If it throws, the token is refused.
    public init(
        source: KeySource, issuer: ByteText, audience: ByteText, leewaySeconds: Int, cachedMax: Int,
        read: @escaping @Sendable (WebToken) throws(WebTokenError) -> Content
    ) {
        self.source = source
        self.issuer = issuer
        self.audience = audience
        self.leewaySeconds = leewaySeconds
        self.read = read
        cache = TokenCache(countMax: cachedMax)
    }

    /// The remembered content of a token; nil if the token must be checked. No signature is checked here.
    ///
    /// - Parameter now: The time in seconds since 1970.
    public func known(_ text: ByteText, now: Int) -> Content? { cache.find(text, keys: source.number, now: now) }

    /// Checks a token by the newest keys, as `WebToken.verify` does.
    ///
    /// It never waits for the source. If a token names a key that is unknown, the source is asked to look for it.
    ///
    /// - Parameter now: The time in seconds since 1970.
    public func verify(_ text: ByteText, now: Int) throws(WebTokenError) -> Content {
        let (keys, number) = source.current
        if let content = cache.find(text, keys: number, now: now) { return content }
        do throws(WebTokenError) {
            let token = try WebToken.verify(
                text, keys: keys, issuer: issuer, audience: audience, now: now, leewaySeconds: leewaySeconds)
            let content = try read(token)
            cache.add(content, for: text, keys: number, until: token.expiry + leewaySeconds)
            return content
        } catch {
            if case .unknownKey = error { source.ask() }
            throw error
        }
    }
}
