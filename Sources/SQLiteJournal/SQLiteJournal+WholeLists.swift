public import ListStore

extension SQLiteJournal {
    public func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        var lists = lists
        var names: [[UInt8]] = []
        // Records that have entries by then are not forgotten.
        defer { for name in names { forget(ahead: name) } }
        for list in lists.indices {
            for entry in lists[list].entries.indices where lists[list].entries[entry].bytes.count > partBytes {
                let bytes = lists[list].entries[entry].bytes
                let parts = stride(from: 0, to: bytes.count, by: partBytes).map { start in
                    Array(bytes[start..<min(bytes.count, start + partBytes)])
                }
                let name = try write(ahead: parts)
                names.append(name)
                (lists[list].entries[entry].bytes, lists[list].entries[entry].isAhead) = (name, true)
            }
        }
        return try files.piece { files throws(JournalError) in try files.opened().write(lists) }
    }
}
