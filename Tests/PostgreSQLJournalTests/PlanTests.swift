@testable import PostgreSQLJournal
import TestSupport
import Testing

/// The server makes plans when the tables are still empty, and keeps them for long. No plan may read a table from end to
/// end, because then each write costs as much as the whole history of all lists.
@Suite struct PlanTests {
    private static let statements: [Statement] = [
        .append, .create, .lockFree, .lock, .quiet, .settled, .places, .lists, .load, .tails, .receipt, .coverable,
        .removeOtherChunks, .cover, .removeRows, .removeList, .noteTidy, .record, .records, .changeRecord,
        .removeRecord,
    ]

    /// The types of parameters that the server cannot find out by itself.
    private static let types: [String: String] = {
        let (numbers, bytes) = ("int8[]", "bytea[]")
        let answers = [numbers, numbers, bytes, numbers, numbers, bytes]
        let rows = [
            "append": Array(repeating: numbers, count: 7) + [bytes, "int8"] + answers,
            "create": ["text[]"] + Array(repeating: numbers, count: 7) + [bytes, "int8"] + answers,
            "tails": ["text[]", numbers],
            "settled": Array(repeating: numbers, count: 4) + ["int8", numbers, bytes, "text[]", numbers, numbers],
        ]
        return rows.mapValues { "(\($0.joined(separator: ", ")))" }
    }()

    @Test(arguments: statements.indices)
    func noTableIsReadFromEndToEnd(index: Int) throws {
        let fixture = try Fixture(PostgreSQLServer.shared)
        try fixture.journal().close()
        var patience = Connector.Patience()
        patience.silence = 600_000
        let connector = try Connector(
            ConnectionString(fixture.server.url()), schema: fixture.schema, patience: patience
        ) { .random(in: 0 ... .max) }
        let session = try connector.connect()
        let (name, sql) = (Self.statements[index].name, Self.statements[index].sql)
        let count = (1...20).last { sql.contains("$\($0)") } ?? 0
        let nothing = count == 0 ? "" : "(\(Array(repeating: "NULL", count: count).joined(separator: ", ")))"
        try session.runScript("PREPARE planned\(Self.types[name] ?? "") AS \(sql)")
        try session.runScript("SET plan_cache_mode = force_generic_plan")
        let plan = try session.run(Statement("explain", "EXPLAIN EXECUTE planned\(nothing)"))
            .compactMap { $0[0].bytes.map { String(decoding: $0, as: UTF8.self) } }
        #expect(!plan.isEmpty)
        // The table of the cluster has one row, and no index.
        let scans = plan.filter { $0.contains("Seq Scan on") && !$0.contains("Seq Scan on cluster") }
        #expect(scans.isEmpty, "\(name):\n\(plan.joined(separator: "\n"))")
    }
}
