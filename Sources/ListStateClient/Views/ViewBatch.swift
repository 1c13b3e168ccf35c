import Foundation
import ListDiff

/// A change set in the form in which a collection view takes it: first a batch of what comes, goes and moves, and then
/// a second one of what looks different.
///
/// UIKit refuses to move and to reload one item in one batch, so contents come second. It also loses track of a section
/// that moves while its rows change: such a section is deleted and inserted instead. An example: section `b` moves to
/// the front, and gets the row `x` from section `a`.
///
///     old     new      change set                       batch
///     a: x    b: y x   section b from 1 to 0            section 1 deleted, section 0 inserted
///     b: y    a:       item x from (0, 0) to (0, 1)     item (0, 0) deleted; x comes with its section
struct ViewBatch {
    private(set) var deletedSections: IndexSet
    private(set) var insertedSections: IndexSet
    private(set) var movedSections: [(from: Int, to: Int)] = []
    private(set) var deletedItems: [IndexPath]
    private(set) var insertedItems: [IndexPath]
    private(set) var movedItems: [(from: IndexPath, to: IndexPath)] = []

    /// The indexes of all that follows are those after the batch.
    private(set) var reloadedSections: IndexSet
    private(set) var reconfiguredItems: [IndexPath]
    private(set) var reloadedItems: [IndexPath]

    /// - Complexity: That of the change set.
    init(_ changes: ChangeSet) {
        let (sections, items) = (changes.sections, changes.items)
        deletedSections = IndexSet(sections.deleted.map(\.index))
        insertedSections = IndexSet(sections.inserted.map(\.index))
        let touched = (
            old: Set(items.deleted.map(\.path.section) + items.moved.map(\.from.section)),
            new: Set(items.inserted.map(\.path.section) + items.moved.map(\.to.section))
        )
        var remade = (old: Set<Int>(), new: Set<Int>())
        for move in sections.moved {
            if touched.old.contains(move.from) || touched.new.contains(move.to) {
                remade.old.insert(move.from)
                remade.new.insert(move.to)
            } else {
                movedSections.append((move.from, move.to))
            }
        }
        deletedSections.formUnion(IndexSet(remade.old))
        insertedSections.formUnion(IndexSet(remade.new))

        func stays(_ path: RowPath, in remade: Set<Int>) -> Bool { !remade.contains(path.section) }
        deletedItems = items.deleted.map(\.path).filter { stays($0, in: remade.old) }.map(IndexPath.init)
        insertedItems = items.inserted.map(\.path).filter { stays($0, in: remade.new) }.map(IndexPath.init)
        for move in items.moved {
            switch (stays(move.from, in: remade.old), stays(move.to, in: remade.new)) {
            case (true, true): movedItems.append((IndexPath(move.from), IndexPath(move.to)))
            case (true, false): deletedItems.append(IndexPath(move.from))
            case (false, true): insertedItems.append(IndexPath(move.to))
            case (false, false): break
            }
        }

        // A header is no row, so a section whose header may have changed is shown anew as a whole.
        let shownAnew = (sections.reloaded.map(\.index) + sections.reconfigured.map(\.index))
            .filter { !remade.new.contains($0) }
        reloadedSections = IndexSet(shownAnew)
        let fresh = remade.new.union(shownAnew)
        reconfiguredItems = items.reconfigured.map(\.path).filter { stays($0, in: fresh) }.map(IndexPath.init)
        reloadedItems = items.reloaded.map(\.path).filter { stays($0, in: fresh) }.map(IndexPath.init)
    }

    private var hasMoves: Bool {
        !deletedSections.isEmpty || !insertedSections.isEmpty || !movedSections.isEmpty || !deletedItems.isEmpty
            || !insertedItems.isEmpty || !movedItems.isEmpty
    }

    private var hasContents: Bool {
        !reloadedSections.isEmpty || !reconfiguredItems.isEmpty || !reloadedItems.isEmpty
    }

    /// Lets a view show the changes.
    ///
    /// - Parameter change: Changes the rows that the view reads. It is called once, within the first batch.
    @MainActor func perform(on view: some BatchUpdatedView, _ change: @escaping () -> Void) {
        if hasMoves {
            view.performUpdates {
                change()
                self.performMoves(on: view)
            }
        } else {
            change()
        }
        guard hasContents else { return }
        view.performUpdates { self.performContents(on: view) }
    }

    @MainActor private func performMoves(on view: some BatchUpdatedView) {
        if !deletedItems.isEmpty { view.deleteItems(at: deletedItems) }
        if !deletedSections.isEmpty { view.deleteSections(deletedSections) }
        if !insertedSections.isEmpty { view.insertSections(insertedSections) }
        for (from, to) in movedSections { view.moveSection(from, toSection: to) }
        if !insertedItems.isEmpty { view.insertItems(at: insertedItems) }
        for (from, to) in movedItems { view.moveItem(at: from, to: to) }
    }

    @MainActor private func performContents(on view: some BatchUpdatedView) {
        if !reloadedSections.isEmpty { view.reloadSections(reloadedSections) }
        if !reloadedItems.isEmpty { view.reloadItems(at: reloadedItems) }
        if !reconfiguredItems.isEmpty { view.reconfigureItems(at: reconfiguredItems) }
    }
}

extension IndexPath {
    init(_ path: RowPath) { self.init(indexes: [path.section, path.index]) }
}
