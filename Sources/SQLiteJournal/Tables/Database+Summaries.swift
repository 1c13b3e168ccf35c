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
    /// The place of a list's summary.
    struct SummaryPlace {
        var list: ListID
        /// The row that began the life of the list. It is also the number of the summary, so that no summary is taken for
        /// one of another life.
        var life: Int
        /// The number of entries that a summary must stand for.
        var position: Int
    }

    /// The places of the summaries of lists. Lists that are not there or are deleted are left out.
    func summaryPlaces(_ lists: some Sequence<ListID>) -> [SummaryPlace] {
        lists.compactMap { list in
            guard let index = lives.index(of: list), lives[at: index].retired == nil else { return nil }
            return SummaryPlace(list: list, life: lives[at: index].start, position: lives[at: index].position)
        }
    }
}

extension Database {
    /// Stores summaries. Those that are stored already, or stand for another number of entries than their lists have,
    /// are left out.
    func keep(_ summaries: [StoredSummary]) throws(JournalError) {
        guard !isReadOnly else { return }
        _ = try writableMark()
        let places = index.summaryPlaces(summaries.map(\.list))
        let lives = Dictionary(places.map { ($0.list, $0) }) { $1 }
        var wanted: [(summary: StoredSummary, life: Int)] = []
        for summary in summaries {
            guard let place = lives[summary.list], place.position == summary.position, try !isKept(summary, place)
            else { continue }
            wanted.append((summary, place.life))
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
                for (summary, life) in wanted {
                    try statements?.insert.run([
                        .integer(life), .text(Array(summary.list.rawValue.utf8)), .integer(summary.position),
                        .blob(summary.bytes), .integer(summary.checksum(life: life)),
                    ])
                }
            }
            summaryStatements = statements
        }
    }

    private func isKept(_ summary: StoredSummary, _ place: LogIndex.SummaryPlace) throws(JournalError) -> Bool {
        guard let statements = summaryStatements else { return false }
        var kept: StoredSummary?
        do { try statements.rows.read(place.life...place.life) { kept = $0.copy } } catch let error as JournalError {
            throw error
        } catch {
            throw .io("\(folder.database): \(error)")
        }
        return kept == summary
    }

    /// Removes the summaries of lives that these rows end. It is part of the transaction that adds the rows.
    func removeSummaries(endedBy rows: [LogRow]) throws(JournalError) {
        guard let statements = summaryStatements else { return }
        for row in rows where row.kind == .create || row.kind == .delete {
            guard let life = index.lives[row.list] else { continue }
            try statements.delete.run([.integer(life.start)])
        }
    }
}

extension StoredSummary {
    /// The checksum of a summary's content and number. The −4 in it keeps it from matching another kind of row.
    func checksum(life: Int) -> Int {
        let name = Array(list.rawValue.utf8)
        var checksum = CRC32C()
        checksum.add([life, -4, position, name.count, bytes.count])
        checksum.add(name)
        checksum.add(bytes)
        return Int(checksum.value)
    }

    /// A row of `summaries`.
    struct InPlace: RowInPlace {
        static let table = Schema.summaries.name
        static let columnCount = 5
        let life: Int
        /// A copy of the row; nil if the row is damaged.
        let copy: StoredSummary?

        init(_ columns: some Columns) {
            let life = columns.integer(0)
            self.life = life
            copy = ListID(ByteText(decoding: columns.bytes(1))).flatMap { list in
                let copy = StoredSummary(list: list, position: columns.integer(2), bytes: Array(columns.bytes(3)))
                return copy.checksum(life: life) == columns.integer(4) ? copy : nil
            }
        }
    }
}
