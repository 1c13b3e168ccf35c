internal import Threads
public import Texts

/// The one who sends a request, and what it may do.
///
/// A class, because every request has a reference to one, and few have one of their own.
public final class Caller: Sendable {
    public enum Kind: Sendable, Hashable {
        /// Nobody has begun to use tokens.
        case everybody
        /// Nobody was named, but others use tokens.
        case anonymous
        /// A token of this server.
        case token
        /// A JSON Web Token of somebody else.
        case foreign
    }

    public let kind: Kind
    /// The name in the history of lists.
    public let actor: ByteText
    /// The second, since 1970, at which the rights end; nil if they have no end.
    public let expires: Int?
    /// The digest of the token's secret, or of the key that has signed it; empty without a token.
    public let digest: [UInt8]
    let own: Grants
    private let shared: Grants
    /// The rights on all lists.
    public let everywhere: Rights
    /// Whether it takes long enough to find rights for them to be worth remembering.
    private let hasManyPatterns: Bool
    /// The rights that were found, by list.
    private let remembered = Locked<[ByteText: Rights]>([:])

    private static let rememberedMax = 1_024

    /// The caller of a server without tokens.
    public static let everybody = Caller(.everybody, "anonymous", expires: nil, [], .none, .none)

    /// The caller that a token of another issuer names. It has no rights beside its own before it is renewed by a book.
    ///
    /// - Parameter signer: The digest of the key that has signed the token.
    public static func foreign(_ actor: ByteText, _ grants: Grants, expires: Int, signer: [UInt8]) -> Caller {
        Caller(.foreign, actor, expires: expires, signer, grants, .none)
    }

    init(
        _ kind: Kind, _ actor: ByteText, expires: Int?, _ digest: [UInt8], _ own: Grants, _ shared: Grants
    ) {
        self.kind = kind
        self.actor = actor
        self.expires = expires
        self.digest = digest
        self.own = own
        self.shared = shared
        everywhere = kind == .everybody ? .all : own.everywhere.union(shared.everywhere)
        hasGrants = kind == .everybody || !own.isEmpty || !shared.isEmpty
        hasManyPatterns = own.patternCount + shared.patternCount > 8
    }

    public func isOver(at time: Int) -> Bool { expires.map { $0 <= time } ?? false }

    /// The same caller with other rights beside its own.
    func sharing(_ shared: Grants) -> Caller { Caller(kind, actor, expires: expires, digest, own, shared) }

    /// Whether rights need not be looked at.
    public var isEverybody: Bool { kind == .everybody }

    public func rights(on list: ByteText) -> Rights {
        guard everywhere != .all else { return .all }
        guard hasManyPatterns else { return found(on: list) }
        if let rights = remembered.withLock({ $0[list] }) { return rights }
        let rights = found(on: list)
        remembered.withLock { remembered in
            if remembered.count >= Self.rememberedMax { remembered.removeAll(keepingCapacity: true) }
            remembered[list] = rights
        }
        return rights
    }

    private func found(on list: ByteText) -> Rights { own.rights(on: list).union(shared.rights(on: list)) }

    public func may(_ right: Rights, _ list: ByteText) -> Bool {
        everywhere.isSuperset(of: right) || hasGrants && rights(on: list).isSuperset(of: right)
    }

    /// Whether the caller may give others all rights on all lists.
    public var administersAll: Bool { isEverybody || own.hold(.administer, onAll: .any) }

    /// Whether the caller may give others rights on some lists.
    public var administers: Bool { isEverybody || own.all.contains { $0.rights.contains(.administer) } }

    /// Whether the caller may read each list, so that an answer need not be narrowed.
    public var readsAll: Bool { everywhere.contains(.read) }

    /// Whether the caller has a right on any list at all.
    public let hasGrants: Bool

    /// Whether the caller may give these grants to others.
    public func mayGive(_ grants: Grants) -> Bool { isEverybody || own.mayGive(grants) }
}
