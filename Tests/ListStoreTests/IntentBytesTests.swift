import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// The size that history notes for an intent is not less than the texts in it.
@Suite struct IntentBytesTests {
    private static let long = ByteText(String(repeating: "x", count: 1_000))
    private static let item = ItemID(unchecked: long)
    private static let section = SectionID(unchecked: long)

    private static func titled() -> SectionChanges {
        var changes = SectionChanges()
        changes.title = .set(long)
        return changes
    }

    private static func list() -> ListChanges {
        var changes = ListChanges()
        changes.title = .set(long)
        return changes
    }

    @Test(
        arguments: [
            (.deleteItems([item, item]), 2), (.setStarred([item], true), 1), (.deleteSections([section]), 1),
            (.updateSection("s", titled()), 1), (.updateList(list()), 1),
            (.appendItems([NewItem(item), NewItem("b", parent: item)], nil), 2),
            (.appendSections([NewSection(SectionProperties(id: section, title: long), items: [])]), 2),
            (.applySnapshot(WantedSnapshot(changes: list(), sections: [])), 1),
            (.applySectionSnapshot(WantedSection(section, changes: titled(), items: [NewItem(item)])), 3),
        ] as [(ListModel.Operation, Int)])
    func texts(_ operation: ListModel.Operation, count: Int) {
        let bytes = WriteIntent.operations([operation]).estimatedBytes
        #expect((1_000 * count..<1_000 * count + 200).contains(bytes))
    }
}
