public import ListStore

extension SQLiteJournal {
    /// The retention of the folder; nil if no server has set it yet.
    ///
    /// - Throws: `.corrupt` if the stored numbers are damaged.
    public func retention() throws(JournalError) -> Retention? {
        try files.piece { files throws(JournalError) in
            try Retention.read(files.opened().connection, folder.database)
        }
    }

    /// Sets the retention of the folder. Writes nothing if it is set to that already.
    ///
    /// - Throws: As `commit`.
    public func keep(_ retention: Retention) throws(JournalError) {
        try files.piece { files throws(JournalError) in try files.opened().keep(retention) }
    }

    /// Makes the file as small as its content. That takes as long as writing all of it, and needs room for a copy of
    /// it.
    public func shrink() throws(JournalError) {
        try files.piece { files throws(JournalError) in try files.opened().shrink() }
    }

    /// Limits the bytes of a row.
    func limitRows(to bytes: Int) throws(JournalError) {
        try files.piece { files throws(JournalError) in try files.opened().connection.limitRows(to: bytes) }
    }

    /// Limits the pages of the database. Writes that need more then fail as on a full disk.
    func limitPages(to count: Int) throws(JournalError) {
        try files.piece { files throws(JournalError) in try files.opened().limitPages(to: count) }
    }
}
