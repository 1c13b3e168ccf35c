internal import ListStore
internal import Threads

/// A long file that the disk gets while it is written.
///
/// If one sync at the end wrote out all of it, a sync of a commit on the same disk would wait until that has ended. So
/// a part of the file is synchronized before the next part is written.
struct LongFile: Sendable {
    private let file: any DiskFile
    private let bytesWaiting = Locked(0)

    /// The bytes that one sync writes out at most.
    static let partBytes = 1 << 20

    /// - Parameter file: A file that nobody else writes.
    init(_ file: any DiskFile) { self.file = file }

    /// Writes all bytes, from `offset` on. At most `partBytes` bytes are then waiting for a sync, or these bytes alone.
    func write(_ bytes: [UInt8], at offset: Int) throws(JournalError) {
        let isDue = bytesWaiting.withLock { waiting in
            let isDue = waiting > 0 && waiting + bytes.count > Self.partBytes
            waiting = isDue ? bytes.count : waiting + bytes.count
            return isDue
        }
        if isDue { try file.synchronize() }
        try file.write(bytes, at: offset)
    }

    /// Returns when the disk has all that was written.
    func synchronize() throws(JournalError) { try file.synchronize() }
}
