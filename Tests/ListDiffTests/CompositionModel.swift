import ListModel
import TestSupport

@testable import ListDiff

/// The rows of a view in their simplest form. It is the oracle for the meaning of steps.
struct RowModel: Equatable {
    var sections: [SectionHandle: [ItemHandle]] = [:]

    var handles: [SectionHandle] { sections.keys.sorted { $0.index < $1.index } }

    /// The place of each row.
    var places: [ItemHandle: RowPlace] {
        var places: [ItemHandle: RowPlace] = [:]
        for (section, rows) in sections {
            for (index, row) in rows.enumerated() { places[row] = RowPlace(section: section, index: index) }
        }
        return places
    }

    subscript(_ place: RowPlace) -> ItemHandle? {
        guard let rows = sections[place.section], rows.indices.contains(place.index) else { return nil }
        return rows[place.index]
    }

    /// Carries out a step.
    ///
    /// - Returns: The rows that the step's operation placed.
    mutating func apply(_ step: Step) -> [ItemHandle] {
        switch step {
        case .insertSection(let section):
            sections[section] = []
        case .deleteSection(let section):
            sections[section] = nil
        case .insertRows(let rows, let section, let index, let isPlaced):
            sections[section]?.insert(contentsOf: rows, at: index)
            return isPlaced ? rows : []
        case .deleteRows(let rows, let section, let index):
            sections[section]?.removeSubrange(index..<(index + rows.count))
        case .moveRows(let count, let section, let index, let target, let targetIndex):
            let rows = Array(sections[section]?[index..<(index + count)] ?? [])
            sections[section]?.removeSubrange(index..<(index + count))
            sections[target]?.insert(contentsOf: rows, at: targetIndex)
            return rows
        case .placeHiddenRows(let rows):
            return rows
        case .arrangeRows(let arrangements):
            for arrangement in arrangements { sections[arrangement.section] = arrangement.new }
        }
        return []
    }
}

/// Steps, with the rows before and after each of them.
struct RowHistory {
    private(set) var states: [RowModel]
    private(set) var steps: [Step] = []
    /// For each step, the rows that its operation placed.
    private(set) var placed: [[ItemHandle]] = []

    init(_ first: RowModel) { states = [first] }

    var last: RowModel { states[states.endIndex - 1] }

    mutating func append(_ step: Step) {
        var next = last
        placed.append(next.apply(step))
        steps.append(step)
        states.append(next)
    }

    /// The changes that the composition of some steps gives.
    func changes(_ range: Range<Int>) -> RowChanges? {
        var composition = Composition()
        for step in steps[range] { composition.append(step) }
        return changes(composition, range)
    }

    func changes(_ composition: Composition, _ range: Range<Int>) -> RowChanges? {
        let old = states[range.lowerBound].sections
        let new = states[range.upperBound].sections
        return composition.changes { old[$0] != nil && new[$0] != nil }
    }

    /// The changes that the composition of these steps must give.
    func difference(_ range: Range<Int>) -> RowChanges {
        RowChanges(
            from: states[range.lowerBound], to: states[range.upperBound], touched: Set(placed[range].joined()))
    }

    /// The steps that undo these steps, the last one first.
    func inverse(of range: Range<Int>) -> [Step] {
        range.reversed().compactMap { index -> Step? in
            switch steps[index] {
            case .insertSection(let section): .deleteSection(section)
            case .deleteSection(let section): .insertSection(section)
            case .insertRows(let rows, let section, let at, _): .deleteRows(rows, section, at: at)
            case .deleteRows(let rows, let section, let at): .insertRows(rows, section, at: at, isPlaced: true)
            case .moveRows(let count, let section, let from, let target, let to):
                .moveRows(count: count, target, from: to, section, to: from)
            case .placeHiddenRows, .arrangeRows: nil
            }
        }
    }
}
