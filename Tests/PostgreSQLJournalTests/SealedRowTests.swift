import Glibc
import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing
import Threads

/// Rows that come with hints: who can read them, who can make them, and which of them are believed.
@Suite struct SealedRowTests {
    private static let list = ListID("a")!
    private static let place = LogPlace(life: 11, position: 3, generation: 2, token: 7)

    private static func entries(_ texts: String...) -> [JournalEntry] {
        texts.map { JournalEntry(list: list, kind: .append, bytes: Array($0.utf8), receipt: nil) }
    }

    private static func random() -> UInt64 { .random(in: 0 ... .max) }

    private static func sealed(_ texts: [JournalEntry] = entries("one", "two"), after place: LogPlace = place)
        -> SealedRow?
    {
        SealedRow(LogRow(texts, after: place.position, of: place.life), token: 8, after: place, random: random)
    }

    @Test func whoKnowsTheListReadsOn() throws {
        let row = try #require(Self.sealed())
        let tail = try #require(row.opened(after: ListPlace(Self.list, Self.place)))
        #expect(tail.entries == Self.entries("one", "two"))
        #expect(tail.end == LogPlace(life: 11, position: 5, generation: 2) && tail.end.token == 8)
        let text = String(decoding: HintText.payload(Self.list, row, from: 1), as: UTF8.self)
        #expect(HintText.hint(Array(text.utf8), unlessFrom: 2) == HintText.Hint(lists: [Self.list], row: row))
        #expect(HintText.hint(Array(text.utf8), unlessFrom: 1) == nil)
        // Nothing of it can be read by others, and no two are equal.
        #expect(!text.contains("one") && Self.sealed() != row)
    }

    /// Each is another place of a list, of which somebody may know all but one number.
    @Test(arguments: [
        LogPlace(life: 12, position: 3, generation: 2, token: 7),
        LogPlace(life: 11, position: 2, generation: 2, token: 7),
        LogPlace(life: 11, position: 4, generation: 2, token: 7),
        LogPlace(life: 11, position: 3, generation: 1, token: 7),
        LogPlace(life: 11, position: 3, generation: 2, token: 8), LogPlace(life: 11, position: 3, generation: 2),
    ])
    func noOtherPlaceOpensIt(place: LogPlace) throws {
        #expect(try #require(Self.sealed()).opened(after: ListPlace(Self.list, place)) == nil)
    }

    @Test func whatIsChangedOrCutOnItsWayIsNotBelieved() throws {
        let row = try #require(Self.sealed())
        for index in row.bytes.indices {
            var bytes = row.bytes
            bytes[index] ^= 1 << UInt8(index % 8)
            #expect(SealedRow(bytes: bytes).opened(after: ListPlace(Self.list, Self.place)) == nil)
            #expect(
                SealedRow(bytes: Array(row.bytes.prefix(index))).opened(after: ListPlace(Self.list, Self.place)) == nil)
        }
    }

    @Test func aLongRowDoesNotGoWithAHint() {
        let text = { (count: Int) in Self.entries(String(repeating: "x", count: count - 5)) }
        let longest = Self.sealed(text(SealedRow.entryBytesMax))
        let name = ListID("a" + String(repeating: "b", count: 127))!
        #expect(longest.map { HintText.payload(name, $0, from: .max).count } ?? .max < 8_000)
        #expect(Self.sealed(text(SealedRow.entryBytesMax + 1)) == nil)
        #expect(Self.sealed(after: LogPlace(life: 1, position: 1)) == nil, "Nobody knows the token before it.")
    }

    @Test func otherWordsBehindANameAreNoRow() {
        for text in ["1 a =", "1 a =?", "1 a =QUJD=", "1 a b =QUJD", "1 a =QUJD b", "1 =QUJD a", "1 =QUJD"] {
            let hint = HintText.hint(Array(text.utf8), unlessFrom: 2)
            #expect(hint?.row.map { $0.bytes.count } ?? 0 == 0, "\(text)")
            #expect(hint?.lists.contains { $0.rawValue.string.contains("=") } == false)
        }
        // A server of an earlier version takes the names alone.
        #expect(
            HintText.hint(Array("1 a =QUJD".utf8), unlessFrom: 2)
                == .init(lists: [Self.list], row: SealedRow(bytes: Array("ABC".utf8))))
    }

    /// Hints need not come in the order of the commits, so that the last one of several may not have all that is new.
    @Test func aRowIsThereUntilItIsTakenOrAnotherHintComes() throws {
        let rows = HeardRows()
        let row = try #require(Self.sealed())
        let hint = HintText.Hint(lists: [Self.list], row: row)
        rows.note(hint)
        #expect(rows.take(Self.list) == row && rows.take(Self.list) == nil)
        for others in [[HintText.Hint(lists: [Self.list])], [HintText.Hint()], [hint], [hint, hint]] {
            rows.note(hint)
            rows.note(HintText.Hint(lists: [ListID("b")!]))
            for other in others { rows.note(other) }
            #expect(rows.take(Self.list) == nil)
            rows.note(hint)
            #expect(rows.take(Self.list) == row)
        }
        rows.note(hint)
        for number in 0..<1_000 { rows.note(HintText.Hint(lists: [ListID("x\(number)")!], row: row)) }
        #expect((0..<1_000).count { rows.take(ListID("x\($0)")!) != nil } <= 256)
        #expect(rows.take(Self.list) == nil)
    }

    // MARK: In a database

    /// Two journals over one schema, of which the other hears. No time passes for it.
    private struct Two {
        let fixture: Fixture
        let one: PostgreSQLJournal
        let other: PostgreSQLJournal
        let told = Locked<[ListID]>([])
        var start: LogPlace

        init() throws {
            fixture = try Fixture(PostgreSQLServer.shared)
            var patience = Connector.Patience()
            (patience.look, patience.silence, patience.doubt) = (3_600_000, 600_000, 600_000)
            (one, other) = (try fixture.journal(patience), try fixture.journal(patience))
            let began = Locked(false)
            other.onHint { [told] lists in
                if lists.isEmpty { began.change { $0 = true } }
                told.change { $0 += lists }
            }
            start = try #require(try one.make("a", "1"))
            // A hint without lists says that it begins to listen.
            while !began.withLock({ $0 }) { start = try #require(try one.write("2", at: start)) }
            _ = try heard(of: "quiet", after: start) { _ = try one.make("quiet", "1") }
        }

        /// The entries that came with a hint of the list `a`, once a hint of `list` has come after `write`.
        func heard(of list: String = "a", after place: LogPlace, _ write: () throws -> Void) throws -> Tail? {
            told.change { $0 = [] }
            try write()
            // A hint that is given up is made up for only by a look.
            let isTold = told.wait(until: { $0.contains { $0.rawValue.string == list } }, milliseconds: 60_000) {
                told in
                told.contains { $0.rawValue.string == list }
            }
            try #require(isTold == true)
            return other.heard(after: ListPlace(SealedRowTests.list, place))
        }

        /// Has only a few commits in a while, so that hints are sent at once.
        func rest() { usleep(30_000) }
    }

    @Test func anotherStoreHearsWhatItWouldRead() throws {
        let two = try Two()
        var place = two.start
        for _ in 0..<3 {
            two.rest()
            let before = place
            let tail = try two.heard(after: before) { place = try #require(try two.one.write("more", at: before)) }
            #expect(tail?.end == place && tail?.end.token == place.token && place.token != nil)
            #expect([tail] == (try two.other.tails(after: [ListPlace(Self.list, before)])))
            #expect(two.other.heard(after: ListPlace(Self.list, before)) == nil, "It is told once.")
        }
    }

    /// A commit that came too late is not in the log, and its hint would lead astray.
    @Test func whatIsNotWrittenIsNotTold() throws {
        let two = try Two()
        two.rest()
        #expect(try two.heard(after: two.start) { _ = try two.one.write("first", at: two.start) } != nil)
        two.rest()
        let tail = try two.heard(of: "later", after: two.start) {
            #expect(try two.one.write("late", at: two.start) == nil)
            two.rest()
            _ = try two.one.make("later", "1")
        }
        #expect(tail == nil)
        #expect(try two.other.read(after: two.start) == ["first"])
    }

    /// Anybody can send one. One who knows the token makes one that is believed, and so this test would see it.
    @Test(arguments: [false, true]) func aForgedRowIsNotBelieved(isForged: Bool) throws {
        let two = try Two()
        let row = LogRow(Self.entries("mine"), after: two.start.position, of: two.start.life)
        var bytes = try #require(SealedRow(row, token: 9, after: two.start, random: Self.random)).bytes
        // A bit of the token, which nothing else in the row covers.
        if isForged { bytes[19] ^= 1 }
        let payload = HintText.payload(Self.list, SealedRow(bytes: bytes), from: 5)
        let text = String(decoding: payload, as: UTF8.self)
        let tail = try two.heard(after: two.start) { try two.fixture.run("NOTIFY \(two.fixture.schema), '\(text)'") }
        #expect(tail?.entries == (isForged ? nil : Self.entries("mine")))
    }
}
