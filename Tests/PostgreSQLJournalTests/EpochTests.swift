import Foundation
import ListDiff
import ListModel
@testable import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Texts
import Threads

/// Failovers and restores after which answered writes may be missing: no version is used twice.
@Suite struct EpochTests {
    private static func fixture() throws -> Fixture { try Fixture(PostgreSQLServer.shared) }

    /// A patience with which the journal looks at the server only when a session begins.
    private static var incurious: Connector.Patience {
        var patience = Connector.Patience()
        (patience.look, patience.silence, patience.doubt) = (3_600_000, 600_000, 600_000)
        return patience
    }

    // MARK: Servers

    /// The server that the tables were on, from the row of `cluster`, and whether answered writes may be missing now.
    @Test(arguments: [
        ("timeline = timeline", false), ("timeline = timeline + 1", true),
        ("timeline = timeline + 1, standby = true", false), ("system = system + 1", true),
        ("system = system + 1, standby = true", true), ("home = home + 1", true), ("standby = true", false),
        ("system = NULL, home = NULL, timeline = NULL", false),
    ])
    func anotherServerBeginsAGeneration(before: String, mayMiss: Bool) throws {
        let fixture = try Self.fixture()
        let old = try fixture.journal()
        _ = try old.make("a", "1")
        old.close()
        try fixture.run("UPDATE cluster SET \(before)")
        let journal = try fixture.journal()
        #expect(journal.mayMissCommits == mayMiss)
        #expect(try fixture.number("SELECT generation FROM cluster") == (mayMiss ? 1 : 0))
        #expect(try journal.places(of: [ListID("a")!])[0]?.generation == (mayMiss ? 1 : 0))
        // Another start finds nothing new.
        #expect(try !fixture.journal().mayMissCommits)
        #expect(try journal.read()?.count == (mayMiss ? 2 : 1))
    }

    @Test func aServerThatAnotherHasReplacedIsLeft() {
        func server(_ system: Int, _ timeline: Int) -> Cluster {
            Cluster(system: system, timeline: timeline, generation: 0, hasStandby: false, isElsewhere: false)
        }
        #expect(server(1, 2).isAfter(server(1, 1)))
        #expect(server(1, 2).isAfter(server(1, 2)))
        #expect(!server(1, 2).isAfter(server(1, 3)))
        #expect(server(2, 1).isAfter(server(1, 3)))
    }

    /// A standby becomes the leader while the journal is open. Nobody can know whether it had all writes.
    @Test func afterAFailoverListsAreInANewEpoch() throws {
        let fixture = try Fixture(PostgreSQLServer())
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        try fixture.server.crash()
        #expect(FileManager.default.createFile(atPath: fixture.server.folder + "/data/standby.signal", contents: nil))
        try fixture.server.start()
        try fixture.server.query("SELECT pg_promote()")
        while journal.isAway || (try? journal.read()) == nil {}
        #expect(try journal.write("2", at: place) == nil)
        let renewed = try journal.places(of: [ListID("a")!])[0]
        #expect(renewed?.generation == 1)
        #expect(try journal.write("2", at: renewed)?.position == 3)
    }

    // MARK: Lists

    @Test func nobodyWritesToAListOfAnOlderGeneration() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.incurious)
        let place = try journal.make("a", "1")
        try fixture.run("UPDATE cluster SET generation = generation + 1")
        #expect(try journal.write("2", at: place) == nil)
        #expect(journalError { _ = try journal.read(after: place) } == .moved)
        let renewed = try journal.places(of: [ListID("a")!])[0]
        #expect(renewed?.position == 2)
        #expect(try journal.write("2", at: place) == nil)
        #expect(try journal.write("2", at: renewed)?.position == 3)
        let read = try journal.read() ?? []
        #expect(read.count == 3 && read[0] == "1" && read[2] == "2")
        // A list that begins is of no older generation, or gets a new epoch.
        let other = try fixture.journal().make("b", "1")
        #expect(other?.generation == 1)
    }

    /// The snapshot may have entries that are missing now.
    @Test func aSnapshotOfAnOlderGenerationIsOfNoUse() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.incurious)
        _ = try journal.make("a", "1", "2")
        try fixture.run("UPDATE cluster SET generation = generation + 1")
        _ = try journal.places(of: [ListID("a")!])
        try journal.cover(2, "x")
        #expect(try journal.read()?.prefix(2) == ["1", "2"])
    }

    /// The tables were restored under a journal that goes on.
    @Test func aListThatIsShorterThanKnownBeginsAGeneration() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.incurious)
        let second = try journal.write("2", at: journal.make("a", "1"))
        let third = try journal.write("3", at: second)
        try fixture.run("UPDATE list SET position = 2; DELETE FROM log WHERE first = 2")
        #expect(try journal.write("4", at: third) == nil)
        #expect(journalError { _ = try journal.read(after: third) } == .moved)
        #expect(try fixture.number("SELECT generation FROM cluster") == 1)
        #expect(try journal.read()?.count == 3)
        #expect(journalError { _ = try journal.read(after: third) } == .moved)
        #expect(try fixture.number("SELECT generation FROM cluster") == 1)
    }

    /// Somebody has cancelled the wait for the standby, so the journal has read an entry that a takeover took away. Another
    /// entry is in its place.
    @Test(arguments: ["write", "read", "lock"]) func aListWithAnotherEndThanKnownBeginsAGeneration(by way: String)
        throws
    {
        let fixture = try Self.fixture()
        let (journal, other) = (try fixture.journal(Self.incurious), try fixture.journal(Self.incurious))
        let first = try journal.make("a", "1")
        _ = try other.write("2", at: first)
        let list = ListID("a")!
        var known = try journal.load(list, after: first, snapshot: { _ in }, entry: { _ in })
        #expect(known?.position == 2)
        if way == "lock" {
            // The place is as a commit tells it.
            let outcome = try journal.commit([Self.commit("3", at: known)])[0]
            if case .written(let place) = outcome { known = place }
        }
        #expect(known?.token != nil)
        let last = way == "lock" ? 2 : 1
        try fixture.run("UPDATE log SET token = 7 WHERE first = \(last); UPDATE list SET token = 7")
        switch way {
        case "write": #expect(try journal.write("3", at: known) == nil)
        case "lock":
            var wanted = WantedLocks([list], waitsForFirst: false, secondsMax: 60)
            let (commit, place) = (try Self.commit("4", at: known), try #require(known))
            wanted.places = [ListPlace(list, place)]
            let outcomes = try journal.commit(locking: wanted) { locked in
                #expect((try? locked.tails(after: [ListPlace(list, place)])) == [nil])
                return [commit]
            }
            #expect(outcomes == [.moved])
        default: break
        }
        #expect(try fixture.number("SELECT generation FROM cluster") == 0)
        #expect(try journal.places(of: [list])[0]?.token == 7)
        #expect(journalError { _ = try journal.read(after: known) } == .moved)
        #expect(try fixture.number("SELECT generation FROM cluster") == 1)
        #expect(try journal.read()?.count == last + 2)
        // It is found once.
        #expect(journalError { _ = try journal.read(after: known) } == .moved)
        #expect(try fixture.number("SELECT generation FROM cluster") == 1)
    }

    private static func commit(_ text: String, at place: LogPlace?) throws -> Commit {
        let entry = JournalEntry(list: ListID("a")!, kind: .append, bytes: Array(text.utf8), receipt: nil)
        return Commit(entry, .isAt(try #require(place)))
    }

    /// The same entries stay the same, whoever has written them, although the rows go when a snapshot stands for them.
    @Test func aListWithTheKnownEndBeginsNoGeneration() throws {
        let fixture = try Self.fixture()
        var patience = Self.incurious
        patience.keep = 0
        let (journal, other) = (try fixture.journal(patience), try fixture.journal(patience))
        let list = ListID("a")!
        var place = try other.write("2", at: journal.make("a", "1"))
        // A receipt alone leaves the end as it is.
        let receipt = JournalEntry(
            list: list, kind: .receiptOnly, bytes: [], receipt: Receipt(key: [1], time: 1, bytes: []))
        let outcome = try other.commit([Commit(receipt, .isAt(try #require(place)))])[0]
        #expect(outcome == place.map { .written($0) })
        for number in 3...6 { place = try (number % 2 == 0 ? other : journal).write("\(number)", at: place) }
        #expect(try journal.places(of: [list])[0]?.token == place?.token)
        try journal.cover(6, "1-6")
        while try !journal.removeSome(all: true) {}
        #expect(try fixture.number("SELECT count(*) FROM log") == 0)
        #expect(try journal.places(of: [list]) == [place])
        #expect(try journal.read(after: place) == [])
        #expect(try other.load(list, after: place, snapshot: { _ in }, entry: { _ in })?.token == place?.token)
        place = try other.write("7", at: place)
        #expect(place?.position == 7)
        #expect(try journal.read(after: place) == [])
        #expect(try fixture.number("SELECT generation FROM cluster") == 0)
    }

    /// The list itself says who has written its last row, so a commit does not look into the log for that.
    @Test func aListWithTheTokenOfItsLastRowNeedsNoLog() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.incurious)
        let place = try journal.make("a", "1")
        try fixture.run("UPDATE log SET token = 7")
        #expect(try journal.write("2", at: place)?.position == 2)
    }

    /// A store finds out without a write.
    @Test func aStoreFindsAnotherEndByItself() throws {
        let fixture = try Self.fixture()
        var patience = Self.incurious
        patience.look = 1
        let store = try Self.store(fixture.journal(patience))
        defer { store.stop() }
        let id = ListID("a")!
        #expect(Self.isKept(store.create(id, Write(.operations([])))))
        let old = try #require(try store.list(id)?.epoch)
        try fixture.run("UPDATE log SET token = 7")
        for _ in 0..<1_000_000 { guard try store.list(id)?.epoch == old else { break } }
        #expect(try store.list(id)?.epoch != old)
    }

    /// A reader finds it too, before the store looks at all lists. He has seen an entry that is lost.
    @Test func aReaderFindsThatAListIsShorter() throws {
        let fixture = try Self.fixture()
        let store = try Self.store(fixture.journal(Self.incurious))
        defer { store.stop() }
        let id = ListID("a")!
        #expect(Self.isKept(store.create(id, Write(.operations([])))))
        var changes = ListChanges()
        changes.title = .set("lost")
        #expect(Self.isKept(store.submit(id, Write(.operations([.updateList(changes)])))))
        let line = try #require(try store.list(id)).line
        // A commit is told a moment before its end is noted.
        while line.shownPlace?.position != 2 {}
        let lost = try #require(try store.list(id)?.epoch)
        try fixture.run("UPDATE list SET position = 1; DELETE FROM log WHERE first = 1")
        let isCurrent = Locked<Bool?>(nil)
        store.whenCurrent([id]) { outcome in isCurrent.change { $0 = (try? outcome.get()) != nil } }
        #expect(isCurrent.wait(until: { $0 != nil }) { $0 } == true)
        let list = try #require(try store.list(id))
        #expect(list.epoch != lost)
        #expect(list.read { $0.snapshot() }.state.properties.title != "lost")
    }

    /// A store that goes on, and one that starts. A deleted list stays deleted.
    @Test func versionsAreOfNewEpochs() throws {
        let fixture = try Self.fixture()
        var patience = Self.incurious
        patience.look = 1
        let store = try Self.store(fixture.journal(patience))
        defer { store.stop() }
        let id = ListID("a")!
        for list in [id, ListID("gone")!] {
            #expect(Self.isKept(store.create(list, Write(.operations([])))))
        }
        #expect(Self.isKept(store.delete(ListID("gone")!, Write(.operations([])))))
        let old = try #require(try store.list(id)?.epoch)
        // A look that began before the deletion may have taken its end out of memory for a moment.
        try store.checkDeletedLists()
        let deleted = store.deletedLists(after: nil, limit: 9).map(\.version.epoch)
        #expect(deleted.count == 1)
        try fixture.run("UPDATE cluster SET timeline = timeline + 1")
        for _ in 0..<1_000_000 { guard try store.list(id)?.epoch == old else { break } }
        try #require(try store.list(id)?.epoch != old)
        let other = try Self.store(fixture.journal(Self.incurious))
        defer { other.stop() }
        #expect(try other.list(id)?.epoch == store.list(id)?.epoch)
        #expect(try other.list(ListID("gone")!) == nil)
        let renewed = other.deletedLists(after: nil, limit: 9).map(\.version.epoch)
        #expect(renewed.count == 1 && renewed != deleted)
        #expect(Self.isKept(other.restore(ListID("gone")!, nil, Write(.operations([])))))
        #expect(try other.list(ListID("gone")!)?.epoch == renewed[0])
    }

    private static func store(_ journal: PostgreSQLJournal) throws -> Store {
        let limits = Store.Limits(
            itemsMax: 9, sectionsMax: 9, contentBytesMax: 99, historyVersionsMax: 9, historyBytesMax: 999,
            receiptsMax: 9, receiptAgeMax: 100,
            deleted: Store.Limits.Deleted(listsMax: 9, bytesMax: 1 << 20, ageMax: 1_000))
        return try Store(
            journal: journal, limits: limits, clock: { 0 }, token: { ByteText("\(UInt64.random(in: 0 ... .max))") })
    }

    private static func isKept(_ submission: Submission) -> Bool {
        guard case .success = submission.result else { return false }
        let outcome = Locked<Bool?>(nil)
        guard let durability = submission.durability else { return true }
        durability.whenDone { result in outcome.change { $0 = (try? result.get()) != nil } }
        return outcome.wait(until: { $0 != nil }, then: { $0 == true })
    }

    // MARK: Formats

    /// What leads back from each format to the one before, newest first.
    private static let stepsBack = [
        "ALTER TABLE list DROP creator, DROP items, DROP bytes",
        """
        ALTER TABLE list DROP generation;
        ALTER TABLE cluster DROP system, DROP home, DROP timeline, DROP standby, DROP generation
        """,
    ]

    @Test(arguments: 1..<Schema.format)
    func tablesOfAnOlderFormatAreBroughtForward(_ format: Int) throws {
        let fixture = try Self.fixture()
        let old = try fixture.journal()
        let place = try old.make("a", "1")
        old.close()
        for step in Self.stepsBack.prefix(Schema.format - format) { try fixture.run(step) }
        try fixture.run("UPDATE cluster SET format = \(format)")
        let journal = try fixture.journal()
        #expect(try fixture.number("SELECT format FROM cluster") == Schema.format)
        #expect(!journal.mayMissCommits)
        #expect(try journal.write("2", at: place)?.position == 2)
        #expect(try journal.read() == ["1", "2"])
    }

    /// A later program has changed the tables under a journal that goes on.
    @Test func tablesOfALaterFormatAreLeft() throws {
        let fixture = try Self.fixture()
        var patience = Self.incurious
        patience.look = 1
        let journal = try fixture.journal(patience)
        let place = try journal.make("a", "1")
        try fixture.run("UPDATE cluster SET format = \(Schema.format + 1)")
        let wanted = JournalError.otherFormat(Schema.format + 1, newest: Schema.format)
        var last = place
        var error: JournalError?
        for _ in 0..<10_000 where error == nil {
            error = journalError { last = try journal.write("2", at: last) ?? last }
        }
        #expect(error == wanted)
        #expect(journalError { _ = try journal.read() } == wanted)
        #expect(journalError { _ = try journal.removeSome(all: true) } == wanted)
    }
}
