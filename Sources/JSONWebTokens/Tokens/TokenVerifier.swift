public import JSONValue

/// Checks tokens of one issuer, and remembers those that are right.
public final class TokenVerifier: Sendable {
    private let source: KeySource
    private let issuer: ByteText
    private let audience: ByteText
    private let leewaySeconds: Int
    let cache: TokenCache

    /// - Parameters:
    ///   - leewaySeconds: By how much the clock of the issuer may be wrong.
    ///   - cachedMax: The most tokens that are remembered.
    public init(source: KeySource, issuer: ByteText, audience: ByteText, leewaySeconds: Int, cachedMax: Int) {
        self.source = source
        self.issuer = issuer
        self.audience = audience
        self.leewaySeconds = leewaySeconds
        cache = TokenCache(countMax: cachedMax)
    }

    /// Checks a token by the newest keys, as `WebToken.verify` does.
    ///
    /// It never waits for the source. If a token names a key that is unknown, the source is asked to look for it.
    ///
    /// - Parameter now: The time in seconds since 1970.
    public func verify(_ text: ByteText, now: Int) throws(WebTokenError) -> WebToken {
        let (keys, number) = source.current
        if let token = cache.find(text, keys: number, now: now) { return token }
        do throws(WebTokenError) {
            let token = try WebToken.verify(
                text, keys: keys, issuer: issuer, audience: audience, now: now, leewaySeconds: leewaySeconds)
            cache.add(token, for: text, keys: number, until: token.expiry + leewaySeconds)
            return token
        } catch {
            if case .unknownKey = error { source.ask() }
            throw error
        }
    }
}
