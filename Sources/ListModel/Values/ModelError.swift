/// Why a list refused an operation.
///
/// The list is unchanged whenever one of these is thrown.
public enum ModelError: Error, Sendable, Equatable {
    /// No such item in the list.
    case unknownItem(ItemID)
    /// No such section in the list.
    case unknownSection(SectionID)
    /// The operation names no place for its items, and the list has no section.
    case noSections
    /// The item exists, and the operation needs a new one.
    case itemExists(ItemID)
    /// The section exists, and the operation needs a new one.
    case sectionExists(SectionID)
    /// The anchor is one of the items to be placed.
    case itemIsDestination(ItemID)
    /// The anchor is one of the sections to be placed.
    case sectionIsDestination(SectionID)
    /// The anchor is not in the section or under the parent that guards it.
    case anchorElsewhere(ItemID)
    /// An item placed relative to itself.
    case itemMovesToItself(ItemID)
    /// A section placed relative to itself.
    case sectionMovesToItself(SectionID)
    /// An item placed inside its own subtree.
    case cycle(ItemID)
    /// A parent that does not stand earlier in the same argument or section.
    case notATree(ItemID)
    /// An item that policy keeps in its place.
    case notReorderable(ItemID)
    /// The same item twice in one argument.
    case repeatedItem(ItemID)
    /// The same section twice in one argument.
    case repeatedSection(SectionID)
    /// A merge patch made the content of an item larger than its limit.
    case contentTooLarge(ItemID, limit: Int)
    /// The list would hold more items than it may.
    case tooManyItems(limit: Int)
    /// The list would hold more sections than it may.
    case tooManySections(limit: Int)
    /// The values that a transaction brings have more bytes than the limit.
    case transactionTooLarge(limit: Int)
    /// A transaction visits the same rows too often.
    case transactionTooLong(limit: Int)
}
