import JSONValue
import ListModel
internal import Texts

extension WireDecoder {
    /// The two kinds of arguments with items and sections.
    enum Argument {
        /// New items and sections, to append or insert. A null is refused.
        case additions
        /// A wanted state, in the form of a snapshot that the server sends. A null resets a member to its default, and
        /// `level` and `childCount` are ignored (docs/contract.md section 3).
        case wholeState
    }

    /// Reads the `items` of an argument. An id may occur only once; `seen` has the ids of the argument's other
    /// sections.
    func items(
        _ value: JSONSlice, of argument: Argument, seen: inout Set<ItemID>
    ) throws(WireError) -> [NewItem] {
        try array(value) { value throws(WireError) in
            let item = try item(value, of: argument)
            _ = try first(item.id, in: &seen, advising: Self.ownID)
            return item
        }
    }

    /// Reads the `items` of an argument with a single `items`.
    func items(_ value: JSONSlice, of argument: Argument) throws(WireError) -> [NewItem] {
        var seen = Set<ItemID>()
        return try self.items(value, of: argument, seen: &seen)
    }

    private static let itemMembers: [ByteText] = [
        "id", "kind", "content", "parent", "expanded", "starred", "reorderable",
    ]
    /// The members of an item in a snapshot that the server sends. `WireDecoder+Whole.swift` reads them by their index.
    static let servedItemMembers = itemMembers + ["level", "childCount"]

    /// Reads an item: a bare id, or an object.
    private func item(_ value: JSONSlice, of argument: Argument) throws(WireError) -> NewItem {
        if case .string = value.form { return NewItem(try itemID(value)) }
        switch argument {
        case .additions:
            let object = try WireObject(value, Self.itemMembers, expected: .itemArgument, telling: errors)
            let id = try object.optional("id", advising: Self.madeID, itemID)
            let parent = try object.optional("parent", itemID)
            guard let id else {
                return NewItem(made: ItemID(unchecked: identifier()), parent: parent, value: try additions(object))
            }
            return NewItem(id, parent: parent, value: try additions(object))
        case .wholeState:
            let object = try WireObject(value, Self.servedItemMembers, expected: .itemArgument, telling: errors)
            let parent = object.isNull("parent") ? nil : try object.optional("parent", itemID)
            let values = try wantedValues(object)
            return NewItem(try object.required("id", itemID), parent: parent, value: values)
        }
    }

    static let ownID: StaticString = "Each new item or section needs an id of its own."
    private static let madeID: StaticString = #""id" may be left out: then the server makes one."#

    private func additions(_ object: WireObject) throws(WireError) -> ItemChanges {
        var changes = try plainItemChanges(object)
        if let content = try object.optional("content", self.object) { changes.content = .replace(content) }
        return changes
    }

    /// The members of an item that can be changed, except its content.
    static let plainItemMembers: [ByteText] = ["kind", "expanded", "starred", "reorderable"]

    /// Reads the changes of these members. None may be null.
    func plainItemChanges(_ object: WireObject) throws(WireError) -> ItemChanges {
        var changes = ItemChanges()
        changes.kind = try object.change("kind", kind)
        changes.isStarred = try object.change("starred", boolean)
        changes.isExpanded = try object.change("expanded", boolean)
        changes.isReorderable = try object.change("reorderable", boolean)
        return changes
    }

    private func wantedValues(_ object: WireObject) throws(WireError) -> ItemChanges {
        var changes = ItemChanges()
        changes.kind = try object.change("kind", orNull: Item.defaultKind, kind)
        switch try object.change("content", orNull: .emptyObject, self.object) {
        case .keep: break
        case .set(let content): changes.content = .replace(content)
        }
        changes.isStarred = try object.change("starred", orNull: false, boolean)
        changes.isExpanded = try object.change("expanded", orNull: false, boolean)
        changes.isReorderable = try object.change("reorderable", orNull: true, boolean)
        return changes
    }
}

// MARK: - Sections

extension WireDecoder {
    /// The members of a section that can be changed.
    static let sectionValueMembers: [ByteText] = ["title", "layout", "header", "footer", "reorderable"]
    private static let newSectionMembers = ["id", "items"] + sectionValueMembers

    /// Reads the `sections` of append and insert. Each is an object, or a bare id for a section without properties and
    /// items.
    func newSections(_ value: JSONSlice) throws(WireError) -> [NewSection] {
        var sections = Set<SectionID>()
        var items = Set<ItemID>()
        return try array(value) { value throws(WireError) in
            let section = try newSection(value, seenItems: &items)
            _ = try first(section.properties.id, in: &sections, advising: Self.ownID)
            return section
        }
    }

    private func newSection(
        _ value: JSONSlice, seenItems: inout Set<ItemID>
    ) throws(WireError) -> NewSection {
        if case .string = value.form { return NewSection(SectionProperties(id: try sectionID(value))) }
        let object = try WireObject(value, Self.newSectionMembers, expected: .sectionArgument, telling: errors)
        let title = try object.optional("title", title)
        let layout = try object.optional("layout", layout)
        let header = try object.optional("header", stringOrObject)
        let footer = try object.optional("footer", stringOrObject)
        let isReorderable = try object.optional("reorderable", boolean)
        let items = try object.optional("items") { value throws(WireError) in
            try self.items(value, of: .additions, seen: &seenItems)
        }
        // The required member is read last, so that errors of the others are told even if it is missing.
        let properties = SectionProperties(
            id: try object.required("id", sectionID), title: title, layout: layout, header: header, footer: footer,
            isReorderable: isReorderable ?? true)
        return NewSection(properties, items: items ?? [])
    }

    /// Reads the changes of a section. A null removes a member, but `reorderable` may not be null.
    func sectionChanges(_ object: WireObject) throws(WireError) -> SectionChanges {
        var changes = SectionChanges()
        changes.title = try object.removable("title", title)
        changes.layout = try object.removable("layout", layout)
        changes.header = try object.removable("header", stringOrObject)
        changes.footer = try object.removable("footer", stringOrObject)
        changes.isReorderable = try object.change("reorderable", boolean)
        return changes
    }

    /// Reads the changes of a list. A null removes the layout, but `title` may not be null.
    func listChanges(_ object: WireObject) throws(WireError) -> ListChanges {
        var changes = ListChanges()
        changes.title = try object.change("title", title)
        changes.layout = try object.removable("layout", layout)
        return changes
    }
}
