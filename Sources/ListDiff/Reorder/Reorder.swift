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
        /// The index of the row: in a removal among the rows before, in an insertion among the rows after.
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

    /// The wanted rows of a section.
    public enum Wanted: Sendable, Equatable {
        /// A difference from the rows that the section had at the base.
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

    /// The view whose rows offsets and orders count. Rows that the view does not show travel with their parents.
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

    /// The moves of each section, in the order of the request.
    public var groups: [Group]
    public var warnings: [Warning]

    public init(groups: [Group], warnings: [Warning]) {
        self.groups = groups
        self.warnings = warnings
    }
}

extension Reorder {
    /// Translates the wish into the fewest moves of items.
    ///
    /// Applied to `base` one after another, the moves give exactly the wanted order, except that children which the
    /// client left behind follow their parent. The last operations of a group move rows that the list got after the
    /// base; they hold for `head` only. Each anchor is a left sibling in the wanted order that `head` still has in its
    /// place, so that `Rebase` can resolve the moves against `head`.
    ///
    /// - Parameters:
    ///   - base: The state that the client saw.
    ///   - head: The state now. It explains rows that a final order has too many or too few.
    ///   - isBased: Whether the client named a base. Without one, unknown and missing rows of a final order are no
    ///     error.
    /// - Throws: The reason why the wish cannot be carried out. Whether `reorderable` allows the moves is not checked
    ///   here.
    /// - Complexity: O(*n* log *n*), *n* = items of the sections concerned; for one row that was dragged from root to
    ///   root, the cost of finding a row.
    public func operations(
        base: ListState, head: ListState, isBased: Bool
    ) throws(ReorderError) -> ReorderPlan {
        if let move = SingleMove(self, base: base)?.operation(head: isBased ? head : nil) {
            return ReorderPlan(
                groups: [ReorderPlan.Group(section: sections[0].section, operations: [move])], warnings: [])
        }
        return try wholeOrders(base: base, head: head, isBased: isBased)
    }

    /// The plan of `operations(base:head:isBased:)`, made by looking at every row.
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
