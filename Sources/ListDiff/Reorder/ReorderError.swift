public import ListModel

/// The reason why a reorder cannot be translated into moves.
public enum ReorderError: Error, Sendable, Equatable {
    /// An entry of a section's difference: its index in the array that was sent.
    public enum ChangeIndex: Sendable, Equatable {
        case removal(Int)
        case insertion(Int)
    }

    public enum DifferenceFault: Sendable, Equatable {
        /// No such row before (removal) or after (insertion) the difference.
        case offsetOutOfRange
        /// Two removals or two insertions at one offset.
        case repeatedOffset
        /// The base has another item at the offset.
        case otherElement
        /// The associated change does not exist, is of another item, or names another partner.
        case brokenAssociation
        /// The result would hold the item twice.
        case repeatedItem
        /// An insertion of an item that the base does not have.
        case unknownItem
        /// An insertion of an item that no section of the request lets go.
        case doesNotLeave
        /// A removal of an item that no section of the request takes in.
        case doesNotArrive
    }

    public enum FinalFault: Sendable, Equatable {
        /// Neither the base nor the head has the item in the section.
        case unknownItem
        /// The item is in another section, which does not let it go.
        case inAnotherSection
        /// The order lacks a row of the base that is still there.
        case missing
    }

    case invalidDifference(section: SectionID, change: ChangeIndex, reason: DifferenceFault)
    case invalidFinal(section: SectionID, item: ItemID, reason: FinalFault)
    /// The same item twice in the request's final orders.
    case repeatedItem(ItemID)
    case model(ModelError)
}
