public import ListModel

extension Rebase {
    /// The common outcome of operations that are answered as one: a whole-state operation, or the reorder of a section.
    ///
    /// - Parameter outcomes: The outcome of each operation.
    public static func outcome(of operations: [Operation], _ outcomes: [Outcome]) -> Outcome {
        var lost = Lost()
        var reason: Outcome.Reason?
        var isAdjusted = false
        var droppedParts = 0
        for (operation, outcome) in zip(operations, outcomes) {
            switch outcome {
            case .applied: break
            case .adjusted: isAdjusted = true
            case .partial(let items, let sections, let why):
                lost.add(items: items, sections: sections)
                reason = reason ?? why
            case .dropped(let why):
                droppedParts += 1
                lost.add(operation)
                reason = reason ?? why
            }
        }
        guard let reason else { return isAdjusted ? .adjusted(.anchorDeleted) : .applied }
        guard droppedParts < operations.count else { return .dropped(reason) }
        return .partial(lost.items, sections: lost.sections, reason)
    }
}

/// The items and sections that operations were not applied to, each once, in their order.
private struct Lost {
    private(set) var items: [ItemID] = []
    private(set) var sections: [SectionID] = []
    private var knownItems: Set<ItemID> = []
    private var knownSections: Set<SectionID> = []

    mutating func add(items: [ItemID] = [], sections: [SectionID] = []) {
        for item in items where knownItems.insert(item).inserted { self.items.append(item) }
        for section in sections where knownSections.insert(section).inserted { self.sections.append(section) }
    }

    /// Adds all items or sections that the operation is about.
    mutating func add(_ operation: Operation) {
        switch operation {
        case .appendSections(let new), .insertSections(let new, _):
            add(sections: new.map(\.properties.id))
        case .deleteSections(let ids), .reloadSections(let ids):
            add(sections: ids)
        case .moveSection(let id, _), .updateSection(let id, _):
            add(sections: [id])
        case .appendItems(let new, _), .insertItems(let new, _):
            add(items: new.map(\.id))
        case .deleteItems(let ids), .reconfigureItems(let ids), .reloadItems(let ids), .setStarred(let ids, _),
            .setExpanded(let ids, _):
            add(items: ids)
        case .moveItem(let id, _), .updateItem(let id, _), .toggleStar(let id):
            add(items: [id])
        // Such an operation is never dropped: the operations of its difference are.
        case .updateList, .replaceChildren, .applySnapshot, .applySectionSnapshot, .deleteAllItems:
            break
        }
    }
}
