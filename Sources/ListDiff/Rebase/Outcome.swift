public import ListModel

/// What became of one operation (docs/contract.md section 4).
public enum Outcome: Sendable, Equatable {
    case applied
    /// Applied at another place than was asked for.
    case adjusted(Reason)
    /// Applied, but not to these items and sections.
    case partial([ItemID], sections: [SectionID] = [], Reason)
    /// Not applied.
    case dropped(Reason)

    /// What the list lost since the base on which the operation was made, or what others did since the transaction
    /// that an undo takes back.
    public enum Reason: String, Sendable {
        case anchorDeleted = "anchor_deleted"
        case itemDeleted = "item_deleted"
        case sectionDeleted = "section_deleted"
        case parentDeleted = "parent_deleted"
        case cycle
        /// Others have written it since: it stays as they left it.
        case overwritten
        /// What the transaction had added has others' items in it, or below it.
        case inUse = "in_use"
    }
}
