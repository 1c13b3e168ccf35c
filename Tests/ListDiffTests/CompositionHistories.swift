import ListModel
import TestSupport

@testable import ListDiff

/// The main kind of change in a random history.
enum HistoryBias: UInt64, CaseIterable {
    case everything, moves, swaps, comingAndGoing, hidingAndShowing, sections, runs, oneSection

    /// The kinds of changes and their weights.
    var weights: [(kind: RandomHistory.Kind, weight: Int)] {
        switch self {
        case .everything: RandomHistory.Kind.allCases.map { ($0, 1) }
        case .moves, .oneSection: [(.move, 18), (.insert, 1), (.delete, 1)]
        case .swaps: [(.swap, 9), (.move, 1)]
        case .comingAndGoing: [(.insert, 4), (.bringBack, 3), (.delete, 6), (.move, 2)]
        case .hidingAndShowing: [(.hide, 6), (.show, 6), (.placeHidden, 2), (.move, 2), (.delete, 1)]
        case .sections: [(.insertSection, 3), (.deleteSection, 3), (.move, 6), (.bringBack, 2), (.insert, 1)]
        case .runs: [(.moveRun, 6), (.deleteRun, 2), (.bringBack, 2), (.insert, 1)]
        }
    }

    var sectionCount: Int { self == .oneSection || self == .swaps ? 1 : 4 }
}

/// Makes possible steps, one change after the other.
struct RandomHistory {
    enum Kind: CaseIterable {
        case insert, delete, deleteRun, hide, show, bringBack, placeHidden
        case move, swap, moveRun, insertSection, deleteSection
    }

    private(set) var history: RowHistory
    private var random: SeededGenerator
    private let kinds: [Kind]
    /// Rows that are gone. Rows that went together are neighbours here.
    private var gone: [ItemHandle] = []
    private var rowCount: Int
    private var sectionCount: Int

    init(_ bias: HistoryBias, rowCount: Int, changes: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed &* 8 &+ bias.rawValue)
        kinds = bias.weights.flatMap { Array(repeating: $0.kind, count: $0.weight) }
        var first = RowModel()
        let sections = (0..<bias.sectionCount).map { SectionHandle($0 * 3 + 2) }
        for section in sections { first.sections[section] = [] }
        for row in 0..<rowCount { first.sections[random.pick(sections)]?.append(ItemHandle(row)) }
        history = RowHistory(first)
        self.rowCount = rowCount
        sectionCount = 3 * bias.sectionCount
        for _ in 0..<changes { change(random.pick(kinds)) }
    }

    private mutating func change(_ kind: Kind) {
        switch kind {
        case .insert: insert((0...random.below(3)).map { _ in newRow() }, isPlaced: true)
        case .delete: if let run = run(ofMost: 1) { delete(run) }
        case .deleteRun, .hide: if let run = run(ofMost: 9) { delete(run) }
        case .show: insert(takeGone(), isPlaced: false)
        case .bringBack: insert(takeGone() + (random.once(in: 3) ? [newRow()] : []), isPlaced: true)
        case .placeHidden: if !gone.isEmpty { history.append(.placeHiddenRows([random.pick(gone)])) }
        case .move: if let run = run(ofMost: 1) { move(run) }
        case .moveRun: if let run = run(ofMost: 9) { move(run) }
        case .swap: swap()
        case .insertSection: insertSection()
        case .deleteSection: deleteSection()
        }
    }

    // MARK: Rows

    private mutating func newRow() -> ItemHandle {
        rowCount += 1
        return ItemHandle(rowCount - 1)
    }

    /// Some rows that went together, mostly in their old order.
    private mutating func takeGone() -> [ItemHandle] {
        guard !gone.isEmpty else { return [] }
        let start = random.below(gone.count)
        let range = start..<min(gone.count, start + 1 + random.below(6))
        var rows = Array(gone[range])
        gone.removeSubrange(range)
        if random.once(in: 4) { rows.shuffle(using: &random) }
        return rows
    }

    private typealias Run = (section: SectionHandle, rows: Range<Int>)

    private mutating func run(ofMost count: Int) -> Run? {
        let sections = history.last.handles.filter { history.last.sections[$0]?.isEmpty == false }
        guard !sections.isEmpty else { return nil }
        let section = random.pick(sections)
        let rows = history.last.sections[section] ?? []
        let start = random.below(rows.count)
        return (section, start..<min(rows.count, start + 1 + random.below(count)))
    }

    private mutating func insert(_ rows: [ItemHandle], isPlaced: Bool) {
        guard !rows.isEmpty, !history.last.handles.isEmpty else { return gone += rows }
        let section = random.pick(history.last.handles)
        let count = history.last.sections[section]?.count ?? 0
        history.append(.insertRows(rows, section, at: random.below(count + 1), isPlaced: isPlaced))
    }

    private mutating func delete(_ run: Run) {
        let rows = Array(history.last.sections[run.section]?[run.rows] ?? [])
        gone += rows
        history.append(.deleteRows(rows, run.section, at: run.rows.lowerBound))
    }

    private mutating func move(_ run: Run) {
        let target = random.pick(history.last.handles)
        let count = history.last.sections[target]?.count ?? 0
        let room = target == run.section ? count - run.rows.count : count
        history.append(
            .moveRows(
                count: run.rows.count, run.section, from: run.rows.lowerBound, target, to: random.below(room + 1)))
    }

    private mutating func swap() {
        guard let run = run(ofMost: 1), run.rows.lowerBound > 0 else { return }
        let index = run.rows.lowerBound
        if random.once(in: 2) {
            history.append(.moveRows(count: 1, run.section, from: index, run.section, to: index - 1))
        } else {
            history.append(.moveRows(count: 1, run.section, from: index - 1, run.section, to: index))
        }
    }

    // MARK: Sections

    /// Inserts a new section, or one that is gone.
    private mutating func insertSection() {
        let section = SectionHandle(random.below(sectionCount))
        if history.last.sections[section] == nil { history.append(.insertSection(section)) }
    }

    private mutating func deleteSection() {
        guard history.last.handles.count > 1 else { return }
        let section = random.pick(history.last.handles)
        let count = history.last.sections[section]?.count ?? 0
        if count > 0 {
            if random.once(in: 2) { delete((section, 0..<count)) } else { moveAll(count, of: section) }
        }
        history.append(.deleteSection(section))
        if random.once(in: 3) { history.append(.insertSection(section)) }
    }

    private mutating func moveAll(_ count: Int, of section: SectionHandle) {
        let target = random.pick(history.last.handles.filter { $0 != section })
        let room = history.last.sections[target]?.count ?? 0
        history.append(.moveRows(count: count, section, from: 0, target, to: random.below(room + 1)))
    }
}
