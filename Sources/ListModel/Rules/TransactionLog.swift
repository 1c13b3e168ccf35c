import JSONValue

/// What a client allows an operation to pass over, and how large a list may grow.
public struct Rules: Sendable {
    /// Whether what would be a warning is refused.
    public var isStrict: Bool
    /// Items in a list, hidden ones too.
    public var itemsMax: Int
    /// Sections in a list.
    public var sectionsMax: Int
    /// Bytes of one item's content.
    public var contentBytesMax: Int
    /// Whether what is not reorderable stays in its place; a wanted whole state is not bound by it.
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
    /// A snapshot of this version was put that is not the head's state, and changed nothing: its own version was taken
    /// as the base.
    case rebasedToNothing(Version)
}

/// What a transaction has done so far.
public struct TransactionLog: Sendable {
    /// What was there before.
    public internal(set) var delta = Delta()
    /// The primitive changes, in order; performing them on the state before gives the state after. None if the log
    /// does not keep them.
    public private(set) var edits: [Edit] = []
    /// What the operations passed over, in their order.
    public var warnings: [Warning] = []

    /// Contents that have taken merge patches and are written once, by `ListState.settle(_:)`.
    var merged: [ItemHandle: PatchedObject] = [:]
    private let keepsEdits: Bool
    private var budget: Budget?

    /// - Parameters:
    ///   - keepsEdits: Whether anybody will want to know the edits.
    ///   - budget: What the transaction may bring and go over; nil sets no bound.
    public init(keepsEdits: Bool = true, budget: Budget? = nil) {
        self.keepsEdits = keepsEdits
        self.budget = budget
    }

    mutating func note(_ edit: @autoclosure () -> Edit) {
        if keepsEdits { edits.append(edit()) }
    }

    /// Counts an edit before it is performed.
    ///
    /// - Throws: `.transactionTooLarge` or `.transactionTooLong`: it would be one too many.
    mutating func count(_ edit: Edit, on state: borrowing ListState) throws(ModelError) {
        try budget?.spend(edit, on: state)
    }

    /// Counts rows that were gone over for the transaction.
    package mutating func count(rows: Int) throws(ModelError) { try budget?.spend(rows: rows) }

    /// Counts a stored content that is about to be read.
    mutating func count(reading content: JSONText) throws(ModelError) {
        try budget?.spend(reading: content)
    }
}

extension ListState {
    /// Carries out an edit of a transaction, unless it is one too many.
    public mutating func perform(_ edit: Edit, _ log: inout TransactionLog) throws(ModelError) {
        try log.count(edit, on: self)
        switch edit {
        case .changeItem(let id, let changes):
            if let handle = handle(of: id) { try change(handle, by: changes, &log) }
        case .insertItems(let rows, _, _, _) where !log.merged.isEmpty:
            // What was to be written was of the item before.
            for row in rows { interned(row.item.id).map { log.merged[$0] = nil } }
            perform(edit, recording: &log.delta)
        default: perform(edit, recording: &log.delta)
        }
        log.note(edit)
    }
}
