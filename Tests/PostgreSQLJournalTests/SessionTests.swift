import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Texts
import Threads

/// The locks and the threads of one store: none holds another node or itself up for long.
@Suite struct SessionTests {
    private static func fixture() throws -> Fixture { try Fixture(PostgreSQLServer.shared) }

    private static func connector(_ fixture: Fixture, _ patience: Connector.Patience) throws -> Connector {
        try Connector(ConnectionString(fixture.server.url()), schema: fixture.schema, patience: patience) {
            .random(in: 0 ... .max)
        }
    }

    // MARK: Times

    /// The node is paused, or cut off, behind a statement of a transaction.
    @Test func theLocksOfATransactionThatDoesNotGoOnEnd() throws {
        let fixture = try Self.fixture()
        try fixture.journal().close()
        let session = try Self.connector(fixture, Connector.Patience()).connect()
        try session.runScript("BEGIN; LOCK TABLE list")
        #expect(try fixture.number("SELECT count(*) FROM list") == 0)
    }

    @Test func aStatementWaitsForALockOnlyAWhile() throws {
        let fixture = try Self.fixture()
        try fixture.journal().close()
        var patience = Connector.Patience()
        patience.locks = 10
        let session = try Self.connector(fixture, patience).connect()
        try fixture.run("BEGIN; LOCK TABLE list")
        defer { try? fixture.run("ROLLBACK") }
        do throws(Session.Failure) { try session.run(.lists, [.text([]), .integer(1)]) } catch {
            return #expect(error.isPassing, "\(error)")
        }
        Issue.record("it has read")
    }

    @Test func aStatementWhoseClientHasLeftEnds() throws {
        let fixture = try Self.fixture()
        try fixture.journal().close()
        var patience = Connector.Patience()
        (patience.silence, patience.locks, patience.presence) = (1_000, 0, 10)
        var session: Session? = try Self.connector(fixture, patience).connect()
        try fixture.run("BEGIN; LOCK TABLE list")
        defer { try? fixture.run("ROLLBACK") }
        #expect(throws: Session.Failure.self) { try session?.run(.lists, [.text([]), .integer(1)]) }
        session = nil
        let other = try Fixture(fixture.server, schema: fixture.schema)
        let waiting = other.waiting(for: "relation", in: "FROM list WHERE stage < 2 AND name >")
        try other.wait(until: "SELECT (count(*) = 0)::int::int8 FROM (\(waiting)) w")
    }
}
