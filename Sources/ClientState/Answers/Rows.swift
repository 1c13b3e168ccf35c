import JSONValue
import ListDiff
import ListModel
import Texts

// Items and sections in answers (docs/contract.md section 2). Members at their default are left out there.

extension AnswerObject {
    /// An item as a row. Its level and its number of children are 0 if the answer does not tell them; then the state that
    /// holds the item knows them.
    func row() throws(AnswerError) -> ItemRow {
        let kind = try text("kind") ?? Item.defaultKind
        guard Item.isKind(kind) else { throw AnswerError("kind") }
        let item = Item(
            id: try id("id"), kind: kind, content: try content(), isStarred: try flag("starred", orMissing: false),
            isExpanded: try flag("expanded", orMissing: false), isReorderable: try flag("reorderable", orMissing: true))
        let parent: ItemID? = present("parent") == nil ? nil : try id("parent")
        return ItemRow(
            item: item, parent: parent, level: try number("level") ?? 0, childCount: try number("childCount") ?? 0)
    }

    private func content() throws(AnswerError) -> JSONText {
        guard let value = present("content") else { return .emptyObject }
        guard case .object = value.form else { throw AnswerError("content") }
        return try json("content") ?? .emptyObject
    }

    func sectionProperties() throws(AnswerError) -> SectionProperties {
        SectionProperties(
            id: try id("id"), title: try text("title"), layout: try json("layout"), header: try json("header"),
            footer: try json("footer"), isReorderable: try flag("reorderable", orMissing: true))
    }

    func sectionRows() throws(AnswerError) -> SectionRows {
        SectionRows(
            properties: try sectionProperties(),
            items: try objects("items") { item throws(AnswerError) in try item.row() })
    }

    func listProperties() throws(AnswerError) -> ListProperties {
        ListProperties(title: try text("title") ?? "", layout: try json("layout"))
    }
}
