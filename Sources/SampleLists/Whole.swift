import JSONValue
import Layouts
import ListModel
import Texts

// Samples set every member of a list, so that installing one resets all changes that clients have made.

extension WantedSnapshot {
    /// A snapshot that sets every member of the list.
    init(title: ByteText, layout: Layout? = nil, whole sections: [WantedSection]) {
        var changes = ListChanges()
        changes.title = .set(title)
        changes.layout = .set(layout.map { JSONText($0.json) })
        self.init(changes: changes, sections: sections)
    }
}

extension WantedSection {
    /// A section of which every member is set.
    init(
        _ id: ByteText, title: ByteText? = nil, layout: Layout? = nil, header: ByteText? = nil, footer: ByteText? = nil,
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
    /// An item of which every member is set.
    init(
        _ id: ItemID, kind: ByteText, content: JSONValue, parent: ItemID? = nil, isStarred: Bool = false,
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
