internal import ListModel
internal import ListStore
internal import Texts

/// Gives the lists of an older generation a new epoch, because answered writes may be missing from them. Otherwise a
/// version could be used twice.
struct Renewer: Sendable {
    let readers: SessionPool
    let random: @Sendable () -> UInt64

    private static let listsOfPiece = 256
    private static let triesMax = 100

    /// The rows of a statement about lists, none of them of an older generation.
    ///
    /// - Parameter column: The column that says whether the list of the row is of an older one.
    func rows(
        _ statement: Statement, _ parameters: [Parameter] = [], column: Int
    ) throws(JournalError) -> [[Cell]] {
        for _ in 0..<Self.triesMax {
            let rows = try readers.rows(statement, parameters)
            let old = rows.filter { $0[column].integer == 1 }.compactMap { $0[0].bytes }
            guard !old.isEmpty else { return rows }
            try renew(old)
        }
        throw .away("lists get new epochs all the time")
    }

    /// - Parameter names: The names of the lists. Those that are not of an older generation stay as they are.
    func renew(_ names: [[UInt8]]) throws(JournalError) {
        for _ in 0..<Self.triesMax {
            let old = try readers.rows(.old, [.texts(names), .integer(Self.listsOfPiece)])
            guard let generation = old.first?[3] else { return }
            let rows = old.compactMap { self.row($0) }
            try readers.change(
                .renew,
                [
                    .integers(rows.map(\.life)), .integers(rows.map(\.row.first)), .integers(rows.map(\.row.count)),
                    .integers(rows.map(\.row.checksum)), .byteArrays(rows.map(\.row.bytes)),
                    .integer(generation.integer ?? 0), .integer(Int(random() >> 2) + 1),
                ])
        }
        throw .away("lists get new epochs all the time")
    }

    /// The row of the log that leads a list into a new epoch.
    private func row(_ old: [Cell]) -> (life: Int, row: LogRow)? {
        guard let (list, place) = LogPlace.named(old) else { return nil }
        let last = LogRow(old[5...], of: place.life)?.entries(of: list)?.last
        let epoch = ByteText(String(random(), radix: 36) + String(random(), radix: 36))
        let entries = JournalEntry.renewal(of: list, epoch: epoch, after: last?.bytes)
        return (place.life, LogRow(entries, after: place.position, of: place.life))
    }
}
