internal import ListModel
internal import Threads

/// The rows that came with the last hint of each of some lists, until they are read.
///
/// A row leads on from one place only. A later hint takes its place, also one without a row: then there is more to read
/// than the row, and the tables have all of it.
final class HeardRows: Sendable {
    private let rows = Locked<[ListID: SealedRow]>([:])

    /// Lists that nobody follows keep theirs, so that there must be a limit.
    private static let countMax = 256

    func note(_ hint: HintText.Hint) {
        rows.withLock { rows in
            // Without lists, any may have moved.
            if hint.lists.isEmpty || rows.count >= Self.countMax { rows = [:] }
            for list in hint.lists { rows[list] = hint.row }
        }
    }

    func take(_ list: ListID) -> SealedRow? { rows.withLock { $0.removeValue(forKey: list) } }
}
