import ListDiff
import ListModel

// Operations in the form in which clients send them (docs/contract.md section 4). `WireDecoder.operation(_:)` reads
// them.

extension JSONSplicer {
    mutating func operation(_ operation: Operation) {
        separate()
        switch operation {
        case .appendSections(let sections):
            begin(.appendSections)
            newSections(sections)
        case .insertSections(let sections, let anchor):
            begin(.insertSections)
            newSections(sections)
            place(anchor)
        case .deleteSections(let ids): begin(.deleteSections, sections: ids)
        case .reloadSections(let ids): begin(.reloadSections, sections: ids)
        case .moveSection(let id, let anchor):
            begin(.moveSection, ",\"section\":", id)
            place(anchor)
        case .updateSection(let id, let changes):
            begin(.updateSection, ",\"section\":", id)
            self.changes(changes)
        case .updateList(let changes):
            begin(.updateList)
            self.changes(changes)
        case .appendItems(let items, let container):
            begin(.appendItems)
            newItems(items)
            if let container { place(container) }
        case .insertItems(let items, let anchor):
            begin(.insertItems)
            newItems(items)
            place(anchor)
        case .deleteItems(let ids): begin(.deleteItems, items: ids)
        case .deleteAllItems: begin(.deleteAllItems)
        case .moveItem(let id, let destination):
            begin(.moveItem, ",\"item\":", id)
            place(destination)
        case .updateItem(let id, let changes):
            begin(.updateItem, ",\"item\":", id)
            update(changes)
        case .reconfigureItems(let ids): begin(.reconfigureItems, items: ids)
        case .reloadItems(let ids): begin(.reloadItems, items: ids)
        case .setStarred(let ids, true): begin(.starItems, items: ids)
        case .setStarred(let ids, false): begin(.unstarItems, items: ids)
        case .toggleStar(let id): begin(.toggleStar, ",\"item\":", id)
        case .setExpanded(let ids, true): begin(.expandItems, items: ids)
        case .setExpanded(let ids, false): begin(.collapseItems, items: ids)
        case .replaceChildren(let parent, let items):
            begin(.replaceChildren, ",\"parent\":", parent)
            newItems(items)
        case .applySnapshot(let snapshot):
            begin(.applySnapshot)
            changes(snapshot.changes)
            wantedSections(snapshot.sections)
        case .applySectionSnapshot(let section):
            begin(.applySectionSnapshot, ",\"section\":", section.id)
            changes(section.changes)
            newItems(section.items)
        }
        endObject()
    }

    private mutating func begin(_ name: OperationName) {
        raw("{\"op\":\"")
        raw(name)
        raw("\"")
    }

    private mutating func begin<Namespace>(_ name: OperationName, _ key: StaticString, _ id: Identifier<Namespace>) {
        begin(name)
        member(key, id)
    }

    private mutating func begin(_ name: OperationName, items: [ItemID]) {
        begin(name)
        member(",\"items\":", items)
    }

    private mutating func begin(_ name: OperationName, sections: [SectionID]) {
        begin(name)
        member(",\"sections\":", sections)
    }
}

// MARK: - Places

extension JSONSplicer {
    private mutating func place(_ anchor: SectionAnchor) {
        switch anchor {
        case .before(let id): member(",\"before\":", id)
        case .after(let id): member(",\"after\":", id)
        }
    }

    private mutating func place(_ anchor: ItemAnchor) {
        switch anchor.side {
        case .before: member(",\"before\":", anchor.item)
        case .after: member(",\"after\":", anchor.item)
        }
        if let container = anchor.guardedBy { place(container) }
    }

    private mutating func place(_ container: Container) {
        switch container {
        case .section(let id): member(",\"section\":", id)
        case .parent(let id): member(",\"parent\":", id)
        }
    }

    private mutating func place(_ destination: Destination) {
        switch destination {
        case .anchor(let anchor): place(anchor)
        case .first(let container):
            place(container)
            raw(",\"at\":\"first\"")
        case .last(let container): place(container)
        }
    }
}

// MARK: - Items and sections of arguments

extension JSONSplicer {
    private mutating func newItems(_ items: [NewItem]) {
        raw(",\"items\":[")
        for item in items { newItem(item) }
        endArray()
    }

    private mutating func newItem(_ item: NewItem) {
        separate()
        guard let value = item.value else { return id(item.id) }
        member("{\"id\":", item.id)
        if let parent = item.parent { member(",\"parent\":", parent) }
        members(value)
        endObject()
    }

    private mutating func members(_ changes: ItemChanges) {
        if case .set(let kind) = changes.kind { member(",\"kind\":", kind) }
        flag(",\"expanded\":", changes.isExpanded)
        flag(",\"starred\":", changes.isStarred)
        flag(",\"reorderable\":", changes.isReorderable)
        switch changes.content {
        case .keep: break
        case .replace(let content), .merge(let content): member(",\"content\":", content)
        }
    }

    private mutating func update(_ changes: ItemChanges) {
        members(changes)
        if case .merge = changes.content { raw(",\"merge\":true") }
    }

    private mutating func flag(_ key: StaticString, _ change: Change<Bool>) {
        guard case .set(let isSet) = change else { return }
        raw(key)
        raw(isSet ? "true" : "false")
    }

    private mutating func newSections(_ sections: [NewSection]) {
        objects(",\"sections\":[", sections) { splicer, section in
            splicer.sectionMembers(section.properties)
            if !section.items.isEmpty { splicer.newItems(section.items) }
        }
    }

    private mutating func wantedSections(_ sections: [WantedSection]) {
        objects(",\"sections\":[", sections) { splicer, section in
            splicer.member("\"id\":", section.id)
            splicer.changes(section.changes)
            splicer.newItems(section.items)
        }
    }

    private mutating func changes(_ changes: SectionChanges) {
        if case .set(let title) = changes.title {
            raw(",\"title\":")
            if let title { string(title) } else { raw("null") }
        }
        text(",\"layout\":", changes.layout)
        text(",\"header\":", changes.header)
        text(",\"footer\":", changes.footer)
        flag(",\"reorderable\":", changes.isReorderable)
    }

    private mutating func changes(_ changes: ListChanges) {
        if case .set(let title) = changes.title { member(",\"title\":", title) }
        text(",\"layout\":", changes.layout)
    }

    private mutating func text(_ key: StaticString, _ change: Change<JSONText?>) {
        guard case .set(let text) = change else { return }
        raw(key)
        if let text { json(text) } else { raw("null") }
    }
}

// MARK: - Reorders

extension JSONSplicer {
    /// Writes a reorder in the form in which it was posted, with the member `op`.
    mutating func reorder(_ reorder: Reorder) {
        separate()
        raw("{\"op\":\"reorder\",\"view\":")
        quote(reorder.view.rawValue)
        raw(",\"sections\":{")
        for section in reorder.sections {
            separate()
            id(section.section)
            switch section.wanted {
            case .final(let items):
                member(":{\"final\":", items)
                endObject()
            case .difference(let insertions, let removals):
                changes(":{\"difference\":{\"insertions\":[", insertions)
                changes(",\"removals\":[", removals)
                raw("}}")
            }
        }
        raw("}}")
    }

    private mutating func changes(_ opening: StaticString, _ changes: [Reorder.Change]) {
        objects(opening, changes) { splicer, change in
            splicer.member("\"offset\":", change.offset)
            splicer.member(",\"element\":", change.element)
            if let associated = change.associatedOffset { splicer.member(",\"associatedOffset\":", associated) }
        }
    }
}
