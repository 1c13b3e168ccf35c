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

    /// - Returns: Nil if there are more than `grantsMax`.
    public init?(_ grants: [Grant]) {
        guard grants.count <= Self.grantsMax else { return nil }
        all = grants
    }

    private init(known grants: [Grant]) { all = grants }

    public var isEmpty: Bool { all.isEmpty }

    /// Both grants together, which may be more than `grantsMax`.
    func adding(_ other: Grants) -> Grants { Grants(known: all + other.all) }

    public func rights(on list: ByteText) -> Rights {
        var rights: Rights = []
        for grant in all where !grant.rights.isSubset(of: rights) { rights.formUnion(grant.rights(on: list)) }
        return rights
    }

    /// Whether the rights hold for every list.
    public func hold(_ rights: Rights, onAll pattern: ListPattern) -> Bool {
        var held: Rights = []
        for grant in all where grant.lists.contains(where: { $0.includes(pattern) }) { held.formUnion(grant.rights) }
        return held.isSuperset(of: rights)
    }

    /// Whether `other` gives nothing that these grants do not let their holder give: rights on lists that the holder
    /// administers.
    public func mayGive(_ other: Grants) -> Bool {
        other.all.allSatisfy { grant in grant.lists.allSatisfy { hold(.administer, onAll: $0) } }
    }
}
