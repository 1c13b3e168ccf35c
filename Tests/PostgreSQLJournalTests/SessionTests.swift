import ListDiff
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

    /// A server that hangs neither answers nor closes its connections, even after another one has replaced it.
    @Test func aSessionToAServerThatWasReplacedIsNotUsedAgain() throws {
        let fixture = try Self.fixture()
        try fixture.journal().close()
        let pool = SessionPool(try Self.connector(fixture, Connector.Patience()), sessionsMax: 2)
        let first = try pool.read { session, _ in
            let server = try #require(session.server)
            session.server = Cluster(
                system: server.system, timeline: server.timeline - 1, generation: server.generation,
                hasStandby: server.hasStandby, isElsewhere: false)
            return session.number
        }
        let second = try pool.read { session, _ in session.number }
        #expect(first != second)
        #expect(try pool.read { session, _ in session.number } == second)
    }

    // MARK: Upkeep

    /// The locks of lists, which have two numbers.
    private static let listLocks = """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND objid IN (
          SELECT (id & 2147483647)::oid FROM list)
        """

    private static let refusal = """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON
        """

    @Test func theLockOfAListIsGivenBackAfterARefusal() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.keep = 0
        let journal = try fixture.journal(patience)
        let second = try journal.write("2", at: journal.make("a", "1"))
        _ = try journal.write("3", at: second)
        try fixture.run("\(Self.refusal) chunk FOR EACH ROW EXECUTE FUNCTION refuse()")
        #expect(throws: JournalError.self) { try journal.cover(2, "x") }
        #expect(try fixture.number(Self.listLocks) == 0)
        try fixture.run("DROP TRIGGER refuse ON chunk")
        try journal.cover(2, "x")
        try fixture.run("DROP FUNCTION refuse; \(Self.refusal) log FOR EACH ROW EXECUTE FUNCTION refuse()")
        #expect(throws: JournalError.self) { while try !journal.removeSome(all: true) {} }
        #expect(try fixture.number(Self.listLocks) == 0)
    }

    /// Old receipts are removed beside the commits, and the removal waits for a snapshot that is being written.
    @Test func noCommitWaitsForTheUpkeep() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        (patience.locks, patience.silence, patience.doubt) = (600_000, 600_000, 600_000)
        let journal = try fixture.journal(patience)
        let limits = Store.Limits(
            itemsMax: 9, sectionsMax: 9, contentBytesMax: 99, historyVersionsMax: 9, historyBytesMax: 999,
            receiptsMax: 1, receiptAgeMax: 100)
        let store = try Store(
            journal: journal, limits: limits, compaction: Store.Compaction(rows: 1 << 20, bytes: 1 << 40), clock: { 0 },
            token: { ByteText("\(UInt64.random(in: 0 ... .max))") })
        defer { store.stop() }
        _ = try journal.make("a", "1", "2")
        let other = try Fixture(fixture.server, schema: fixture.schema)
        try other.run("BEGIN; LOCK TABLE chunk IN EXCLUSIVE MODE")
        defer { try? other.run("ROLLBACK") }
        let snapshot = try Background { try journal.cover(1, "x") }
        try fixture.wait(until: fixture.waiting(for: "relation", in: "INSERT INTO chunk"))
        // More than are kept, so that some are to be removed.
        for number in 0..<600 {
            let key = ReceiptKey(scope: Array("\(number)".utf8), request: [])
            _ = store.create(ListID(ByteText("l\(number)"))!, Write(.operations([]), key: key))
        }
        try fixture.wait(until: "SELECT (count(*) = 600)::int::int8 FROM receipt")
        try other.run("ROLLBACK")
        _ = try snapshot.wait()
        try fixture.wait(until: "SELECT (count(*) < 600)::int::int8 FROM receipt")
    }

    // MARK: The end

    /// A hint may be the last to know a store, so that the store ends with it.
    @Test func aJournalMayBeClosedByItsHint() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let isClosed = Locked(false)
        journal.onHint { [weak journal] _ in
            journal?.close()
            isClosed.change { $0 = true }
        }
        isClosed.wait(until: { $0 }) { _ in }
        #expect(journalError { _ = try journal.read() } == .closed)
    }
}
