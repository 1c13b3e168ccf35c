internal import CGnuTLS

/// The algorithms of signatures that are taken, by their names in RFC 7518 section 3.1 and RFC 8037.
///
/// There are neither `none` nor algorithms with a shared secret.
enum Algorithm: String, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case edDSA = "EdDSA"

    /// The only type of key that the algorithm may be used with, and its name in the library.
    var row: (type: KeyType, name: liststate_algorithm) {
        switch self {
        case .rs256: (.rsa, LISTSTATE_RS256)
        case .rs384: (.rsa, LISTSTATE_RS384)
        case .rs512: (.rsa, LISTSTATE_RS512)
        case .ps256: (.rsa, LISTSTATE_PS256)
        case .ps384: (.rsa, LISTSTATE_PS384)
        case .ps512: (.rsa, LISTSTATE_PS512)
        case .es256: (.p256, LISTSTATE_ES256)
        case .es384: (.p384, LISTSTATE_ES384)
        case .edDSA: (.ed25519, LISTSTATE_EDDSA)
        }
    }
}

/// A type of key, with its curve.
enum KeyType: Sendable {
    case rsa, p256, p384, ed25519
}
