public import ListDiff
import ListModel
import Texts

extension Catchup {
    /// Reads a change set or a reset: the data of the events `change` and `reset`, and the answer of `changes`
    /// (docs/contract.md section 5).
    ///
    /// - Throws: The member that is missing or wrong. A view other than `items` is refused as `view`.
    public init(answer bytes: [UInt8]) throws(AnswerError) {
        try self.init(AnswerObject(bytes))
    }

    init(_ answer: AnswerObject) throws(AnswerError) {
        if let view = try answer.text("view"), view != ByteText(View.items.rawValue) { throw AnswerError("view") }
        guard try !answer.flag("reset", orMissing: false) else {
            guard let snapshot = try answer.object("snapshot") else { throw AnswerError("snapshot") }
            self = .reset(try ListSnapshot(snapshot))
            return
        }
        guard let counts = try answer.counts("counts") else { throw AnswerError("counts") }
        self = .changes(
            try ChangeSet(answer), from: try answer.version("from"), to: try answer.version("to"), counts: counts)
    }
}

extension ChangeSet {
    init(_ answer: AnswerObject) throws(AnswerError) {
        self.init(
            properties: try answer.object("properties")?.listChanges() ?? ListChanges(),
            sections: try answer.object("sections")?.sectionChanges() ?? Sections(),
            items: try answer.object("items")?.itemChanges() ?? Items())
        isAnimated = try answer.flag("animated", orMissing: true)
    }
}

extension AnswerObject {
    /// The list's own members that changed. A layout that was removed is null.
    fileprivate func listChanges() throws(AnswerError) -> ListChanges {
        var changes = ListChanges()
        if let title = try text("title") { changes.title = .set(title) }
        if self["layout"] != nil { changes.layout = .set(try json("layout")) }
        return changes
    }

    fileprivate func sectionChanges() throws(AnswerError) -> ChangeSet.Sections {
        var changes = ChangeSet.Sections()
        changes.deleted = try objects("deleted") { entry throws(AnswerError) in
            .init(try entry.id("id"), at: try entry.index("index"))
        }
        changes.inserted = try objects("inserted") { entry throws(AnswerError) in try entry.placedSection() }
        changes.moved = try objects("moved") { entry throws(AnswerError) in
            .init(try entry.id("id"), from: try entry.index("from"), to: try entry.index("to"))
        }
        changes.reconfigured = try objects("reconfigured") { entry throws(AnswerError) in
            .init(try entry.section().sectionProperties(), at: try entry.index("index"))
        }
        changes.reloaded = try objects("reloaded") { entry throws(AnswerError) in try entry.placedSection() }
        return changes
    }

    private func placedSection() throws(AnswerError) -> ChangeSet.PlacedSection {
        .init(try section().sectionRows(), at: try index("index"))
    }

    private func section() throws(AnswerError) -> AnswerObject {
        guard let section = try object("section") else { throw AnswerError("section") }
        return section
    }

    fileprivate func itemChanges() throws(AnswerError) -> ChangeSet.Items {
        var changes = ChangeSet.Items()
        changes.deleted = try objects("deleted") { entry throws(AnswerError) in
            .init(try entry.id("id"), at: try entry.path())
        }
        changes.inserted = try objects("inserted") { entry throws(AnswerError) in try entry.placedItem() }
        changes.moved = try objects("moved") { entry throws(AnswerError) in
            .init(try entry.id("id"), from: try entry.path("from"), to: try entry.path("to"))
        }
        changes.reconfigured = try objects("reconfigured") { entry throws(AnswerError) in try entry.placedItem() }
        changes.reloaded = try objects("reloaded") { entry throws(AnswerError) in try entry.placedItem() }
        return changes
    }

    private func placedItem() throws(AnswerError) -> ChangeSet.PlacedItem {
        guard let item = try object("item") else { throw AnswerError("item") }
        return .init(try item.row(), at: try path())
    }

    private func path(_ name: ByteText) throws(AnswerError) -> RowPath {
        guard let path = try object(name) else { throw AnswerError(name) }
        return try path.path()
    }

    private func path() throws(AnswerError) -> RowPath {
        RowPath(section: try index("section"), index: try index("index"))
    }
}
