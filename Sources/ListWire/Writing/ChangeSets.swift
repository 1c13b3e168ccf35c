package import ListDiff
package import ListModel
internal import Texts

// The difference between versions of a list (docs/contract.md section 5), as minified JSON.

/// The part of a transaction's note that is in its change set.
package struct ChangeNote: Sendable {
    let actor: ByteText
    let label: ByteText?

    package init(actor: ByteText, label: ByteText?) {
        (self.actor, self.label) = (actor, label)
    }
}

extension View {
    /// The member `view`, with a comma because it follows another member.
    fileprivate var member: StaticString {
        switch self {
        case .items: ",\"view\":\"items\""
        case .visible: ",\"view\":\"visible\""
        }
    }
}

extension Catchup {
    /// A change set, or a reset with the snapshot in the view.
    ///
    /// - Parameters:
    ///   - rows: The query whose rows the snapshot of a reset has.
    ///   - viewed: The rows of the query, if they are known already.
    ///   - note: The note of the transaction, if a change set spans exactly one.
    package func body(
        list: ListID, _ rows: RowQuery, _ viewed: ViewedRows? = nil, note: ChangeNote? = nil
    ) -> [UInt8] {
        switch self {
        case .changes(let changes, let from, let to, let counts):
            var splicer = JSONSplicer(capacity: 256 + 192 * changes.namedRowCount)
            splicer.changeSet(
                changes, list: list, from: from, to: VersionText(to), view: rows.view, counts: counts, note: note)
            return splicer.bytes
        case .reset(let snapshot):
            let body = viewed.map { snapshot.body($0) } ?? snapshot.body(rows)
            return resetBody(list: list, to: snapshot.version, rows.view, snapshot: body)
        }
    }
}

/// The body of a reset.
///
/// - Parameter snapshot: The snapshot of the list at `version`, as JSON.
package func resetBody(list: ListID, to version: Version, _ view: View = .items, snapshot: [UInt8]) -> [UInt8] {
    var splicer = JSONSplicer(capacity: 256 + snapshot.count)
    splicer.beginReset(list, to: version, view: view)
    splicer.json(snapshot)
    splicer.endObject()
    return splicer.bytes
}

extension JSONSplicer {
    /// Writes the catch-up of a client that did not know the head when it wrote.
    package mutating func catchup(_ catchup: Catchup, list: ListID, view: View) {
        switch catchup {
        case .changes(let changes, let from, let to, let counts):
            changeSet(changes, list: list, from: from, to: VersionText(to), view: view, counts: counts)
        case .reset(let snapshot):
            reset(snapshot, view: view)
        }
    }

    private mutating func reset(_ snapshot: ListSnapshot, view: View) {
        beginReset(snapshot.id, to: snapshot.version, view: view)
        beginObject()
        let rows = WholeRows(snapshot.state, view)
        snapshotMembers(snapshot, rows, .whole(of: rows), isPartial: rows.isPartial)
        raw("}}")
    }

    fileprivate mutating func beginReset(_ id: ListID, to version: Version, view: View) {
        member("{\"list\":", id)
        member(",\"to\":", version)
        raw(view.member)
        raw(",\"reset\":true,\"snapshot\":")
    }

    /// Writes a change set. Empty parts are left out.
    ///
    /// - Parameters:
    ///   - to: The version to which the change set leads; nil for a dry run, which makes none.
    ///   - counts: The counts of the whole list at that version.
    mutating func changeSet(
        _ changes: ChangeSet, list: ListID, from: Version, to: VersionText?, view: View, counts: ListCounts?,
        note: ChangeNote? = nil
    ) {
        member("{\"list\":", list)
        member(",\"from\":", from)
        if let to { member(",\"to\":", to) }
        raw(view.member)
        if let counts { countsMember(counts) }
        if let window = changes.window { windowMembers(window.place) }
        if let note { noteMembers(note) }
        if !changes.isAnimated { raw(",\"animated\":false") }
        propertiesMember(changes.properties)
        if !changes.sections.isEmpty { sectionsMember(changes.sections, view) }
        if !changes.items.isEmpty { itemsMember(changes.items, view) }
        endObject()
    }

    private mutating func noteMembers(_ note: ChangeNote) {
        member(",\"actor\":", note.actor)
        guard let label = note.label else { return }
        member(",\"label\":", label)
    }

    /// Writes the changed properties of the list. A layout that was removed is null.
    private mutating func propertiesMember(_ changes: ListChanges) {
        guard changes != ListChanges() else { return }
        raw(",\"properties\":{")
        if case .set(let title) = changes.title { member("\"title\":", title) }
        switch changes.layout {
        case .keep: break
        case .set(.none): key("\"layout\":null")
        case .set(.some(let layout)):
            separate()
            member("\"layout\":", layout)
        }
        endObject()
    }

    /// Writes a member whose value is an array of objects. An empty array is left out.
    private mutating func list<Element>(
        _ name: StaticString, _ elements: [Element], _ members: (inout JSONSplicer, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        key(name)
        beginArray()
        // A span gives access to an element without the copy that an array makes.
        elements.withSpan { lent in
            for index in lent.indices {
                separate()
                beginObject()
                members(&self, lent[index])
                endObject()
            }
        }
        endArray()
    }
}

// MARK: - Sections

extension JSONSplicer {
    private mutating func sectionsMember(_ sections: ChangeSet.Sections, _ view: View) {
        raw(",\"sections\":{")
        list("\"deleted\":", sections.deleted) { splicer, deleted in
            splicer.member("\"id\":", deleted.id)
            splicer.member(",\"index\":", deleted.index)
        }
        list("\"inserted\":", sections.inserted) { $0.placed($1, view) }
        list("\"moved\":", sections.moved) { splicer, moved in
            splicer.member("\"id\":", moved.id)
            splicer.member(",\"from\":", moved.from)
            splicer.member(",\"to\":", moved.to)
        }
        list("\"reconfigured\":", sections.reconfigured) { splicer, changed in
            splicer.member("\"index\":", changed.index)
            splicer.raw(",\"section\":{")
            splicer.sectionMembers(changed.properties)
            splicer.endObject()
        }
        list("\"reloaded\":", sections.reloaded) { $0.placed($1, view) }
        endObject()
    }

    private mutating func placed(_ placed: ChangeSet.PlacedSection, _ view: View) {
        member("\"index\":", placed.index)
        raw(",\"section\":{")
        sectionMembers(placed.section.properties)
        raw(",\"items\":[")
        for row in placed.section.items {
            separate()
            beginObject()
            itemMembers(row, view)
            endObject()
        }
        raw("]}")
    }
}

// MARK: - Items

extension JSONSplicer {
    private mutating func itemsMember(_ items: ChangeSet.Items, _ view: View) {
        raw(",\"items\":{")
        list("\"deleted\":", items.deleted) { splicer, deleted in
            splicer.member("\"id\":", deleted.id)
            splicer.raw(",")
            splicer.pathMembers(deleted.path)
        }
        list("\"inserted\":", items.inserted) { $0.placed($1, view) }
        list("\"moved\":", items.moved) { splicer, moved in
            splicer.member("\"id\":", moved.id)
            splicer.raw(",\"from\":{")
            splicer.pathMembers(moved.from)
            splicer.raw("},\"to\":{")
            splicer.pathMembers(moved.to)
            splicer.endObject()
        }
        list("\"reconfigured\":", items.reconfigured) { $0.placed($1, view) }
        list("\"reloaded\":", items.reloaded) { $0.placed($1, view) }
        endObject()
    }

    private mutating func placed(_ placed: ChangeSet.PlacedItem, _ view: View) {
        pathMembers(placed.path)
        raw(",\"item\":{")
        itemMembers(placed.row, view)
        endObject()
    }

    private mutating func pathMembers(_ path: RowPath) {
        member("\"section\":", path.section)
        member(",\"index\":", path.index)
    }
}
