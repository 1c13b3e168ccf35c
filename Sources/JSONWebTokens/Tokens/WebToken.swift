public import JSONValue

/// What a token says, after everything about it was found right.
public struct WebToken: Sendable, Equatable {
    /// The most bytes of a token.
    public static let bytesMax = 8192
    /// The most bytes of a subject.
    public static let subjectBytesMax = 255
    /// The most keys that are tried for a token that does not name its key.
    static let triedMax = 8

    /// The one for whom the token was issued.
    public let subject: ByteText
    /// The time from which on the token is refused, apart from the leeway, in whole seconds since 1970.
    public let expiry: Int
    /// The claims beyond those that were checked.
    public let claims: JSONObject
    /// The thumbprint of the key that has signed the token: see `WebKeys.has`.
    public let signer: [UInt8]

    /// Checks a token in the compact form.
    ///
    /// The signature is checked before any claim is read. Members of the header that lead to other keys mean nothing.
    ///
    /// - Parameters:
    ///   - issuer: The token must be from this issuer, by bytes.
    ///   - audience: The token must be for this one, perhaps among others, by bytes.
    ///   - now: The time in seconds since 1970.
    ///   - leewaySeconds: By how much the clock of the issuer may be wrong.
    /// - Throws: The first fault.
    /// - Complexity: O(*n*), *n* = the bytes of the token, and the cost of at most 8 signatures.
    ///
    /// Source: RFC 7515 section 5.2, RFC 7519 section 7.2, and the advice of RFC 8725.
    public static func verify(
        _ text: ByteText, keys: WebKeys, issuer: ByteText, audience: ByteText, now: Int, leewaySeconds: Int
    ) throws(WebTokenError) -> WebToken {
        let parts = try TokenParts(text)
        let header = try TokenHeader(parts.object(.header))
        let candidates = try header.candidates(keys)
        let signature = try parts.bytes(.signature)
        let signer = candidates.first { $0.key.verifies(signature, of: parts.signed, by: header.algorithm) }
        guard let signer else { throw .signature }
        let claims = try Claims(parts.object(.claims))
        try claims.check(issuer: issuer, audience: audience)
        let expiry = try claims.checkTimes(now: Double(now), leeway: Double(leewaySeconds))
        return WebToken(
            subject: try claims.subject(), expiry: expiry, claims: claims.others, signer: signer.thumbprint)
    }
}

/// The three parts of a token.
private struct TokenParts {
    private let header: ArraySlice<UInt8>
    private let claims: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>
    /// What the signature is of.
    let signed: ArraySlice<UInt8>

    init(_ text: ByteText) throws(WebTokenError) {
        guard text.utf8.count <= WebToken.bytesMax else { throw .tooLong }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notThreeParts }
        (header, claims, signature) = (parts[0], parts[1], parts[2])
        signed = bytes[..<claims.endIndex]
    }

    func bytes(_ part: WebTokenError.Part) throws(WebTokenError) -> [UInt8] {
        let text =
            switch part {
            case .header: header
            case .claims: claims
            case .signature: signature
            }
        guard let bytes = Base64URL.decode(text) else { throw .notBase64URL(part) }
        return bytes
    }

    func object(_ part: WebTokenError.Part) throws(WebTokenError) -> JSONObject {
        let bytes = try bytes(part)
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch { throw .notJSON(part, error) }
        guard case .object(let object) = value else { throw .notAnObject(part) }
        return object
    }
}

/// What the header of a token says of its signature.
private struct TokenHeader {
    let algorithm: Algorithm
    private let keyID: ByteText?

    init(_ header: JSONObject) throws(WebTokenError) {
        guard header["crit"] == nil else { throw .critical }
        guard let name = try header.text("alg") else { throw .missing("alg") }
        guard let algorithm = Algorithm(rawText: name) else { throw .algorithm(name) }
        if let type = try header.text("typ") {
            let word = type.lowercasedASCII
            guard ["jwt", "at+jwt"].contains(word.dropping(prefix: "application/") ?? word) else { throw .type(type) }
        }
        self.algorithm = algorithm
        keyID = try header.text("kid")
    }

    /// The keys of which one must have made the signature.
    func candidates(_ keys: WebKeys) throws(WebTokenError) -> ArraySlice<WebKey> {
        let named = keyID.map { id in keys.keys.filter { $0.id == id } } ?? keys.keys
        if let keyID, named.isEmpty { throw .unknownKey(keyID) }
        let fitting = named.filter { $0.fits(algorithm) }
        guard !fitting.isEmpty else { throw .noFittingKey }
        return fitting.prefix(WebToken.triedMax)
    }
}

extension JSONObject {
    /// A member that must be a string; nil if it is missing.
    func text(_ name: ByteText) throws(WebTokenError) -> ByteText? {
        switch self[name] {
        case nil: return nil
        case .string(let text): return text
        case .null, .bool, .number, .array, .object: throw .badMember(name)
        }
    }
}
