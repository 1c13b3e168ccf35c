internal import Glibc
package import ListDiff
internal import ListModel
internal import Threads

/// The faults that `make soak-faults` plants one at a time, to see whether the consistency test finds them, and those of
/// several servers on one database, for `make soak-node-faults`. No other build has them.
package enum Fault: String, Sendable {
    case acknowledgesBeforeLog
    case acceptsStaleBase
    case ignoresMatch
    case ignoresKeys
    case forgetsKeysAtRestart
    case skipsVersions
    case dropsEvents
    case misplacesMoves
    case starsTwin
    case swapsRecordsAtReplay
    case revivesDeletedAtRestart
    case answersRetryWithHead
    case readsOlderVersion
    case lostDeletePutsBackTooMuch
    case toolTrimsReceipts
    case readWaitsForSync
    case restoreForgetsStars
    // Of several servers.
    case ignoresToken
    case connectsWithoutBarrier
    case losesHints
    case tellsOfUnwritten
    case keepsReceiptsLocally
    case skipsCheck

    private static let planted = getenv("LISTSTATE_PLANTED_FAULT").flatMap { Fault(rawValue: String(cString: $0)) }
    private static let chances = Locked(0)

    package static func isPlanted(_ fault: Fault) -> Bool { planted == fault }

    /// Whether the fault is planted and due, which is once in `count` calls.
    package static func strikes(_ fault: Fault, every count: Int) -> Bool {
        guard isPlanted(fault) else { return false }
        return chances.withLock { chances in
            chances += 1
            return chances.isMultiple(of: count)
        }
    }
}

extension ChangeSet {
    /// The change set with the last moved item reported one row off.
    var withMisplacedMove: ChangeSet {
        guard let last = items.moved.last else { return self }
        var items = items
        items.moved[items.moved.count - 1].to.index += last.to.index > 0 ? -1 : 1
        return ChangeSet(properties: properties, sections: sections, items: items, window: window)
    }
}

extension ListState {
    /// Any other item of the list.
    func twin(of id: ItemID) -> ItemID? {
        sectionHandles.lazy.flatMap { rows(of: $0) }.map { self[$0].id }.first { $0 != id }
    }

    /// All items with a star.
    var starred: [ItemID] {
        sectionHandles.flatMap { rows(of: $0) }.filter { self[$0].isStarred }.map { self[$0].id }
    }
}

extension ListActor {
    /// Sometimes the snapshot of the version before the durable head.
    package func olderSnapshot() -> ListSnapshot? {
        guard Fault.strikes(.readsOlderVersion, every: 5) else { return nil }
        return try? snapshot(at: version(at: durableRevision - 1))
    }

    /// Puts back the item that was deleted last.
    func reviveDeleted() {
        for revision in (1..<max(durableRevision, 2)).reversed() {
            guard let past = try? snapshot(at: version(at: revision)).state else { return }
            for row in past.sectionHandles.flatMap({ past.rows(of: $0) }) where !state.contains(past[row].id) {
                var delta = Delta()
                state.perform(
                    .insertItems([Edit.NewRow(past[row])], section: 0, at: 0, parent: nil), recording: &delta)
                return
            }
        }
    }
}

extension Catalogue {
    /// Makes an earlier life of a list the last one, by removing all later ones under its id.
    mutating func putBack(_ list: ListActor) {
        while let last = last(list.id)?.list, last !== list { remove(last) }
    }
}

extension Store.Limits {
    /// The limits, with few receipts for a tool, which answers no clients.
    var withReceiptsOfTool: Self {
        guard receiptsMax == nil else { return self }
        var limits = self
        limits.receiptsMax = 20
        return limits
    }
}

/// Passes on the records of a log, sometimes two records of a list in the wrong order. Only records of moves are
/// swapped, so that each fits in the other's place.
struct SwappedRecords {
    private var held: [ListID: Record.Transaction] = [:]

    mutating func pass(_ transaction: Record.Transaction, of list: ListID) -> [Record.Transaction] {
        let movesOnly = transaction.edits.allSatisfy { if case .moveItem = $0 { true } else { false } }
        if let first = held.removeValue(forKey: list) {
            return movesOnly ? [transaction, first] : [first, transaction]
        }
        guard movesOnly else { return [transaction] }
        held[list] = transaction
        return []
    }

    mutating func rest(of list: ListID) -> [Record.Transaction] {
        held.removeValue(forKey: list).map { [$0] } ?? []
    }
}
