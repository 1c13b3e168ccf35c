/// The edits that take a span back: for each edit of the span one, in the order of the span.
///
/// A new value of an item is most of what a long transaction notes. Its inverse is made from the past when it is needed,
/// because the old value is kept there anyway.
public struct InverseEdits: Sendable {
    private let notes: InverseNotes
    private let items: OverwrittenItems

    init(_ notes: InverseNotes, of items: OverwrittenItems) { (self.notes, self.items) = (notes, items) }

    init(_ edit: Edit) { self.init(InverseNotes(edit), of: OverwrittenItems()) }

    /// No edits.
    init() { self.init(InverseNotes(), of: OverwrittenItems()) }
}

extension InverseEdits: BidirectionalCollection {
    public struct Index: Comparable {
        /// How many edits of either form come before.
        fileprivate var (edits, values) = (0, 0)

        public static func < (left: Index, right: Index) -> Bool {
            left.edits + left.values < right.edits + right.values
        }
    }

    public var startIndex: Index { Index() }
    public var endIndex: Index { Index(edits: notes.edits.count, values: notes.values.count) }

    public func index(after index: Index) -> Index {
        var next = index
        if notes.hasValue(at: index.values, behind: index.edits) { next.values += 1 } else { next.edits += 1 }
        return next
    }

    public func index(before index: Index) -> Index {
        var last = index
        if notes.hasValue(at: index.values - 1, behind: index.edits) { last.values -= 1 } else { last.edits -= 1 }
        return last
    }

    public subscript(index: Index) -> Edit {
        guard notes.hasValue(at: index.values, behind: index.edits) else { return notes.edits[index.edits] }
        let value = notes.values[index.values]
        let old = items[entry: Int(value.entry)].item
        return .changeItem(old.id, ItemChanges(value.members, of: old))
    }
}

/// The inverse edits as a delta keeps them.
struct InverseNotes: Sendable {
    /// The first new value of an item that was in the list before the span.
    fileprivate struct Value {
        /// How many of `edits` come before it.
        let edits: Int32
        /// The index of the old item among the overwritten ones.
        let entry: Int32
        let members: ItemMembers
    }

    /// All edits but those that `values` stand for.
    private(set) var edits: [Edit] = []
    fileprivate private(set) var values: [Value] = []

    init() {}
    init(_ edit: Edit) { edits = [edit] }

    mutating func append(_ edit: Edit) { edits.append(edit) }

    /// - Parameters:
    ///   - members: The members that are overwritten.
    ///   - entry: The index of the item's value before the edit among the overwritten items.
    mutating func append(_ members: ItemMembers, ofEntry entry: Int) {
        values.append(
            Value(
                edits: Int32(truncatingIfNeeded: edits.count), entry: Int32(truncatingIfNeeded: entry), members: members
            ))
    }

    var valueCount: Int { values.count }

    fileprivate func hasValue(at index: Int, behind count: Int) -> Bool {
        values.indices.contains(index) && values[index].edits == count
    }
}

/// Some members of an item.
struct ItemMembers: OptionSet, Sendable {
    let rawValue: UInt8

    static let kind = ItemMembers(rawValue: 1)
    static let content = ItemMembers(rawValue: 2)
    static let star = ItemMembers(rawValue: 4)
    static let disclosure = ItemMembers(rawValue: 8)
    static let order = ItemMembers(rawValue: 16)
}

extension ItemChanges {
    /// The members that are given.
    var members: ItemMembers {
        var members: ItemMembers = []
        if kind != .keep { members.insert(.kind) }
        if content != .keep { members.insert(.content) }
        if isStarred != .keep { members.insert(.star) }
        if isExpanded != .keep { members.insert(.disclosure) }
        if isReorderable != .keep { members.insert(.order) }
        return members
    }

    /// The changes that give an item these members of another one.
    init(_ members: ItemMembers, of item: Item) {
        self.init()
        if members.contains(.kind) { kind = .set(item.kind) }
        if members.contains(.content) { content = .replace(item.content) }
        if members.contains(.star) { isStarred = .set(item.isStarred) }
        if members.contains(.disclosure) { isExpanded = .set(item.isExpanded) }
        if members.contains(.order) { isReorderable = .set(item.isReorderable) }
    }
}
