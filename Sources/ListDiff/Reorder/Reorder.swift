public import ListModel

/// A wish for another order of rows, in either form that a diffable data source hands out after a drag
/// (`NSDiffableDataSourceTransaction`; docs/contract.md section 6).
///
/// An example: a section has the rows a b c d, and a user drags b behind c. The two forms of the wish, and the
/// operation that each becomes, are:
///
///     difference   remove b at 1, insert b at 2   move b behind c
///     final        a c b d                        move c behind a
///
/// Both give a c b d with one move. The difference names the row that was dragged. The final order does not: b and c
/// could each be the one that moved, and of two equally good rows the earlier one stays. If others have put x behind b
/// since, the operation of the difference gives a x c b d, because it names ids and not indexes.
public struct Reorder: Sendable, Equatable {
    /// One entry of a `CollectionDifference`.
    public struct Change: Sendable, Equatable {
        /// In a removal an index among the rows before, in an insertion among the rows after.
        public var offset: Int
        public var element: ItemID
        /// The offset of the change that is the other half of a move.
        public var associatedOffset: Int?

        public init(offset: Int, element: ItemID, associatedOffset: Int? = nil) {
            self.offset = offset
            self.element = element
            self.associatedOffset = associatedOffset
        }
    }

    /// What a section's rows are to become.
    public enum Wanted: Sendable, Equatable {
        /// Relative to the rows that the section had at the base.
        case difference(insertions: [Change], removals: [Change])
        case final([ItemID])
    }

    /// A section of the request.
    public struct SectionOrder: Sendable, Equatable {
        public var section: SectionID
        public var wanted: Wanted

        public init(_ section: SectionID, _ wanted: Wanted) {
            self.section = section
            self.wanted = wanted
        }
    }

    /// Which rows offsets and orders count. Hidden rows that are not counted travel with their parent.
    public var view: View
    public var sections: [SectionOrder]

    public init(view: View, sections: [SectionOrder]) {
        self.view = view
        self.sections = sections
    }
}

/// The moves that carry out a reorder, by identity.
public struct ReorderPlan: Sendable, Equatable {
    /// The moves into or within one section.
    public struct Group: Sendable, Equatable {
        public var section: SectionID
        public var operations: [Operation]

        public init(section: SectionID, operations: [Operation]) {
            self.section = section
            self.operations = operations
        }
    }

    /// In the order of the request.
    public var groups: [Group]
    public var warnings: [Warning]

    public init(groups: [Group], warnings: [Warning]) {
        self.groups = groups
        self.warnings = warnings
    }
}

extension Reorder {
    /// Translates the wish into moves of items, as few as give the order.
    ///
    /// Applied to `base` one after another, group after group, they give exactly the wanted order, save that
    /// children which the client left behind follow their parent. Rows that the list got after the base are moved
    /// by the last operations of their group, which hold for `head` only. Anchors are left siblings in the wanted
    /// order that `head` still has in their place, so that the moves can be resolved against it by `Rebase`.
    ///
    /// - Parameters:
    ///   - base: The state that the client saw.
    ///   - head: The state now; it explains rows that a final order names too many or too few.
    ///   - isBased: Whether the client named a base. Without one, final orders are taken leniently.
    /// - Throws: Why the wish cannot be carried out. Whether policy allows the moves is not looked at.
    /// - Complexity: O(*n* log *n*), *n* = items of the sections concerned; for one row that was dragged from root to
    ///   root, what it costs to find a row.
    public func operations(
        base: ListState, head: ListState, isBased: Bool
    ) throws(ReorderError) -> ReorderPlan {
        if let move = SingleMove(self, base: base)?.operation(head: isBased ? head : nil) {
            return ReorderPlan(
                groups: [ReorderPlan.Group(section: sections[0].section, operations: [move])], warnings: [])
        }
        return try wholeOrders(base: base, head: head, isBased: isBased)
    }

    /// What `operations(base:head:isBased:)` gives, found by looking at every row.
    func wholeOrders(base: ListState, head: ListState, isBased: Bool) throws(ReorderError) -> ReorderPlan {
        let wanted = try WantedOrder(self, base: base, head: isBased ? head : nil)
        let forest = try WantedForest(wanted, base: base)
        let moves = ReorderMoves(wanted, forest, base: base, head: isBased ? head : nil)
        let groups = wanted.sections.indices.map {
            ReorderPlan.Group(section: wanted.sections[$0].id, operations: moves.operations(section: $0))
        }
        return ReorderPlan(groups: groups, warnings: wanted.warnings)
    }
}
