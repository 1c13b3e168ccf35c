extension ListState {
    /// Whether an edit fits the state: its sections, rows and ids are there, and its runs are whole subtrees.
    ///
    /// The rules make no other edits, but a damaged or foreign log may hold any.
    ///
    /// - Complexity: O(*n*), *n* = the rows that the edit names.
    public func fits(_ edit: Edit) -> Bool {
        switch edit {
        case .changeList: true
        case .insertSection(let new, let index): !contains(new.id) && (0...order.count).contains(index)
        case .deleteSection(let index), .reloadSection(let index): order.indices.contains(index)
        case .changeSection(let index, _): order.indices.contains(index)
        case .moveSection(let source, let target):
            order.indices.contains(source) && order.indices.contains(target)
        case .insertItems(let rows, let section, let index, let parent):
            fitsInsertion(rows, section: section, at: index, parent: parent)
        case .deleteItems(let section, let rows): isRun(rows, of: section)
        case .moveItem(let section, let rows, let target, let index, let parent):
            fitsMove(section: section, rows: rows, target: target, at: index, parent: parent)
        case .changeItem(let id, _): contains(id)
        case .reconfigureItem(let id), .reloadItem(let id): contains(id)
        case .arrange(let arrangements): fits(arrangements)
        case .arrangeRun(let arrangement, let index): fits(arrangement, at: index)
        case .arrangeSections(let ids): ids.count == order.count && Set(ids) == Set(order.handles.map { self[$0].id })
        }
    }

    private func rowCount(_ section: Int) -> Int? {
        order.indices.contains(section) ? rowCount(of: order[section]) : nil
    }

    /// Whether children of `parent`, or roots, may stand at an index without tearing a subtree apart.
    private func isGap(_ index: Int, of section: Int, under parent: ItemID?) -> Bool {
        guard let count = rowCount(section), (0...count).contains(index) else { return false }
        let parentOfNext = index < count ? self.parent(of: row(at: index, of: order[section])) : nil
        guard let parent else { return parentOfNext == nil }
        guard let handle = handle(of: parent), self.section(of: handle) == order[section] else { return false }
        let rows = place(of: handle).rows
        return index == rows.upperBound || (rows.contains(index) && parentOfNext == handle)
    }

    private func fitsInsertion(_ new: [Edit.NewRow], section: Int, at index: Int, parent: ItemID?) -> Bool {
        guard isGap(index, of: section, under: parent) else { return false }
        guard Set(new.map(\.item.id)).count == new.count, !new.contains(where: { contains($0.item.id) }) else {
            return false
        }
        return Self.isDepthFirst(new.map(\.depth))
    }

    private static func isDepthFirst(_ levels: [Int]) -> Bool {
        guard levels.first ?? 0 == 0, levels.allSatisfy({ $0 >= 0 }) else { return false }
        return zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }
    }

    /// Whether the rows exist and no subtree of theirs reaches beyond them.
    private func isRun(_ rows: Range<Int>, of section: Int) -> Bool {
        guard let count = rowCount(section), rows.lowerBound >= 0, rows.upperBound <= count else { return false }
        guard !rows.isEmpty else { return true }
        let levels = self.rows(rows, of: order[section]).map(level)
        guard levels.allSatisfy({ $0 >= levels[0] }) else { return false }
        return rows.upperBound == count || level(of: row(at: rows.upperBound, of: order[section])) <= levels[0]
    }

    private func fitsMove(section: Int, rows: Range<Int>, target: Int, at index: Int, parent: ItemID?) -> Bool {
        guard isRun(rows, of: section), !rows.isEmpty, let count = rowCount(target) else { return false }
        let root = row(at: rows.lowerBound, of: order[section])
        guard descendantCount(of: root) + 1 == rows.count else { return false }
        if let parent = parent.flatMap({ handle(of: $0) }), isWithin(parent, subtreeOf: root) { return false }
        guard section == target else { return isGap(index, of: target, under: parent) }
        guard (0...count - rows.count).contains(index) else { return false }
        // At its present place, the subtree has a gap on either side.
        let gaps = index < rows.lowerBound ? [index] : [index + rows.count]
        let stays = index == rows.lowerBound
        return (stays ? gaps + [index] : gaps).contains { isGap($0, of: target, under: parent) }
    }

    private func fits(_ arrangements: [Edit.Arrangement]) -> Bool {
        guard arrangements.allSatisfy({ order.indices.contains($0.section) }) else { return false }
        guard Set(arrangements.map(\.section)).count == arrangements.count else { return false }
        let before = Set(arrangements.flatMap { rows(of: order[$0.section]).map { self[$0].id } })
        let after = arrangements.flatMap { $0.rows.map(\.item) }
        guard after.count == before.count, Set(after) == before else { return false }
        return arrangements.allSatisfy { Self.isDepthFirst($0.rows.map(\.level)) }
    }

    private func fits(_ run: Edit.Arrangement, at index: Int) -> Bool {
        let (end, isBeyond) = index.addingReportingOverflow(run.rows.count)
        guard !isBeyond, index >= 0, isRun(index..<end, of: run.section), Self.isDepthFirst(run.rows.map(\.level))
        else { return false }
        let before = Set(rows(index..<end, of: order[run.section]).map { self[$0].id })
        return before.count == run.rows.count && before == Set(run.rows.map(\.item))
    }
}
