public import ListModel

/// An edit of this client that the server has not told of yet. It shows on top of the server's state.
public struct PendingEdit: Sendable, Identifiable {
    /// The place of the edit among all edits of the client.
    public let id: Int
    /// What the edit asks for. All of it is done, or nothing.
    public let operations: [Operation]
    /// The version on which all is there that the edit names; nil if the client knew none.
    public internal(set) var base: Version?
    /// Whether its author lets it be animated.
    public let isAnimated: Bool
    /// Whether the edit may have reached the server. From then on it is always sent as it is.
    public internal(set) var isSent: Bool
    /// The version that the server's answer names. The edit stays on top until that version is held.
    public internal(set) var answered: Version?
    /// The effect of the edit on the state, and of those behind it that share this; nil if it shows nothing, or shares.
    var delta: Delta?
    /// Whether the delta of an edit before this one has what this one did.
    var sharesDelta = false

    /// An edit that is to be shown.
    public init(
        id: Int, operations: [Operation], base: Version? = nil, isAnimated: Bool = true, isSent: Bool = false
    ) {
        (self.id, self.operations, self.base) = (id, operations, base)
        (self.isAnimated, self.isSent) = (isAnimated, isSent)
    }

    /// Whether the state of a version has what the edit did.
    func isKnown(at version: Version?) -> Bool {
        guard let answered, let version, answered.epoch == version.epoch else { return false }
        return answered.revision <= version.revision
    }

    /// Whether the answer is of another life of the list than a version.
    func isOfAnotherEpoch(than version: Version) -> Bool { answered.map { $0.epoch != version.epoch } ?? false }
}

extension ListState {
    /// Does an operation again that has been taken back. A wish that rows be shown anew was heard the first time, so now
    /// it is only checked.
    mutating func redo(
        _ operation: Operation, rules: Rules, into log: inout TransactionLog
    ) throws(ModelError) {
        switch operation {
        case .reconfigureItems(let ids), .reloadItems(let ids):
            guard Set(ids).count == ids.count else { throw .repeatedItem(ids[0]) }
            if let lost = ids.first(where: { !contains($0) }) { throw .unknownItem(lost) }
        case .reloadSections(let ids):
            guard Set(ids).count == ids.count else { throw .repeatedSection(ids[0]) }
            if let lost = ids.first(where: { !contains($0) }) { throw .unknownSection(lost) }
        case .appendSections, .insertSections, .deleteSections, .moveSection, .updateSection, .updateList, .appendItems,
            .insertItems, .deleteItems, .deleteAllItems, .moveItem, .updateItem, .setStarred, .toggleStar, .setExpanded,
            .replaceChildren, .applySnapshot, .applySectionSnapshot:
            try apply(operation, rules: rules, into: &log)
        }
    }
}
