internal import Glibc
internal import ListStore

extension SQLiteJournal {
    /// The kind of program that has a folder open, as other programs are told.
    public enum Opener: String, Sendable {
        /// A server has the folder open until it is told to stop.
        case server
        /// A command has the folder open for a moment.
        case command
    }
}

/// The lock of a folder. The lock file says who has it, as in `server 1234`.
struct FolderLock {
    let file: any DiskFile
    let path: String

    private static let length = 32
    /// The time between two tries.
    private static let pauseMicroseconds: UInt32 = 50_000

    /// Takes the lock. It is held for as long as the file is open.
    ///
    /// - Parameter patience: Seconds to wait while a process other than a server has the lock.
    /// - Throws: `.locked` with the name of the holder.
    func take(for opener: SQLiteJournal.Opener, patience: Int) throws(JournalError) {
        var tries = patience * 1_000_000 / Int(Self.pauseMicroseconds)
        var wasServer = false
        while true {
            do {
                try file.lockAlone()
                return note(opener)
            } catch {
                guard case .locked = error else { throw error }
                let holder = holder
                let isServer = holder.hasPrefix(SQLiteJournal.Opener.server.rawValue)
                // A new holder may not have written its name yet, so a server's name is believed only when it is read
                // twice in a row.
                guard tries > 0, !(isServer && wasServer) else { throw .locked("\(path) is locked by \(holder).") }
                wasServer = isServer
            }
            tries -= 1
            usleep(Self.pauseMicroseconds)
        }
    }

    private var holder: String {
        let bytes = (try? file.read(Self.length, at: 0)) ?? []
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count > 1, let opener = SQLiteJournal.Opener(rawValue: String(words[0])) else {
            return "another process"
        }
        return "\(opener.rawValue) (process \(words[1]))"
    }

    /// Writes the name of the holder, for people and for those who wait. The lock holds even if there is no room for
    /// it.
    private func note(_ opener: SQLiteJournal.Opener) {
        var text = Array("\(opener.rawValue) \(getpid()) ".utf8)
        text += [UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1 - text.count) + [UInt8(ascii: "\n")]
        try? file.write(text, at: 0)
    }
}
