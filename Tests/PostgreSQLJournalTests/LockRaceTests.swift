import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Threads

/// What others do to a list between the beginning of the statement that locks it and the lock.
///
/// The index of the names is locked meanwhile. So the statement has begun, sees the tables as they are then, and looks
/// nothing up yet.
@Suite struct LockRaceTests {
    /// Has a journal lock lists, while others change them. Returns what it has locked, and how far the rows of ended lists
    /// are free meanwhile.
    private struct Race {
        var locked: [String] = []
        var awaited: String?
        /// The texts of the entries behind the places of the locked lists; nil if they cannot be read on.
        var texts: [[String]?] = []
        /// The ended lists that nobody has locked.
        var freeEnded: Int?

        /// - Parameter change: What others do, given the life of the list `a`.
        init(over lists: [String], _ change: (_ life: Int) -> String) throws {
            let fixture = try Fixture(PostgreSQLServer.shared)
            var patience = Connector.Patience()
            (patience.silence, patience.doubt, patience.locks) = (600_000, 600_000, 600_000)
            let journal = try fixture.journal(patience)
            let places = try lists.map { ListPlace(ListID(ByteText($0))!, try #require(try journal.make($0, "1"))) }
            var wanted = WantedLocks(places.map(\.list), waitsForFirst: false, secondsMax: 60)
            wanted.places = places
            // The statement is planned, which needs the index as well.
            _ = try journal.commit(locking: wanted) { _ in [] }
            let other = try Fixture(fixture.server, schema: fixture.schema)
            try other.run("BEGIN; ALTER INDEX list_name SET TABLESPACE pg_default")
            let (race, sent, holds) = (Locked(Race()), wanted, Locked(false))
            let locker = try Background {
                try journal.commit(locking: sent) { found in
                    race.withLock { race in
                        race.locked = found.ids.map(\.rawValue.string)
                        race.awaited = found.awaited?.rawValue.string
                        let read = places.filter { found.ids.contains($0.list) }
                        race.texts = ((try? found.tails(after: read)) ?? []).map { tail in
                            tail.map { $0.entries.map { String(decoding: $0.bytes, as: UTF8.self) } }
                        }
                    }
                    holds.change { $0 = true }
                    holds.wait(until: { !$0 }, milliseconds: 60_000) { _ in }
                    return []
                }
            }
            try fixture.wait(until: fixture.waiting(for: "relation", in: "WITH found AS MATERIALIZED"))
            do { try other.run(change(places[0].place.life) + "; COMMIT") } catch {
                try other.run("ROLLBACK")
                throw error
            }
            holds.wait(until: { $0 }, milliseconds: 60_000) { _ in }
            let free = "SELECT FROM list WHERE stage = 2 FOR UPDATE SKIP LOCKED"
            let freeEnded = try fixture.number("SELECT count(*) FROM (\(free)) ended")
            holds.change { $0 = false }
            _ = try locker.wait()
            self = race.withLock { $0 }
            self.freeEnded = freeEnded
        }

        private init() {}
    }

    private static let end = "UPDATE list SET stage = 2 WHERE stage < 2"
    private static let make = "INSERT INTO list (id, name, position, stamp, stage, token) VALUES"

    @Test func aListThatOthersHaveWrittenToIsReadAgain() throws {
        let race = try Race(over: ["a", "b"]) { life in
            let entry = JournalEntry(list: ListID("a")!, kind: .append, bytes: Array("2".utf8), receipt: nil)
            let row = LogRow([entry], after: 1, of: life)
            let bytes = row.bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
            return """
                UPDATE list SET position = 2, stamp = stamp + 1, token = 9 WHERE id = \(life);
                INSERT INTO log VALUES (\(life), 1, 1, 9, \(row.checksum), '\\x\(bytes)')
                """
        }
        #expect(race.locked == ["a", "b"])
        #expect(race.texts == [["2"], []])
    }

    @Test func aListThatOthersHaveEndedIsNotLocked() throws {
        #expect(try Race(over: ["a", "b"]) { _ in "\(Self.end) AND name = 'a'" }.locked == ["b"])
    }

    /// The new life is another row, which the statement does not see.
    @Test func aListThatOthersHaveMadeAnewIsNotLocked() throws {
        let race = try Race(over: ["a", "b"]) { _ in
            "\(Self.end) AND name = 'a'; \(Self.make) (5, 'a', 0, 1, 0, 1)"
        }
        #expect(race.locked == ["b"])
    }

    /// The rows of the ended lives were locked for nothing. The transaction has given them back when it waits for the list,
    /// so whoever has the list may lock them.
    @Test(arguments: [["a"], ["a", "b"]]) func nothingIsLockedWhileAListIsWaitedFor(lists: [String]) throws {
        let meet = {
            try Race(over: lists) { _ in
                let rows = lists.enumerated().map { "(\($0 + 5), '\($1)', 0, 1, 0, 1)" }
                return "\(Self.end); \(Self.make) \(rows.joined(separator: ", "))"
            }
        }
        var race = try meet()
        // If the server plans the statement anew, it waits before it looks at the tables, and sees the change.
        for _ in 0..<9 where race.awaited == nil { race = try meet() }
        #expect(race.locked == ["a"])
        #expect(race.awaited == "a")
        #expect(race.freeEnded == lists.count)
    }
}
