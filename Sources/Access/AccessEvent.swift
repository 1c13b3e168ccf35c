public import Texts

/// What has been done to rights, for the audit log. It never has a secret.
public enum AccessEvent: Sendable, Hashable {
    case tokenMade(ByteText)
    case tokenRotated(ByteText)
    case tokenRevoked(ByteText)
    case groupChanged(AccessBook.Group)
}
