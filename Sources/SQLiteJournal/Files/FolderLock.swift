internal import Glibc
internal import ListStore

extension SQLiteJournal {
    /// Who has a folder open, as others are told.
    public enum Opener: String, Sendable {
        /// Has it until it is told to stop.
        case server
        /// Has it for a moment.
        case command
    }
}

/// The lock of a folder; its file says who has it, as `server 1234`.
struct FolderLock {
    let file: any DiskFile
    let path: String

    private static let length = 32
    /// Between two tries.
    private static let pauseMicroseconds: UInt32 = 50_000

    /// Takes the lock, which is held for as long as the file is open.
    ///
    /// - Parameter patience: Seconds to wait for a lock that no server has.
    /// - Throws: `.locked` with who has it.
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
                // Who has just taken the lock may not have said so yet: a server is believed the second time.
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

    /// For people and for who waits; without room for it the lock holds as well.
    private func note(_ opener: SQLiteJournal.Opener) {
        var text = Array("\(opener.rawValue) \(getpid()) ".utf8)
        text += [UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1 - text.count) + [UInt8(ascii: "\n")]
        try? file.write(text, at: 0)
    }
}
