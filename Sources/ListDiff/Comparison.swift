public import ListModel

extension ChangeSet {
    /// The net difference between the state before `delta` and `state`, to which `delta` leads.
    ///
    /// Minimal: nothing that was inserted and deleted again, and of items and of sections the fewest moves. Among
    /// equally few, what no operation of the span placed stays, then what is earlier in the old order
    /// (CONTRACT.md section 5, rule 4).
    ///
    /// - Parameter view: Which rows count, in both states.
    /// - Complexity: O(*c*) for *c* changed contents of one section besides finding their indexes; for each section
    ///   whose rows changed, what `OrderDifference` takes. Other sections are not looked at.
    public init(undoing delta: borrowing Delta, to state: borrowing ListState, view: View) {
        if let changes = ChangeSet(fewContentsOf: delta, in: state, view: view) {
            self = changes
            return
        }
        var comparison = Comparison(past: copy delta, state: copy state, view: view)
        comparison.compareProperties()
        comparison.compareSections()
        comparison.compareRows()
        comparison.compareContent()
        self = comparison.changes
    }
}

/// A change set in the making, and what is known of the two states.
struct Comparison {
    /// What was overwritten since the old state.
    let past: Delta
    /// The new state.
    let state: ListState
    let view: View
    var changes = ChangeSet()
    /// The new rows of sections whose rows were compared.
    var comparedRows: [SectionHandle: [ItemHandle]] = [:]
    /// Whether the children of an ancestor were visible, where it was asked: each is looked at once, however deep.
    var showedChildren: [ItemHandle: Bool] = [:]
    private var oldSections: PositionFinder<SectionHandle>
    private var newSections: PositionFinder<SectionHandle>

    init(past: Delta, state: ListState, view: View) {
        self.past = past
        self.state = state
        self.view = view
        oldSections = PositionFinder((past.order ?? state.order)[...], capacity: state.sections.count)
        newSections = PositionFinder(state.order[...], capacity: state.sections.count)
    }

    /// The index of a section of the old state.
    mutating func oldIndex(of section: SectionHandle) -> Int {
        oldSections.position(of: section, near: 0) ?? 0
    }

    /// The index of a section of the new state.
    mutating func newIndex(of section: SectionHandle) -> Int {
        newSections.position(of: section, near: 0) ?? 0
    }

    /// Whether a section is in both states.
    func survives(_ section: SectionHandle) -> Bool {
        state.sections[section.index].isAlive && past.sections[section]?.isAlive != false
    }

    mutating func compareProperties() {
        guard let old = past.properties else { return }
        if old.title != state.properties.title { changes.properties.title = .set(state.properties.title) }
        if old.layout != state.properties.layout { changes.properties.layout = .set(state.properties.layout) }
    }
}
