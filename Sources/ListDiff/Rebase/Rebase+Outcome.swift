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
        return .partial(lost.items.ordered, sections: lost.sections.ordered, reason)
    }
}

/// Ids in order, each once.
struct OrderedIDs<ID: Hashable> {
    private(set) var ordered: [ID] = []
    private var known: Set<ID> = []

    mutating func insert(_ id: ID) {
        if known.insert(id).inserted { ordered.append(id) }
    }
}

/// The items and sections that operations were not applied to.
private struct Lost {
    private(set) var items = OrderedIDs<ItemID>()
    private(set) var sections = OrderedIDs<SectionID>()

    mutating func add(items: [ItemID] = [], sections: [SectionID] = []) {
        for item in items { self.items.insert(item) }
        for section in sections { self.sections.insert(section) }
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
