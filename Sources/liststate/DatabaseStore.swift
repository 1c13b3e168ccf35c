import ListStore
import PostgreSQLJournal

/// A PostgreSQL database as the store of a command.
enum DatabaseStore {
    /// The name of the store in messages, because its URL may have a password.
    static let name = "PostgreSQL"

    /// Whether a text is the URL of a database.
    static func isURL(_ text: String) -> Bool {
        ["postgres://", "postgresql://"].contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Opens a database, and makes the tables if they are not there.
    ///
    /// - Parameters:
    ///   - allowsUnsafe: Whether the settings of the database may lose answered writes.
    ///   - warn: It is called with a sentence about such settings that are allowed.
    static func open(
        _ url: String, allowsUnsafe: Bool, warn: (String) -> Void
    ) throws(Failure) -> PostgreSQLJournal {
        let journal: PostgreSQLJournal
        do throws(JournalError) {
            journal = try PostgreSQLJournal(url: url) { .random(in: 0 ... .max) }
        } catch {
            throw .journal(error, folder: name)
        }
        let off = journal.unsafeSettings.joined(separator: ", ")
        if off.isEmpty { return journal }
        let text = "The database can lose answered writes in a crash, because these settings are off: \(off)."
        guard allowsUnsafe else { throw .failed("\(text) Turn them on, or give --allow-unsafe-store.", 78) }
        warn(text)
        return journal
    }

    /// Opens a database only to read it.
    static func open(reading url: String) throws(Failure) -> PostgreSQLJournal {
        do throws(JournalError) {
            return try PostgreSQLJournal(reading: url) { .random(in: 0 ... .max) }
        } catch {
            throw .journal(error, folder: name)
        }
    }
}
