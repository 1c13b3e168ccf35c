import Glibc
import ListStore
@testable import PostgreSQLJournal
import SQLiteJournal
import TestSupport
import Testing

/// The rules of a journal, over each engine. Faulty journals show that the rules find what they are there for.
@Suite struct JournalTests {
    /// The ways to keep a journal.
    enum Engine: String, Sendable, CaseIterable {
        case memory
        case sqlite
        case postgreSQL

        fileprivate func harness() throws -> JournalHarness {
            switch self {
            case .memory: try JournalHarness { Self.reopened($0) ?? MemoryJournal(partBytes: 4) }
            case .sqlite:
                try { folder in try JournalHarness { _ in try SQLiteJournal(directory: folder.path) } }(Folder())
            case .postgreSQL:
                try { server, schema in
                    try JournalHarness(isSeveral: true, damage: { try server.damage($0, schema) }) { _ in
                        try server.journal(schema)
                    }
                }(PostgreSQLServer.shared, PostgreSQLServer.newName())
            }
        }

        fileprivate static func reopened(_ journal: (any Journal)?) -> MemoryJournal? {
            let journal = journal as? MemoryJournal
            journal?.reopen()
            return journal
        }
    }

    @Test(arguments: Engine.allCases, JournalRule.all)
    func holds(on engine: Engine, rule: JournalRule) throws {
        let harness = try engine.harness()
        // Nobody else writes to a journal that locks no lists.
        guard harness.journal.locker != nil || !JournalRule.locks.contains(where: { $0.name == rule.name }) else {
            return
        }
        try rule.check(harness)
    }

    @Test(arguments: MemoryJournal.Fault.allCases)
    func findsAFault(_ fault: MemoryJournal.Fault) throws {
        let broken = try JournalRule.all.filter { rule in
            let harness = try JournalHarness { Engine.reopened($0) ?? MemoryJournal(partBytes: 4, fault: fault) }
            do { try rule.check(harness) } catch { return true }
            return false
        }
        #expect(!broken.isEmpty, "no rule finds a journal that \(fault)")
    }
}

extension PostgreSQLServer {
    /// A journal in a schema. Nothing that a snapshot stands for is kept.
    ///
    /// - Parameter patience: By default it is so long that a busy machine never sees its end.
    func journal(_ schema: String, _ patience: Connector.Patience? = nil) throws -> PostgreSQLJournal {
        var forever = Connector.Patience()
        (forever.silence, forever.doubt) = (600_000, 600_000)
        var patience = patience ?? forever
        patience.keep = 0
        return try PostgreSQLJournal(url: url(), schema: schema, patience: patience) { .random(in: 0 ... .max) }
    }

    /// Adds a byte to the value of a record.
    fileprivate func damage(_ key: KeyedRecord.Key, _ schema: String) throws {
        let session = try Session(ConnectionString(url()), silence: 60_000, number: 0)
        let sql = "UPDATE \(schema).record SET value = value || 'x' WHERE kind = $1 AND key = $2 RETURNING 1"
        let rows = try session.run(Statement("damage", sql), [.integer(Int(key.kind.rawValue)), .bytes(key.bytes)])
        try expect(rows.count, 1, "damaged records")
    }
}

/// A new folder for one test. It is removed when this object goes.
final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/liststate-rules-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw BrokenRule(description: "mkdtemp") }
        path = String(cString: made)
    }

    deinit {
        for name in ["liststate.db", "liststate.db-wal", "liststate.db-shm", "acknowledged", "lock"] {
            unlink(path + "/" + name)
        }
        rmdir(path)
    }
}
