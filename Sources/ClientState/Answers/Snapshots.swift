import JSONValue
public import ListDiff
import ListModel

extension ListSnapshot {
    /// Reads the answer to `GET /v1/lists/{list}` in the default view.
    ///
    /// - Throws: The member that is missing or wrong. A snapshot that may lack items is refused as `partial`, items and
    ///   sections that make no list as `sections`, and wrong counts as `counts`.
    /// - Complexity: O(*n*), *n* = `bytes.count`.
    public convenience init(answer bytes: [UInt8]) throws(AnswerError) {
        try self.init(AnswerObject(bytes))
    }

    convenience init(_ answer: AnswerObject) throws(AnswerError) {
        guard try !answer.flag("partial", orMissing: false) else { throw AnswerError("partial") }
        var loader = ListLoader(try answer.listProperties())
        _ = try answer.objects("sections") { section throws(AnswerError) in try loader.append(section) }
        guard let state = loader.finish() else { throw AnswerError("sections") }
        let counts = try answer.counts("counts")
        guard counts.map({ $0 == state.counts }) ?? true else { throw AnswerError("counts") }
        self.init(id: try answer.list("id"), version: try answer.version("version"), state: state)
    }

    /// The snapshot as a wanted state, for a list that is to become equal to it.
    var wanted: WantedSnapshot {
        let sections = state.sectionHandles.map { section in
            WantedSection(
                state[section].id, changes: SectionChanges(whole: state[section]),
                items: state.rows(of: section).map { row in
                    NewItem(
                        state[row].id, parent: state.parent(of: row).map { state[$0].id },
                        value: ItemChanges(whole: state[row]))
                })
        }
        return WantedSnapshot(changes: ListChanges(whole: state.properties), sections: sections)
    }
}

extension ListLoader {
    /// Appends a section with its items.
    fileprivate mutating func append(_ section: AnswerObject) throws(AnswerError) {
        guard append(try section.sectionProperties()) else { throw AnswerError("sections") }
        guard let items = section.present("items") else { return }
        guard case .array(let elements) = items.form else { throw AnswerError("items") }
        var path: [ItemID] = []
        for element in elements {
            let row = try AnswerObject(element, as: "items").row()
            while let last = path.last, last != row.parent { path.removeLast() }
            guard path.last == row.parent, append(row.item.sealed(), level: path.count) else {
                throw AnswerError("parent")
            }
            path.append(row.item.id)
        }
    }
}
