internal import CSQLite

extension SQLiteJournal {
    /// The version of SQLite that the process has loaded.
    public static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
