import ListDiff
import ListModel
import Testing

@testable import ListStore

/// Records that this program does not write.
@Suite struct HostileRecordCases {
    private static let start = Record.Transaction(
        time: 1, caller: "a", label: nil,
        edits: [
            .insertSection(SectionProperties(id: "A"), at: 0),
            .insertItems([Edit.NewRow(Item(id: "a"))], section: 0, at: 0, parent: nil),
        ])

    private func replay(_ records: [UInt8]...) throws -> StoreFixture { try replay(records) }

    private func replay(_ records: [[UInt8]]) throws -> StoreFixture {
        let start = JournalEntry(
            list: StoreFixture.list, kind: .create, bytes: Record.create(epoch: "e", Self.start).bytes, receipt: nil)
        let entries = records.map { JournalEntry(list: StoreFixture.list, kind: .append, bytes: $0, receipt: nil) }
        return try StoreFixture(journal: TestJournal(entries: [start] + entries))
    }

    private func load(_ records: [UInt8]...) throws {
        let store = try replay(records).store
        defer { store.stop() }
        if let unread = store.load().first { throw unread.error }
    }

    /// A later undo must not rely on the claim of the record that the list is as it was.
    @Test("a record that says wrongly that it took another one back exactly")
    func inexactReversal() throws {
        func record(_ edit: Edit, _ reversal: Reversal? = nil) -> [UInt8] {
            let transaction = Record.Transaction(time: 1, caller: "a", label: nil, edits: [edit], reversal: reversal)
            return Record.append(transaction).bytes
        }
        let fixture = try replay(
            record(.insertItems([Edit.NewRow(Item(id: "b"))], section: 0, at: 1, parent: nil)),
            record(.deleteItems(section: 0, rows: 0..<2)),
            record(
                .changeList(ListChanges(whole: ListProperties(title: "T"))),
                Reversal(transaction: 3, inverted: 3, isRedo: false, isExact: true)))
        let result = try fixture.undo(Version(epoch: "e", revision: 2))
        #expect(result.kind == .unchanged)
        #expect(fixture.text == "A:")
        fixture.store.stop()
    }

    @Test("a range that ends beyond all numbers")
    func range() throws {
        var writer = ByteWriter()
        for byte in [1, 2] as [UInt8] { writer.write(byte) }
        writer.write(1)
        writer.write("a")
        writer.write(false)
        writer.write(1)
        writer.write(8 as UInt8)
        for number in [0, Int.max, Int.max] { writer.write(number) }
        let store = try replay(writer.bytes).store
        defer { store.stop() }
        #expect(store.load().count == 1)
    }

    /// Every byte of a record is set to other values. The record is then refused or carried out, and nothing crashes.
    @Test("records with a byte that is another")
    func damage() throws {
        let edits: [Edit] = [
            .changeList(ListChanges(whole: ListProperties(title: "T"))),
            .insertSection(SectionProperties(id: "B"), at: 1),
            .insertItems(
                [Edit.NewRow(Item(id: "b")), Edit.NewRow(Item(id: "c"), depth: 1)], section: 0, at: 1, parent: nil),
            .moveItem(section: 0, rows: 1..<3, toSection: 1, at: 0, parent: nil),
            .changeItem("a", ItemChanges(whole: Item(id: "a", isExpanded: true))),
            .arrange([Edit.Arrangement(section: 0, rows: [("a", 0)])]), .deleteItems(section: 1, rows: 0..<2),
            .arrangeSections(["B", "A"]), .moveSection(from: 0, to: 1), .deleteSection(at: 1),
        ]
        let transaction = Record.Transaction(time: 1, caller: "a", label: "l", edits: edits)
        let bytes = Record.append(transaction).bytes
        try load(bytes)
        var refused = 0
        for index in bytes.indices {
            for byte in [0, 1, 2, 7, 0x7F, 0x80, 0xFF] as [UInt8] where byte != bytes[index] {
                var damaged = bytes
                damaged[index] = byte
                do {
                    try load(damaged)
                } catch JournalError.corrupt {
                    refused += 1
                }
            }
        }
        #expect(refused > bytes.count)
    }
}
