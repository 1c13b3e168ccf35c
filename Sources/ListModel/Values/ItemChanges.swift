import JSONValue

extension ItemChanges {
    init(isStarred: Bool) {
        self.init()
        self.isStarred = .set(isStarred)
    }

    init(isExpanded: Bool) {
        self.init()
        self.isExpanded = .set(isExpanded)
    }

    /// All members of an item.
    package init(whole item: Item) {
        self.init()
        kind = .set(item.kind)
        content = .replace(item.content)
        isStarred = .set(item.isStarred)
        isExpanded = .set(item.isExpanded)
        isReorderable = .set(item.isReorderable)
    }

    /// The members that make a new item: kind and content, and the flags that differ from those of any new item.
    package init(new item: Item) {
        self.init(whole: item)
        let plain = Item(id: item.id)
        isStarred.drop(plain.isStarred)
        isExpanded.drop(plain.isExpanded)
        isReorderable.drop(plain.isReorderable)
    }

    /// The members in which one value of an item differs from another.
    package init(from old: Item, to new: Item) {
        self.init(whole: new)
        dropMembers(of: old)
    }

    /// The item with these changes.
    public func applied(to old: Item) -> Item {
        var new = old
        new.kind = kind.applied(to: old.kind)
        switch content {
        case .keep: break
        case .replace(let content): new.content = content
        case .merge(let patch): new.content = JSONText(old.content.value.merging(patch: patch.value))
        }
        applyFlags(to: &new)
        return new
    }

    /// Changes the flags alone.
    func applyFlags(to item: inout Item) {
        item.isStarred = isStarred.applied(to: item.isStarred)
        item.isExpanded = isExpanded.applied(to: item.isExpanded)
        item.isReorderable = isReorderable.applied(to: item.isReorderable)
    }

    /// Drops the members that the item has already. A merge patch is kept in any case.
    mutating func dropMembers(of item: Item) {
        kind.drop(item.kind)
        if case .replace(let text) = content, text == item.content { content = .keep }
        isStarred.drop(item.isStarred)
        isExpanded.drop(item.isExpanded)
        isReorderable.drop(item.isReorderable)
    }

    /// Whether no member is given.
    var isEmpty: Bool {
        kind == .keep && content == .keep && isStarred == .keep && isExpanded == .keep && isReorderable == .keep
    }

    /// The changes that give the item its old members back.
    func reversed(from old: Item) -> ItemChanges {
        var reversed = ItemChanges()
        reversed.kind = kind.reversed(from: old.kind)
        if content != .keep { reversed.content = .replace(old.content) }
        reversed.isStarred = isStarred.reversed(from: old.isStarred)
        reversed.isExpanded = isExpanded.reversed(from: old.isExpanded)
        reversed.isReorderable = isReorderable.reversed(from: old.isReorderable)
        return reversed
    }
}

extension SectionChanges {
    /// All members of a section, without its items.
    package init(whole section: SectionProperties) {
        self.init()
        title = .set(section.title)
        layout = .set(section.layout)
        header = .set(section.header)
        footer = .set(section.footer)
        isReorderable = .set(section.isReorderable)
    }

    /// The members in which one value of a section differs from another.
    package init(from old: SectionProperties, to new: SectionProperties) {
        self.init(whole: new)
        dropMembers(of: old)
    }

    /// Drops the members that the section has already.
    mutating func dropMembers(of old: SectionProperties) {
        title.drop(old.title)
        layout.drop(old.layout)
        header.drop(old.header)
        footer.drop(old.footer)
        isReorderable.drop(old.isReorderable)
    }

    /// The changes that give the section its old members back.
    func reversed(from old: SectionProperties) -> SectionChanges {
        var reversed = SectionChanges()
        reversed.title = title.reversed(from: old.title)
        reversed.layout = layout.reversed(from: old.layout)
        reversed.header = header.reversed(from: old.header)
        reversed.footer = footer.reversed(from: old.footer)
        reversed.isReorderable = isReorderable.reversed(from: old.isReorderable)
        return reversed
    }
}

extension ListChanges {
    /// All members of a list, without its sections.
    package init(whole list: ListProperties) {
        self.init()
        title = .set(list.title)
        layout = .set(list.layout)
    }

    /// The members in which one value of a list differs from another.
    package init(from old: ListProperties, to new: ListProperties) {
        self.init(whole: new)
        dropMembers(of: old)
    }

    /// Drops the members that the list has already.
    mutating func dropMembers(of old: ListProperties) {
        title.drop(old.title)
        layout.drop(old.layout)
    }

    /// The changes that give the list its old members back.
    func reversed(from old: ListProperties) -> ListChanges {
        var reversed = ListChanges()
        reversed.title = title.reversed(from: old.title)
        reversed.layout = layout.reversed(from: old.layout)
        return reversed
    }
}

extension Change {
    fileprivate func reversed(from old: Value) -> Change {
        switch self {
        case .keep: .keep
        case .set: .set(old)
        }
    }

    /// Becomes `keep` if the stored value is the same.
    fileprivate mutating func drop(_ old: Value) {
        if case .set(let new) = self, new == old { self = .keep }
    }
}
