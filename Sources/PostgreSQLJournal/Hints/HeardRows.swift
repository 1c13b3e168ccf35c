internal import ListModel
internal import Threads

/// The row that came with a hint of a list, until it is read.
///
/// A row leads on from one place only, and hints need not come in the order of the commits. So it is of use only if it is
/// the one hint of its list since the list was read on. Otherwise the tables have all that is new.
final class HeardRows: Sendable {
    /// Nil for a list with hints of which none has all that is new.
    private let rows = Locked<[ListID: SealedRow?]>([:])

    /// Lists that nobody follows stay, so there must be a limit.
    private static let countMax = 256

    func note(_ hint: HintText.Hint) {
        rows.withLock { rows in
            // Without lists, any may have moved.
            if hint.lists.isEmpty || rows.count >= Self.countMax { rows = [:] }
            for list in hint.lists { rows.updateValue(rows.keys.contains(list) ? nil : hint.row, forKey: list) }
        }
    }

    func take(_ list: ListID) -> SealedRow? { rows.withLock { $0.removeValue(forKey: list) } ?? nil }
}
