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

    /// The entries of locked lists are read by the statement behind the lock, and those of others are not. A place that was
    /// not named before is read behind by a statement of its own.
    @Test func whatIsBehindALockIsReadWithIt() throws {
        let fixture = try Self.fixture()
        let (journal, other) = (try fixture.journal(), try fixture.journal())
        let places = try ["a", "b"].map { ListPlace(ListID($0)!, try #require(try journal.make($0, "1"))) }
        var wanted = Self.wanted("a", "b")
        wanted.places = places
        let (locked, known) = (wanted, Locked<[String]>([]))
        let holds = Locked(false)
        let holder = try Background {
            try other.commit(locking: Self.wanted("b")) { _ in
                holds.change { $0 = true }
                holds.wait(until: { !$0 }) { _ in }
                return []
            }
        }
        holds.wait(until: { $0 }) { _ in }
        _ = try other.write("2", at: places[0].place)
        let outcomes = try journal.commit(locking: locked) { found in
            let tails = (try? found.tails(after: Array(places.prefix(1)))) ?? []
            let again = (try? found.tails(after: [ListPlace(places[0].list, tails[0]?.end ?? places[0].place)])) ?? []
            known.withLock { known in
                known =
                    found.ids.map(\.rawValue.string)
                    + (tails + again).map { tail in
                        tail.map { $0.entries.map { String(decoding: $0.bytes, as: UTF8.self) }.joined() } ?? "nothing"
                    }
            }
            return (try? Self.commit("3", at: tails[0]?.end)).map { [$0] } ?? []
        }
        holds.change { $0 = false }
        _ = try holder.wait()
        #expect(outcomes.map(\.isWritten) == [true])
        #expect(known.withLock { $0 } == ["a", "2", ""])
        #expect(try journal.read() == ["1", "2", "3"])
    }

    /// The server refuses to read the entries of one list. The others are locked, read and written without it.
    @Test func aListThatCannotBeReadHoldsUpNoOther() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        var places = try ["a", "b", "c"].map { ListPlace(ListID($0)!, try #require(try journal.make($0, "1"))) }
        places[1] = ListPlace(places[1].list, try #require(try journal.write("2", to: "b", at: places[1].place)))
        // The end of this row is no number of the server.
        try fixture.run("UPDATE log SET count = 9223372036854775807 WHERE first = 1")
        var wanted = Self.wanted("a", "b", "c")
        wanted.places = places
        let known = Locked<[Bool]>([])
        let commits = [try Self.commit("2", at: places[0].place), try Self.commit("2", "c", at: places[2].place)]
        let all = places
        let outcomes = try journal.commit(locking: wanted) { locked in
            let tails = (try? locked.tails(after: all)) ?? []
            known.withLock { $0 = tails.map { $0 != nil } }
            return locked.ids.count == 3 ? commits : []
        }
        #expect(known.withLock { $0 } == [true, false, true])
        #expect(outcomes.map(\.isWritten) == [true, true])
        #expect(try journal.read("a") == ["1", "2"])
        #expect(try journal.read("c") == ["1", "2"])
    }

    /// The server can read nothing at all. It is not asked without end.
    @Test func tablesThatCannotBeReadLockNothing() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try #require(try journal.make("a", "1"))
        _ = try journal.commit(locking: Self.wanted("a")) { _ in [] }
        try fixture.run("ALTER TABLE log RENAME TO gone")
        var wanted = Self.wanted("a")
        wanted.places = [ListPlace(ListID("a")!, place)]
        let error = journalError { _ = try journal.commit(locking: wanted) { _ in [] } }
        guard case .away = error else { return #expect(error == .away("")) }
        try fixture.run("ALTER TABLE gone RENAME TO log")
        let commit = try Self.commit("2", at: place)
        #expect(try journal.commit(locking: wanted) { _ in [commit] }.map(\.isWritten) == [true])
    }

    @Test func aClosedJournalLocksNothing() throws {
        let journal = try Self.fixture().journal()
        journal.close()
        #expect(journalError { _ = try journal.commit(locking: Self.wanted("a")) { _ in [] } } == .closed)
    }
}
