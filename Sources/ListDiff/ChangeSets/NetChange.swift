public import ListModel

/// The net difference between an older state of a list and a newer one, in one view, made from the deltas of the
/// versions between them.
///
/// It can be kept and extended by later deltas, so that all clients that know the older state share the work.
public struct NetChange: Sendable {
    let view: View
    private(set) var past = Past()
    private var composition = Composition()
    /// The deltas of the span, oldest first. They are needed if the rows cannot be composed.
    private var deltas: [Delta] = []

    /// A span in which nothing happened yet.
    public init(view: View) { self.view = view }

    /// Adds the next delta.
    ///
    /// - Complexity: O(*c* log *s*), *c* = what `delta` changed, *s* = all steps.
    public mutating func append(_ delta: Delta) {
        if deltas.isEmpty { past = delta.past } else { past.append(delta.past) }
        deltas.append(delta)
        for step in delta.steps(in: view) { composition.append(step) }
    }

    /// The change set that leads from the state before the span to `state`, the one after it.
    ///
    /// The change set is minimal. It names nothing that was inserted and deleted again, and it has the fewest moves of
    /// items and of sections. If several sets of moves are equally few, the elements that no operation of the span
    /// placed stay, then the elements that were earlier in the old order (docs/contract.md section 5, rule 4).
    ///
    /// - Complexity: O(*s* log *s* + *c* log *n*), *s* = steps of the span, *c* = entries of the change set. Only if
    ///   whole orders were written, the sections are compared row by row, at the cost of their lengths.
    public func changes(to state: borrowing ListState) -> ChangeSet {
        var writer = ChangeSetWriter(past: past, of: WholeRows(copy state, view))
        writer.writeProperties()
        writer.writeSections()
        let rows = composition.cost > 0 ? rowChanges(writer.sections) : RowChanges()
        writer.write(rows)
        writer.writeContent(besides: rows.arrived)
        return writer.changes
    }

    private func rowChanges(_ sections: SectionSpan) -> RowChanges {
        composition.changes(survives: sections.survives)
            ?? RowChanges(comparing: sections, steps: deltas.flatMap { $0.steps(in: view) }, view: view)
    }
}

extension ChangeSet {
    /// The net difference between the state before `delta` and `state`, to which `delta` leads.
    ///
    /// - Parameter view: The view whose rows are compared, in both states.
    public init(undoing delta: Delta, to state: borrowing ListState, view: View) {
        self =
            delta.holdsOnlyValues
            ? ChangeSet(values: delta, in: state, view: view) : Self.net(delta, to: state, view: view)
    }

    private static func net(_ delta: Delta, to state: borrowing ListState, view: View) -> ChangeSet {
        var net = NetChange(view: view)
        net.append(delta)
        return net.changes(to: state)
    }
}

extension Delta {
    func steps(in view: View) -> [Step] {
        switch view {
        case .items: steps
        case .visible: visibleSteps ?? steps
        }
    }
}
