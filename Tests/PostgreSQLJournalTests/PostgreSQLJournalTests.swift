import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Texts
import Threads

@Suite struct PostgreSQLJournalTests {
    private static func fixture() throws -> Fixture { try Fixture(PostgreSQLServer.shared) }

    // MARK: Opening

    @Test func severalNodesMakeTheTablesAtOnce() throws {
        let fixture = try Self.fixture()
        let (url, schema) = (fixture.server.url(), fixture.schema)
        let nodes = try (0..<4).map { _ in
            try Background {
                try PostgreSQLJournal(url: url, schema: schema, patience: .init()) { .random(in: 0 ... .max) }.close()
            }
        }
        for node in nodes { try #require(try node.wait() != nil) }
        #expect(try fixture.number("SELECT format FROM cluster") == Schema.format)
    }

    @Test func tablesOfALaterFormatAreRefusedAndLeftAlone() throws {
        let fixture = try Self.fixture()
        try fixture.journal().close()
        try fixture.run("UPDATE cluster SET format = \(Schema.format + 1)")
        let error = JournalError.otherFormat(Schema.format + 1, newest: Schema.format)
        #expect(throws: error) { try fixture.journal() }
        #expect(try fixture.number("SELECT format FROM cluster") == Schema.format + 1)
    }

    @Test func aRoleThatOwnsOnlyItsSchemaIsEnough() throws {
        let fixture = try Self.fixture()
        let role = PostgreSQLServer.newName()
        try fixture.run("CREATE ROLE \(role) LOGIN; CREATE SCHEMA \(fixture.schema) AUTHORIZATION \(role)")
        let journal = try PostgreSQLJournal(
            url: fixture.server.url(user: role), schema: fixture.schema, patience: .init()
        ) { .random(in: 0 ... .max) }
        defer { journal.close() }
        #expect(try journal.make("a", "1")?.position == 1)
        try journal.open(receipt: { _ in }, receiptsMax: 9, since: 0)
        #expect(try journal.read() == ["1"])
    }

    @Test func settingsThatLoseWritesAreNamed() throws {
        let fixture = try Self.fixture()
        #expect(try fixture.journal().unsafeSettings == [])
        let role = PostgreSQLServer.newName()
        try fixture.run("CREATE ROLE \(role) LOGIN SUPERUSER; ALTER ROLE \(role) SET synchronous_commit = off")
        let journal = try PostgreSQLJournal(
            url: fixture.server.url(user: role), schema: fixture.schema, patience: .init()
        ) { .random(in: 0 ... .max) }
        #expect(journal.unsafeSettings == ["synchronous_commit"])
        journal.close()
    }

    /// Each URL has the password "secret-word" somewhere, and none can be opened.
    @Test(arguments: [
        "postgres://nobody:secret-word@/postgres?host=HOST",
        "postgres://nobody@/postgres?host=HOST&password=secret-word",
        "postgres://nobody:not@secret-word@/postgres?host=HOST", "postgres://nobody:secret-word@[::1",
        "postgres://nobody:secret-word@/?nothing=1",
        "postgres://nobody:secret-word@/secret-word?host=HOST",
        // The password has characters that must not stand there as they are.
        "postgres://nobody:not@secret-word/?application_name=x@h/lists", "postgres://nobody:secret-word/x@h/lists",
        "postgres://nobody:5432/x?host=HOST&user=secret-word@h/lists", "postgres://nobody:5432/secret-word#x@h/lists",
        "postgres://nobody@secret-word/?user=x@h/lists",
    ])
    func noErrorRepeatsAPassword(url: String) throws {
        let fixture = try Self.fixture()
        let url = url.replacing("HOST", with: fixture.server.folder)
        let error = journalError { try PostgreSQLJournal(url: url) { 1 }.close() }
        let text = "\(error.debugDescription)"
        #expect(error != nil)
        #expect(!text.contains("secret-word"), "\(text)")
    }

    @Test func aPasswordLetsIn() throws {
        let fixture = try Self.fixture()
        try fixture.run("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'secret-word'")
        let url = fixture.server.url(user: "locked", password: "secret-word")
        let journal = try PostgreSQLJournal(url: url, schema: fixture.schema, patience: .init()) {
            .random(in: 0 ... .max)
        }
        journal.close()
        let wrong = fixture.server.url(user: "locked", password: "secret-wor")
        let error = journalError { try PostgreSQLJournal(url: wrong) { 1 }.close() }
        guard case .away(let text) = error else { return #expect(error == .away("")) }
        #expect(text.contains("password authentication failed"))
        #expect(!text.contains("secret-wor"))
    }

    // MARK: Bytes

    @Test func aLongRecordIsTakenWhole() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try #require(try journal.make("a", "1"))
        var long = [UInt8](repeating: 1, count: 70 << 20)
        for index in stride(from: 0, to: long.count, by: 9_973) { long[index] = UInt8(truncatingIfNeeded: index) }
        let entry = JournalEntry(list: ListID("a")!, kind: .append, bytes: long, receipt: nil)
        let end = LogPlace(life: place.life, position: 2)
        #expect(try journal.commit([Commit(entry, .isAt(place))]) == [.written(end)])
        var read: [[UInt8]] = []
        _ = try journal.load(ListID("a")!, after: place, snapshot: { _ in }, entry: { read.append($0.bytes) })
        #expect(read == [long])
    }

    @Test(arguments: [
        "UPDATE log SET bytes = set_byte(bytes, 6, 3) WHERE first = 1", "UPDATE log SET crc = 1 WHERE first = 1",
        "DELETE FROM log WHERE first = 1", "DELETE FROM log WHERE first = 2",
        "UPDATE log SET first = 9 WHERE first = 1",
        "UPDATE list SET position = 2 WHERE name = 'a'", "UPDATE log SET bytes = '' WHERE first = 1",
        "UPDATE log SET list = (SELECT id FROM list WHERE name = 'c') WHERE first = 1",
    ])
    func oneDamagedListIsItsOwnTrouble(damage: String) throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "one")
        let second = try journal.write("two", at: place)
        _ = try journal.write("three", at: second)
        _ = try journal.make("b", "1")
        _ = try journal.make("c", "1")
        let list = try fixture.number("SELECT id FROM list WHERE name = 'a'") ?? 0
        let isOfList = damage.contains("UPDATE list")
        try fixture.run(damage + (isOfList ? "" : " AND list = \(list)"))
        guard case .corrupt = journalError({ _ = try journal.read() }) else { return #expect(Bool(false), "not found") }
        // A follower is told to read the whole list.
        #expect(journalError { _ = try journal.read(after: place) } == .moved)
        #expect(try journal.read("b") == ["1"])
        #expect(try journal.lists(after: nil, limit: 9).count == 3)
    }

    @Test(arguments: [
        "UPDATE chunk SET bytes = 'x' WHERE number = 1", "DELETE FROM chunk WHERE number = 0",
        "DELETE FROM chunk WHERE number = 2", "UPDATE list SET chunks = 4",
    ])
    func aDamagedSnapshotIsFound(damage: String) throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        _ = try journal.make("a", "1", "2", "3")
        try journal.cover(2, "x", "y", "z")
        #expect(try journal.read() == ["[x]", "[y]", "[z]", "3"])
        try fixture.run(damage)
        guard case .corrupt = journalError({ _ = try journal.read() }) else { return #expect(Bool(false), "not found") }
    }

    @Test func aDamagedReceiptOrRecordIsNone() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let key = KeyedRecord.Key(.init(rawValue: 1), [1])
        _ = try journal.keep([RecordWrite(key, .unconditional, .init(used: 1, value: [2]))])
        let place = try journal.make("a", "1")
        let end = try journal.write("2", at: place, receipt: Receipt(key: [1], time: 1, bytes: [2]))
        #expect(try journal.receipt([1])?.bytes == [2])
        try fixture.run("UPDATE receipt SET bytes = 'x'; UPDATE record SET value = 'x'")
        #expect(try journal.receipt([1]) == nil)
        #expect(try journal.record(key) == nil)
        #expect(try journal.records(of: key.kind, after: nil, limit: 9) == [])
        // Neither is in the way of a new one.
        #expect(try journal.keep([RecordWrite(key, .isStill(nil), .init(used: 1, value: [3]))]) == [true])
        #expect(try journal.write("3", at: end, receipt: Receipt(key: [1], time: 1, bytes: [3]))?.position == 3)
        #expect(try journal.receipt([1])?.bytes == [3])
    }

    /// Whoever reads a damaged sequence is told once. Then it is gone, so that its client can begin anew.
    @Test func aDamagedSequenceIsToldOnce() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let key = KeyedRecord.Key(.sequence, [1])
        let content = KeyedRecord.Content(used: 1, value: [2])
        for damage in ["value = 'x'", "used = 7", "crc = crc + 1"] {
            #expect(try journal.keep([RecordWrite(key, .isStill(nil), content)]) == [true])
            try fixture.run("UPDATE record SET \(damage)")
            guard case .corrupt = journalError({ _ = try journal.record(key) }) else {
                return #expect(Bool(false), "not found")
            }
            #expect(try journal.record(key) == nil)
        }
        #expect(try journal.keep([RecordWrite(key, .isStill(nil), content)]) == [true])
        #expect(try journal.record(key) == content)
    }

    // MARK: Several nodes

    @Test func aHintNamesTheLists() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.look = 3_600_000
        let (one, other) = (try fixture.journal(patience), try fixture.journal(patience))
        let told = Locked<[[ListID]]>([])
        other.onHint { lists in told.change { $0.append(lists) } }
        // The other may not listen yet. A hint without lists says that it begins to.
        var place = try one.make("a", "1")
        while told.withLock({ $0.allSatisfy(\.isEmpty) }) { place = try one.write("2", at: place) }
        #expect(told.withLock { $0.allSatisfy { $0.isEmpty || $0 == [ListID("a")!] } })
    }

    /// Every list is compared now and then, because a hint may be lost.
    @Test func aHintWithoutListsComesByItself() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.look = 1
        let journal = try fixture.journal(patience)
        let told = Locked(0)
        journal.onHint { lists in told.change { $0 += lists.isEmpty ? 1 : 0 } }
        told.wait(until: { $0 >= 3 }) { _ in }
    }

    @Test func hintsAreSplitAndReadBack() throws {
        let lists = Set((0..<500).map { ListID(ByteText("list-\($0)-" + String(repeating: "x", count: 40)))! })
        let payloads = HintText.payloads(lists, from: 7)
        #expect(payloads.count > 1)
        #expect(payloads.allSatisfy { $0.count < 8_000 })
        #expect(Set(payloads.compactMap { HintText.hint($0, unlessFrom: 8)?.lists }.joined()) == lists)
        #expect(payloads.allSatisfy { HintText.hint($0, unlessFrom: 7) == nil })
        let many = Set((0..<3_000).map { ListID(ByteText("l\($0)"))! })
        #expect(HintText.payloads(many, from: 7).compactMap { HintText.hint($0, unlessFrom: 8)?.lists } == [[]])
        #expect(HintText.hint(Array("9 a B/.. \u{1F600} b".utf8), unlessFrom: 8)?.lists.map(\.rawValue) == ["a", "b"])
        #expect(HintText.hint([], unlessFrom: 8) == nil)
    }

    @Test func entriesStayForAWhileBehindTheirSnapshot() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        let second = try journal.write("2", at: place)
        _ = try journal.write("3", at: second)
        try journal.cover(2, "x")
        while try !journal.removeSome(all: true) {}
        #expect(try journal.read() == ["[x]", "3"])
        #expect(try journal.read(after: place) == ["2", "3"])
    }

    /// A node that died within a snapshot leaves chunks, and another one removes them.
    @Test func whatAnotherNodeLeftIsRemoved() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.keep = 0
        let (one, other) = (try fixture.journal(patience), try fixture.journal(patience))
        _ = try one.make("a", "1", "2", "3")
        let part = SnapshotPart(list: ListID("a")!, position: 2, first: 0, chunks: [[65]], isLast: false)
        try one.write(part)
        // Only one writes a snapshot of a list at a time, and nobody removes it under its hands.
        try other.write(part)
        while try !other.removeSome(all: true) {}
        #expect(try fixture.number("SELECT count(*) FROM chunk") == 1)
        one.close()
        try fixture.wait(
            until:
                "SELECT (count(*) = 0)::int::int8 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND objid = (SELECT (id & 2147483647)::oid FROM list)"
        )
        while try !other.removeSome(all: true) {}
        #expect(try fixture.number("SELECT count(*) FROM chunk") == 0)
        #expect(try other.read() == ["1", "2", "3"])
    }

    @Test func nothingIsLeftOfAListThatHasEnded() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.keep = 0
        let journal = try fixture.journal(patience)
        let place = try journal.make("a", "1", "2", "3")
        try journal.cover(2, "x")
        let end = JournalEntry(list: ListID("a")!, kind: .delete, bytes: [1], receipt: nil)
        #expect(try journal.commit([Commit(end, place.map { .isAt($0) } ?? .isNew)]) == [.written(nil)])
        while try !journal.removeSome(all: true) {}
        for table in ["list", "log", "chunk"] { #expect(try fixture.number("SELECT count(*) FROM \(table)") == 0) }
    }

    /// Two nodes begin the same lists in opposite orders, and answer the same requests.
    @Test func racesEndWithOneWinnerEach() throws {
        let fixture = try Self.fixture()
        let journals = [try fixture.journal(), try fixture.journal()]
        for round in 0..<10 {
            let names = (0..<8).map { "l\(round)-\($0)" }
            let racers = try journals.enumerated().map { number, journal in
                try Background {
                    try journal.commit(
                        (number == 0 ? names : names.reversed()).map { name in
                            let receipt = Receipt(key: Array(name.utf8), time: 1, bytes: [UInt8(number)])
                            return Commit(
                                JournalEntry(
                                    list: ListID(ByteText(name))!, kind: .create, bytes: [UInt8(number)],
                                    receipt: receipt), .isNew)
                        }
                    ).filter { $0 != .moved }.count
                }
            }
            let won = try racers.map { try #require(try $0.wait()) }
            #expect(won[0] + won[1] == 8)
            for name in names {
                var bytes: [UInt8] = []
                _ = try journals[0].load(
                    ListID(ByteText(name))!, after: nil, snapshot: { _ in }, entry: { bytes += $0.bytes })
                #expect(bytes.count == 1)
                #expect(try journals[0].receipt(Array(name.utf8))?.bytes == bytes)
            }
        }
    }
}
