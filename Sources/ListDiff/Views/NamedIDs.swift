public import ListModel

/// Ids that a client names in a query, in no order.
///
/// There may be many thousands of ids, and a query is looked up again and again: for each list that a stream follows,
/// and at each change. So the ids are hashed once, when they are read, and two sets are compared by 128 bits. Nobody
/// outside knows the key of the hash, so two different sets are taken for the same only by chance, once in 2^128.
public struct NamedIDs<Namespace>: Sendable {
    private final class Storage: Sendable {
        let ids: Set<Identifier<Namespace>>
        let digest: Digest

        init(_ ids: Set<Identifier<Namespace>>) {
            self.ids = ids
            digest = Digest(first: Self.hash(of: ids, 1), second: Self.hash(of: ids, 2))
        }

        private static func hash(of ids: Set<Identifier<Namespace>>, _ salt: Int) -> Int {
            var hasher = Hasher()
            hasher.combine(salt)
            hasher.combine(ids)
            return hasher.finalize()
        }
    }

    private struct Digest: Hashable {
        let first: Int
        let second: Int
    }

    private let storage: Storage

    public init(_ ids: Set<Identifier<Namespace>>) { storage = Storage(ids) }

    var ids: Set<Identifier<Namespace>> { storage.ids }

    public func contains(_ id: Identifier<Namespace>) -> Bool { ids.contains(id) }
}

extension NamedIDs: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.storage.digest == right.storage.digest }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage.digest) }
}

extension NamedIDs: ExpressibleByArrayLiteral {
    public init(arrayLiteral ids: Identifier<Namespace>...) { self.init(Set(ids)) }
}
