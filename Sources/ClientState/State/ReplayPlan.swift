import ListDiff
import ListModel
public import Texts

/// A change set that does not fit the state that is held. That state is then unchanged, and the client asks for a
/// snapshot.
public struct Mismatch: Error, Sendable, Equatable {
    /// The part of the change set that does not fit, such as `items.deleted`.
    public let part: ByteText

    init(_ part: ByteText) { self.part = part }
}

/// The rows that a change set takes out of a state, and the rows that it puts into the sections that are left.
///
/// A state is a forest, and each step towards another one must be a forest, too. So a row is taken out with its whole
/// subtree. Rows of that subtree which the change set does not name are *carried*: they come back at the index that is
/// left for them. An example: section A has the rows of the left column, and `b` is to have no parent any more.
///
///     a                a              a
///       b                               d      carried: the index that is left
///         c            the rows b c   b        the change set names it, so it is taken out
///       d              are taken out    c      carried with b
///
/// If every row keeps its parent, nothing is carried.
struct ReplayPlan {
    /// A row that is to come into a section.
    struct Arrival {
        let index: Int
        let item: Item
        let parent: ItemID?
    }

    /// The runs of whole subtrees to be taken out of each section, ascending.
    private(set) var runs: [SectionHandle: [Range<Int>]] = [:]
    /// The rows to come into each section, ascending.
    private(set) var arrivals: [SectionID: [Arrival]] = [:]
    /// The items that get another parent.
    private(set) var adopted: Set<ItemHandle> = []

    private let changes: ChangeSet
    private let state: ListState
    private let dying: Set<Int>
    /// The rows that leave their index: those that are deleted or moved.
    private var leaving: [SectionHandle: [Int]] = [:]
    private var deleted: Set<ItemHandle> = []
    private var moved: [ItemHandle: RowPath] = [:]
    /// The parents that the change set gives to rows that the state has.
    private var parents: [ItemHandle: ItemID?] = [:]
    /// The ids of the sections after the change set; nil as long as they are those of the state.
    private let newOrder: [SectionID]?

    /// - Parameter newOrder: The ids of the sections after the change set; nil if they are the same.
    init(_ changes: ChangeSet, on state: ListState, newOrder: [SectionID]?) throws(Mismatch) {
        self.changes = changes
        self.state = state
        self.newOrder = newOrder
        dying = Set(changes.sections.deleted.map(\.index))
        try findLeavingRows()
        try findAdoptedRows()
        try findRuns()
        try addArrivals()
    }

    // MARK: - Rows that leave

    private mutating func findLeavingRows() throws(Mismatch) {
        for row in changes.items.deleted {
            let handle = try leave(row.id, at: row.path, "items.deleted")
            guard deleted.insert(handle).inserted else { throw Mismatch("items.deleted") }
        }
        for row in changes.items.moved {
            let handle = try leave(row.id, at: row.from, "items.moved")
            guard !deleted.contains(handle), moved.updateValue(row.to, forKey: handle) == nil else {
                throw Mismatch("items.moved")
            }
        }
        for section in leaving.keys { leaving[section]?.sort() }
    }

    private mutating func leave(_ id: ItemID, at path: RowPath, _ part: ByteText) throws(Mismatch) -> ItemHandle {
        guard path.section < state.sectionCount, !dying.contains(path.section) else { throw Mismatch(part) }
        let section = state.section(at: path.section)
        guard path.index < state.rowCount(of: section) else { throw Mismatch(part) }
        let handle = state.row(at: path.index, of: section)
        guard state.id(of: handle) == id else { throw Mismatch(part) }
        leaving[section, default: []].append(path.index)
        return handle
    }

    // MARK: - Rows with another parent

    private mutating func findAdoptedRows() throws(Mismatch) {
        for row in changes.items.reconfigured { try note(row.row, "items.reconfigured") }
        for row in changes.items.reloaded { try note(row.row, "items.reloaded") }
        for placed in changes.sections.reloaded {
            // Rows that came are inserted with their parents.
            for row in placed.section.items where state.contains(row.item.id) { try note(row, "sections.reloaded") }
        }
    }

    private mutating func note(_ row: ItemRow, _ part: ByteText) throws(Mismatch) {
        guard let handle = state.handle(of: row.item.id), let section = state.section(of: handle) else {
            throw Mismatch(part)
        }
        // An item of a deleted section is inserted where it stands then.
        guard !deleted.contains(handle), !isDying(section) else { return }
        parents.updateValue(row.parent, forKey: handle)
        if state.parent(of: handle).map({ state.id(of: $0) }) != row.parent { adopted.insert(handle) }
    }

    private func isDying(_ section: SectionHandle) -> Bool {
        !dying.isEmpty && state.index(of: section).map(dying.contains) ?? true
    }

    // MARK: - Runs

    private mutating func findRuns() throws(Mismatch) {
        var named = leaving
        for handle in adopted where moved[handle] == nil {
            guard let section = state.section(of: handle), let index = state.index(of: handle) else { continue }
            named[section, default: []].append(index)
        }
        for (section, indexes) in named { runs[section] = runs(of: indexes.sorted(), in: section) }
    }

    /// The subtrees of some rows, each once. Subtrees of neighbours under one parent are one run.
    private func runs(of indexes: [Int], in section: SectionHandle) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in indexes {
            let end = runs.last?.upperBound ?? 0
            guard runs.isEmpty || index >= end else { continue }
            let row = state.row(at: index, of: section)
            let rows = index..<index + 1 + state.descendantCount(of: row)
            if let last = runs.last, index == end,
                state.parent(of: state.row(at: last.lowerBound, of: section)) == state.parent(of: row)
            {
                runs[runs.count - 1] = last.lowerBound..<rows.upperBound
            } else {
                runs.append(rows)
            }
        }
        return runs
    }

    // MARK: - Rows that come

    private mutating func addArrivals() throws(Mismatch) {
        for row in changes.items.inserted {
            try arrive((row.row.item, row.row.parent), in: row.path.section, at: row.path.index, "items.inserted")
        }
        for (handle, path) in moved { try arrive(held(handle), in: path.section, at: path.index, "items.moved") }
        let named = arrivals.mapValues { rows in rows.map(\.index).sorted() }
        for (section, runs) in runs {
            let id = state[section].id
            carry(runs, of: section, around: named[id] ?? [], to: id)
        }
        for placed in changes.sections.inserted {
            let id = placed.section.properties.id
            guard arrivals[id] == nil else { throw Mismatch("sections.inserted") }
            arrivals[id] = placed.section.items.enumerated().map {
                Arrival(index: $0, item: $1.item, parent: $1.parent)
            }
        }
        for section in arrivals.keys { arrivals[section]?.sort { $0.index < $1.index } }
    }

    private mutating func arrive(
        _ row: (item: Item, parent: ItemID?), in section: Int, at index: Int, _ part: ByteText
    ) throws(Mismatch) {
        let sectionCount = newOrder?.count ?? state.sectionCount
        guard section < sectionCount else { throw Mismatch(part) }
        let id = newOrder?[section] ?? state[state.section(at: section)].id
        arrivals[id, default: []].append(Arrival(index: index, item: row.item, parent: row.parent))
    }

    private func held(_ handle: ItemHandle) -> (item: Item, parent: ItemID?) {
        (state[handle], parents[handle] ?? state.parent(of: handle).map { state.id(of: $0) })
    }

    /// Lets the rows of runs that are neither deleted nor moved come back.
    ///
    /// - Parameter named: The indexes that the change set gives to rows of the section, ascending.
    private mutating func carry(
        _ runs: [Range<Int>], of section: SectionHandle, around named: [Int], to id: SectionID
    ) {
        let leaving = leaving[section] ?? []
        var (gone, taken) = (0, 0)
        for index in runs.joined() {
            while gone < leaving.count, leaving[gone] < index { gone += 1 }
            guard gone == leaving.count || leaving[gone] != index else { continue }
            let rank = index - gone
            while taken < named.count, named[taken] <= rank + taken { taken += 1 }
            let row = held(state.row(at: index, of: section))
            arrivals[id, default: []].append(Arrival(index: rank + taken, item: row.item, parent: row.parent))
        }
    }
}
