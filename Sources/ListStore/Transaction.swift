import ListDiff
import ListModel

/// A transaction under way: operations applied in order, each seeing the one before.
struct Transaction {
    private(set) var state: ListState
    private(set) var log = TransactionLog()
    private(set) var outcomes: [Outcome] = []
    private let base: ListState?
    private let rules: Rules
    private var rebase: Rebase?

    /// - Parameter base: The state that the client knew, if it is not `state`.
    init(state: ListState, base: ListState?, rules: Rules) {
        self.state = state
        self.base = base
        self.rules = rules
        rebase = base.map { Rebase(base: $0, start: state) }
    }

    /// Carries the intent out; whoever catches an error forgets `log.delta`.
    mutating func run(_ intent: Write.Intent, isBased: Bool) throws(StoreError) {
        switch intent {
        case .operations(let operations):
            outcomes.reserveCapacity(operations.count)
            for (index, operation) in operations.enumerated() {
                do throws(ModelError) {
                    outcomes.append(try run(operation))
                } catch {
                    throw .model(error, operation: index)
                }
            }
        case .reorder(let reorder):
            let plan: ReorderPlan
            do throws(ReorderError) {
                plan = try reorder.operations(base: base ?? state, head: state, isBased: isBased)
            } catch {
                throw .reorder(error)
            }
            log.warnings += plan.warnings
            for group in plan.groups {
                do throws(ModelError) {
                    outcomes.append(
                        Rebase.outcome(
                            of: try group.operations.map { operation throws(ModelError) in
                                try step(operation, rules: rules)
                            }))
                } catch {
                    throw .model(error, operation: nil)
                }
            }
        }
    }

    private mutating func run(_ operation: Operation) throws(ModelError) -> Outcome {
        guard let parts = try rebase?.difference(of: operation, rules: rules) else {
            return try step(operation, rules: rules).outcome
        }
        let unbound = Rules(isStrict: false, itemsMax: rules.itemsMax, isOrderBound: false)
        return Rebase.outcome(of: try parts.map { part throws(ModelError) in try step(part, rules: unbound) })
    }

    private mutating func step(_ operation: Operation, rules: Rules) throws(ModelError) -> Rebase.Resolution {
        guard let resolution = rebase?.resolve(operation, on: state) else {
            try state.apply(operation, rules: rules, into: &log)
            return Rebase.Resolution([operation])
        }
        for resolved in resolution.operations { try state.apply(resolved, rules: rules, into: &log) }
        return resolution
    }
}
