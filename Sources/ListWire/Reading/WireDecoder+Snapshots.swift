import JSONValue
import ListModel
internal import Texts

// Arguments with a whole state. A client can send back a snapshot unchanged: members that only describe it are ignored.
// Arrays that were left out because they were empty are read as empty.

extension WireDecoder {
    static let wantedSectionMembers = ["id", "items"] + sectionValueMembers
    /// The members of a section snapshot: those of a section, and some more.
    static let sectionSnapshotMembers = wantedSectionMembers + ["list", "version", "counts", "partial"]
    /// The members of a snapshot.
    static let snapshotMembers: [ByteText] = ["id", "title", "layout", "sections", "counts", "version", "partial"]

    /// Reads a snapshot from an object that may have other members too. `id` and `version` are ignored here.
    func wantedSnapshot(_ object: WireObject) throws(WireError) -> WantedSnapshot {
        try refusePartial(object)
        let changes = try listChanges(object)
        return WantedSnapshot(changes: changes, sections: try sections(object))
    }

    private func sections(_ object: WireObject) throws(WireError) -> [WantedSection] {
        try object.optional("sections", wantedSections) ?? []
    }

    private func wantedSections(_ value: JSONSlice) throws(WireError) -> [WantedSection] {
        guard case .array = value.form else {
            throw WireError(.wrongType(expected: .sections)).advising("\(Self.example(value))")
        }
        var sections = Set<SectionID>()
        var items = Set<ItemID>()
        let sent = value
        // An example looks at the whole array, so all errors share one.
        var example: ByteText?
        return try array(value) { value throws(WireError) in
            guard case .object = value.form else {
                let shown = example ?? Self.example(sent)
                example = shown
                throw WireError(.noObject(expected: .object, Self.wantedSectionMembers)).advising("\(shown)")
            }
            return try wantedSection(value, in: &sections, &items)
        }
    }

    /// Reads one of the sections of a snapshot.
    ///
    /// - Parameters:
    ///   - sections: The ids of the sections before it.
    ///   - items: The ids of their items.
    private func wantedSection(
        _ value: JSONSlice, in sections: inout Set<SectionID>, _ items: inout Set<ItemID>
    ) throws(WireError) -> WantedSection {
        let object = try WireObject(value, Self.wantedSectionMembers, telling: errors)
        let (id, state) = try both(
            first(object.required("id", sectionID), in: &sections, advising: Self.ownID),
            sectionState(object, seenItems: &items))
        return WantedSection(id, changes: state.changes, items: state.items)
    }

    /// Reads one of the sections of a snapshot, without its items.
    func wantedSection(_ value: JSONSlice, in sections: inout Set<SectionID>) throws(WireError) -> WantedSection {
        var items = Set<ItemID>()
        return try wantedSection(value, in: &sections, &items)
    }

    /// A sentence with the ids of the sections that were sent in another form, such as `"fruit"`, `["fruit"]` or
    /// `{"fruit":["pear"]}`. Their items stay open, unless ids of items were sent.
    private static func example(_ sent: JSONSlice) -> ByteText {
        let sections: [(id: ByteText?, items: JSONSlice?)]
        switch sent.form {
        case .array(let values): sections = values.prefix(shownMost + 1).map(section)
        case .object(let object) where object["id"] == nil:
            sections = object.prefix(shownMost + 1).map { (JSONValue.string($0.key).shown, $0.value) }
        case .object, .null, .bool, .number, .string: sections = [section(sent)]
        }
        let examples = sections.compactMap { section -> ByteText? in
            guard let id = section.id, id.hasPrefix("\"") else { return nil }
            return #"{"id":\#(id),"items":\#(section.items?.shown.flatMap(WireError.ids) ?? "[…]")}"#
        }
        let shown = examples.isEmpty ? [#"{"id":"fruit","items":[…]}"#] : Array(examples.prefix(shownMost))
        let all = (shown + (examples.count > shownMost ? ["…"] : [])).joined(separator: ",")
        return #"Each section is an object: {"sections":[\#(all)]}."#
    }

    private static let shownMost = 4

    private static func section(_ sent: JSONSlice) -> (id: ByteText?, items: JSONSlice?) {
        guard case .object(let object) = sent.form else { return (sent.shown, nil) }
        return ((object["id"] ?? sent).shown, object["items"])
    }

    /// Reads a section snapshot from an object that may have other members too. `list` and `version` are ignored here.
    func wantedSection(
        _ id: @autoclosure () throws(WireError) -> SectionID, _ object: WireObject
    ) throws(WireError) -> WantedSection {
        try refusePartial(object)
        var seen = Set<ItemID>()
        let (id, state) = try both(id(), sectionState(object, seenItems: &seen))
        return WantedSection(id, changes: state.changes, items: state.items)
    }

    private func sectionState(
        _ object: WireObject, seenItems: inout Set<ItemID>
    ) throws(WireError) -> (changes: SectionChanges, items: [NewItem]) {
        var changes = SectionChanges()
        changes.title = try object.removable("title", title)
        changes.layout = try object.removable("layout", layout)
        changes.header = try object.removable("header", stringOrObject)
        changes.footer = try object.removable("footer", stringOrObject)
        changes.isReorderable = try object.change("reorderable", orNull: true, boolean)
        let items = try object.optional("items") { value throws(WireError) in
            try self.items(value, of: .wholeState, seen: &seenItems)
        }
        return (changes, items ?? [])
    }

    private func refusePartial(_ object: WireObject) throws(WireError) {
        guard try object.optional("partial", boolean) != true else { throw WireError(.partialSnapshot).at("partial") }
    }
}
