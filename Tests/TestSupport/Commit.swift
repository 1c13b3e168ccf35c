@testable public import ListModel

extension Rules {
    /// Rules that refuse nothing which can be adjusted, with limits that no test reaches.
    public static let lenient = Rules(
        isStrict: false, itemsMax: 10_000_000, sectionsMax: 10_000_000, contentBytesMax: 65_536)
    /// As `lenient`, but operations with warnings are refused.
    public static let strict = Rules(
        isStrict: true, itemsMax: 10_000_000, sectionsMax: 10_000_000, contentBytesMax: 65_536)
}

extension ListState {
    /// Applies operations as one transaction, whose delta history would keep.
    ///
    /// - Throws: The error of the operation that was refused. The list is then unchanged.
    @discardableResult
    public mutating func commit(_ operations: [Operation], rules: Rules = .lenient) throws(ModelError) -> Delta {
        var log = TransactionLog()
        do {
            for operation in operations { try apply(operation, rules: rules, into: &log) }
            settle(&log)
        } catch {
            forget(log.delta)
            throw error
        }
        retain(log.delta)
        return log.delta
    }

    @discardableResult
    public mutating func commit(_ operation: Operation) throws(ModelError) -> Delta {
        try commit([operation])
    }

    /// Applies each operation as a transaction of its own.
    ///
    /// - Returns: The delta that leads back over all of them.
    public mutating func commit(oneByOne operations: [Operation]) throws(ModelError) -> Delta {
        var deltas: [Delta] = []
        for operation in operations { deltas.append(try commit(operation)) }
        return Delta(spanning: deltas)
    }

    /// The state before `delta`, which must end at this state.
    public func reverted(_ delta: Delta) -> ListState { reverted([delta]) }
}

extension Delta {
    /// The delta that leads back over several transactions in a row. Their deltas come in order, the oldest first.
    public init(spanning deltas: some Sequence<Delta>) {
        self.init()
        for delta in deltas { append(delta) }
    }

    /// Adds the delta of a later transaction.
    public mutating func append(_ newer: Delta) {
        if visibleSteps != nil || newer.visibleSteps != nil {
            visibleSteps = (visibleSteps ?? steps) + (newer.visibleSteps ?? newer.steps)
        }
        steps += newer.steps
        for edit in newer.inverse { noteInverse(edit) }
        past.append(newer.past)
        itemDeaths += newer.itemDeaths
        sectionDeaths += newer.sectionDeaths
        internedItems += newer.internedItems
        internedSections += newer.internedSections
    }
}

extension Version {
    /// The version after this one.
    public var next: Version { Version(epoch: epoch, revision: revision + 1) }
}
