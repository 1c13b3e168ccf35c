internal import ListStore

/// A file that gets its real name once it is complete.
///
/// Remains of a killed try are removed before the next one begins, and those of a failed try at once.
struct Unfinished: Sendable {
    /// The path at which the file is made.
    let path: String
    private let suffixes: [String]
    private let disk: any Disk

    /// A file that this program writes itself.
    init(file path: String, on disk: any Disk = SystemDisk()) {
        (self.path, self.disk, suffixes) = (path, disk, [""])
    }

    /// A file that SQLite writes. SQLite puts other files beside it.
    init(database path: String, on disk: any Disk = SystemDisk()) {
        (self.path, self.disk, suffixes) = (path, disk, ["", "-wal", "-journal"])
    }

    /// Makes the file, after removing the remains of an earlier try.
    ///
    /// - Parameter body: Makes the file and gives it its real name.
    /// - Throws: The error of `body`. The remains are then removed, if the disk allows it.
    func make<Made>(_ body: () throws(JournalError) -> Made) throws(JournalError) -> Made {
        try remove()
        return try clean(after: body)
    }

    /// Calls `body`, and removes the remains if it throws.
    func clean<Made>(after body: () throws(JournalError) -> Made) throws(JournalError) -> Made {
        do { return try body() } catch {
            discard()
            throw error
        }
    }

    /// Removes the file and those beside it.
    func remove() throws(JournalError) {
        for suffix in suffixes { try disk.remove(path + suffix) }
    }

    /// Removes the file and those beside it as far as possible. A second error would hide the one that led here.
    func discard() {
        for suffix in suffixes { try? disk.remove(path + suffix) }
    }
}
