import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Threads

/// Lists that a session locks before their commits are decided: whatever happens to the lock, nothing is lost and nothing
/// is doubled. The server is one of its own, because it is told to wait for a standby.
@Suite(.serialized) struct ListLockTests {
    private static let server = Result { try PostgreSQLServer() }

    private static func fixture() throws -> Fixture { try Fixture(server.get()) }

    private static func commit(_ text: String, _ list: String = "a", at place: LogPlace?) throws -> Commit {
        let entry = JournalEntry(list: ListID(list)!, kind: .append, bytes: Array(text.utf8), receipt: nil)
        return Commit(entry, .isAt(try #require(place)))
    }

    private static func wanted(_ lists: String..., waitsForFirst: Bool = false) -> WantedLocks {
        WantedLocks(lists.map { ListID($0)! }, waitsForFirst: waitsForFirst, secondsMax: 60)
    }

    /// The sessions that stand still within a transaction.
    private static let idle =
        "FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"

    /// The upkeep holds the row of a list now and then, and so may another node that stands still. Commits of other lists
    /// do not wait for it.
    @Test func aListThatOthersHoldIsPassedOver() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let (a, b) = (try journal.make("a", "1"), try journal.make("b", "1"))
        let other = try Fixture(fixture.server, schema: fixture.schema)
        try other.run("BEGIN; UPDATE list SET untidy = clock_timestamp() WHERE name = 'a'")
        let outcomes = try journal.commit([Self.commit("2", at: a), Self.commit("2", "b", at: b)])
        #expect(outcomes[0] == .locked && outcomes[1].isWritten)
        // Nobody has written to the list for that.
        let commit = try Self.commit("2", at: a)
        let writer = try Background { try journal.commit(locking: Self.wanted("a")) { _ in [commit] } }
        try fixture.wait(until: fixture.waiting(for: "transactionid", in: "FOR UPDATE"))
        #expect(try journal.write("3", to: "b", at: try journal.places(of: [ListID("b")!])[0])?.position == 3)
        try other.run("COMMIT")
        #expect(try writer.wait()?.map(\.isWritten) == [true])
        #expect(try journal.read() == ["1", "2"])
    }

    /// The process is paused while it has a list locked. The server ends its transaction, and others go on. What was
    /// decided is written if nobody was first, and otherwise decided again.
    @Test(arguments: [true, false]) func aLockThatEndsOnTheWayHarmsNothing(othersWrite: Bool) throws {
        let fixture = try Self.fixture()
        let (journal, other) = (try fixture.journal(), try fixture.journal())
        let place = try journal.make("a", "1")
        let commit = try Self.commit("2", at: place)
        let written = Locked<LogPlace?>(nil)
        let outcomes = try journal.commit(locking: Self.wanted("a")) { _ in
            try? fixture.wait(until: "SELECT count(*) \(Self.idle)")
            while let count = try? fixture.number("SELECT count(*) \(Self.idle)"), count > 0 {}
            guard othersWrite else { return [commit] }
            let place = try? other.write("other 2", at: place)
            written.withLock { $0 = place ?? nil }
            return [commit]
        }
        #expect(outcomes.map(\.isWritten) == [!othersWrite])
        #expect(written.withLock { $0 }?.position == (othersWrite ? 2 : nil))
        #expect(try journal.read() == (othersWrite ? ["1", "other 2"] : ["1", "2"]))
        guard othersWrite else { return }
        let again = try journal.commit(locking: Self.wanted("a")) { locked in
            let start = ListPlace(ListID("a")!, LogPlace(life: place?.life ?? 0, position: 1))
            let end = (try? locked.tails(after: [start]))?[0]?.end
            return (try? Self.commit("2", at: end)).map { [$0] } ?? []
        }
        #expect(again.map(\.isWritten) == [true])
        #expect(try journal.read() == ["1", "other 2", "2"])
    }

    @Test func aSessionThatEndedWhileIdleIsReplaced() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        _ = try journal.commit(locking: Self.wanted("a")) { _ in [] }
        try fixture.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        let commit = try Self.commit("2", at: place)
        #expect(try journal.commit(locking: Self.wanted("a")) { _ in [commit] }.map(\.isWritten) == [true])
        #expect(try journal.read() == ["1", "2"])
    }

    /// The commit is in the server, but no standby has it.
    @Test(arguments: ["pg_terminate_backend", "pg_cancel_backend"])
    func aCommitWhoseWaitForTheStandbyEndsIsFoundByItsToken(end: String) throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        let commits = [try Self.commit("2", at: place)]
        _ = try journal.commit(locking: Self.wanted("a")) { _ in [] }
        try fixture.requireStandby("nobody")
        defer { try? fixture.requireStandby("") }
        let writer = try Background { try journal.commit(locking: Self.wanted("a")) { _ in commits } }
        let waiting = fixture.waiting(for: "SyncRep", in: "COMMIT")
        try fixture.wait(until: waiting)
        #expect(try fixture.number("SELECT \(end)(pid)::int::int8 FROM (\(waiting)) w") == 1)
        // A new session makes a commit of its own before it believes what it reads, so nothing is answered yet.
        try fixture.wait(until: fixture.waiting(for: "SyncRep", in: "pg_logical_emit_message"))
        #expect(writer.value == nil)
        try fixture.requireStandby("")
        #expect(try writer.wait()?.map(\.isWritten) == [true])
        #expect(try journal.read() == ["1", "2"])
    }

    @Test func aListOfAnOlderGenerationIsNotReadOn() throws {
        let fixture = try Self.fixture()
        var incurious = Connector.Patience()
        (incurious.look, incurious.silence, incurious.doubt) = (3_600_000, 600_000, 600_000)
        let journal = try fixture.journal(incurious)
        let place = try #require(try journal.make("a", "1"))
        try fixture.run("UPDATE cluster SET generation = generation + 1")
        let tails = Locked<[Tail?]?>(nil)
        let commit = try Self.commit("2", at: place)
        let outcomes = try journal.commit(locking: Self.wanted("a")) { locked in
            let found = try? locked.tails(after: [ListPlace(ListID("a")!, place)])
            tails.withLock { $0 = found }
            return [commit]
        }
        #expect(tails.withLock { $0 } == [nil])
        #expect(outcomes == [.moved])
        #expect(try journal.places(of: [ListID("a")!])[0]?.generation == 1)
    }

    @Test func aClosedJournalLocksNothing() throws {
        let journal = try Self.fixture().journal()
        journal.close()
        #expect(journalError { _ = try journal.commit(locking: Self.wanted("a")) { _ in [] } } == .closed)
    }
}
