import ListDiff
import ListModel

/// A transaction under way: operations applied in order, each seeing the one before.
///
/// If a method throws, the caller must revert the state with `ListState.forget(_:)`, given `log.delta`.
struct Transaction {
    private(set) var log: TransactionLog
    private(set) var outcomes: [Outcome] = []
    /// The details of operations beside their outcomes.
    private(set) var details: [OutcomeDetail] = []
    /// Whether the transaction has made the whole list at once. `log` then has neither the edits that put sections and
    /// items there, nor the way back.
    private(set) var beginsList = false
    private let rules: Rules
    /// The transaction that this one takes back, if this is an undo or a redo.
    private(set) var reversal: Reversal?
    /// Nil if the client knew the head.
    private let rebasing: Rebasing?

    /// A class, because most transactions are not rebased, and the states in line would make each of them large.
    private final class Rebasing {
        let base: ListState
        var rebase: Rebase
        /// How many operations became the difference of two states.
        var differences = 0

        init(base: ListState, head: ListState) {
            self.base = base
            rebase = Rebase(base: base, start: head)
        }

        init(reapplyingOn head: ListState) {
            base = head
            rebase = Rebase(reapplyingOn: head)
        }
    }

    /// The changes that the client had not seen; nil if it knew the head.
    let missed: Catchup?

    /// - Parameters:
    ///   - base: What the client knew.
    ///   - head: The head that the transaction is about to change.
    ///   - log: An empty log.
    init(
        _ base: ListActor.Base, head: @autoclosure () -> ListState, missed: Catchup?, log: TransactionLog, rules: Rules
    ) {
        self.rules = rules
        self.missed = missed
        self.log = log
        rebasing =
            switch base {
            case .head: nil
            case .older(let base): Rebasing(base: base, head: head())
            case .lost: Rebasing(reapplyingOn: head())
            }
    }

    /// Carries the intent out.
    mutating func run(_ intent: WriteIntent, on state: inout ListState, isBased: Bool) throws(StoreError) {
        switch intent {
        case .operation(let operation):
            let outcome = try run(operation, at: 0, on: &state)
            outcomes = outcome == .applied ? Self.applied : [outcome]
        case .operations(let operations):
            outcomes.reserveCapacity(operations.count)
            for (index, operation) in operations.enumerated() {
                outcomes.append(try run(operation, at: index, on: &state))
            }
        case .undo, .redo, .restore: break
        case .reorder(let reorder): try run(reorder, on: &state, isBased: isBased)
        }
    }

    private mutating func run(_ reorder: Reorder, on state: inout ListState, isBased: Bool) throws(StoreError) {
        let isReapplied = rebasing?.rebase.isReapplied == true
        var wanted = reorder
        // Nobody knows what the client saw, so a section that is not there is taken for one that was deleted.
        if isReapplied { wanted.sections.removeAll { state.handle(of: $0.section) == nil } }
        let plan: ReorderPlan
        do throws(ReorderError) {
            plan = try wanted.operations(
                base: rebasing?.base ?? state, head: state, isBased: isBased && !isReapplied)
        } catch {
            throw .reorder(error)
        }
        log.warnings += plan.warnings
        var groups = plan.groups[...]
        for (index, part) in reorder.sections.enumerated() {
            guard let group = groups.first, group.section == part.section else {
                outcomes.append(.dropped(.sectionDeleted))
                continue
            }
            groups.removeFirst()
            let parents = KnownParents(of: group.operations, on: state)
            do throws(ModelError) {
                outcomes.append(try run(group.operations, on: &state, rules: rules))
            } catch {
                throw .model(error, operation: nil)
            }
            note(OutcomeDetail(operation: index, reparented: parents.changed(on: state)))
        }
    }

    /// Makes the first version of a list of a snapshot.
    mutating func begin(with snapshot: WantedSnapshot, on state: inout ListState) throws(StoreError) {
        do throws(ModelError) { try state.begin(with: snapshot, rules: rules, &log) } catch {
            throw .model(error, operation: 0)
        }
        outcomes = Self.applied
        beginsList = true
    }

    /// Writes the changes that wait until all operations have been carried out.
    mutating func settle(_ state: inout ListState) { state.settle(&log) }

    /// Takes back the newest transaction of a history, or one since which every other has been taken back exactly.
    mutating func takeBack(_ delta: Delta, as reversal: Reversal, on state: inout ListState) {
        self.reversal = reversal
        state.takeBack(delta, into: &log)
        outcomes = Self.applied
    }

    /// Takes back a transaction that others have built upon.
    mutating func run(_ undo: Undo, as reversal: Reversal, on state: inout ListState) throws(StoreError) {
        self.reversal = reversal
        do throws(ModelError) {
            outcomes = try undo.run(on: &state, rules: rules, into: &log)
        } catch {
            throw .model(error, operation: nil)
        }
    }

    /// Makes an earlier state the head again.
    ///
    /// - Parameter undo: The undo of all transactions since that state.
    mutating func restore(_ undo: Undo, on state: inout ListState) throws(StoreError) {
        var rules = rules
        // The earlier state had these items when it was the head, so the limit on items does not apply.
        rules.itemsMax = .max
        do throws(ModelError) {
            outcomes = try undo.run(on: &state, rules: rules, into: &log)
        } catch {
            throw .model(error, operation: nil)
        }
    }

    /// The outcome of nearly every single operation. It is shared, so that no array is made for each.
    private static let applied: [Outcome] = [.applied]

    private mutating func run(
        _ operation: Operation, at index: Int, on state: inout ListState
    ) throws(StoreError) -> Outcome {
        let tellsMore = operation.mayTellMore
        let parents = tellsMore ? KnownParents(inferredBy: operation, on: state) : KnownParents()
        let outcome: Outcome
        do throws(ModelError) { outcome = try run(operation, on: &state) } catch {
            throw .model(error, operation: index)
        }
        guard tellsMore else { return outcome }
        note(
            OutcomeDetail(
                operation: index, created: operation.created(on: state), reparented: parents.changed(on: state)))
        return outcome
    }

    private mutating func note(_ detail: OutcomeDetail) {
        if !detail.isEmpty { details.append(detail) }
    }

    /// Carries out the parts of one intent, and makes one outcome of theirs.
    private mutating func run(
        _ parts: [Operation], on state: inout ListState, rules: Rules
    ) throws(ModelError) -> Outcome {
        var outcomes: [Outcome] = []
        for part in parts { outcomes.append(try step(part, on: &state, rules: rules)) }
        return Rebase.outcome(of: parts, outcomes)
    }

    private mutating func run(_ operation: Operation, on state: inout ListState) throws(ModelError) -> Outcome {
        guard let rebasing, let parts = try rebasing.rebase.difference(of: operation, on: state, rules: rules) else {
            return try step(operation, on: &state, rules: rules)
        }
        // The first difference of two states is free. The rows of further ones count towards `transactionRowsMax`.
        if rebasing.differences > 0 { try log.count(rows: 2 * (rebasing.base.itemCount + state.itemCount)) }
        rebasing.differences += 1
        var unbound = rules
        unbound.isStrict = false
        unbound.isOrderBound = false
        return try run(parts, on: &state, rules: unbound)
    }

    private mutating func step(
        _ operation: Operation, on state: inout ListState, rules: Rules
    ) throws(ModelError) -> Outcome {
        guard let rebasing else {
            try state.apply(operation, rules: rules, into: &log)
            return .applied
        }
        let resolution = rebasing.rebase.resolve(operation, on: state)
        for resolved in resolution.operations { try state.apply(resolved, rules: rules, into: &log) }
        return resolution.outcome
    }
}

extension Operation {
    /// Whether there may be details of the operation beside its outcome.
    fileprivate var mayTellMore: Bool {
        switch self {
        case .appendItems, .insertItems, .appendSections, .insertSections, .moveItem: true
        case .deleteSections, .reloadSections, .moveSection, .updateSection, .updateList, .deleteItems, .deleteAllItems,
            .updateItem, .reconfigureItems, .reloadItems, .setStarred, .toggleStar, .setExpanded, .replaceChildren,
            .applySnapshot, .applySectionSnapshot:
            false
        }
    }

    /// The items that the operation has made with ids from the server.
    ///
    /// - Parameter state: The state after the operation.
    fileprivate func created(on state: borrowing ListState) -> [ItemID] {
        switch self {
        case .appendItems(let items, _), .insertItems(let items, _): items.made(on: state)
        case .appendSections(let sections), .insertSections(let sections, _):
            sections.flatMap { $0.items.made(on: state) }
        case .deleteSections, .reloadSections, .moveSection, .updateSection, .updateList, .deleteItems, .deleteAllItems,
            .moveItem, .updateItem, .reconfigureItems, .reloadItems, .setStarred, .toggleStar, .setExpanded,
            .replaceChildren, .applySnapshot, .applySectionSnapshot:
            []
        }
    }
}

extension [NewItem] {
    fileprivate func made(on state: borrowing ListState) -> [ItemID] {
        var made: [ItemID] = []
        for item in self where item.isMade && state.contains(item.id) { made.append(item.id) }
        return made
    }
}

/// The parents that items have before a move for which the client names no parent.
private struct KnownParents {
    private var parents: [(item: ItemID, parent: ItemHandle?)] = []

    /// No item: nothing is moved.
    init() {}

    /// The items of an operation that takes the parent from its anchor.
    init(inferredBy operation: Operation, on state: borrowing ListState) {
        switch operation {
        case .moveItem(let item, .anchor(let anchor)) where anchor.guardedBy == nil:
            note(item, on: state)
        case .insertItems(let items, let anchor) where anchor.guardedBy == nil:
            for item in items where item.parent == nil && !item.isMade { note(item.id, on: state) }
        case .appendSections, .insertSections, .deleteSections, .reloadSections, .moveSection, .updateSection,
            .updateList, .appendItems, .insertItems, .deleteItems, .deleteAllItems, .moveItem, .updateItem,
            .reconfigureItems, .reloadItems, .setStarred, .toggleStar, .setExpanded, .replaceChildren, .applySnapshot,
            .applySectionSnapshot:
            break
        }
    }

    /// The items that the operations of a reorder move.
    init(of operations: [Operation], on state: borrowing ListState) {
        for case .moveItem(let item, _) in operations { note(item, on: state) }
    }

    private mutating func note(_ item: ItemID, on state: borrowing ListState) {
        guard let handle = state.handle(of: item) else { return }
        parents.append((item, state.parent(of: handle)))
    }

    /// The items that have another parent now.
    func changed(on state: borrowing ListState) -> [ItemID] {
        var changed: [ItemID] = []
        for (item, parent) in parents {
            if let handle = state.handle(of: item), state.parent(of: handle) != parent { changed.append(item) }
        }
        return changed
    }
}
