internal import JSONWebTokens
internal import Texts

extension Problem {
    /// The problem of a token of another issuer.
    ///
    /// - Parameter claim: The name of the claim with the rights.
    static func wrong(_ error: WebTokenError, claim: ByteText) -> Problem {
        challenged("invalid_token", "The token is none of this server, and as a JSON Web Token \(error.reason(claim)).")
    }
}

extension WebTokenError {
    fileprivate func reason(_ claim: ByteText) -> StaticString {
        switch self {
        case .tooLong: "it has more than 8192 bytes"
        case .badMember(claim): "it names its rights in another form than docs/contract.md section 15 says"
        case .notThreeParts, .notBase64URL, .notJSON, .notAnObject, .badMember, .missing, .type:
            "it cannot be read: it must have the compact form, with alg, iss, aud, sub and exp"
        case .critical: "it asks for an extension that is not known here"
        case .algorithm: "it is not signed by an algorithm with a public key that is known here"
        case .unknownKey, .noFittingKey:
            "it is signed by a key that its issuer does not publish, or only since a moment"
        case .signature: "its signature is wrong"
        case .expired: "it has expired: get another one from its issuer"
        case .notYet: "it is not valid yet"
        case .issuer: "it is from another issuer"
        case .audience: "it is for another audience"
        case .subject: "its subject is empty, too long, or has control characters"
        }
    }
}
