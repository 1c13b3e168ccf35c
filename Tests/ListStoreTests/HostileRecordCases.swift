import Glibc
import ListDiff
import ListModel
import TestSupport
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

    // MARK: Great numbers

    /// The greatest number that the coding can hold, numbers near the greatest revision of a client, and 2^32.
    private static let great = [Int.max, 1 << 53, 1 << 53 - 1, 1 << 32]

    /// Returns copies of `bytes`. In each of them one great number replaces one byte.
    private static func withGreatNumbers(_ bytes: [UInt8]) -> [[UInt8]] {
        great.flatMap { number in
            var writer = ByteWriter()
            writer.write(number)
            return bytes.indices.map { Array(bytes[..<$0]) + writer.bytes + bytes[($0 + 1)...] }
        }
    }

    private static var limits: Store.Limits {
        var limits = StoreFixture.limits
        limits.deleted = Store.Limits.Deleted(listsMax: 9, bytesMax: 99, ageMax: 36_500 * 86_400)
        limits.historyAgeMax = 60
        limits.historyVersionsMax = 1
        return limits
    }

    /// Opens a store, and calls everything that calculates with numbers of the list's records.
    ///
    /// - Returns: Whether the list could be read, or was found to be deleted.
    private func use(_ journal: TestJournal, mayMissCommits: Bool) throws -> Bool {
        let fixture = try StoreFixture(journal: journal, mayMissCommits: mayMissCommits, limits: Self.limits)
        let store = fixture.store
        defer { store.stop() }
        let deleted = store.deletedLists(after: nil, limit: 9)
        let retry = Write(.operations([.toggleStar("a")]), key: ReceiptKey(scope: [1], request: [1]))
        _ = store.submit(StoreFixture.list, retry)
        for version in deleted.map(\.version) { #expect(Version(version.description) != nil) }
        if !deleted.isEmpty { _ = store.restore(StoreFixture.list, nil, Write(.operations([]))) }
        guard let list = try? store.list(StoreFixture.list) else { return !deleted.isEmpty }
        for _ in 0..<3 { _ = try? fixture.write(.toggleStar("a")) }
        _ = try? fixture.undo(list.enter { $0.head })
        list.enter { list in
            _ = try? list.transactions(before: nil, limit: 9)
            _ = list.catchup(since: list.version(at: list.history.oldest), view: .visible)
            _ = list.planSnapshot(nil).map { $0.position }
            #expect(Version(list.head.description) != nil)
        }
        _ = store.delete(StoreFixture.list, Write(.operations([])))
        return true
    }

    private func entry(_ record: Record, _ kind: JournalEntry.Kind) -> JournalEntry {
        JournalEntry(list: StoreFixture.list, kind: kind, bytes: record.bytes, receipt: nil)
    }

    /// The records of a list's life, with a great number in the place of any byte, can be read or are refused.
    @Test("records with a great number in the place of any byte", arguments: [false, true])
    func greatNumbers(mayMissCommits: Bool) throws {
        let edits: [Edit] = [
            .insertSection(SectionProperties(id: "B"), at: 1),
            .insertItems(
                [Edit.NewRow(Item(id: "b")), Edit.NewRow(Item(id: "c"), depth: 1)], section: 0, at: 1, parent: nil),
            .moveItem(section: 0, rows: 1..<3, toSection: 1, at: 0, parent: nil),
            .changeItem("a", ItemChanges(whole: Item(id: "a", isExpanded: true))),
            .changeSection(at: 0, SectionChanges(whole: SectionProperties(id: "A"))), .reloadSection(at: 0),
            .arrange([Edit.Arrangement(section: 0, rows: [("a", 0)])]),
            .arrangeRun(Edit.Arrangement(section: 1, rows: [("b", 0), ("c", 1)]), at: 0),
            .moveSection(from: 0, to: 1), .deleteItems(section: 0, rows: 0..<2), .deleteSection(at: 0),
        ]
        let first = Record.create(epoch: "e", Self.start)
        let second = Record.append(
            Record.Transaction(time: 1, caller: "a", label: nil, edits: [.reconfigureItem("a")]))
        let third = Record.append(
            Record.Transaction(
                time: 1, caller: "a", label: nil, edits: edits,
                reversal: Reversal(transaction: 2, inverted: 2, isRedo: false, isExact: true)))
        let retirement = Retirement(
            time: 1, version: Version(epoch: "e", revision: 3), title: "T",
            counts: ListCounts(sections: 1, items: 1, visibleItems: 1), bytes: 1)
        let life = [
            entry(first, .create), entry(second, .append), entry(third, .append), entry(.renew(epoch: "f"), .append),
            entry(.part([1], rest: 1), .append), entry(.retire(retirement), .retire),
        ]
        #expect(try use(TestJournal(entries: life), mayMissCommits: mayMissCommits))
        for index in life.indices {
            for bytes in Self.withGreatNumbers(life[index].bytes) {
                var damaged = Array(life[...index])
                damaged[index].bytes = bytes
                _ = try use(TestJournal(entries: damaged), mayMissCommits: mayMissCommits)
            }
        }
    }

    @Test("a snapshot with a great number in the place of any byte", arguments: [false, true])
    func greatNumbersOfASnapshot(mayMissCommits: Bool) throws {
        let note = TransactionNote(
            actor: "a", label: nil, time: 1, intent: .unknown,
            reversal: Reversal(transaction: 2, inverted: 3, isRedo: false, isExact: true))
        var state = ListState(ListProperties(title: "L"))
        _ = try state.commit(
            .appendSections([NewSection(SectionProperties(id: "A"), items: [NewItem("a", value: ItemChanges())])]))
        var writer = SnapshotWriter(state, SnapshotHead(epoch: "e", revision: 7, renewals: 1, note: note))
        let chunk = writer.next()
        func part(_ chunk: [UInt8]) -> SnapshotPart {
            SnapshotPart(list: StoreFixture.list, position: 8, first: 0, chunks: [chunk], isLast: true)
        }
        let later = entry(
            .append(Record.Transaction(time: 1, caller: "a", label: nil, edits: [.reloadItem("a")])), .append)
        func isUsed(_ chunk: [UInt8]) throws -> Bool {
            try use(TestJournal(entries: [later], snapshots: [part(chunk)]), mayMissCommits: mayMissCommits)
        }
        #expect(try isUsed(chunk))
        var refused = 0
        for bytes in Self.withGreatNumbers(chunk) {
            refused += try isUsed(bytes) ? 0 : 1
            for position in [8, Int.max] {
                _ = ListCheck.salvage(StoreFixture.list, position: position, count: 1) { _ in bytes }
            }
        }
        #expect(refused > chunk.count)
    }

    @Test("an answer with a great number in the place of any byte") func greatNumbersOfAnAnswer() throws {
        let version = Version(epoch: "e", revision: 1)
        let answer = KeptAnswer(
            request: [1], list: StoreFixture.list, kind: .changed, from: version, version: version, base: version,
            outcomes: [.applied, .partial(["a"], sections: ["A"], .cycle)],
            warnings: [
                .missingItems(["a"]), .rebasedToNothing(version), .leftOut(items: 2, sections: 1),
                .replacedDeleted(version),
            ],
            details: [OutcomeDetail(operation: 1, created: ["a"], reparented: ["a"])])
        let start = entry(.create(epoch: "e", Self.start), .create)
        let times = [1, .min, -1, 1 << 53, .max].map { Receipt(key: [1], time: $0, bytes: answer.bytes) }
        let damaged = Self.withGreatNumbers(answer.bytes).map { Receipt(key: [1], time: 1, bytes: $0) }
        for receipts in (times + damaged).map({ [$0] }) + [times] {
            #expect(try use(TestJournal(entries: [start], receipts: receipts), mayMissCommits: false))
        }
    }

    /// A record gives the length of an array before its values. The reader must not reserve memory for a length that
    /// the rest of the record cannot fill.
    @Test("a record that says that it has more than it has") func countOfNothing() {
        var writer = ByteWriter()
        writer.write(1 << 24)
        var reader = ByteReader(writer.bytes + [UInt8](repeating: 0xFF, count: 1 << 24))
        let before = addressSpace()
        var taken = 0
        let values = try? reader.all { _ throws(ByteReader.Malformed) -> InlineArray<16, Int> in
            taken = addressSpace() - before
            throw ByteReader.Malformed()
        }
        #expect(values == nil && taken < 1 << 30, "\(taken) bytes")
    }
}

/// The size of the process's address space in bytes.
private func addressSpace() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 64)
    fgets(&text, 64, file)
    return strtol(text, nil, 10) * sysconf(Int32(_SC_PAGESIZE))
}
