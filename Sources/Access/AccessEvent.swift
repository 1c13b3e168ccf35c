public import Texts

/// What has been done to rights, for the audit log. It never has a secret.
public enum AccessEvent: Sendable, Hashable {
    case tokenMade(ByteText)
    case tokenRotated(ByteText)
    case tokenRevoked(ByteText)
    case groupChanged(AccessBook.Group)

    /// The event for a person who reads a log.
    public var sentence: String {
        switch self {
        case .tokenMade(let name): "The token \(name) was made."
        case .tokenRotated(let name): "The token \(name) has a new secret."
        case .tokenRevoked(let name): "The token \(name) was revoked."
        case .groupChanged(let group): "The rights of \(group.rawValue) were changed."
        }
    }
}
