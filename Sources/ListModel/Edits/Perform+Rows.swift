// The effect of edits on the rows of both views.

/// The ancestors of the next row of a depth-first run, from the root down.
struct Lineage {
    private var open: [(item: ItemHandle, showsChildren: Bool, end: Int)] = []
    private let isShown: Bool

    /// - Parameter isShown: Whether the run's own roots are shown.
    init(isShown: Bool) { self.isShown = isShown }

    var last: ItemHandle? { open.last?.item }
    /// Whether a row below the last one is shown.
    var showsNext: Bool { open.last?.showsChildren ?? isShown }

    /// Goes down to a row.
    ///
    /// - Parameter end: The number of rows of the run so far, with this one.
    mutating func append(_ item: ItemHandle, isExpanded: Bool, at end: Int) {
        open.append((item, showsNext && isExpanded, end))
    }

    /// Goes up to the parent of the next row. Calls `close` with each row that is left, and the number of rows below
    /// it.
    mutating func cut(to depth: Int, at end: Int, _ close: (ItemHandle, Int32) -> Void) {
        while open.count > depth, let last = open.popLast() {
            close(last.item, Int32(truncatingIfNeeded: end - last.end))
        }
    }
}

/// A move of a run, with the indexes and the visibility from before the move.
struct RowMove {
    let source: SectionHandle
    let target: SectionHandle
    let from: Int
    /// An index among the rows without the run.
    let to: Int
    /// An index among the shown rows.
    let visibleFrom: Int
    /// Whether rows of either section were hidden.
    let hidRows: Bool

    init(from source: SectionHandle, _ range: Range<Int>, to target: SectionHandle, at index: Int, in state: ListState)
    {
        self.source = source
        self.target = target
        from = range.lowerBound
        to = index
        visibleFrom = state.sections[source.index].rows.shownCount(before: range.lowerBound)
        hidRows = state.sections[source.index].rows.hidesRows || state.sections[target.index].rows.hidesRows
    }
}

// MARK: - Steps

extension ListState {
    /// Notes rows that are about to be inserted.
    ///
    /// - Parameter isPlaced: Whether an operation named the rows and put them there.
    func noteInsertion(
        of rows: [Row], in section: SectionHandle, at index: Int, isPlaced: Bool = true, _ delta: inout Delta
    ) {
        let step = Step.insertRows(rows.map(\.item), section, at: index, isPlaced: isPlaced)
        let hidden = rows.filter { !$0.isShown }.map(\.item)
        let list = sections[section.index].rows
        guard list.hidesRows || !hidden.isEmpty else { return delta.note(step) }
        var visible: [Step] = []
        if hidden.count < rows.count {
            let shown = rows.filter(\.isShown).map(\.item)
            visible.append(.insertRows(shown, section, at: list.shownCount(before: index), isPlaced: isPlaced))
        }
        if isPlaced, !hidden.isEmpty { visible.append(.placeHiddenRows(hidden)) }
        delta.note(step, visible: visible)
    }

    /// Notes rows that are about to be deleted.
    func noteDeletion(of range: Range<Int>, in section: SectionHandle, _ delta: inout Delta) {
        let list = sections[section.index].rows
        let rows = list[range]
        let step = Step.deleteRows(rows.map(\.item), section, at: range.lowerBound)
        guard list.hidesRows else { return delta.note(step) }
        let shown = rows.filter(\.isShown).map(\.item)
        let index = list.shownCount(before: range.lowerBound)
        delta.note(step, visible: shown.isEmpty ? [] : [.deleteRows(shown, section, at: index)])
    }

    /// Notes a move that was made.
    ///
    /// The run has the same shown rows before and after, if its root is shown both times.
    func note(_ move: RowMove, of old: [Row], as new: [Row], _ delta: inout Delta) {
        let step = Step.moveRows(count: new.count, move.source, from: move.from, move.target, to: move.to)
        let list = sections[move.target.index].rows
        guard move.hidRows || list.hidesRows else { return delta.note(step) }
        let gone = old.filter(\.isShown).map(\.item)
        let come = new.filter(\.isShown).map(\.item)
        let index = list.shownCount(before: move.to)
        var visible: [Step] = []
        switch (gone.isEmpty, come.isEmpty) {
        case (false, false):
            visible = [.moveRows(count: come.count, move.source, from: move.visibleFrom, move.target, to: index)]
        case (false, true): visible = [.deleteRows(gone, move.source, at: move.visibleFrom)]
        case (true, false): visible = [.insertRows(come, move.target, at: index, isPlaced: true)]
        case (true, true): break
        }
        if come.count < new.count { visible.append(.placeHiddenRows(new.filter { !$0.isShown }.map(\.item))) }
        delta.note(step, visible: visible)
    }
}

// MARK: - Expanding

extension ListState {
    /// Whether the children of an item are shown, if it has any.
    func showsChildren(_ item: ItemHandle) -> Bool {
        items[item.index].item.isExpanded && isShown(item)
    }

    /// The rows of a run as they are when its roots are shown or hidden.
    func shown(_ rows: [Row], _ isShown: Bool) -> [Row] {
        guard isShown else { return rows.map { Row($0.item, isShown: false) } }
        var hiddenBelow = Int32.max
        return rows.map { row in
            let level = items[row.item.index].level
            guard level <= hiddenBelow else { return Row(row.item, isShown: false) }
            hiddenBelow = items[row.item.index].item.isExpanded ? Int32.max : level
            return Row(row.item, isShown: true)
        }
    }

    /// Shows or hides the rows below an item that was expanded or collapsed.
    ///
    /// - Complexity: O(*r* log *n*), *r* = rows that are shown or hidden, without those that stay hidden.
    mutating func showChildren(of item: ItemHandle, _ isExpanded: Bool, _ delta: inout Delta) {
        guard let section = items[item.index].section, items[item.index].descendantCount > 0, isShown(item),
            let index = index(of: item)
        else { return }
        let runs = disclosedRuns(in: index + 1..<index + 1 + descendantCount(of: item), of: section)
        let visibleIndex = sections[section.index].rows.shownCount(before: index) + 1
        for run in runs {
            sections[section.index].rows.setShown(isExpanded, run.start..<run.start + run.items.count)
        }
        let changed = runs.flatMap(\.items)
        visibleItemCount += isExpanded ? changed.count : -changed.count
        let step: Step =
            isExpanded
            ? .insertRows(changed, section, at: visibleIndex, isPlaced: false)
            : .deleteRows(changed, section, at: visibleIndex)
        delta.note(nil, visible: [step])
    }

    /// The rows below an item that are shown while it is expanded, in runs of neighbours.
    ///
    /// - Parameter range: The rows of its subtree without its own. They are read in stretches that grow, and a new
    ///   stretch begins behind each hidden subtree.
    private func disclosedRuns(
        in range: Range<Int>, of section: SectionHandle
    ) -> [(start: Int, items: [ItemHandle])] {
        var runs: [(start: Int, items: [ItemHandle])] = []
        var (next, stretch) = (range.lowerBound, 8)
        while next < range.upperBound {
            let rows = sections[section.index].rows[next..<min(next + stretch, range.upperBound)]
            var run: [ItemHandle] = []
            var hidden = 0
            for row in rows {
                run.append(row.item)
                hidden = items[row.item.index].item.isExpanded ? 0 : Int(items[row.item.index].descendantCount)
                if hidden > 0 { break }
            }
            runs.append((next, run))
            next += run.count + hidden
            stretch = hidden > 0 ? 8 : min(2 * stretch, RowList.full)
        }
        return runs
    }
}

// MARK: - Whole orders

extension ListState {
    mutating func arrange(_ arrangements: [Edit.Arrangement], _ delta: inout Delta) {
        let targets = arrangements.map { order[$0.section] }
        let old = targets.map { section in sections[section.index].rows[0..<rowCount(of: section)] }
        delta.noteInverse(
            .arrange(
                zip(arrangements, old).map { arrangement, rows in
                    Edit.Arrangement(
                        section: arrangement.section, rows: rows.map { (self[$0.item].id, level(of: $0.item)) })
                }))
        let new = zip(targets, arrangements).map { place($1.rows, in: $0, &delta) }
        var visible: [Step.Arrangement] = []
        for (section, (old, new)) in zip(targets, zip(old, new)) {
            visibleItemCount += new.count(where: \.isShown) - old.count(where: \.isShown)
            sections[section.index].rows = RowList()
            sections[section.index].rows.insert(new, at: 0, &chunkNames)
            visible.append(
                Step.Arrangement(
                    section, old: old.filter(\.isShown).map(\.item), new: new.filter(\.isShown).map(\.item)))
        }
        let all = zip(targets, zip(old, new)).map { section, rows in
            Step.Arrangement(section, old: rows.0.map(\.item), new: rows.1.map(\.item))
        }
        guard visible != all else { return delta.note(.arrangeRows(all)) }
        delta.note(.arrangeRows(all), visible: [.arrangeRows(visible)])
    }

    /// The rows of a run are deleted and inserted in their new order. The steps then cost the run and not the section,
    /// and a change set still finds the fewest moves.
    mutating func arrangeRun(_ run: Edit.Arrangement, at index: Int, _ delta: inout Delta) {
        guard !run.rows.isEmpty else { return }
        let section = order[run.section]
        let range = index..<index + run.rows.count
        let old = sections[section.index].rows[range]
        let level = self.level(of: old[0].item)
        let parent = self.parent(of: old[0].item)
        let back = old.map { (item: id(of: $0.item), level: self.level(of: $0.item) - level) }
        delta.noteInverse(.arrangeRun(Edit.Arrangement(section: run.section, rows: back), at: index))
        let isShown = parent.map { showsChildren($0) } ?? true
        let new = place(run.rows, in: section, under: parent, isShown: isShown, &delta)
        noteDeletion(of: range, in: section, &delta)
        _ = sections[section.index].rows.remove(range, &chunkNames)
        noteInsertion(of: new, in: section, at: index, isPlaced: false, &delta)
        sections[section.index].rows.insert(new, at: index, &chunkNames)
        visibleItemCount += new.count(where: \.isShown) - old.count(where: \.isShown)
    }

    /// Gives the items of wanted rows their places in the tree.
    ///
    /// - Parameters:
    ///   - wanted: With levels below `top`.
    ///   - isShown: Whether roots are shown.
    private mutating func place(
        _ wanted: [(item: ItemID, level: Int)], in section: SectionHandle, under top: ItemHandle? = nil,
        isShown: Bool = true, _ delta: inout Delta
    ) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(wanted.count)
        let base = top.map { level(of: $0) + 1 } ?? 0
        var lineage = Lineage(isShown: isShown)
        for row in wanted {
            guard let handle = handle(of: row.item) else { continue }
            lineage.cut(to: row.level, at: rows.count) { items[$0.index].descendantCount = $1 }
            let level = Int32(truncatingIfNeeded: base + row.level)
            place(handle, in: section, under: lineage.last ?? top, level: level, &delta)
            rows.append(Row(handle, isShown: lineage.showsNext))
            lineage.append(handle, isExpanded: items[handle.index].item.isExpanded, at: rows.count)
        }
        lineage.cut(to: 0, at: rows.count) { items[$0.index].descendantCount = $1 }
        return rows
    }

    private mutating func place(
        _ handle: ItemHandle, in section: SectionHandle, under parent: ItemHandle?, level: Int32, _ delta: inout Delta
    ) {
        let (oldSection, oldParent) = (items[handle.index].section, items[handle.index].parent)
        guard oldSection != section || oldParent != parent || items[handle.index].level != level else { return }
        keep(handle, &delta)
        if oldParent != parent {
            countChildren(-1, of: oldParent, &delta)
            countChildren(1, of: parent, &delta)
        }
        items[handle.index].section = section
        items[handle.index].parent = parent
        items[handle.index].level = level
    }
}
