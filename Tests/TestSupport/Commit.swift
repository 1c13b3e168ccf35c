@testable public import ListModel

extension Rules {
    /// Forgives everything and has no limit that a test reaches.
    public static let lenient = Rules(
        isStrict: false, itemsMax: 10_000_000, sectionsMax: 10_000_000, contentBytesMax: 65_536)
    /// As `lenient`, but refuses what it would warn of.
    public static let strict = Rules(
        isStrict: true, itemsMax: 10_000_000, sectionsMax: 10_000_000, contentBytesMax: 65_536)
}

extension ListState {
    /// Applies operations as one transaction whose delta history keeps.
    ///
    /// - Throws: Why one of them was refused; the list is unchanged then.
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
    /// - Returns: What leads back over all of them.
    public mutating func commit(oneByOne operations: [Operation]) throws(ModelError) -> Delta {
        var deltas: [Delta] = []
        for operation in operations { deltas.append(try commit(operation)) }
        return Delta(spanning: deltas)
    }
}

extension Delta {
    /// What leads back over consecutive transactions, whose deltas come oldest first.
    public init(spanning deltas: some Sequence<Delta>) {
        self.init()
        for delta in deltas { append(delta) }
    }

    /// Adds what happened after this span.
    public mutating func append(_ newer: Delta) {
        if visibleSteps != nil || newer.visibleSteps != nil {
            visibleSteps = (visibleSteps ?? steps) + (newer.visibleSteps ?? newer.steps)
        }
        steps += newer.steps
        inverse += newer.inverse
        past.append(newer.past)
        itemDeaths += newer.itemDeaths
        sectionDeaths += newer.sectionDeaths
        internedItems += newer.internedItems
        internedSections += newer.internedSections
    }
}
