import ListModel

/// What became of the content of an item.
enum ContentChange {
    case reconfigured
    case reloaded

    /// Nil if nothing did that shows in the view.
    init?(_ difference: ItemDifference, in view: View) {
        if difference.contains(.kind) {
            self = .reloaded
        } else if Self.shows(difference, in: view) {
            self = .reconfigured
        } else {
            return nil
        }
    }

    /// One by one, because a set made of a literal is made by the runtime, element by element: 2,400 instructions.
    private static func shows(_ difference: ItemDifference, in view: View) -> Bool {
        difference.contains(.row) || difference.contains(.disclosure) || difference.contains(.parent)
            || (view == .visible && difference.contains(.outline))
    }
}

extension ChangeSet {
    /// What a star or an edit did, which most writes are: items have new values, and nothing else happened.
    ///
    /// It is what a `NetChange` gives, at a part of the cost.
    ///
    /// - Precondition: `delta.holdsOnlyValues`.
    init(values delta: borrowing Delta, in state: borrowing ListState, view: View) {
        var (reconfigured, reloaded): ([PlacedItem], [PlacedItem]) = ([], [])
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
        if reconfigured.count > 1 { reconfigured.sort { $0.path < $1.path } }
        if reloaded.count > 1 { reloaded.sort { $0.path < $1.path } }
        self.init(items: Items(reconfigured: reconfigured, reloaded: reloaded))
    }
}
