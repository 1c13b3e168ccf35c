public import Texts

/// Rights on all lists that one of some patterns means.
public struct Grant: Sendable, Hashable {
    public let lists: [ListPattern]
    public let rights: Rights

    public static let patternsMax = 64

    /// - Returns: Nil if there is no pattern, there are more than `patternsMax`, or there is no right.
    public init?(_ lists: [ListPattern], _ rights: Rights) {
        guard (1...Self.patternsMax).contains(lists.count), !rights.isEmpty else { return nil }
        self.lists = lists
        self.rights = rights.whole
    }

    public func rights(on list: ByteText) -> Rights {
        lists.contains { $0.matches(list) } ? rights : []
    }
}

/// The grants of one holder, which add up.
public struct Grants: Sendable, Hashable {
    public let all: [Grant]

    /// No grants.
    public static let none = Grants(known: [])
    public static let grantsMax = 64

    /// The most patterns of all grants together. Each request may have to look at all of them.
    public static let patternsMax = 256

    /// - Returns: Nil if there are more than `grantsMax`, or more than `patternsMax` patterns in them.
    public init?(_ grants: [Grant]) {
        guard grants.count <= Self.grantsMax, grants.reduce(0, { $0 + $1.lists.count }) <= Self.patternsMax else {
            return nil
        }
        all = grants
    }

    private init(known grants: [Grant]) { all = grants }

    public var isEmpty: Bool { all.isEmpty }
    var patternCount: Int { all.reduce(0) { $0 + $1.lists.count } }

    /// Both grants together, which may be more than `grantsMax`.
    func adding(_ other: Grants) -> Grants { Grants(known: all + other.all) }

    public func rights(on list: ByteText) -> Rights {
        var rights: Rights = []
        for grant in all where !grant.rights.isSubset(of: rights) { rights.formUnion(grant.rights(on: list)) }
        return rights
    }

    /// The rights on all lists.
    var everywhere: Rights {
        all.reduce([]) { $1.lists.contains { $0.includes(.any) } ? $0.union($1.rights) : $0 }
    }

    /// Whether the rights hold for every list.
    public func hold(_ rights: Rights, onAll pattern: ListPattern) -> Bool {
        var held: Rights = []
        for grant in all where !grant.rights.isSubset(of: held) {
            guard grant.lists.contains(where: { $0.includes(pattern) }) else { continue }
            held.formUnion(grant.rights)
            if held.isSuperset(of: rights) { return true }
        }
        return held.isSuperset(of: rights)
    }

    /// Whether `other` gives nothing that these grants do not let their holder give: rights on lists that the holder
    /// administers. Grants of nothing are given by those who administer all lists: a token without grants of its own may
    /// live on those that every token has.
    public func mayGive(_ other: Grants) -> Bool {
        guard !other.isEmpty else { return hold(.administer, onAll: .any) }
        return other.all.allSatisfy { grant in grant.lists.allSatisfy { hold(.administer, onAll: $0) } }
    }
}
