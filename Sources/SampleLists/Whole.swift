import JSONValue
import Layouts
import ListModel

// Samples say everything of a list, so that installing one resets what a client has changed.

extension WantedSnapshot {
    /// The whole state of a sample.
    init(title: String, layout: Layout? = nil, whole sections: [WantedSection]) {
        var changes = ListChanges()
        changes.title = .set(title)
        changes.layout = .set(layout.map { JSONText($0.json) })
        self.init(changes: changes, sections: sections)
    }
}

extension WantedSection {
    /// The whole state of a section.
    init(
        _ id: String, title: String? = nil, layout: Layout? = nil, header: String? = nil, footer: String? = nil,
        whole items: [NewItem]
    ) {
        var changes = SectionChanges()
        changes.title = .set(title)
        changes.layout = .set(layout.map { JSONText($0.json) })
        changes.header = .set(header.map { JSONText(.string($0)) })
        changes.footer = .set(footer.map { JSONText(.string($0)) })
        changes.isReorderable = .set(true)
        self.init(SectionID(unchecked: id), changes: changes, items: items)
    }
}

extension NewItem {
    /// The whole state of an item: if not told otherwise not starred, collapsed.
    init(
        _ id: ItemID, kind: String, content: JSONValue, parent: ItemID? = nil, isStarred: Bool = false,
        isExpanded: Bool = false
    ) {
        var value = ItemChanges()
        value.kind = .set(kind)
        value.content = .replace(JSONText(content))
        value.isStarred = .set(isStarred)
        value.isExpanded = .set(isExpanded)
        value.isReorderable = .set(true)
        self.init(id, parent: parent, value: value)
    }
}
