import TestSupport
import Testing

@testable import ListModel

/// Edits that no operation makes. A log that somebody has changed may hold any edit.
@Suite struct EditFitProperties {
    /// An edit that fits leaves a valid state, and can be taken back.
    @Test("what fits can be carried out and taken back")
    func whatFitsIsSound() throws {
        var forms: Set<String> = []
        for seed in UInt64(1)...12 { try forms.formUnion(formsOfSoundEdits(seed: seed)) }
        #expect(forms.count == 15, "\(forms)")
    }

    /// Carries out random edits, and returns the forms of those that fitted.
    private func formsOfSoundEdits(seed: UInt64) throws -> Set<String> {
        var edits = RandomEdits(seed: seed)
        var state = edits.state()
        var forms: Set<String> = []
        for step in 0..<400 {
            let edit = edits.edit(on: state)
            guard state.fits(edit) else { continue }
            forms.insert(String("\(edit)".prefix { $0 != "(" }))
            let before = ListImage(state)
            var delta = Delta()
            state.perform(edit, recording: &delta)
            try #require(ListImage(state).flaw == nil, "seed \(seed), step \(step): \(edit)")
            try requireInvariants(state)
            guard edits.random.once(in: 3) else {
                state.retain(delta)
                continue
            }
            state.forget(delta)
            let isSame = ListImage(state) == before
            try #require(isSame, "seed \(seed), step \(step): \(edit)")
            try requireInvariants(state)
        }
        return forms
    }

    @Test("an inserted section has an id of its own")
    func sectionIDs() throws {
        var state = ListState(ListProperties(title: "Two"))
        var delta = Delta()
        state.perform(.insertSection(SectionProperties(id: "A"), at: 0), recording: &delta)
        state.perform(.insertSection(SectionProperties(id: "B"), at: 1), recording: &delta)
        #expect(state.fits(.insertSection(SectionProperties(id: "C"), at: 2)))
        #expect(!state.fits(.insertSection(SectionProperties(id: "C"), at: 3)))
        #expect(!state.fits(.insertSection(SectionProperties(id: "B"), at: 0)))
    }
}

/// Random edits of all forms. About half of them fit.
private struct RandomEdits {
    var random: SeededGenerator
    private static let items = (0..<14).map { ItemID(unchecked: "i\($0)") }
    private static let sections = (0..<4).map { SectionID(unchecked: "s\($0)") }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Some sections with a tree in the first one.
    mutating func state() -> ListState {
        var state = ListState(ListProperties(title: "Random"))
        var delta = Delta()
        for (index, id) in Self.sections.dropLast().enumerated() {
            state.perform(.insertSection(SectionProperties(id: id), at: index), recording: &delta)
        }
        let rows = Self.items.prefix(10).map { Edit.NewRow(Item(id: $0, isExpanded: random.once(in: 2))) }
        let tree = zip(rows, [0, 1, 2, 2, 1, 0, 0, 1, 2, 3]).map { row, depth in Edit.NewRow(row.item, depth: depth) }
        state.perform(.insertItems(tree, section: 0, at: 0, parent: nil), recording: &delta)
        return state
    }

    private mutating func index(_ count: Int) -> Int {
        random.once(in: 20) ? random.below(1 << 40) : random.below(count)
    }

    /// A run of rows: in half of the cases a subtree, otherwise any.
    private mutating func run(_ state: ListState) -> (section: Int, rows: Range<Int>) {
        if random.once(in: 2), let root = state.handle(of: item()), let index = state.index(of: root) {
            let section = state.section(of: root).flatMap { state.index(of: $0) } ?? 0
            return (section, index..<index + 1 + state.descendantCount(of: root))
        }
        let start = index(5)
        return (index(state.sectionCount + 1), start..<start + index(4))
    }

    /// A place for rows: in half of the cases among the children of an item, otherwise any.
    private mutating func gap(_ state: ListState) -> (section: Int, index: Int, parent: ItemID?) {
        if random.once(in: 2), let parent = state.handle(of: item()), let index = state.index(of: parent) {
            let section = state.section(of: parent).flatMap { state.index(of: $0) } ?? 0
            return (section, index + 1 + random.below(state.descendantCount(of: parent) + 1), state[parent].id)
        }
        return (index(state.sectionCount + 1), index(5), parent())
    }

    private mutating func item() -> ItemID { random.pick(Self.items) }
    private mutating func parent() -> ItemID? { random.once(in: 2) ? nil : item() }

    private mutating func section() -> SectionProperties {
        SectionProperties(id: random.pick(Self.sections), title: random.once(in: 2) ? "Title" : nil)
    }

    private mutating func value() -> Item { Item(id: item(), isExpanded: random.once(in: 2)) }

    private mutating func rows() -> [Edit.NewRow] {
        (0..<random.below(4)).map { _ in Edit.NewRow(value(), depth: random.below(3)) }
    }

    /// The rows of sections in another order, mostly of all sections.
    private mutating func arrangements(_ state: ListState) -> [Edit.Arrangement] {
        let sections = state.sectionHandles.indices.filter { _ in !random.once(in: 3) }
        var pool = sections.flatMap { index in state.rows(of: state.sectionHandles[index]).map { state[$0].id } }
        pool.shuffle(using: &random)
        return sections.map { section in
            let count = section == sections.last ? pool.count : random.below(pool.count + 1)
            defer { pool.removeFirst(count) }
            var level = 0
            let rows = pool.prefix(count).enumerated().map { offset, item in
                level = offset == 0 ? 0 : random.below(level + 2)
                return (item: item, level: random.once(in: 50) ? level + 1 : level)
            }
            return Edit.Arrangement(section: section, rows: rows)
        }
    }

    /// The rows of a run in another order, which is mostly a valid tree.
    private mutating func arrangement(_ section: Int, _ rows: Range<Int>, _ state: ListState) -> Edit.Arrangement {
        let handles = state.sectionHandles
        guard handles.indices.contains(section), rows.upperBound <= state.rowCount(of: handles[section]) else {
            return Edit.Arrangement(section: section, rows: [(item(), 0)])
        }
        let items = state.rows(rows, of: handles[section]).map { state[$0].id }.shuffled(using: &random)
        var level = 0
        let wanted = items.enumerated().map { offset, item in
            level = offset == 0 ? 0 : random.below(level + 2)
            return (item: item, level: random.once(in: 50) ? level + 1 : level)
        }
        return Edit.Arrangement(section: section, rows: wanted)
    }

    private mutating func change() -> Edit {
        let new = value()
        return .changeItem(new.id, ItemChanges(whole: new))
    }

    mutating func edit(on state: ListState) -> Edit {
        let sections = state.sectionCount + 1
        switch random.below(26) {
        case 0: return .changeList(ListChanges(whole: ListProperties(title: "Title")))
        case 1: return .insertSection(section(), at: index(sections))
        case 2: return random.once(in: 20) ? .deleteSection(at: index(sections)) : .reloadSection(at: index(sections))
        case 3: return .moveSection(from: index(sections), to: index(sections))
        case 4: return .changeSection(at: index(sections), SectionChanges(whole: section()))
        case 5: return change()
        case 6: return .reconfigureItem(item())
        case 7: return .reloadItem(item())
        case 8: return .arrange(arrangements(state))
        case 9: return .arrangeSections(state.sectionHandles.map { state[$0].id }.shuffled(using: &random))
        case 10:
            let (section, rows) = run(state)
            // Long runs are rarely deleted, because otherwise nothing would be left soon.
            guard rows.count < 3 || random.once(in: 5) else { return change() }
            return .deleteItems(section: section, rows: rows)
        case 11...16:
            let (section, index, parent) = gap(state)
            return .insertItems(rows(), section: section, at: index, parent: parent)
        case 17...18:
            let (section, rows) = run(state)
            return .arrangeRun(arrangement(section, rows, state), at: rows.lowerBound)
        default:
            let (section, rows) = run(state)
            let (target, index, parent) = gap(state)
            return .moveItem(section: section, rows: rows, toSection: target, at: index, parent: parent)
        }
    }
}
