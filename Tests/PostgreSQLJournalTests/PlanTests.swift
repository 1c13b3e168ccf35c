@testable import PostgreSQLJournal
import TestSupport
import Testing

/// The server makes plans when the tables are still empty, and keeps them for long. No plan may read a table or an index
/// from end to end, because then each write costs as much as the whole history of all lists.
@Suite struct PlanTests {
    private static let statements: [Statement] = [
        .append, .appendMany, .appendLocked, .appendWithRecords, .appendOne, .create, .createWithRecords, .lockFree,
        .lock, .quiet, .settled, .notifyOfRow, .places, .lists, .load, .tails, .receipt, .coverable,
        .removeOtherChunks, .cover, .removeRows, .removeList, .noteTidy, .record, .records, .changeRecord,
        .removeRecord, .removeOldRecord, .removeDamagedRecord, .removeDamagedReceipt,
    ]

    /// The types of parameters that the server cannot find out by itself.
    private static let types: [String: String] = {
        let (numbers, bytes) = ("int8[]", "bytea[]")
        let answers = [numbers, numbers, bytes, numbers, numbers, bytes]
        let holdings = ["text[]", numbers, numbers]
        let records = [numbers, numbers, numbers, bytes, numbers, numbers, bytes, bytes]
        let append = Array(repeating: numbers, count: 7) + [bytes, "int8"] + answers + holdings
        let appendMany = Array(repeating: numbers, count: 7) + [bytes, "int8"] + holdings
        let rows = [
            "append": append, "append with records": append + records,
            "append many": appendMany, "append locked": appendMany,
            "create with records": ["text[]"] + append + records,
            "append one": Array(repeating: "int8", count: 7) + ["bytea", "int8", "text", "int8", "int8"],
            "create": ["text[]"] + append,
            "lock free": ["text[]", numbers], "quiet": [numbers, "text[]"], "tails": ["text[]", numbers],
            "settled": Array(repeating: numbers, count: 4) + ["int8", numbers, bytes, "text[]", numbers, numbers]
                + [numbers, numbers, bytes, bytes, bytes],
        ]
        return rows.mapValues { "(\($0.joined(separator: ", ")))" }
    }()

    /// What the tables had when the server last looked at them. A table of which it knows that it has one row costs as much
    /// to read from end to end as to look something up in.
    enum Past: String, Sendable, CaseIterable {
        case empty
        case fewLists
        case oneRow
        case sixRows
        case fiftyRows

        /// The number of rows in each table; 0 if the server never looked.
        private var count: Int {
            switch self {
            case .empty, .fewLists: 0
            case .oneRow: 1
            case .sixRows: 6
            case .fiftyRows: 50
            }
        }

        /// Fills the tables, and has the server look at them.
        fileprivate var script: String {
            let lists = "INSERT INTO list (id, name, position, stamp, stage, token) SELECT n, n::text, 1, 1, 0, 1"
            guard count > 0 else {
                return self == .empty ? "" : "\(lists) FROM generate_series(1, 9) n; ANALYZE list"
            }
            let numbers = "FROM generate_series(1, \(count)) n"
            return """
                \(lists) \(numbers);
                INSERT INTO log SELECT n, 0, 1, 1, 1, '' \(numbers);
                INSERT INTO chunk SELECT n, 1, 0, 1, '' \(numbers);
                INSERT INTO receipt (scope, time, token, crc, bytes) SELECT n::text::bytea, 1, 1, 1, '' \(numbers);
                INSERT INTO record SELECT 2, n::text::bytea, 1, 1, '' \(numbers);
                ANALYZE list, log, chunk, receipt, record
                """
        }
    }

    @Test(arguments: Past.allCases)
    func noTableIsReadFromEndToEnd(past: Past) throws {
        let fixture = try Fixture(PostgreSQLServer.shared)
        try fixture.journal().close()
        var patience = Connector.Patience()
        patience.silence = 600_000
        let connector = try Connector(
            ConnectionString(fixture.server.url()), schema: fixture.schema, patience: patience
        ) { .random(in: 0 ... .max) }
        let session = try connector.connect()
        try session.runScript(past.script)
        for (index, statement) in Self.statements.enumerated() { try Self.check(statement, index, session) }
    }

    private static func check(_ statement: Statement, _ index: Int, _ session: Session) throws {
        let (name, sql) = (statement.name, statement.sql)
        let count = (1...32).last { sql.contains("$\($0)") } ?? 0
        let nothing = count == 0 ? "" : "(\(Array(repeating: "NULL", count: count).joined(separator: ", ")))"
        try session.runScript("PREPARE planned\(index)\(types[name] ?? "") AS \(sql)")
        let plan = try session.run(Statement("explain \(index)", "EXPLAIN EXECUTE planned\(index)\(nothing)"))
            .compactMap { $0[0].bytes.map { String(decoding: $0, as: UTF8.self) } }
        #expect(!plan.isEmpty)
        // The table of the cluster has one row, and no index.
        let scans = plan.filter { $0.contains("Seq Scan on") && !$0.contains("Seq Scan on cluster") }
        #expect(scans.isEmpty, "\(name):\n\(plan.joined(separator: "\n"))")
        // An index can be read from end to end as well. Then no condition follows.
        let whole = plan.indices.filter { plan[$0].contains("Index") && plan[$0].contains("Scan") }
            .filter { !plan[($0 + 1)...].prefix { !$0.contains("->") }.contains { $0.contains("Index Cond:") } }
        #expect(whole.isEmpty, "\(name):\n\(plan.joined(separator: "\n"))")
        // A join that makes a hash, or sorts, reads all that it could find.
        #expect(!plan.contains { $0.contains("Hash Join") || $0.contains("Merge Join") }, "\(name)")
    }
}
