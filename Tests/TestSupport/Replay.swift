public import ListDiff
import ListModel

extension Rows {
    /// The rows after a change set, which is applied as strictly as by a batch update (docs/contract.md section 5).
    ///
    /// - Returns: Nil if an index is out of range, used twice or out of order, if an id does not stand at its index, if
    ///   a list names something that another list implies, or if the counts of a section do not add up.
    public func applying(_ change: ChangeSet, view: View) -> Rows? {
        var replay = Replay(self, change)
        guard let sections = replay.run() else { return nil }
        var rows = Rows(properties: change.properties.applied(to: properties), sections: sections)
        if view == .items { rows.measure() }
        return rows
    }

    /// Computes the level and the number of children of each row from the parents.
    ///
    /// In the view `items` a change set does not tell them, because they are no content there.
    private mutating func measure() {
        for section in sections.indices {
            var position: [ItemID: Int] = [:]
            for index in sections[section].items.indices {
                sections[section].items[index].level = 0
                sections[section].items[index].childCount = 0
                position[sections[section].items[index].item.id] = index
                guard let parent = sections[section].items[index].parent.flatMap({ position[$0] }) else { continue }
                sections[section].items[index].level = sections[section].items[parent].level + 1
                sections[section].items[parent].childCount += 1
            }
        }
    }
}

private struct Replay {
    let old: [SectionRows]
    let change: ChangeSet
    /// The rows that are left of each old section; nil for a row that was taken.
    var taken: [[ItemRow?]]
    var movedRows: [ItemID: ItemRow] = [:]

    init(_ old: Rows, _ change: ChangeSet) {
        self.old = old.sections
        self.change = change
        taken = old.sections.map { $0.items.map(Optional.some) }
    }

    mutating func run() -> [SectionRows]? {
        guard takeOut() else { return nil }
        guard let placed = placeSections() else { return nil }
        var sections = placed.sections
        let isInserted = placed.isInserted
        guard place(in: &sections, isInserted) else { return nil }
        guard updateSections(&sections, isInserted), updateItems(&sections, isInserted) else { return nil }
        return sections
    }

    /// Removes the rows of deletions and of moves, by their old indexes.
    private mutating func takeOut() -> Bool {
        guard isAscending(change.items.deleted.reversed().map(\.path)) else { return false }
        let dying = Set(change.sections.deleted.map(\.index))
        for (id, path) in change.items.deleted.map({ ($0.id, $0.path) }) {
            guard !dying.contains(path.section), take(id, at: path) != nil else { return false }
        }
        for move in change.items.moved {
            guard !dying.contains(move.from.section), let row = take(move.id, at: move.from) else { return false }
            movedRows[move.id] = row
        }
        return movedRows.count == change.items.moved.count
    }

    private mutating func take(_ id: ItemID, at path: RowPath) -> ItemRow? {
        guard taken.indices.contains(path.section), taken[path.section].indices.contains(path.index) else { return nil }
        guard let row = taken[path.section][path.index], row.item.id == id else { return nil }
        taken[path.section][path.index] = nil
        return row
    }

    private func placeSections() -> (sections: [SectionRows], isInserted: [Bool])? {
        let sections = change.sections
        guard isAscending(sections.deleted.reversed().map(\.index)), isAscending(sections.inserted.map(\.index)),
            isAscending(sections.moved.map(\.to))
        else { return nil }
        var remaining: [SectionRows?] = zip(old, taken).map {
            SectionRows(properties: $0.properties, items: $1.compactMap { $0 })
        }
        func take(_ id: SectionID, at index: Int) -> SectionRows? {
            guard remaining.indices.contains(index), let section = remaining[index] else { return nil }
            guard section.properties.id == id else { return nil }
            remaining[index] = nil
            return section
        }
        for section in sections.deleted where take(section.id, at: section.index) == nil { return nil }
        var placed: [(index: Int, element: SectionRows)] = sections.inserted.map { ($0.index, $0.section) }
        for move in sections.moved {
            guard let section = take(move.id, at: move.from) else { return nil }
            placed.append((move.to, section))
        }
        guard let result = fill(placed, remaining.compactMap { $0 }) else { return nil }
        let inserted = Set(sections.inserted.map(\.index))
        return (result, result.indices.map(inserted.contains))
    }

    private func place(in sections: inout [SectionRows], _ isInserted: [Bool]) -> Bool {
        guard isAscending(change.items.inserted.map(\.path)), isAscending(change.items.moved.map(\.to)) else {
            return false
        }
        var placed: [[(index: Int, row: ItemRow)]] = sections.map { _ in [] }
        for item in change.items.inserted {
            guard sections.indices.contains(item.path.section), !isInserted[item.path.section] else { return false }
            placed[item.path.section].append((item.path.index, item.row))
        }
        for move in change.items.moved {
            guard let row = movedRows[move.id] else { return false }
            guard sections.indices.contains(move.to.section), !isInserted[move.to.section] else { return false }
            placed[move.to.section].append((move.to.index, row))
        }
        for index in sections.indices where !placed[index].isEmpty {
            guard let rows = fill(placed[index].map { ($0.index, $0.row) }, sections[index].items) else { return false }
            sections[index].items = rows
        }
        return true
    }

    private func updateSections(_ sections: inout [SectionRows], _ isInserted: [Bool]) -> Bool {
        guard isAscending(change.sections.reconfigured.map(\.index)), isAscending(change.sections.reloaded.map(\.index))
        else { return false }
        let reloaded = Set(change.sections.reloaded.map(\.index))
        for entry in change.sections.reconfigured {
            guard sections.indices.contains(entry.index), !isInserted[entry.index] else { return false }
            guard !reloaded.contains(entry.index) else { return false }
            guard sections[entry.index].properties.id == entry.properties.id else { return false }
            sections[entry.index].properties = entry.properties
        }
        for entry in change.sections.reloaded {
            guard sections.indices.contains(entry.index), !isInserted[entry.index] else { return false }
            guard sections[entry.index].properties.id == entry.section.properties.id else { return false }
            guard sections[entry.index].items.map(\.item.id) == entry.section.items.map(\.item.id) else { return false }
            sections[entry.index] = entry.section
        }
        return true
    }

    private func updateItems(_ sections: inout [SectionRows], _ isInserted: [Bool]) -> Bool {
        let reloadedSections = Set(change.sections.reloaded.map(\.index))
        var unusable = Set(change.items.inserted.map(\.path))
        for entries in [change.items.reconfigured, change.items.reloaded] {
            guard isAscending(entries.map(\.path)) else { return false }
            for entry in entries {
                let (section, index) = (entry.path.section, entry.path.index)
                guard sections.indices.contains(section), sections[section].items.indices.contains(index) else {
                    return false
                }
                guard !isInserted[section], !reloadedSections.contains(section) else { return false }
                guard unusable.insert(entry.path).inserted else { return false }
                guard sections[section].items[index].item.id == entry.row.item.id else { return false }
                sections[section].items[index] = entry.row
            }
        }
        return true
    }
}

/// Places elements at their final indexes, and fills the gaps with the others in order.
///
/// - Returns: Nil unless every index from 0 on is used exactly once.
private func fill<Element>(_ placed: [(index: Int, element: Element)], _ others: [Element]) -> [Element]? {
    var result: [Element?] = Array(repeating: nil, count: placed.count + others.count)
    for (index, element) in placed {
        guard result.indices.contains(index), result[index] == nil else { return nil }
        result[index] = element
    }
    var rest = others[...]
    for index in result.indices where result[index] == nil { result[index] = rest.popFirst() }
    return result.compactMap { $0 }
}

private func isAscending<Element: Comparable>(_ elements: [Element]) -> Bool {
    zip(elements, elements.dropFirst()).allSatisfy(<)
}
