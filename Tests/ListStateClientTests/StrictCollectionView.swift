import Foundation
import ListStateClient

/// A collection view that refuses what UIKit refuses, and that keeps the cells which it shows.
///
/// It looks at its data source when UIKit does: at the counts before and after a batch, and at the rows whose cells it
/// makes. So a cell that nobody has reconfigured still shows what it showed before.
///
/// Source: the assertions of `UICollectionView`, and the advice of its documentation; for sections that move, the
/// experience of IGListKit (`IGListBatchUpdateData`).
@MainActor final class StrictCollectionView: BatchUpdatedView {
    struct Cell: Equatable {
        var id: String
        /// The kind of the cell, which only a reload changes.
        var kind: String
        var text: String
    }

    struct Section: Equatable {
        var header: String
        var cells: [Cell]
    }

    /// What the data source has now.
    private let source: () -> [Section]
    /// The number of rows in each section that the data source has now.
    private let counts: () -> [Int]
    private(set) var shown: [Section] = []
    /// Why UIKit would have ended the program; nil if it would not.
    private(set) var refusal: String?
    private(set) var batchCount = 0
    private(set) var reloadCount = 0
    private(set) var stillCount = 0
    private var batch: Batch?

    init(counts: @escaping () -> [Int], _ source: @escaping () -> [Section]) {
        (self.counts, self.source) = (counts, source)
    }

    private struct Batch {
        var deletedSections: [Int] = []
        var insertedSections: [Int] = []
        var movedSections: [(from: Int, to: Int)] = []
        var deletedItems: [IndexPath] = []
        var insertedItems: [IndexPath] = []
        var movedItems: [(from: IndexPath, to: IndexPath)] = []
        var reloadedSections: [Int] = []
        var reloadedItems: [IndexPath] = []
        var reconfiguredItems: [IndexPath] = []

        var hasMoves: Bool {
            !deletedSections.isEmpty || !insertedSections.isEmpty || !movedSections.isEmpty || !deletedItems.isEmpty
                || !insertedItems.isEmpty || !movedItems.isEmpty
        }
    }

    private struct Refused: Error { let reason: String }

    func reloadData() {
        shown = source()
        reloadCount += 1
    }

    func performUpdates(_ updates: @escaping () -> Void) {
        batchCount += 1
        do throws(Refused) {
            try require(batch == nil, "a batch within a batch")
            try require(counts() == shownCounts, "the data source has changed before the batch: \(counts())")
            batch = Batch()
            updates()
            let batch = self.batch.take() ?? Batch()
            try check(batch)
            shown = try applied(batch)
        } catch {
            refusal = refusal ?? error.reason
        }
    }

    func performWithoutAnimation(_ updates: () -> Void) {
        stillCount += 1
        updates()
    }

    func insertSections(_ sections: IndexSet) { note { $0.insertedSections += Array(sections) } }
    func deleteSections(_ sections: IndexSet) { note { $0.deletedSections += Array(sections) } }
    func moveSection(_ section: Int, toSection new: Int) { note { $0.movedSections.append((section, new)) } }
    func reloadSections(_ sections: IndexSet) { note { $0.reloadedSections += Array(sections) } }
    func insertItems(at paths: [IndexPath]) { note { $0.insertedItems += paths } }
    func deleteItems(at paths: [IndexPath]) { note { $0.deletedItems += paths } }
    func moveItem(at path: IndexPath, to new: IndexPath) { note { $0.movedItems.append((path, new)) } }
    func reconfigureItems(at paths: [IndexPath]) { note { $0.reconfiguredItems += paths } }
    func reloadItems(at paths: [IndexPath]) { note { $0.reloadedItems += paths } }

    private func note(_ change: (inout Batch) -> Void) {
        guard batch != nil else { return refusal = refusal ?? "a change outside of a batch" }
        change(&batch!)
    }

    private func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws(Refused) {
        guard holds else { throw Refused(reason: reason()) }
    }

    private var shownCounts: [Int] { shown.map(\.cells.count) }

    // MARK: - Checks

    private func check(_ batch: Batch) throws(Refused) {
        let (old, new) = (shownCounts, counts())
        let (leaving, coming) = (
            batch.deletedSections + batch.movedSections.map(\.from),
            batch.insertedSections + batch.movedSections.map(\.to)
        )
        try checkSections(leaving, old.count, "a section before")
        try checkSections(coming, new.count, "a section after")
        try require(
            new.count == old.count - batch.deletedSections.count + batch.insertedSections.count,
            "invalid number of sections: \(old.count) before, \(new.count) after")

        let (taken, put) = (
            batch.deletedItems + batch.movedItems.map(\.from), batch.insertedItems + batch.movedItems.map(\.to)
        )
        try check(taken, old, not: Set(leaving), "an item before")
        try check(put, new, not: Set(coming), "an item after")

        // Reloads and reconfigurations count in the rows before, and other changes would shift them.
        let contents = batch.reloadedItems + batch.reconfiguredItems
        try require(
            !batch.hasMoves || (contents.isEmpty && batch.reloadedSections.isEmpty), "moves and reloads in one batch")
        try checkSections(batch.reloadedSections, old.count, "a reloaded section")
        try check(contents, old, not: Set(batch.reloadedSections), "a reloaded or reconfigured item")
    }

    private func checkSections(_ sections: [Int], _ count: Int, _ name: String) throws(Refused) {
        try require(Set(sections).count == sections.count, "\(name) is named twice")
        try require(sections.allSatisfy { (0..<count).contains($0) }, "\(name) is out of range")
    }

    private func check(_ paths: [IndexPath], _ counts: [Int], not others: Set<Int>, _ name: String) throws(Refused) {
        try require(Set(paths).count == paths.count, "\(name) is named twice")
        try require(
            paths.allSatisfy { $0.count == 2 && counts.indices.contains($0[0]) && (0..<counts[$0[0]]).contains($0[1]) },
            "\(name) is out of range")
        try require(
            paths.allSatisfy { !others.contains($0[0]) }, "\(name) is in a section that changes as a whole")
    }

    // MARK: - Cells

    private func applied(_ batch: Batch) throws(Refused) -> [Section] {
        let now = source()
        var (left, moved): ([Section?], [IndexPath: Cell]) = (shown, [:])
        for (from, to) in batch.movedItems { moved[to] = shown[from[0]].cells[from[1]] }
        for path in (batch.deletedItems + batch.movedItems.map(\.from)).sorted(by: >) {
            left[path[0]]?.cells.remove(at: path[1])
        }
        var placed: [Int: Section] = [:]
        for (from, to) in batch.movedSections { placed[to] = left[from] }
        for index in batch.deletedSections + batch.movedSections.map(\.from) { left[index] = nil }
        for index in batch.insertedSections { placed[index] = now[index] }
        var others = left.compactMap { $0 }[...]
        var result: [Section] = []
        for index in now.indices {
            guard let section = placed[index] ?? others.popFirst() else {
                throw Refused(reason: "a section is missing")
            }
            result.append(section)
        }
        for path in (batch.insertedItems + batch.movedItems.map(\.to)).sorted() {
            try require(path[1] <= result[path[0]].cells.count, "an item after leaves a gap")
            result[path[0]].cells.insert(moved[path] ?? now[path[0]].cells[path[1]], at: path[1])
        }
        try require(
            result.map(\.cells.count) == counts(),
            "invalid number of items: \(result.map(\.cells.count)) by the batch, \(counts()) in the data source")

        for index in batch.reloadedSections { result[index] = now[index] }
        for path in batch.reloadedItems { result[path[0]].cells[path[1]] = now[path[0]].cells[path[1]] }
        for path in batch.reconfiguredItems {
            let (cell, new) = (result[path[0]].cells[path[1]], now[path[0]].cells[path[1]])
            try require(cell.kind == new.kind, "a cell cannot become one of another kind")
            result[path[0]].cells[path[1]] = new
        }
        let ids = result.flatMap { $0.cells.map(\.id) }
        try require(Set(ids).count == ids.count, "an item twice")
        return result
    }
}
