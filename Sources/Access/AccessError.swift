public import Texts

/// Why the access book was not changed. It is as it was.
public enum AccessError: Error, Sendable, Hashable {
    /// Another token has the name.
    case nameTaken(ByteText)
    case noSuchToken(ByteText)
    /// The book would become too large.
    case tooManyTokens(max: Int)
    case bookTooLarge(bytesMax: Int)
    /// Whoever asks gives rights on lists that it does not administer.
    case beyondOwnRights
    /// The token of whoever asks is none any more.
    case callerGone
    /// The stored book cannot be read by this program.
    case unreadable
}
