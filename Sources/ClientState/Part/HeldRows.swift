import ListDiff
import ListModel
import Texts

/// Some rows of a list, as the server has told them: sections in order, each with rows in order.
struct HeldRows: Sendable {
    var properties = ListProperties(title: "")
    var sections: [SectionRows] = []

    /// Replays a change set of these rows, as docs/contract.md section 5 says.
    ///
    /// - Throws: The part that does not fit. The rows are unchanged then.
    /// - Complexity: O(*n* + *c* log *c*), *n* = rows, *c* = the rows that the change set names.
    mutating func replay(_ changes: ChangeSet) throws(Mismatch) {
        var replay = RowReplay(changes, sections)
        try replay.run()
        sections = replay.sections
        properties = properties.changed(by: changes.properties)
    }
}

extension ListProperties {
    fileprivate func changed(by changes: ListChanges) -> ListProperties {
        var new = self
        if case .set(let title) = changes.title { new.title = title }
        if case .set(let layout) = changes.layout { new.layout = layout }
        return new
    }
}

/// A change set on its way into rows.
private struct RowReplay {
    private let changes: ChangeSet
    private(set) var sections: [SectionRows]

    init(_ changes: ChangeSet, _ sections: [SectionRows]) { (self.changes, self.sections) = (changes, sections) }

    mutating func run() throws(Mismatch) {
        let moved = try takeOut()
        try arrangeSections()
        try putIn(moved)
        for entry in changes.items.reconfigured { try change(entry, "items.reconfigured") }
        for entry in changes.items.reloaded { try change(entry, "items.reloaded") }
        for entry in changes.sections.reconfigured {
            guard id(of: entry.index) == entry.properties.id else { throw Mismatch("sections.reconfigured") }
            sections[entry.index].properties = entry.properties
        }
        for entry in changes.sections.reloaded {
            guard id(of: entry.index) == entry.section.properties.id else { throw Mismatch("sections.reloaded") }
            sections[entry.index] = entry.section
        }
    }

    private func id(of section: Int) -> SectionID? {
        sections.indices.contains(section) ? sections[section].properties.id : nil
    }

    /// Takes out the rows that go or move, by their old indexes.
    ///
    /// - Returns: The rows that move.
    private mutating func takeOut() throws(Mismatch) -> [ItemID: ItemRow] {
        let (deleted, moved) = (changes.items.deleted, changes.items.moved)
        let leaving: [(path: RowPath, id: ItemID)] = deleted.map { ($0.path, $0.id) } + moved.map { ($0.from, $0.id) }
        let moving = Set(moved.map(\.id))
        var taken: [ItemID: ItemRow] = [:]
        for (section, leaving) in Dictionary(grouping: leaving, by: \.path.section) {
            guard sections.indices.contains(section) else { throw Mismatch("items") }
            let rows = sections[section].items
            var gone: Set<Int> = []
            for (path, id) in leaving {
                guard rows.indices.contains(path.index), rows[path.index].item.id == id,
                    gone.insert(path.index).inserted
                else { throw Mismatch("items") }
                if moving.contains(id) { taken[id] = rows[path.index] }
            }
            sections[section].items = rows.indices.filter { !gone.contains($0) }.map { rows[$0] }
        }
        return taken
    }

    private mutating func arrangeSections() throws(Mismatch) {
        let changes = changes.sections
        var left: [SectionRows?] = sections
        var placed: [Int: SectionRows] = [:]
        for (index, id) in changes.deleted.map({ ($0.index, $0.id) }) + changes.moved.map({ ($0.from, $0.id) }) {
            guard left.indices.contains(index), left[index]?.properties.id == id else { throw Mismatch("sections") }
            left[index] = nil
        }
        for entry in changes.moved where placed.updateValue(sections[entry.from], forKey: entry.to) != nil {
            throw Mismatch("sections.moved")
        }
        for entry in changes.inserted where placed.updateValue(entry.section, forKey: entry.index) != nil {
            throw Mismatch("sections.inserted")
        }
        var rest = left.compactMap { $0 }[...]
        var order: [SectionRows] = []
        while let section = placed.removeValue(forKey: order.count) ?? rest.popFirst() { order.append(section) }
        guard placed.isEmpty else { throw Mismatch("sections") }
        sections = order
    }

    /// Puts rows in by their new indexes.
    private mutating func putIn(_ moved: [ItemID: ItemRow]) throws(Mismatch) {
        var coming = changes.items.inserted.map { ($0.path, $0.row) }
        for entry in changes.items.moved {
            guard let row = moved[entry.id] else { throw Mismatch("items.moved") }
            coming.append((entry.to, row))
        }
        for (section, coming) in Dictionary(grouping: coming, by: \.0.section) {
            guard sections.indices.contains(section) else { throw Mismatch("items") }
            var (rest, rows) = (sections[section].items[...], [ItemRow]())
            for (path, row) in coming.sorted(by: { $0.0 < $1.0 }) {
                let count = path.index - rows.count
                guard (0...rest.count).contains(count) else { throw Mismatch("items") }
                rows += rest.prefix(count)
                rows.append(row)
                rest = rest.dropFirst(count)
            }
            sections[section].items = rows + rest
        }
    }

    private mutating func change(_ entry: ChangeSet.PlacedItem, _ part: ByteText) throws(Mismatch) {
        guard row(at: entry.path)?.item.id == entry.row.item.id else { throw Mismatch(part) }
        sections[entry.path.section].items[entry.path.index] = entry.row
    }

    private func row(at path: RowPath) -> ItemRow? {
        guard sections.indices.contains(path.section), sections[path.section].items.indices.contains(path.index) else {
            return nil
        }
        return sections[path.section].items[path.index]
    }
}
