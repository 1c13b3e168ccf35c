import ListModel

/// The members of an item that a transaction has written.
struct ItemMembers: OptionSet {
    let rawValue: UInt8

    /// The item came or went, with all its members.
    static let existence = Self(rawValue: 1)
    /// The section of the item, its parent, or its rank among its siblings.
    static let place = Self(rawValue: 2)
    static let kind = Self(rawValue: 4)
    static let content = Self(rawValue: 8)
    static let starred = Self(rawValue: 16)
    static let expanded = Self(rawValue: 32)
    static let reorderable = Self(rawValue: 64)

    /// The members in which two values of an item differ.
    init(from old: Item, to new: Item) {
        self = []
        if old.kind != new.kind { insert(.kind) }
        if old.content != new.content { insert(.content) }
        if old.isStarred != new.isStarred { insert(.starred) }
        if old.isExpanded != new.isExpanded { insert(.expanded) }
        if old.isReorderable != new.isReorderable { insert(.reorderable) }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// The members of a section, or of the list itself, that a transaction has written.
struct SectionMembers: OptionSet {
    let rawValue: UInt8

    static let existence = Self(rawValue: 1)
    static let place = Self(rawValue: 2)
    static let title = Self(rawValue: 4)
    static let layout = Self(rawValue: 8)
    static let header = Self(rawValue: 16)
    static let footer = Self(rawValue: 32)
    static let reorderable = Self(rawValue: 64)

    init(from old: SectionProperties, to new: SectionProperties) {
        self = []
        if old.title != new.title { insert(.title) }
        if old.layout != new.layout { insert(.layout) }
        if old.header != new.header { insert(.header) }
        if old.footer != new.footer { insert(.footer) }
        if old.isReorderable != new.isReorderable { insert(.reorderable) }
    }

    init(from old: ListProperties, to new: ListProperties) {
        self = []
        if old.title != new.title { insert(.title) }
        if old.layout != new.layout { insert(.layout) }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// The members that transactions have written, by identity.
struct Writes {
    private(set) var items: [ItemHandle: ItemMembers] = [:]
    private(set) var sections: [SectionHandle: SectionMembers] = [:]
    private(set) var list: SectionMembers = []

    func contains(_ members: ItemMembers, of item: ItemHandle) -> Bool {
        guard let written = items[item] else { return false }
        return !written.isDisjoint(with: members.union(.existence))
    }

    func contains(_ members: SectionMembers, of section: SectionHandle) -> Bool {
        guard let written = sections[section] else { return false }
        return !written.isDisjoint(with: members.union(.existence))
    }

    mutating func insert(_ members: ItemMembers, of item: ItemHandle) {
        if !members.isEmpty { items[item, default: []].formUnion(members) }
    }

    mutating func insert(_ members: SectionMembers, of section: SectionHandle) {
        if !members.isEmpty { sections[section, default: []].formUnion(members) }
    }

    mutating func insert(list members: SectionMembers) { list.formUnion(members) }

    mutating func formUnion(_ other: Writes) {
        for (item, members) in other.items { insert(members, of: item) }
        for (section, members) in other.sections { insert(members, of: section) }
        list.formUnion(other.list)
    }

    mutating func subtract(_ other: Writes) {
        for (item, members) in other.items { items[item]?.subtract(members) }
        for (section, members) in other.sections { sections[section]?.subtract(members) }
        list.subtract(other.list)
    }
}
