public import Texts

/// Everything that is decided about who may do what: tokens, and the grants of those without one.
///
/// An empty book means that nobody has begun to use tokens, and everybody may do everything. It is a value: a change
/// makes another book, which is stored as a whole.
public struct AccessBook: Sendable, Hashable {
    /// A token, without its secret.
    public struct Token: Sendable, Hashable {
        /// The name, which is also the actor in the history of lists.
        public let name: ByteText
        /// The SHA-256 of the whole text of the token.
        public var digest: [UInt8]
        public var grants: Grants
        /// Seconds since 1970.
        public var created: Int
        /// The second, since 1970, from which on the token is none; nil if it has no end.
        public var expires: Int?
        /// The actor that made the token.
        public var creator: ByteText

        public init(
            name: ByteText, digest: [UInt8], grants: Grants, created: Int, expires: Int?, creator: ByteText
        ) {
            self.name = name
            self.digest = digest
            self.grants = grants
            self.created = created
            self.expires = expires
            self.creator = creator
        }

        public func isOver(at time: Int) -> Bool { expires.map { $0 <= time } ?? false }
    }

    /// Those who have grants without being named.
    public enum Group: String, Sendable, Hashable, CaseIterable {
        /// Whoever sends no token.
        case anonymous
        /// Whoever sends a token that is right, in addition to the token's own grants.
        case anyToken = "any-token"
    }

    /// The tokens by name.
    public internal(set) var tokens: [ByteText: Token] = [:]
    public private(set) var groups: [Group: Grants] = [:]

    public static let tokensMax = 2_000
    public static let nameBytesMax = 64

    public init() {}

    /// Whether nobody has begun to use tokens.
    public var isEmpty: Bool { tokens.isEmpty && groups.isEmpty }

    public func grants(of group: Group) -> Grants { groups[group] ?? .none }

    /// Whether the text can name a token: up to 64 lower-case letters, digits, `.`, `_` and `-`, and it does not begin with
    /// one of these three. `anonymous` is the actor of those without one.
    public static func isName(_ text: ByteText) -> Bool {
        guard (1...nameBytesMax).contains(text.utf8.count), text != "anonymous", let first = text.utf8.first else {
            return false
        }
        return isAlphanumeric(first) && text.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// - Throws: `nameTaken`, also by a token that is over, and `tooManyTokens`.
    public mutating func add(_ token: Token) throws(AccessError) {
        guard tokens[token.name] == nil else { throw .nameTaken(token.name) }
        guard tokens.count < Self.tokensMax else { throw .tooManyTokens(max: Self.tokensMax) }
        tokens[token.name] = token
    }

    /// Gives the token another secret. The one before is none from then on.
    ///
    /// - Throws: `noSuchToken`.
    public mutating func rotate(_ name: ByteText, digest: [UInt8], expires: Int?) throws(AccessError) {
        guard tokens[name] != nil else { throw .noSuchToken(name) }
        tokens[name]?.digest = digest
        tokens[name]?.expires = expires
    }

    /// Removes the token. A book without a last token is not empty: otherwise whoever revokes the only token would let
    /// everybody in.
    ///
    /// - Throws: `noSuchToken`.
    public mutating func remove(_ name: ByteText) throws(AccessError) {
        guard tokens.removeValue(forKey: name) != nil else { throw .noSuchToken(name) }
        if isEmpty { set(.none, of: .anonymous) }
    }

    /// Replaces the grants of a group. A group without grants stays in the book: it says that there are rules.
    public mutating func set(_ grants: Grants, of group: Group) { groups[group] = grants }
}
