public import Foundation
import GRDB

/// A store in an SQLite database, which survives the process.
///
/// Whoever opens it locks the database until it is closed or its process ends. So two processes never send the same
/// edits, and never use a number twice.
public actor DatabaseEditStore: EditStore {
    private let directory: URL
    /// How often to look again whether another client has closed the store.
    private let looks: Int
    private var database: DatabaseQueue?

    /// A store in a directory, which is made when the store is opened.
    public init(directory: URL) { self.init(directory: directory, looks: 700) }

    init(directory: URL, looks: Int) { (self.directory, self.looks) = (directory, looks) }

    /// Opens the database, and reads what is kept in it.
    ///
    /// - Throws: `EditStoreError`.
    public func open() async throws -> StoredQueue {
        var looks = looks
        while true {
            do throws(EditStoreError) {
                let (database, queue) = try Self.opened(directory)
                self.database = database
                return queue
            } catch {
                guard error == .inUse, looks > 0 else { throw error }
                looks -= 1
                try await Task.sleep(for: .milliseconds(30))
            }
        }
    }

    /// Keeps a change as a whole.
    ///
    /// - Throws: An error of the database. Nothing of the change is kept then.
    public func save(_ change: StoreChange) async throws {
        guard let database else { throw EditStoreError.failed("The store is not open.") }
        do {
            try await database.write { try $0.save(change) }
        } catch {
            throw EditStoreError(error)
        }
    }

    /// Closes the database, so that another client may open it.
    public func close() {
        try? database?.close()
        database = nil
    }

    private static func opened(_ directory: URL) throws(EditStoreError) -> (DatabaseQueue, StoredQueue) {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            var configuration = Configuration()
            configuration.busyMode = .immediateError
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                // An edit that was kept is on the disk.
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            let database = try DatabaseQueue(
                path: directory.appendingPathComponent("edits.sqlite").path, configuration: configuration)
            // The lock stays when the transaction ends.
            try database.inDatabase { database in
                try database.inTransaction(.exclusive) {
                    let check = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? ""
                    guard check == "ok" else { throw EditStoreError.damaged(check) }
                    return .commit
                }
            }
            try migrator.migrate(database)
            return (database, try database.read { try $0.storedQueue() })
        } catch {
            throw EditStoreError(error)
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "sequences") { table in
                table.primaryKey("list", .text)
                table.column("client", .text).notNull()
                table.column("next", .integer).notNull()
            }
            try database.create(table: "edits") { table in
                table.primaryKey("id", .integer)
                table.column("list", .text).notNull()
                table.column("operations", .blob).notNull()
                table.column("label", .text)
                table.column("base", .text)
                table.column("undoes", .integer)
                table.column("undoneVersion", .text)
                table.column("number", .integer)
            }
        }
        migrator.registerMigration("2") { database in
            try database.alter(table: "edits") { $0.add(column: "isAnimated", .boolean).notNull().defaults(to: true) }
        }
        return migrator
    }
}

extension Database {
    fileprivate func storedQueue() throws -> StoredQueue {
        var queue = StoredQueue(edits: [], sequences: [:])
        for row in try Row.fetchAll(self, sql: "SELECT list, client, next FROM sequences") {
            queue.sequences[row[0]] = StoredSequence(client: row[1], next: row[2])
        }
        queue.edits = try Row.fetchAll(self, sql: "SELECT * FROM edits ORDER BY id").map { row in
            StoredEdit(
                id: row["id"], list: row["list"], operations: [UInt8](row["operations"] as Data), label: row["label"],
                isAnimated: row["isAnimated"], base: row["base"], undoes: row["undoes"],
                undoneVersion: row["undoneVersion"], number: row["number"])
        }
        return queue
    }

    fileprivate func save(_ change: StoreChange) throws {
        for edit in change.edits {
            try execute(
                sql: "INSERT OR REPLACE INTO edits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    edit.id, edit.list, Data(edit.operations), edit.label, edit.base, edit.undoes, edit.undoneVersion,
                    edit.number, edit.isAnimated,
                ])
        }
        for id in change.answered { try execute(sql: "DELETE FROM edits WHERE id = ?", arguments: [id]) }
        for (list, sequence) in change.sequences {
            try execute(
                sql: "INSERT OR REPLACE INTO sequences VALUES (?, ?, ?)",
                arguments: [list, sequence.client, sequence.next])
        }
    }
}

extension EditStoreError {
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as EditStoreError: self = error
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged("\(error)")
            default: self = .failed("\(error)")
            }
        default: self = .failed("\(error)")
        }
    }
}
