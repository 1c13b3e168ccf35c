internal import ListModel
internal import ListStore

// One list at a time, when it is first needed.

extension Database {
    /// Where a list is in the files.
    struct StoredList {
        /// Nil if no snapshot has been written.
        var header: LogIndex.Header?
        /// The entries that the snapshot stands for.
        var covered: Int
        /// Rows of the log, oldest first.
        var rows: [Int]
    }

    /// Returns nil if there is no such list.
    func stored(_ list: ListID) -> StoredList? {
        guard let life = index.lives[list] else { return nil }
        let header = index.headers[list].flatMap { $0.chunks > 0 && $0.since == life.start ? $0 : nil }
        return StoredList(header: header, covered: life.covered, rows: life.rows.map(\.seq))
    }

    /// Some chunks of a snapshot.
    func part(_ header: LogIndex.Header, of list: ListID, _ chunks: Range<Int>) throws -> SnapshotPart {
        var part = SnapshotPart(
            list: list, position: header.position, first: chunks.lowerBound, chunks: [],
            isLast: chunks.upperBound == header.chunks)
        let ids = [SnapshotChunk.id(header.id, chunks.lowerBound), SnapshotChunk.id(header.id, chunks.upperBound - 1)]
        try statements.readChunks.read(ids) { row in
            let bytes = row.bytes(1)
            let number = chunks.lowerBound + part.chunks.count
            guard row.integer(0) == SnapshotChunk.id(header.id, number),
                SnapshotChunk.checksum(bytes.span, id: row.integer(0)) == row.integer(2)
            else { return }
            part.chunks.append(bytes)
        }
        guard part.chunks.count == chunks.count else {
            throw JournalError.corrupt(
                "\(folder.database): the snapshot of list \(list.rawValue) at version \(header.position) is damaged in "
                    + "chunk \(chunks.lowerBound + part.chunks.count + 1) of \(header.chunks)")
        }
        return part
    }

    /// The entries in some rows of the log.
    ///
    /// - Parameter covered: Those up to there are left out.
    func entries(_ rows: ArraySlice<Int>, after covered: Int) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for seq in rows {
            var isThere = false
            try statements.readRow.read([seq]) { row in
                isThere = true
                let content = try self.content(row)
                guard let all = content.entries() else { throw damaged(row) }
                entries += all.dropFirst(max(0, covered + 1 - content.position))
            }
            guard isThere else { throw JournalError.corrupt("\(folder.database): row \(seq) of log is missing") }
        }
        return entries
    }

    func content(_ row: SQLiteConnection.Statement.Row) throws(JournalError) -> LogRow {
        guard let content = LogRow(row), content.checksum(seq: row.integer(0)) == row.integer(6) else {
            throw damaged(row)
        }
        return content
    }

    func damaged(_ row: SQLiteConnection.Statement.Row) -> JournalError {
        let name = String(decoding: row.bytes(1), as: UTF8.self)
        return .corrupt(
            "\(folder.database): row \(row.integer(0)) of log (list \(name), version \(row.integer(3))) is damaged")
    }
}
