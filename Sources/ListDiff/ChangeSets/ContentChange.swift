import ListModel

/// A change of the content of an item.
enum ContentChange {
    case reconfigured
    case reloaded

    /// Nil if the difference does not show in the view.
    init?(_ difference: ItemDifference, in view: View) {
        if difference.contains(.kind) {
            self = .reloaded
        } else if Self.shows(difference, in: view) {
            self = .reconfigured
        } else {
            return nil
        }
    }

    /// The members are tested one by one, because the runtime builds a set from a literal element by element, in 2,400
    /// instructions.
    private static func shows(_ difference: ItemDifference, in view: View) -> Bool {
        difference.contains(.row) || difference.contains(.disclosure) || difference.contains(.parent)
            || (view == .visible && difference.contains(.outline))
    }
}

extension ChangeSet {
    /// The change set of a transaction that gives items new values and does nothing else, such as a star or an edit.
    /// Most writes are such transactions.
    ///
    /// A `NetChange` gives the same change set at a higher cost.
    ///
    /// - Precondition: `delta.holdsOnlyValues`.
    init(values delta: borrowing Delta, in state: borrowing ListState, view: View) {
        var (reconfigured, reloaded): ([PlacedItem], [PlacedItem]) = ([], [])
        reconfigured.makeRoom(for: delta.overwrittenCount)
        delta.forEachItem { item, old in
            guard let change = ContentChange(state.difference(of: item, from: old), in: view),
                let section = state.section(of: item), let sectionIndex = state.index(of: section),
                let index = state.index(of: item, view: view)
            else { return }
            let path = RowPath(section: sectionIndex, index: index)
            switch change {
            case .reconfigured: reconfigured.append(.init(path: path, row: state.row(item)))
            case .reloaded: reloaded.append(.init(path: path, row: state.row(item)))
            }
        }
        reconfigured.putInOrder { $0.path < $1.path }
        reloaded.putInOrder { $0.path < $1.path }
        self.init(items: Items(reconfigured: reconfigured, reloaded: reloaded))
    }
}

extension [ChangeSet.PlacedItem] {
    /// Makes room for the rows of a long change, so that memory need not double as they are added.
    mutating func makeRoom(for count: Int) {
        if count > 1_000 { reserveCapacity(count) }
    }
}

extension Array {
    /// Sorts the array, unless it is in order, as it mostly is. To sort takes half of its memory once more.
    mutating func putInOrder(by areInIncreasingOrder: (Element, Element) -> Bool) {
        guard count > 1, indices.dropFirst().contains(where: { areInIncreasingOrder(self[$0], self[$0 - 1]) }) else {
            return
        }
        sort(by: areInIncreasingOrder)
    }
}
