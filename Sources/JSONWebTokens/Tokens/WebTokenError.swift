public import JSONValue

/// The reason why a token is refused.
public enum WebTokenError: Error, Sendable, Equatable {
    /// A part of a token.
    public enum Part: Sendable, Equatable {
        case header, claims, signature
    }

    /// The token has more bytes than `WebToken.bytesMax`.
    case tooLong
    /// The token does not have three parts with a dot between each two.
    case notThreeParts
    /// The part is not base64url without padding, in its only spelling.
    case notBase64URL(Part)
    case notJSON(Part, JSONError)
    case notAnObject(Part)
    /// The member of the header, or the claim, has another type than it must have.
    case badMember(ByteText)
    /// The header, or the claims, lack what they must have.
    case missing(ByteText)
    /// The token is signed by an algorithm that is not taken, or is not signed.
    case algorithm(ByteText)
    /// The header asks for an extension.
    case critical
    /// The header says that this is another kind of thing.
    case type(ByteText)
    /// No key has the name by which the token calls its key.
    case unknownKey(ByteText)
    /// There is no key for the algorithm of the token.
    case noFittingKey
    /// No key has made the signature.
    case signature
    /// The times are in seconds since 1970.
    case expired(at: Int)
    case notYet(until: Int)
    /// The token is from somebody else.
    case issuer
    /// The token is for somebody else.
    case audience
    /// The subject is empty, has more bytes than `WebToken.subjectBytesMax`, or has control characters.
    case subject
}
