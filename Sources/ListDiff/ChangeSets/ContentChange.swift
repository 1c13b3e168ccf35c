import ListModel

/// What became of the content of an item.
enum ContentChange {
    case reconfigured
    case reloaded

    /// Nil if nothing did that shows in the view.
    init?(_ difference: ItemDifference, in view: View) {
        if difference.contains(.kind) {
            self = .reloaded
        } else if difference.contains(.row) || (view == .visible && difference.contains(.outline)) {
            self = .reconfigured
        } else {
            return nil
        }
    }
}

extension ChangeSet {
    /// The change set of a star or an edit, which most writes are: items have new values, and nothing else happened.
    ///
    /// - Returns: Nil if anything else did. What is returned is what a `NetChange` gives, at a part of its cost.
    init?(values delta: borrowing Delta, in state: borrowing ListState, view: View) {
        guard delta.holdsOnlyValues else { return nil }
        self.init()
        var items = Items()
        delta.forEachItem { item, old in
            guard let change = ContentChange(state.difference(of: item, from: old), in: view),
                let section = state.section(of: item), let sectionIndex = state.index(of: section),
                let index = state.index(of: item, view: view)
            else { return }
            let entry = PlacedItem(path: RowPath(section: sectionIndex, index: index), row: state.row(item))
            switch change {
            case .reconfigured: items.reconfigured.append(entry)
            case .reloaded: items.reloaded.append(entry)
            }
        }
        if items.reconfigured.count > 1 { items.reconfigured.sort { $0.path < $1.path } }
        if items.reloaded.count > 1 { items.reloaded.sort { $0.path < $1.path } }
        self.items = items
    }
}
