import ClientState
public import Foundation
public import ListDiff
public import ListModel

extension LiveList {
    /// Gives the shown rows of a section another order, as a diffable data source tells it after a drag.
    ///
    /// - Throws: The reason why the rows cannot have that order.
    @discardableResult
    public func reorder(
        _ difference: CollectionDifference<ItemID>, in section: SectionID
    ) throws(ReorderError) -> SentEdit {
        try reorder([(section, difference)])
    }

    /// Gives the shown rows of sections another order. A row that one section loses and another gets moves there.
    ///
    /// - Throws: The reason why the rows cannot have that order.
    @discardableResult
    public func reorder(
        _ differences: [(section: SectionID, difference: CollectionDifference<ItemID>)]
    ) throws(ReorderError) -> SentEdit {
        let sections = differences.map { section, difference in
            Reorder.SectionOrder(
                section,
                .difference(
                    insertions: difference.insertions.map { Reorder.Change($0) },
                    removals: difference.removals.map { Reorder.Change($0) }))
        }
        return send(try core.local.moves(for: sections), label: nil, isAnimated: true)
    }

    /// Moves shown rows of a section, as `onMove` of SwiftUI tells it.
    ///
    /// - Parameters:
    ///   - offsets: The indexes of the rows.
    ///   - target: The index, among the rows before the move, of the row before which they go.
    ///   - section: A section of the list.
    @discardableResult
    public func move(_ offsets: IndexSet, to target: Int, in section: LiveSection) -> SentEdit {
        let first = target - offsets.count(in: 0..<target)
        let changes = offsets.enumerated().flatMap { rank, offset in
            let item = section.items[offset]
            return [
                CollectionDifference<ItemID>.Change.remove(offset: offset, element: item, associatedWith: first + rank),
                .insert(offset: first + rank, element: item, associatedWith: offset),
            ]
        }
        return reorder(shown: CollectionDifference(changes).map { [(section.id, $0)] } ?? [])
    }

    /// Gives rows the order that they have in a view already. If they cannot have it, the view gets the old one back.
    @discardableResult
    func reorder(
        shown differences: [(section: SectionID, difference: CollectionDifference<ItemID>)]
    ) -> SentEdit {
        do throws(ReorderError) { return try reorder(differences) } catch {
            for bound in views { bound.show(nil) {} }
            return SentEdit(.refused(ServerProblem(.notReorderable, "The rows cannot have that order.")))
        }
    }
}

extension Reorder.Change {
    fileprivate init(_ change: CollectionDifference<ItemID>.Change) {
        switch change {
        case .insert(let offset, let element, let associated), .remove(let offset, let element, let associated):
            self.init(offset: offset, element: element, associatedOffset: associated)
        }
    }
}
