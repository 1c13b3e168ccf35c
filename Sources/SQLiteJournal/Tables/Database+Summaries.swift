internal import ListModel
internal import ListStore

// The table of summaries. It is made when the first one is kept. No list depends on it: a summary that is missing,
// damaged or too old is made anew when somebody has read its list.

/// The statements for summaries.
struct SummaryStatements {
    fileprivate let rows: NumberedRows<StoredSummary.InPlace>
    fileprivate let insert: SQLiteConnection.Statement
    fileprivate let delete: SQLiteConnection.Statement

    init(_ connection: SQLiteConnection) throws(JournalError) {
        rows = try NumberedRows(connection)
        insert = try connection.prepare("INSERT OR REPLACE INTO summaries VALUES(?,?,?,?,?)")
        delete = try connection.prepare("DELETE FROM summaries WHERE life = ?")
    }
}

extension SQLiteConnection {
    /// Whether the table of summaries has been made.
    var hasSummaries: Bool {
        get throws(JournalError) {
            try !run("SELECT 1 FROM sqlite_schema WHERE name='\(Schema.summaries.name)'").isEmpty
        }
    }
}

extension LogIndex {
    /// The places for which summaries of lists must stand. Lists that are not there or are deleted are left out.
    func summaryPlaces(_ lists: some Sequence<ListID>) -> [(list: ListID, place: LogPlace)] {
        lists.compactMap { list in
            guard let index = lives.index(of: list), lives[at: index].retired == nil else { return nil }
            return (list, lives[at: index].end)
        }
    }
}

extension Database {
    /// Stores summaries. The number of a summary is that of its life, so that no summary is taken for one of another
    /// life. Those that are stored already, or stand for another place than the end of their lists, are left out.
    func keep(_ summaries: [StoredSummary]) throws(JournalError) {
        guard !isReadOnly else { return }
        _ = try writableMark()
        let ends = Dictionary(index.summaryPlaces(summaries.map(\.list)).map { ($0.list, $0.place) }) { $1 }
        var wanted: [StoredSummary] = []
        for summary in summaries where ends[summary.list] == summary.place {
            if isWanted(summary) { wanted.append(summary) }
        }
        guard !wanted.isEmpty else { return }
        try poisoningUnlessHarmless { () throws(JournalError) in
            try checkpointIfDue()
            var statements = summaryStatements
            try transaction { () throws(JournalError) in
                if statements == nil {
                    try connection.run(Schema.summaries.sql)
                    statements = try SummaryStatements(connection)
                }
                for summary in wanted {
                    try statements?.insert.run([
                        .integer(summary.place.life), .text(Array(summary.list.rawValue.utf8)),
                        .integer(summary.place.position), .blob(summary.bytes), .integer(summary.checksum),
                    ])
                }
            }
            summaryStatements = statements
        }
    }

    /// Whether a summary is not stored yet. If the table cannot be read, nothing is written to it: a write would fail as
    /// well, and end all other writes.
    private func isWanted(_ summary: StoredSummary) -> Bool {
        guard let statements = summaryStatements else { return true }
        let life = summary.place.life
        var kept: StoredSummary?
        do { try statements.rows.read(life...life) { kept = $0.copy } } catch { return false }
        return kept != summary
    }

    /// Removes the summaries of lives that these rows end. It is part of the transaction that adds the rows.
    func removeSummaries(endedBy rows: [LogRow]) throws(JournalError) {
        guard let statements = summaryStatements else { return }
        for number in rows.indices where rows[number].kind == .create || rows[number].kind == .delete {
            guard let life = index.lives[rows[number].list] else { continue }
            try statements.delete.run([.integer(life.start)])
        }
    }
}

extension StoredSummary {
    /// The checksum of a summary's content and number. The −4 in it keeps it from matching another kind of row.
    fileprivate var checksum: Int {
        let name = Array(list.rawValue.utf8)
        var checksum = CRC32C()
        checksum.add([place.life, -4, place.position, name.count, bytes.count])
        checksum.add(name)
        checksum.add(bytes)
        return Int(checksum.value)
    }

    /// A row of `summaries`.
    struct InPlace: RowInPlace {
        static let table = Schema.summaries.name
        static let columnCount = 5
        /// A copy of the row; nil if the row is damaged.
        let copy: StoredSummary?

        init(_ columns: some Columns) {
            let place = LogPlace(life: columns.integer(0), position: columns.integer(2))
            copy = ListID(ByteText(decoding: columns.bytes(1))).flatMap { list in
                let copy = StoredSummary(list: list, place: place, bytes: Array(columns.bytes(3)))
                return copy.checksum == columns.integer(4) ? copy : nil
            }
        }
    }
}
