import JSONValue

/// The bounds of an operation: how strict it is, and how large a list may grow.
public struct Rules: Sendable {
    /// Whether an operation that would cause a warning is refused.
    public var isStrict: Bool
    /// The most items in a list, hidden ones too.
    public var itemsMax: Int
    /// The most sections in a list.
    public var sectionsMax: Int
    /// The most bytes of one item's content.
    public var contentBytesMax: Int
    /// Whether items that are not reorderable stay in their places. A wanted whole state may move them all the same.
    public var isOrderBound: Bool

    public init(
        isStrict: Bool, itemsMax: Int, sectionsMax: Int, contentBytesMax: Int, isOrderBound: Bool = true
    ) {
        self.isStrict = isStrict
        self.itemsMax = itemsMax
        self.sectionsMax = sectionsMax
        self.contentBytesMax = contentBytesMax
        self.isOrderBound = isOrderBound
    }
}

/// Something that an operation passed over.
public enum Warning: Sendable, Equatable {
    /// Ids that existed and were given to append or insert: they were moved.
    case movedExisting([ItemID])
    case missingItems([ItemID])
    case missingSections([SectionID])
    /// Items that a final order left out: they kept their left neighbour.
    case keptInPlace([ItemID])
    /// Ids of a final order that the list does not know.
    case skippedUnknown([ItemID])
    /// A client put a snapshot of this version. The version was taken as the base, so the snapshot changed nothing,
    /// although it differs from the head.
    case rebasedToNothing(Version)
    /// A client put a snapshot. It left out this many items and sections of the list, so they were deleted.
    case leftOut(items: Int, sections: Int)
    /// A new list has the id of a deleted list. Until then the deleted list could be restored at this version.
    case replacedDeleted(Version)

    /// Whether the warning tells an effect that the request asked for, although the client may not have wanted it.
    public var tellsOfRequest: Bool {
        switch self {
        case .leftOut, .replacedDeleted: true
        case .movedExisting, .missingItems, .missingSections, .keptInPlace, .skippedUnknown, .rebasedToNothing: false
        }
    }
}

/// The record of a transaction so far.
public struct TransactionLog: Sendable {
    /// The way back to the state before the transaction.
    public internal(set) var delta = Delta()
    /// The edits, in order; performed on the state before, they give the state after. Empty if the log does not keep
    /// them.
    public private(set) var edits: [Edit] = []
    /// The warnings of the operations, in their order.
    public var warnings: [Warning] = []

    /// Contents that have taken merge patches and are written once, by `ListState.settle(_:)`.
    var merged: [ItemHandle: PatchedObject] = [:]
    /// Whether items that are new or get a new content get their JSON at once. It is a buffer of its own for each.
    var sealsItems = true
    private let keepsEdits: Bool
    private var budget: Budget?

    /// - Parameters:
    ///   - keepsEdits: Whether the log keeps the edits.
    ///   - budget: The cost that the transaction may have; nil sets no bound.
    public init(keepsEdits: Bool = true, budget: Budget? = nil) {
        self.keepsEdits = keepsEdits
        self.budget = budget
    }

    mutating func note(_ edit: @autoclosure () -> Edit) {
        if keepsEdits { edits.append(edit()) }
    }

    /// Counts an edit before it is performed.
    ///
    /// - Throws: `.transactionTooLarge` or `.transactionTooLong` if the edit exceeds the budget.
    mutating func count(_ edit: Edit, on state: borrowing ListState) throws(ModelError) {
        try budget?.spend(edit, on: state)
    }

    /// Counts new items as the edit that inserts them.
    mutating func count(inserting items: [NewItem]) throws(ModelError) { try budget?.spend(inserting: items) }

    /// Counts rows that the transaction has read or moved.
    package mutating func count(rows: Int) throws(ModelError) { try budget?.spend(rows: rows) }

    /// Counts a stored content that is about to be read.
    mutating func count(reading content: JSONText) throws(ModelError) {
        try budget?.spend(reading: content)
    }
}

extension ListState {
    /// Carries out an edit of a transaction, unless it exceeds the budget.
    public mutating func perform(_ edit: Edit, _ log: inout TransactionLog) throws(ModelError) {
        try log.count(edit, on: self)
        switch edit {
        case .changeItem(let id, let changes):
            if let handle = handle(of: id) { try change(handle, by: changes, &log) }
        case .insertItems(let rows, _, _, _) where !log.merged.isEmpty:
            // The merged content belongs to an earlier item of the same id, which was deleted.
            for row in rows { interned(row.item.id).map { log.merged[$0] = nil } }
            perform(edit, sealing: log.sealsItems, recording: &log.delta)
        case .insertItems, .changeList, .insertSection, .deleteSection, .moveSection, .changeSection, .reloadSection,
            .deleteItems, .moveItem, .reconfigureItem, .reloadItem, .arrange, .arrangeRun, .arrangeSections:
            perform(edit, sealing: log.sealsItems, recording: &log.delta)
        }
        log.note(edit)
    }
}
