public import ListModel

/// The outcome of one operation (docs/contract.md section 4).
public enum Outcome: Sendable, Equatable {
    case applied
    /// The operation was applied at another place than was asked for.
    case adjusted(Reason)
    /// The operation was applied, but not to these items and sections.
    case partial([ItemID], sections: [SectionID] = [], Reason)
    /// The operation was not applied.
    case dropped(Reason)

    /// The reason of an outcome: a loss of the list since the base of the operation, or a change by others since the
    /// transaction that an undo takes back.
    public enum Reason: String, Sendable {
        case anchorDeleted = "anchor_deleted"
        case itemDeleted = "item_deleted"
        case sectionDeleted = "section_deleted"
        case parentDeleted = "parent_deleted"
        case cycle
        /// Others have written the member since, so it stays as they left it.
        case overwritten
        /// An item or section that the transaction had added now has items of others.
        case inUse = "in_use"
    }
}
