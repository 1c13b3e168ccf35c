public import Foundation
import GRDB

/// A store in an SQLite database, which survives the process.
public final class DatabaseEditStore: EditStore {
    private let database: DatabaseQueue

    /// Opens the database in a directory, or makes both.
    ///
    /// - Throws: An error of the file system or of SQLite.
    public init(directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var configuration = Configuration()
        // The process before may just be ending.
        configuration.busyMode = .timeout(5)
        // An edit that was kept is on the disk.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        database = try DatabaseQueue(
            path: directory.appendingPathComponent("edits.sqlite").path, configuration: configuration)
        try Self.migrator.migrate(database)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "client") { $0.column("name", .text).notNull() }
            try database.create(table: "numbers") { table in
                table.primaryKey("list", .text)
                table.column("next", .integer).notNull()
            }
            try database.create(table: "edits") { table in
                table.primaryKey("id", .integer)
                table.column("list", .text).notNull()
                table.column("number", .integer).notNull()
                table.column("operations", .blob).notNull()
                table.column("label", .text)
                table.column("base", .text)
                table.column("isSent", .boolean).notNull()
            }
        }
        return migrator
    }

    /// Everything that the database keeps.
    public func open(naming name: String) async throws -> StoredQueue {
        try await database.write { database in
            let client = try String.fetchOne(database, sql: "SELECT name FROM client")
            if client == nil { try database.execute(sql: "INSERT INTO client VALUES (?)", arguments: [name]) }
            var numbers: [String: Int] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT list, next FROM numbers") { numbers[row[0]] = row[1] }
            let edits = try Row.fetchAll(database, sql: "SELECT * FROM edits ORDER BY id").map { row in
                StoredEdit(
                    id: row["id"], list: row["list"], number: row["number"],
                    operations: [UInt8](row["operations"] as Data), label: row["label"], base: row["base"],
                    isSent: row["isSent"])
            }
            return StoredQueue(client: client ?? name, edits: edits, nextNumbers: numbers)
        }
    }

    /// Keeps edits of a list. They are on the disk when this returns.
    public func put(_ edits: [StoredEdit], of list: String, next number: Int) async throws {
        try await database.write { database in
            for edit in edits {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO edits VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        edit.id, edit.list, edit.number, Data(edit.operations), edit.label, edit.base, edit.isSent,
                    ])
            }
            try database.execute(sql: "INSERT OR REPLACE INTO numbers VALUES (?, ?)", arguments: [list, number])
        }
    }

    /// Forgets an edit that was answered.
    public func remove(_ id: StoredEdit.ID) async throws {
        try await database.write { try $0.execute(sql: "DELETE FROM edits WHERE id = ?", arguments: [id]) }
    }
}
