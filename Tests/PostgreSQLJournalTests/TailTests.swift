import ListModel
import ListStore
@testable import PostgreSQLJournal
import Testing

/// The statement that locks a list sees it as it is then, but its entries as they were when the statement began.
@Suite struct TailTests {
    private static let list = ListID("a")!
    private static let place = LogPlace(life: 7, position: 1, token: 11)

    /// A row of `Statement.tails`, with the end of the list.
    private static func row(_ text: String, first: Int, token: Int, end: Int, isKnown: Bool = false) -> [Cell] {
        let entry = JournalEntry(list: list, kind: .append, bytes: Array(text.utf8), receipt: nil)
        let row = LogRow([entry], after: first, of: place.life)
        let numbers: [Cell] = [1, 7, end, 0, 0, row.first, row.count, row.checksum].map { .number($0) }
        return numbers + [isKnown ? .null : .bytes(row.bytes), .number(token)]
    }

    private static func known(end: Int, token: Int = 11) -> [Cell] {
        row("1", first: 0, token: token, end: end, isKnown: true)
    }

    @Test(arguments: [
        ([known(end: 1)], ""), ([known(end: 2), row("2", first: 1, token: 12, end: 2)], "2"),
        // Others have written an entry that the statement does not see.
        ([known(end: 2)], nil), ([known(end: 3), row("2", first: 1, token: 12, end: 3)], nil),
        // The entry that is known was lost, and another one is in its place.
        ([known(end: 2, token: 10), row("2", first: 1, token: 12, end: 2)], nil),
        // The rows do not come in the order of the log.
        ([row("2", first: 1, token: 12, end: 2), known(end: 2)], nil), ([], nil),
    ])
    func entriesThatAreMissingAreNoticed(rows: [[Cell]], text: String?) {
        let tail = Tail.found(in: rows, after: [ListPlace(Self.list, Self.place)])[0]
        #expect(tail.map { $0.entries.map { String(decoding: $0.bytes, as: UTF8.self) }.joined() } == text)
    }
}
