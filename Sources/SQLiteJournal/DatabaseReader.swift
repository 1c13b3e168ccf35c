internal import ListModel
internal import ListStore

// One list is read at a time, when it is first needed.

extension LogIndex {
    /// The places of a list in the files.
    struct StoredList {
        /// Nil if the list has no stored snapshot.
        var header: Header?
        /// The number of entries that the snapshot stands for.
        var covered: Int
        /// The rows of the log that are needed, oldest first.
        var rows: [Place]
        /// The place behind the last entry.
        var end: LogPlace

        /// Whether everything is there that was there before.
        func isStill(_ before: StoredList) -> Bool {
            end.life == before.end.life && covered == before.covered && header?.id == before.header?.id
        }
    }

    /// The places of a list in the files; nil if there is no such list.
    func stored(_ list: ListID) -> StoredList? {
        guard let life = lives[list] else { return nil }
        let header = headers[list].flatMap { $0.chunks > 0 && $0.since == life.start ? $0 : nil }
        return StoredList(header: header, covered: life.covered, rows: life.rows, end: life.end)
    }
}

/// A second connection to the database, which reads lists while the first one waits for the disk.
///
/// It neither writes nor runs checkpoints, so only one connection ever does. It sees everything that was committed
/// before it begins to read.
///
/// - Safety: `@unchecked` is sound because it is reached only under the lock that the `SQLiteJournal` has for it.
final class DatabaseReader: @unchecked Sendable {
    private let path: String
    private let connection: SQLiteConnection
    private let logRows: NumberedRows<LogRow.InPlace>
    private let chunkRows: NumberedRows<SnapshotChunk.InPlace>
    /// Nil until a record is read.
    private var recordRows: NumberedRows<KeyedRecord.InPlace>?
    /// Nil until the table of summaries has been found.
    private var summaryRows: NumberedRows<StoredSummary.InPlace>?

    /// - Throws: If the database cannot be opened a second time.
    init(_ folder: Folder, isReadOnly: Bool) throws(JournalError) {
        path = folder.database
        connection =
            isReadOnly
            ? try SQLiteConnection(reading: path)
            : try SQLiteConnection(path: path, create: false, on: folder.disk)
        try connection.run("PRAGMA query_only=ON")
        try connection.run("PRAGMA mmap_size=0")
        try connection.run("PRAGMA cell_size_check=ON")
        logRows = try NumberedRows(connection)
        chunkRows = try NumberedRows(connection)
    }

    /// Reads some chunks of a snapshot.
    ///
    /// - Throws: `.corrupt` if one of them is missing or damaged.
    func part(_ header: LogIndex.Header, of list: ListID, _ chunks: Range<Int>) throws -> SnapshotPart {
        var part = SnapshotPart(
            list: list, position: header.position, first: chunks.lowerBound, chunks: [],
            isLast: chunks.upperBound == header.chunks)
        let last = SnapshotChunk.id(header.id, chunks.upperBound - 1)
        try chunkRows.read(SnapshotChunk.id(header.id, chunks.lowerBound)...last) { row in
            let number = chunks.lowerBound + part.chunks.count
            guard row.id == SnapshotChunk.id(header.id, number), row.isWhole else { return }
            part.chunks.append(Array(row.bytes))
        }
        guard part.chunks.count == chunks.count else {
            throw JournalError.corrupt(
                "\(path): the snapshot of list \(list.rawValue) at version \(header.position) is damaged in "
                    + "chunk \(chunks.lowerBound + part.chunks.count + 1) of \(header.chunks)")
        }
        return part
    }

    /// Reads summaries. Those that are missing or damaged, or stand for another place, are left out.
    func summaries(_ places: some Sequence<(list: ListID, place: LogPlace)>) throws -> [StoredSummary] {
        if summaryRows == nil, try connection.hasSummaries { summaryRows = try NumberedRows(connection) }
        guard let summaryRows else { return [] }
        var summaries: [StoredSummary] = []
        for (list, place) in places {
            try summaryRows.read(place.life...place.life) { row in
                guard let copy = row.copy, copy.list == list, copy.place == place else { return }
                summaries.append(copy)
            }
        }
        return summaries
    }

    /// Reads records by the numbers of their rows. Those that have been removed are left out.
    ///
    /// - Throws: `.corrupt` if one of them is damaged.
    func records(_ rows: [Int]) throws -> [KeyedRecord] {
        guard !rows.isEmpty else { return [] }
        let statement = try recordRows ?? NumberedRows(connection)
        recordRows = statement
        var records: [KeyedRecord] = []
        for id in rows {
            try statement.read(id...id) { row in
                guard let copy = row.copy else {
                    throw JournalError.corrupt("\(path): row \(id) of records is damaged")
                }
                records.append(copy)
            }
        }
        return records
    }

    /// Reads some chunks of a record that was written ahead.
    ///
    /// - Throws: `.corrupt` if one of them is missing or damaged.
    func chunks(_ numbers: Range<Int>, of record: AheadRecord) throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        let last = SnapshotChunk.id(record.number, numbers.upperBound - 1)
        try chunkRows.read(SnapshotChunk.id(record.number, numbers.lowerBound)...last) { row in
            let number = numbers.lowerBound + chunks.count
            guard row.id == SnapshotChunk.id(record.number, number), row.isWhole else { return }
            chunks.append(Array(row.bytes))
        }
        guard chunks.count == numbers.count else {
            let part = numbers.lowerBound + chunks.count + 1
            throw JournalError.corrupt("\(path): part \(part) of the \(record.chunks) of a record is damaged")
        }
        return chunks
    }

    /// Reads the entries in some rows of the log. Records that were written ahead are still missing.
    ///
    /// - Parameter covered: Entries up to this position are left out, because a snapshot stands for them.
    func entries(_ rows: ArraySlice<Int>, after covered: Int) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for seq in rows {
            var isThere = false
            try logRows.read(seq...seq) { row in
                isThere = true
                guard let all = row.copy?.entries() else { throw row.damaged(path) }
                entries += all.dropFirst(max(0, covered + 1 - row.position))
            }
            guard isThere else { throw JournalError.corrupt("\(path): row \(seq) of log is missing") }
        }
        return entries
    }
}
