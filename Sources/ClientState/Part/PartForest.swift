import ListDiff
import ListModel

/// Rows of a part as a list, so that edits are done to them by the server's own rules.
///
/// A row is below its parent if that is one of the rows just above it. Otherwise it is a root here. An example: a window
/// has the rows c d e, of which c is below b, and b is above the window.
///
///     the list   the window     here
///     a
///       b
///         c        c (level 2)  c      its outside: parent b, level 2
///           d      d (level 3)    d
///     e            e (level 0)  e
struct PartForest: Sendable {
    /// The place of a root that is below a row which is not held.
    struct Outside: Sendable {
        var parent: ItemID?
        var level: Int
    }

    var state: ListState
    /// The roots that are not roots of the list.
    private(set) var outsides: [ItemID: Outside] = [:]
    /// The numbers of children that are not held.
    private var unheld: [ItemID: Int] = [:]

    /// An empty list.
    init() { state = ListState(ListProperties(title: "")) }

    /// - Returns: Nil if a section or an item is there twice.
    init?(_ held: HeldRows) {
        var loader = ListLoader(held.properties)
        for section in held.sections {
            guard loader.append(section.properties) else { return nil }
            var path: [ItemID] = []
            for row in section.items {
                while let last = path.last, last != row.parent { path.removeLast() }
                guard loader.append(row.item.sealed(), level: path.count) else { return nil }
                if path.isEmpty, row.parent != nil || row.level > 0 {
                    outsides[row.item.id] = Outside(parent: row.parent, level: row.level)
                }
                path.append(row.item.id)
            }
        }
        guard let state = loader.finish() else { return nil }
        self.state = state
        for row in held.sections.flatMap(\.items) where row.childCount > 0 {
            guard let handle = state.handle(of: row.item.id) else { continue }
            unheld[row.item.id] = max(0, row.childCount - state.childCount(of: handle))
        }
    }

    /// A row with its place in the whole list, as far as that is known.
    func placed(_ row: ItemRow, _ handle: ItemHandle) -> ItemRow {
        var row = row
        row.childCount += unheld[row.item.id] ?? 0
        guard !outsides.isEmpty else { return row }
        var root = handle
        while let parent = state.parent(of: root) { root = parent }
        guard let outside = outsides[state.id(of: root)] else { return row }
        row.level += outside.level
        if root == handle { row.parent = outside.parent }
        return row
    }

    /// The holder of an item in the whole list; nil if it is not known.
    func container(around item: ItemID, isWhole: Bool) -> Container? {
        guard let handle = state.handle(of: item), let section = state.section(of: handle) else { return nil }
        if let parent = state.parent(of: handle) { return .parent(state.id(of: parent)) }
        if let outside = outsides[item] { return outside.parent.map { .parent($0) } }
        return isWhole ? .section(state[section].id) : nil
    }

    /// An anchor without what guards it, if it is where that says, outside of the held rows.
    func unguarded(_ anchor: ItemAnchor) -> ItemAnchor {
        guard case .parent(let parent) = anchor.guardedBy, outsides[anchor.item]?.parent == parent else {
            return anchor
        }
        return ItemAnchor(anchor.side, anchor.item)
    }

    /// Does an operation that is sure to name what is there, or nothing if it cannot be done.
    mutating func perform(_ operation: Operation, _ rules: Rules) {
        var log = TransactionLog(keepsEdits: false)
        do throws(ModelError) { try state.redo(operation, rules: rules, into: &log) } catch {
            state.forget(log.delta)
            return
        }
        state.settle(&log)
        switch operation {
        case .moveItem(let item, .anchor(let anchor)): note([item], beside: anchor.item)
        case .moveItem(let item, .first), .moveItem(let item, .last): note([item], beside: nil)
        case .insertItems(let items, let anchor): note(items.map(\.id), beside: anchor.item)
        case .appendItems(let items, _): note(items.map(\.id), beside: nil)
        case .appendSections, .insertSections, .deleteSections, .reloadSections, .moveSection, .updateSection,
            .updateList, .deleteItems, .deleteAllItems, .updateItem, .reconfigureItems, .reloadItems, .setStarred,
            .toggleStar, .setExpanded, .replaceChildren, .applySnapshot, .applySectionSnapshot:
            break
        }
    }

    /// Notes that items have come to a place: roots beside a root are outside where that is.
    private mutating func note(_ items: [ItemID], beside anchor: ItemID?) {
        let outside = anchor.flatMap { outsides[$0] }
        for item in items {
            guard let handle = state.handle(of: item), state.parent(of: handle) == nil else {
                outsides[item] = nil
                continue
            }
            outsides[item] = outside
        }
    }
}
