import ListModel

/// An undo under way: it puts back everything that nobody has overwritten.
///
/// An example: a section has the rows a b. A transaction adds x and moves b below x, written x{b}; its undo does this:
///
///     before the undo         a x{b}
///     1. b gets its place     a b x       behind a, its left sibling before
///     2. x is deleted         a b
///
/// Deletions come last: in the other order, x would have a child and could not be deleted. If others have put y below x
/// since, x keeps this child after the first step. Then x stays, a b x{y}, and the outcome says that x is in use.
///
/// Places come first, parents before their children and left siblings before right ones, because an item is put behind
/// its left sibling and below its parent. Values are restored in between.
struct Restoration {
    let undo: Undo
    let rules: Rules
    var report = UndoReport()

    /// - Parameter rules: The rules of the transaction. Only the limit of items binds an undo.
    init(_ undo: Undo, rules: Rules) {
        self.undo = undo
        var rules = rules
        (rules.isStrict, rules.isOrderBound) = (false, false)
        (rules.contentBytesMax, rules.sectionsMax) = (.max, .max)
        self.rules = rules
    }

    mutating func run(on state: inout ListState, _ log: inout TransactionLog) throws(ModelError) {
        try restoreProperties(&state, &log)
        try placeSections(&state, &log)
        try placeItems(&state, &log)
        try restoreSectionValues(&state, &log)
        try restoreItemValues(&state, &log)
        try deleteItems(&state, &log)
        try deleteSections(&state, &log)
    }

    mutating func apply(
        _ operation: Operation, _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        try state.apply(operation, rules: rules, into: &log)
        report.hasActed = true
    }

    var before: ListState { undo.before }
}

// MARK: - Properties of the list and its sections

extension Restoration {
    private mutating func restoreProperties(
        _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        let (old, new) = (before.properties, undo.after.properties)
        let changed = SectionMembers(from: old, to: new)
        if !changed.isDisjoint(with: undo.overwritten.list) { report.skip(.overwritten) }
        let left = changed.subtracting(undo.overwritten.list)
        guard !left.isEmpty else { return }
        var changes = ListChanges()
        if left.contains(.title) { changes.title = .set(old.title) }
        if left.contains(.layout) { changes.layout = .set(old.layout) }
        try apply(.updateList(changes), &state, &log)
    }

    private mutating func restoreSectionValues(
        _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        for section in sortedSections where before.isAlive(section) && undo.after.isAlive(section) {
            let old = before[section]
            let changed = SectionMembers(from: old, to: undo.after[section])
            guard !changed.isEmpty else { continue }
            guard state.isAlive(section) else {
                report.skip(old.id, .sectionDeleted)
                continue
            }
            let overwritten = undo.overwritten.sections[section] ?? []
            let left = overwritten.contains(.existence) ? [] : changed.subtracting(overwritten)
            if left != changed { report.skip(old.id, .overwritten) }
            guard !left.isEmpty else { continue }
            var changes = SectionChanges()
            if left.contains(.title) { changes.title = .set(old.title) }
            if left.contains(.layout) { changes.layout = .set(old.layout) }
            if left.contains(.header) { changes.header = .set(old.header) }
            if left.contains(.footer) { changes.footer = .set(old.footer) }
            if left.contains(.reorderable) { changes.isReorderable = .set(old.isReorderable) }
            try apply(.updateSection(old.id, changes), &state, &log)
        }
    }

    /// The written sections, in an order that does not depend on the process.
    private var sortedSections: [SectionHandle] { undo.written.sections.keys.sorted { $0.raw < $1.raw } }
}

// MARK: - Sections come, move and go

extension Restoration {
    private mutating func placeSections(
        _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        guard !undo.written.sections.isEmpty else { return }
        let order = before.sectionHandles
        for index in undo.written.sections.keys.compactMap({ before.index(of: $0) }).sorted() {
            let section = order[index]
            guard let members = undo.written.sections[section] else { continue }
            let id = before[section].id
            guard undo.after.isAlive(section) else {
                if undo.overwritten.contains(.existence, of: section) {
                    report.skip(id, state.isAlive(section) ? .overwritten : .sectionDeleted)
                } else {
                    let new = [NewSection(before[section])]
                    let anchor = anchor(in: order[..<index], on: state)
                    try apply(anchor.map { .insertSections(new, $0) } ?? .appendSections(new), &state, &log)
                }
                continue
            }
            guard !members.isDisjoint(with: [.place, .existence]) else { continue }
            guard state.isAlive(section) else {
                report.skip(id, .sectionDeleted)
                continue
            }
            guard !undo.overwritten.contains(.place, of: section) else {
                report.skip(id, .overwritten)
                continue
            }
            guard let anchor = anchor(in: order[..<index], on: state), anchor.section != id else { continue }
            try apply(.moveSection(id, anchor), &state, &log)
        }
    }

    /// The anchor is behind the nearest section to the left that is still there, else before the first section; nil if
    /// there is none.
    private mutating func anchor(in left: ArraySlice<SectionHandle>, on state: ListState) -> SectionAnchor? {
        if let near = left.last(where: state.isAlive) {
            if near != left.last { report.isAdjusted = true }
            return .after(before[near].id)
        }
        if !left.isEmpty { report.isAdjusted = true }
        return state.firstSection.map { .before(state[$0].id) }
    }

    private mutating func deleteSections(
        _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        for section in sortedSections where undo.after.isAlive(section) && !before.isAlive(section) {
            let id = undo.after[section].id
            if !state.isAlive(section) {
                report.skip(id, .sectionDeleted)
            } else if undo.overwritten.sections[section]?.isEmpty == false {
                report.skip(id, .overwritten)
            } else if state.rowCount(of: section) > 0 {
                report.skip(id, .inUse)
            } else {
                try apply(.deleteSections([id]), &state, &log)
            }
        }
    }
}
