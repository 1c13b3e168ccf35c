import Glibc
import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Texts
import Threads

/// Journals over one schema, and a session of the owner of everything to look at it and to disturb it.
final class Fixture {
    let server: PostgreSQLServer
    let schema: String
    let owner: Session
    private var journals: [PostgreSQLJournal] = []
    private var statements = 0

    init(_ server: PostgreSQLServer, schema: String = PostgreSQLServer.newName()) throws {
        (self.server, self.schema) = (server, schema)
        owner = try Session(ConnectionString(server.url()), silence: 60_000, number: 0)
    }

    deinit { for journal in journals { journal.close() } }

    /// - Parameter patience: By default it is so long that a test never sees its end.
    func journal(_ patience: Connector.Patience? = nil) throws -> PostgreSQLJournal {
        var forever = Connector.Patience()
        (forever.silence, forever.doubt) = (600_000, 600_000)
        let journal = try PostgreSQLJournal(
            url: server.url(), schema: schema, patience: patience ?? forever
        ) { .random(in: 0 ... .max) }
        journals.append(journal)
        try journal.open(receipt: { _ in }, receiptsMax: .max, since: 0)
        return journal
    }

    /// Runs statements as the owner of everything, in the schema.
    func run(_ sql: String) throws { try owner.runScript("SET search_path = \(schema); \(sql)") }

    /// The number that a statement returns.
    func number(_ sql: String) throws -> Int? {
        try owner.runScript("SET search_path = \(schema)")
        statements += 1
        return try owner.run(Statement("\(statements)", sql)).first?.first?.integer
    }

    /// Waits until a statement returns a number above 0.
    ///
    /// - Throws: `NeverSo` after so many tries that it never will. Between them others have the processor.
    func wait(until sql: String) throws {
        for _ in 0..<30_000 {
            if try number(sql) ?? 0 > 0 { return }
            usleep(1_000)
        }
        throw NeverSo(sql: sql)
    }

    /// Has commits wait for a standby of this name; none if it is empty.
    func requireStandby(_ name: String) throws {
        try owner.runScript("SET synchronous_commit = local")
        try owner.runScript("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
        try run("SELECT pg_reload_conf()")
        let isSet = "SELECT count(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = '\(name)'"
        try wait(until: isSet)
        // Another process of the server tells the commits, and it may be later. So a commit is made until one waits.
        while !name.isEmpty {
            let probe = "pg_logical_emit_message(true, 'probe"
            let commit = try Background { [server] in
                let session = try Session(ConnectionString(server.url()), silence: 60_000, number: 0)
                try session.runScript("SELECT \(probe)', '')")
            }
            let waiting = waiting(for: "SyncRep", in: probe.replacing("'", with: "''"))
            while !commit.isDone {
                guard try number("SELECT pg_cancel_backend(pid)::int::int8 FROM (\(waiting)) w") == 1 else { continue }
                return _ = try commit.wait()
            }
        }
    }

    struct NeverSo: Error {
        let sql: String
    }

    /// The processes of the server whose statements have a text in them and that wait for something.
    func waiting(for event: String, in text: String) -> String {
        "SELECT pid FROM pg_stat_activity WHERE wait_event = '\(event)' AND query LIKE '%\(text)%' AND pid <> pg_backend_pid()"
    }
}

extension PostgreSQLJournal {
    func make(_ list: String, _ texts: String...) throws -> LogPlace? {
        place(of: try commit([Self.commit(texts, to: list, .create, .isNew)])[0])
    }

    func write(_ text: String, to list: String = "a", at place: LogPlace?, receipt: Receipt? = nil) throws -> LogPlace?
    {
        var commit = Self.commit([text], to: list, .append, place.map { .isAt($0) } ?? .isNew)
        commit.entries[0].receipt = receipt
        return self.place(of: try self.commit([commit])[0])
    }

    private func place(of outcome: CommitOutcome) -> LogPlace? {
        if case .written(let place) = outcome { place } else { nil }
    }

    private static func commit(
        _ texts: [String], to list: String, _ kind: JournalEntry.Kind, _ condition: Commit.Condition
    ) -> Commit {
        let entries = texts.enumerated().map { index, text in
            JournalEntry(
                list: ListID(ByteText(list))!, kind: index == 0 ? kind : .append, bytes: Array(text.utf8), receipt: nil)
        }
        var commit = Commit(entries[0], condition)
        commit.entries = entries
        return commit
    }

    /// The texts of a list; chunks of its snapshot are in brackets. Nil if there is none.
    func read(_ list: String = "a", after place: LogPlace? = nil) throws -> [String]? {
        var found: [String] = []
        let end = try load(
            ListID(ByteText(list))!, after: place,
            snapshot: { part in found += part.chunks.map { "[\(String(decoding: $0, as: UTF8.self))]" } },
            entry: { found.append(String(decoding: $0.bytes, as: UTF8.self)) })
        return end == nil ? nil : found
    }

    func cover(_ position: Int, _ texts: String..., of list: String = "a") throws {
        try write(
            SnapshotPart(
                list: ListID(ByteText(list))!, position: position, first: 0, chunks: texts.map { Array($0.utf8) },
                isLast: true))
    }
}

/// Work on a thread of its own, and what comes of it.
final class Background<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    private let thread: Thread

    init(_ body: @escaping @Sendable () throws -> Value) throws {
        thread = try Thread { [result] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
        }
    }

    var isDone: Bool { result.withLock { $0 != nil } }

    /// Nil as long as the work goes on.
    var value: Value? { result.withLock { try? $0?.get() } }

    func wait() throws -> Value? {
        thread.join()
        return try result.withLock { $0 }?.get()
    }
}

/// The error that `body` throws; nil if it throws none.
func journalError(_ body: () throws -> Void) -> JournalError? {
    do { try body() } catch { return error as? JournalError }
    return nil
}
