public import ListModel

/// Carries operations that were made on a base over to the head, by identity (docs/model.md section 8).
///
/// An example: the client knows the rows a b c d, and others have deleted c since, so that the head is a b d. The
/// following operations are each resolved against this head:
///
///     move a behind c        b a d   adjusted: b stood left of c at the base, so a goes behind b
///     star b and c           a b d   partial: b is starred, c is named as deleted
///     delete c               a b d   dropped: c is deleted already
///     append x below c       a b d   dropped: the parent is deleted; a later operation on x is dropped too
///     move a behind q        an error, because q was never there
///
/// If nobody knows the base any more, the same is done without it (`init(reapplyingOn:)`):
///
///     move a behind c        a b d   dropped: nobody knows where c stood
///     move a behind c in S   a b d   adjusted: a goes to the first place of the section S
///     insert x behind c      a b d x adjusted: what is new is kept, at the end of the last section
///     star q                 a b d   dropped: q is taken for one that was deleted
///
/// Ids are looked up in the head. An id that the base had and the head lacks is no error: the outcome tells the client
/// what became of the operation. An id that neither has is an error, as it is without a base.
public struct Rebase {
    /// The state that the client knew; the head if that is no longer known.
    let base: ListState
    /// Whether the state that the client knew is no longer known. Every id that the head lacks is then taken for one that
    /// was deleted since, and what an operation says of a place is all that is known of it.
    public let isReapplied: Bool
    /// The head before the transaction. An id that the transaction itself deletes is an error later in it.
    private let start: ListState
    /// The new items whose own operation was dropped. Later operations may name them.
    private var neverPlaced: Set<ItemID> = []
    /// Whether the transaction has resolved an operation yet. Later operations may meet a state that the client could
    /// not foresee.
    private(set) var hasActed = false
    /// The siblings at the base that may still stand at their places, for the containers in which a search went far.
    var siblings: [SiblingsKey: BaseSiblings] = [:]
    /// The sections that may still stand at their places, in their order at the base.
    var sections: Standing?

    /// The container of siblings at the base: a parent, or a section for its roots.
    struct SiblingsKey: Hashable {
        let section: SectionHandle
        let parent: ItemHandle?
    }

    public init(base: ListState, start: ListState) {
        self.base = base
        self.start = start
        isReapplied = false
    }

    /// Carries operations over whose base is no longer known.
    public init(reapplyingOn head: ListState) {
        base = head
        start = head
        isReapplied = true
    }

    /// Operations that can be applied to the head, and the outcome of the operation that was asked for.
    public struct Resolution: Sendable {
        public var operations: [Operation]
        public var outcome: Outcome

        public init(_ operations: [Operation], _ outcome: Outcome = .applied) {
            self.operations = operations
            self.outcome = outcome
        }

        static func dropped(_ reason: Outcome.Reason) -> Self { Self([], .dropped(reason)) }

        /// The same operations, applied at another place than was asked for.
        var adjusted: Self {
            guard case .applied = outcome else { return self }
            return Self(operations, .adjusted(.anchorDeleted))
        }
    }

    /// Resolves one operation against the head as the operations before it have left it.
    ///
    /// Whole-state operations are resolved by their difference instead: see `difference(of:on:rules:)`.
    public mutating func resolve(_ operation: Operation, on head: ListState) -> Resolution {
        let resolution = resolved(operation, on: head)
        hasActed = true
        for operation in resolution.operations { noteReturns(by: operation) }
        return resolution
    }

    private mutating func resolved(_ operation: Operation, on head: ListState) -> Resolution {
        switch operation {
        case .appendSections(let sections):
            return placing(sections, on: head) { .appendSections($0) }
        case .insertSections(let sections, let anchor):
            return insert(sections, near: anchor, on: head)
        case .deleteSections(let ids):
            return surviving(ids, on: head) { .deleteSections($0) }
        case .reloadSections(let ids):
            return surviving(ids, on: head) { .reloadSections($0) }
        case .moveSection(let id, let anchor):
            return move(id, near: anchor, on: head)
        case .updateSection(let id, _):
            return isLost(id, on: head) ? .dropped(.sectionDeleted) : Resolution([operation])
        case .updateList:
            return Resolution([operation])
        case .appendItems(let items, let container):
            if let reason = container.flatMap({ lost($0, on: head) }) { return drop(items, reason) }
            return placing(items, under: container, on: head) { [.appendItems($0, container)] }
        case .insertItems(let items, let anchor):
            return insert(items, near: anchor, on: head)
        case .deleteItems(let ids):
            return surviving(ids, on: head) { .deleteItems($0) }
        case .moveItem(let id, let destination):
            return move(id, to: destination, on: head)
        case .updateItem(let id, _), .toggleStar(let id):
            return isLost(id, on: head) ? .dropped(.itemDeleted) : Resolution([operation])
        case .reconfigureItems(let ids):
            return surviving(ids, on: head) { .reconfigureItems($0) }
        case .reloadItems(let ids):
            return surviving(ids, on: head) { .reloadItems($0) }
        case .setStarred(let ids, let isStarred):
            return surviving(ids, on: head) { .setStarred($0, isStarred) }
        case .setExpanded(let ids, let isExpanded):
            return surviving(ids, on: head) { .setExpanded($0, isExpanded) }
        case .replaceChildren, .applySnapshot, .applySectionSnapshot, .deleteAllItems:
            return Resolution([operation])
        }
    }
}

// MARK: - Returning ids

extension Rebase {
    /// Notes the items and sections that an operation may put back to their places at the base.
    private mutating func noteReturns(by operation: Operation) {
        guard !siblings.isEmpty || sections != nil else { return }
        switch operation {
        case .appendSections(let new), .insertSections(let new, _):
            for section in new {
                noteReturn(of: section.properties.id)
                for item in section.items { noteReturn(of: item.id) }
            }
        case .appendItems(let new, _), .insertItems(let new, _):
            for item in new { noteReturn(of: item.id) }
        case .moveItem(let id, _): noteReturn(of: id)
        case .deleteSections, .reloadSections, .moveSection, .updateSection, .updateList, .deleteItems, .updateItem,
            .toggleStar, .reconfigureItems, .reloadItems, .setStarred, .setExpanded:
            break
        // Such an operation is never resolved: the operations of its difference are.
        case .deleteAllItems, .replaceChildren, .applySnapshot, .applySectionSnapshot: break
        }
    }

    private mutating func noteReturn(of id: SectionID) {
        guard let section = base.handle(of: id), let index = base.index(of: section) else { return }
        sections?.restore(index)
    }

    private mutating func noteReturn(of id: ItemID) {
        guard let item = base.handle(of: id), let section = base.section(of: item) else { return }
        siblings[SiblingsKey(section: section, parent: base.parent(of: item))]?.restore(item)
    }
}

// MARK: - Lost ids

extension Rebase {
    func isLost(_ id: ItemID, on head: ListState) -> Bool {
        guard !head.contains(id) else { return false }
        return ((isReapplied || base.contains(id)) && !start.contains(id)) || neverPlaced.contains(id)
    }

    func isLost(_ id: SectionID, on head: ListState) -> Bool {
        !head.contains(id) && (isReapplied || base.contains(id)) && !start.contains(id)
    }

    func lost(_ container: Container, on head: ListState) -> Outcome.Reason? {
        switch container {
        case .section(let id): isLost(id, on: head) ? .sectionDeleted : nil
        case .parent(let id): isLost(id, on: head) ? .parentDeleted : nil
        }
    }

    /// Drops an operation that would have placed items.
    mutating func drop(_ items: [NewItem], _ reason: Outcome.Reason) -> Resolution {
        for item in items where !base.contains(item.id) { neverPlaced.insert(item.id) }
        return .dropped(reason)
    }

    private func surviving(
        _ ids: [ItemID], on head: ListState, _ operation: ([ItemID]) -> Operation
    ) -> Resolution {
        let lost = ids.filter { isLost($0, on: head) }
        guard !lost.isEmpty else { return Resolution([operation(ids)]) }
        guard lost.count < ids.count else { return .dropped(.itemDeleted) }
        let gone = Set(lost)
        return Resolution([operation(ids.filter { !gone.contains($0) })], .partial(lost, .itemDeleted))
    }

    private func surviving(
        _ ids: [SectionID], on head: ListState, _ operation: ([SectionID]) -> Operation
    ) -> Resolution {
        let lost = ids.filter { isLost($0, on: head) }
        guard !lost.isEmpty else { return Resolution([operation(ids)]) }
        guard lost.count < ids.count else { return .dropped(.sectionDeleted) }
        let gone = Set(lost)
        return Resolution(
            [operation(ids.filter { !gone.contains($0) })], .partial([], sections: lost, .sectionDeleted))
    }
}
