import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Threads

/// Commits whose answer is lost, in each phase: the journal says that they are written if and only if they are, and
/// writes none twice. The server is one of its own, because it is told to wait for a standby, and killed.
@Suite(.serialized) struct LostAnswerTests {
    private static let server = Result { try PostgreSQLServer() }

    private static func fixture() throws -> Fixture { try Fixture(server.get()) }

    @Test func aSessionThatEndedWhileIdleIsReplaced() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        try fixture.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        #expect(try journal.write("2", at: place)?.position == 2)
        #expect(try journal.read() == ["1", "2"])
    }

    /// The reader gets no entry twice, although the session was idle before and would else be replaced.
    @Test func aReadThatIsCutOffIsNotRunAgain() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        var place = try #require(try journal.make("a", "1"))
        for number in UInt8(2)...40 {
            let bytes = [UInt8](repeating: number, count: 1 << 20)
            let entry = JournalEntry(list: ListID("a")!, kind: .append, bytes: bytes, receipt: nil)
            let next = LogPlace(life: place.life, position: place.position + 1)
            try #require(try journal.commit([Commit(entry, .isAt(place))]) == [.written(next)])
            place = next
        }
        _ = try journal.places(of: [ListID("a")!])
        var read: [UInt8] = []
        let error = journalError {
            _ = try journal.load(
                ListID("a")!, after: nil, snapshot: { _ in },
                entry: { entry in
                    read.append(entry.bytes[0])
                    guard read.count == 2 else { return }
                    try fixture.run(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
                })
        }
        guard case .away = error else { return #expect(error == .away("")) }
        #expect(Set(read).count == read.count && read.count < 40)
    }

    @Test func aStatementThatIsCutOffIsRunAgain() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        let other = try Fixture(fixture.server, schema: fixture.schema)
        try other.run("BEGIN; LOCK TABLE log IN EXCLUSIVE MODE")
        let writer = try Background { try journal.write("2", at: place) }
        let waiting = fixture.waiting(for: "relation", in: "INSERT INTO log")
        try fixture.wait(until: waiting)
        _ = try fixture.number("SELECT pg_terminate_backend(pid)::int::int8 FROM (\(waiting)) w")
        try other.run("ROLLBACK")
        #expect(try writer.wait()??.position == 2)
        #expect(try journal.read() == ["1", "2"])
    }

    /// The server goes on with the statement of a client that has left. Here it has locked the list already.
    @Test func aStatementThatIsStillRunningIsWaitedFor() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.hasty)
        let place = try journal.make("a", "1")
        // Another node answers a request of the same key, and then does not.
        let other = try Fixture(fixture.server, schema: fixture.schema)
        try other.run("BEGIN; INSERT INTO receipt (scope, time, token, crc, bytes) VALUES ('key', 1, 1, 1, '')")
        let receipt = Receipt(key: Array("key".utf8), time: 1, bytes: [7])
        let writer = try Background { try journal.write("2", at: place, receipt: receipt) }
        try fixture.wait(until: fixture.waiting(for: "transactionid", in: "INSERT INTO log"))
        // The journal has given that session up, and waits for the lock of the list.
        try fixture.wait(until: fixture.waiting(for: "transactionid", in: "ORDER BY w.id FOR UPDATE"))
        try other.run("ROLLBACK")
        #expect(try writer.wait()??.position == 2)
        #expect(try journal.read() == ["1", "2"])
        #expect(try journal.receipt(receipt.key)?.bytes == [7])
    }

    /// Here the statements begin only when the journal has run them again.
    @Test func aStatementThatBeginsLateWritesNothingTwice() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.hasty)
        let place = try journal.make("a", "1")
        let other = try Fixture(fixture.server, schema: fixture.schema)
        try other.run("BEGIN; LOCK TABLE log IN EXCLUSIVE MODE")
        let writer = try Background { try journal.write("2", at: place) }
        let waiting = fixture.waiting(for: "relation", in: "INSERT INTO log")
        try fixture.wait(until: "SELECT (count(*) >= 3)::int::int8 FROM (\(waiting)) w")
        try other.run("ROLLBACK")
        #expect(try writer.wait()??.position == 2)
        try fixture.wait(until: "SELECT (count(*) = 0)::int::int8 FROM (\(waiting)) w")
        #expect(try journal.read() == ["1", "2"])
    }

    /// Others make a list and end it, while the statement that makes it here has not begun yet, on a lost connection.
    @Test func aListIsNotMadeAfterSomethingElseWasSaid() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal(Self.hasty)
        _ = try journal.make("b", "1")
        let other = try Fixture(fixture.server, schema: fixture.schema)
        try other.run("BEGIN; LOCK TABLE log IN EXCLUSIVE MODE")
        defer { try? other.run("ROLLBACK") }
        let writer = try Background { try journal.make("a", "1") }
        try fixture.wait(until: fixture.waiting(for: "relation", in: "INSERT INTO list"))
        try fixture.run("INSERT INTO list (id, name, position, stamp, stage, token) VALUES (1, 'a', 0, 1, 0, 1)")
        let ended = fixture.waiting(for: "advisory", in: "pg_advisory_xact_lock")
        while !writer.isDone, try fixture.number(ended) == nil {}
        try fixture.run("UPDATE list SET stage = 2 WHERE id = 1")
        try other.run("ROLLBACK")
        let place = try writer.wait()
        try fixture.wait(
            until: """
                SELECT (count(*) = 0)::int::int8 FROM pg_stat_activity
                WHERE query LIKE '%INSERT INTO list%' AND state = 'active' AND pid <> pg_backend_pid()
                """)
        #expect(try journal.read() == (place == .some(nil) ? nil : ["1"]))
    }

    /// Its token stood only in the list, where the next commit has put its own.
    @Test(arguments: [false, true])
    func aCommitWithoutEntriesIsFoundAlthoughOthersHaveWrittenSince(hasRecord: Bool) throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try #require(try journal.make("a", "1"))
        let connector = try Connector(
            ConnectionString(fixture.server.url()), schema: fixture.schema, patience: Self.hasty
        ) { .random(in: 0 ... .max) }
        let announcer = Announcer(connector, store: 1, random: { .random(in: 0...(.max)) })
        let session = try connector.connect()
        let receipt = Receipt(key: Array("key".utf8), time: 1, bytes: [7])
        let content = KeyedRecord.Content(used: 0, value: [9])
        var entry = JournalEntry(list: ListID("a")!, kind: .receiptOnly, bytes: [], receipt: hasRecord ? nil : receipt)
        if hasRecord { entry.records = [RecordWrite(KeyedRecord.Key(.sequence, [1]), .isStill(nil), content)] }
        let commits = [PlannedCommit(Commit(entry, .isAt(place)), 0, at: place, newLife: place)]
        var work = UnsettledCommits(commits, token: 7)
        try work.write(session, announcer)
        #expect(work.written.count == 1)
        #expect(try journal.write("2", at: place)?.position == 2)
        var lost = UnsettledCommits(commits, token: 7)
        try lost.look(session, announcer)
        #expect(lost.written.count == 1 && lost.open.isEmpty)
    }

    /// A patience that gives sessions up soon, and looks for what has become of their commits without end.
    private static var hasty: Connector.Patience {
        var patience = Connector.Patience()
        (patience.silence, patience.doubt, patience.locks, patience.presence) = (500, 600_000, 600_000, 600_000)
        return patience
    }

    /// The commit is in the server, but no standby has it.
    @Test(arguments: ["pg_terminate_backend", "pg_cancel_backend"])
    func aCommitWhoseWaitForTheStandbyEndsIsFoundByItsToken(end: String) throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        let place = try journal.make("a", "1")
        let other = try journal.make("b", "1")
        #expect(try journal.read("b") == ["1"])
        #expect(try journal.places(of: [ListID("b")!]) == [other])
        try fixture.requireStandby("nobody")
        defer { try? fixture.requireStandby("") }
        let key = Array("key".utf8)
        let writer = try Background {
            try journal.write("2", at: place, receipt: Receipt(key: key, time: 1, bytes: [7]))
        }
        let commit = fixture.waiting(for: "SyncRep", in: "INSERT INTO log")
        try fixture.wait(until: commit)
        // Meanwhile reads wait for nobody.
        #expect(try journal.places(of: [ListID("b")!]) == [other])
        #expect(try fixture.number("SELECT \(end)(pid)::int::int8 FROM (\(commit)) w") == 1)
        // A new session makes a commit of its own before it believes what it reads, so nothing is answered yet.
        try fixture.wait(until: fixture.waiting(for: "SyncRep", in: "pg_logical_emit_message"))
        #expect(writer.value == nil)
        try fixture.requireStandby("")
        #expect(try writer.wait()??.position == 2)
        #expect(try journal.read() == ["1", "2"])
        #expect(try journal.receipt(key)?.bytes == [7])
    }

    @Test func aListThatBeganIsFoundByItsToken() throws {
        let fixture = try Self.fixture()
        let journal = try fixture.journal()
        _ = try journal.make("b", "1")
        try fixture.requireStandby("nobody")
        defer { try? fixture.requireStandby("") }
        let writer = try Background { try journal.make("a", "1") }
        let commit = fixture.waiting(for: "SyncRep", in: "INSERT INTO list")
        try fixture.wait(until: commit)
        _ = try fixture.number("SELECT pg_terminate_backend(pid)::int::int8 FROM (\(commit)) w")
        try fixture.requireStandby("")
        #expect(try writer.wait()??.position == 1)
        #expect(try journal.read() == ["1"])
    }

    /// Each try would leave a process in the server, which waits for the standby although its client has left.
    @Test func sessionsThatWaitForAStandbyDoNotPileUp() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.silence = 100
        let connector = Connector(
            try ConnectionString(fixture.server.url()), schema: fixture.schema, patience: patience
        ) { .random(in: 0 ... .max) }
        try fixture.requireStandby("nobody")
        defer { try? fixture.requireStandby("") }
        for _ in 0..<20 { #expect(throws: Session.Failure.self) { try connector.connectUnchecked() } }
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        #expect(try (1...4).contains(fixture.number(waiting) ?? 0))
        try fixture.requireStandby("")
        // Whoever waits next gets one of them.
        while (try? connector.connectUnchecked()) == nil {}
    }

    @Test func aCommitWithoutAServerSaysThatNothingWasWritten() throws {
        let fixture = try Self.fixture()
        var patience = Connector.Patience()
        patience.doubt = 0
        let journal = try fixture.journal(patience)
        let place = try journal.make("a", "1")
        try fixture.server.crash()
        let error = journalError { _ = try journal.write("2", at: place) }
        guard case .away = error else { return #expect(error == .away("")) }
        guard case .away = journalError({ _ = try journal.read() }) else { return #expect(Bool(false), "it was read") }
        try fixture.server.start()
        // It comes back by itself.
        while journal.isAway {}
        #expect(try journal.read() == ["1"])
        #expect(try journal.write("2", at: place)?.position == 2)
    }

    /// Two journals write to one list while the server is killed. Whatever they are told is true.
    @Test func whatIsAcknowledgedOutlivesTheServer() throws {
        let fixture = try Self.fixture()
        let journals = [try fixture.journal(), try fixture.journal()]
        _ = try journals[0].make("a", "0")
        let done = Locked(0)
        let writers = try journals.enumerated().map { number, journal in
            try Background { try Self.write(40, "\(number)", journal, done) }
        }
        for count in [10, 40] {
            done.wait(until: { $0 >= count }) { _ in }
            try fixture.server.crash()
            try fixture.server.start()
        }
        for writer in writers { _ = try writer.wait() }
        let found = try #require(try Self.readAtLast(journals[0]))
        let wanted = ["0"] + (0..<2).flatMap { number in (0..<40).map { "\(number)-\($0)" } }
        #expect(found.sorted() == wanted.sorted())
        #expect(try Self.readAtLast(journals[1]) == found)
    }

    /// The texts of the list. A journal may notice late that its sessions were lost.
    private static func readAtLast(_ journal: PostgreSQLJournal) throws -> [String]? {
        while true {
            do { return try journal.read() } catch JournalError.away {}
        }
    }

    /// Writes texts, each behind whatever is there. One whose outcome is unknown is looked for.
    private static func write(
        _ count: Int, _ name: String, _ journal: PostgreSQLJournal, _ done: Locked<Int>
    ) throws {
        for index in 0..<count {
            let text = "\(name)-\(index)"
            var isWritten = false
            while !isWritten {
                do {
                    let place = try journal.places(of: [ListID("a")!])[0]
                    isWritten = try journal.write(text, at: place) != nil
                } catch JournalError.unknown {
                    while true {
                        guard let found = try? journal.read() else { continue }
                        isWritten = found.contains(text)
                        break
                    }
                } catch JournalError.away {}
            }
            done.change { $0 += 1 }
        }
    }
}
