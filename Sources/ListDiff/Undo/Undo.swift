public import ListModel

/// Takes one transaction back by identity, whatever others did since (docs/model.md section 11).
///
/// An example: a transaction moves d to the front and deletes b. Others then star a (`a*`) and move d to the end.
///
///     before the transaction   a b c d
///     after it                 d a c       written: the place of d, the existence of b
///     head                     a* c d      written by others: the star of a, the place of d
///     after the undo           a* b c d
///
/// Nobody else has written b, so it comes back behind a, its left sibling before. Others have written the place of d,
/// so d stays where they put it, and the outcome is partial: d was overwritten. The star of a is not touched, because
/// the transaction did not write it. A later transaction that was itself taken back does not count as written.
public struct Undo {
    let before: ListState
    let after: ListState
    /// The members that the transaction has written.
    let written: Writes
    /// The members that others have written since.
    let overwritten: Writes

    /// - Parameters:
    ///   - delta: The delta of the transaction.
    ///   - later: The deltas since then, oldest first.
    ///   - inverted: For each of `later`, the index in `later` of the delta that it took back; nil if it took none of
    ///     them back.
    ///   - head: The state after all of them.
    /// - Complexity: The cost of the edits of all deltas, however long the list is.
    public init(_ delta: Delta, later: ArraySlice<Delta>, inverted: [Int?], head: ListState) {
        var state = head
        var overwritten = Writes()
        // For each later delta, the writes that were taken back.
        var lost: [Int: Writes] = [:]
        for (index, delta) in later.enumerated().reversed() {
            var writes = Writes(unwinding: delta, from: &state)
            if let gone = lost.removeValue(forKey: index) { writes.subtract(gone) }
            if let inverted = inverted[index] {
                lost[inverted, default: Writes()].formUnion(writes)
            } else {
                overwritten.formUnion(writes)
            }
        }
        after = state
        written = Writes(unwinding: delta, from: &state)
        before = state
        self.overwritten = overwritten
    }

    /// Takes back all changes since a state, by everybody, so that nothing is overwritten and the head becomes that
    /// state. It takes back the net change alone.
    ///
    /// - Parameters:
    ///   - deltas: The deltas since that state, oldest first.
    ///   - head: The state after all of them.
    /// - Complexity: The cost of the edits of all deltas, however long the list is.
    public init(all deltas: ArraySlice<Delta>, head: ListState) {
        var state = head
        var written = Writes()
        for delta in deltas.reversed() { written.formUnion(Writes(unwinding: delta, from: &state)) }
        (after, before) = (head, state)
        (self.written, overwritten) = (written, Writes())
    }

    /// Carries the undo out on the head. If this throws, the caller must revert the state with `ListState.forget(_:)`,
    /// given `log.delta`.
    ///
    /// - Returns: `applied` if everything went back to its place. Otherwise one outcome for each reason why something
    ///   was skipped, and `adjusted` if something was put elsewhere.
    /// - Throws: The error for too many items. No other rule binds an undo.
    public func run(
        on state: inout ListState, rules: Rules, into log: inout TransactionLog
    ) throws(ModelError) -> [Outcome] {
        var restoration = Restoration(self, rules: rules)
        try restoration.run(on: &state, &log)
        return restoration.report.outcomes
    }
}

/// The report of an undo.
struct UndoReport {
    /// An id can come twice: the place of an item and its values are put back one after the other.
    private var items: [Outcome.Reason: OrderedIDs<ItemID>] = [:]
    private var sections: [Outcome.Reason: OrderedIDs<SectionID>] = [:]
    /// The reasons in the order in which they came up.
    private var reasons: [Outcome.Reason] = []
    /// Whether anything was put back.
    var hasActed = false
    /// Whether something was put back at another place than it had.
    var isAdjusted = false

    private mutating func note(_ reason: Outcome.Reason) {
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    mutating func skip(_ reason: Outcome.Reason) { note(reason) }

    mutating func skip(_ item: ItemID, _ reason: Outcome.Reason) {
        note(reason)
        items[reason, default: OrderedIDs()].insert(item)
    }

    mutating func skip(_ section: SectionID, _ reason: Outcome.Reason) {
        note(reason)
        sections[reason, default: OrderedIDs()].insert(section)
    }

    var outcomes: [Outcome] {
        guard hasActed else { return reasons.isEmpty ? [.applied] : reasons.map { .dropped($0) } }
        let skipped = reasons.map { reason in
            Outcome.partial(items[reason]?.ordered ?? [], sections: sections[reason]?.ordered ?? [], reason)
        }
        let placed: [Outcome] = isAdjusted ? [.adjusted(.anchorDeleted)] : []
        return skipped.isEmpty && placed.isEmpty ? [.applied] : placed + skipped
    }
}
