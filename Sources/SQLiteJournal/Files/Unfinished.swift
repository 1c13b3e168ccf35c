internal import ListStore

/// Files that get the names by which they are known once they are whole.
///
/// Files that a killed try has left are removed before the next one begins; those of a failed try at once.
struct Unfinished: Sendable {
    /// The path at which it is made.
    let path: String
    private let suffixes: [String]
    private let disk: any Disk

    /// A file that is written by us.
    init(file path: String, on disk: any Disk = SystemDisk()) {
        (self.path, self.disk, suffixes) = (path, disk, [""])
    }

    /// A file that is written by SQLite, which puts others beside it.
    init(database path: String, on disk: any Disk = SystemDisk()) {
        (self.path, self.disk, suffixes) = (path, disk, ["", "-wal", "-journal"])
    }

    /// Makes it, in a place where nothing is left of an earlier try.
    ///
    /// - Parameter body: Makes it, and gives it its name.
    /// - Throws: As `body`, of which nothing is left then if the disk allows that.
    func make<Made>(_ body: () throws(JournalError) -> Made) throws(JournalError) -> Made {
        try remove()
        return try clean(after: body)
    }

    /// Calls `body`, and removes what there is of it if that fails.
    func clean<Made>(after body: () throws(JournalError) -> Made) throws(JournalError) -> Made {
        do { return try body() } catch {
            discard()
            throw error
        }
    }

    /// Removes what there is of it.
    func remove() throws(JournalError) {
        for suffix in suffixes { try disk.remove(path + suffix) }
    }

    /// As `remove()`, as far as the disk allows it: why there is nothing is worth more than what has stayed.
    func discard() {
        for suffix in suffixes { try? disk.remove(path + suffix) }
    }
}
