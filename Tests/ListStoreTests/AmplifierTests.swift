import JSONValue
import ListDiff
import TestSupport
import Testing

@testable import ListModel
@testable import ListStore

/// The cost of a transaction is bounded by the size of its request, however large the values are that it touches.
@Suite struct AmplifierTests {
    /// A transaction of one kind of operation, repeated on large things.
    struct Amplifier: Sendable, CustomTestStringConvertible {
        var name: String
        /// Whether the operation only marks rows, so that an undo has nothing to take back.
        var isMark: Bool
        var operation: @Sendable (Int) -> ListModel.Operation
        var testDescription: String { name }

        init(
            _ name: String, isMark: Bool = false, _ operation: @escaping @Sendable (Int) -> ListModel.Operation
        ) {
            self.name = name
            self.isMark = isMark
            self.operation = operation
        }
    }

    static let amplifiers: [Amplifier] = [
        Amplifier("star") { .setStarred([Big.item($0 / 2)], $0 % 2 == 0) },
        Amplifier("star all") { .setStarred(Big.items, $0 % 2 == 0) },
        Amplifier("toggle") { _ in .toggleStar("i0") },
        Amplifier("expand") { .setExpanded([Big.item($0 / 2)], $0 % 2 == 0) },
        Amplifier("kind") { .updateItem("i0", ItemChanges(kind: "k\($0)")) },
        Amplifier("reorderable") { .updateItem("i0", ItemChanges(isReorderable: $0 % 2 == 1)) },
        Amplifier("merge one") { .updateItem("i0", ItemChanges(merging: ["n": .integer($0)])) },
        Amplifier("merge in turn") { .updateItem(Big.item($0), ItemChanges(merging: ["m\($0 % 7)": .integer($0)])) },
        Amplifier("merge and star") {
            $0 % 2 == 0 ? .toggleStar("i0") : .updateItem("i0", ItemChanges(merging: ["n": .integer($0)]))
        },
        Amplifier("reconfigure", isMark: true) { .reconfigureItems([Big.item($0)]) },
        Amplifier("reload", isMark: true) { .reloadItems([Big.item($0)]) },
        Amplifier("list title") { .updateList(ListChanges(title: "t\($0)")) },
        Amplifier("section title") { .updateSection("A", SectionChanges(title: "t\($0)")) },
        Amplifier("section reorderable") { .updateSection("A", SectionChanges(isReorderable: $0 % 2 == 1)) },
        Amplifier("section header") { .updateSection("A", SectionChanges(header: "h\($0)")) },
        Amplifier("reload sections", isMark: true) { _ in .reloadSections(["A"]) },
        Amplifier("move a section") { .moveSection("B", $0 % 2 == 0 ? .before("A") : .after("A")) },
        Amplifier("move an item") { .moveItem("i0", $0 % 2 == 0 ? .last(.section("A")) : .first(.section("A"))) },
        Amplifier("move to a section") { .moveItem("i0", .last(.section($0 % 2 == 0 ? "B" : "A"))) },
        Amplifier("append what is there") { .appendItems([NewItem(Big.item($0))], .section("A")) },
        Amplifier("insert and delete") { .replaceChildren("i0", $0 % 2 == 0 ? [Big.small($0)] : []) },
        Amplifier("children") { .replaceChildren("i1", [Big.small($0), Big.small($0 + 1)]) },
        Amplifier("section snapshot") { .applySectionSnapshot(WantedSection("A", items: Big.rotated($0))) },
        Amplifier("snapshot") {
            .applySnapshot(WantedSnapshot(sections: [WantedSection("A", items: Big.rotated($0)), Big.other]))
        },
    ]

    /// The log keeps the request, and not the values that the request touches.
    @Test(arguments: amplifiers)
    func recordsAreBoundByTheRequest(_ amplifier: Amplifier) async throws {
        let list = try await BigList()
        defer { list.stop() }
        let operations = (0..<201).map(amplifier.operation)
        let before = try list.image
        let brought = WriteIntent.operations(operations).estimatedBytes
        let bytes = try await list.recordBytes(of: .operations(operations))
        #expect(bytes <= 2 * brought + 32 * operations.count, "\(bytes) bytes for \(brought)")
        let after = try list.image
        try list.requireSameAfterRestart()
        guard !amplifier.isMark else { return }
        // The undo names each value at most once.
        let touched = Big.items.count * Big.contentBytes + 5 * Big.contentBytes
        let back = try await list.recordBytes(of: .undo(try list.version))
        #expect(back <= 2 * brought + 32 * operations.count + touched, "\(back) bytes to take back \(brought)")
        #expect(try list.image == before)
        try list.requireSameAfterRestart()
        _ = try await list.recordBytes(of: .redo(try list.version))
        #expect(try list.image == after)
        try list.requireSameAfterRestart()
    }

    /// A delta keeps each old value once, however often it is overwritten, and counts it correctly.
    @Test(arguments: amplifiers)
    func memoryIsBoundByTheRowsTouched(_ amplifier: Amplifier) throws {
        var (state, log) = (Big.state, TransactionLog())
        let operations = (0..<201).map(amplifier.operation)
        for operation in operations { try state.apply(operation, rules: .lenient, into: &log) }
        state.settle(&log)
        let brought = WriteIntent.operations(operations).estimatedBytes
        let touched = Big.items.count * Big.contentBytes + 5 * Big.contentBytes
        let kept = log.delta.texts.reduce(0) { $0 + $1.byteCount }
        #expect(kept <= 2 * touched + brought, "\(kept) bytes for \(brought)")
        let counted = log.delta.estimatedBytes + state.bytesOverwritten(by: log.delta)
        #expect(counted >= kept - 2 * touched && counted <= 2 * touched + 8 * brought + 512 * operations.count)
        #expect(ListImage(state.reverted(log.delta)) == ListImage(Big.state))
    }

    /// Each content is read and written once, however many patches it gets.
    @Test func tenThousandPatchesOfOneContent() async throws {
        let list = try await BigList(rowsMax: Big.contentBytes / 128 + 20_000)
        defer { list.stop() }
        let patches = (0..<10_000).map { JSONValue.object(["n\($0 % 20)": $0 % 3 == 0 ? .null : .integer($0)]) }
        var expected = Big.content(0).value
        for patch in patches { expected = expected.merging(patch: patch) }
        let operations = patches.map { ListModel.Operation.updateItem("i0", ItemChanges(merging: $0)) }
        let bytes = try await list.recordBytes(of: .operations(operations))
        #expect(bytes <= 40 * operations.count)
        let item = try #require(try list.head.state.handle(of: "i0" as ItemID))
        #expect(try list.head.state[item].content.bytes.elementsEqual(expected.bytes))
        try list.requireSameAfterRestart()
    }

    /// The limit of a content holds after each operation, as if each result was written.
    @Test func patchesAreBoundInBetween() async throws {
        let list = try await BigList()
        defer { list.stop() }
        let long = JSONValue.string(ByteText(String(repeating: "x", count: 60_000)))
        let before = try list.image
        let write = Write(
            .operations([
                .updateItem("i0", ItemChanges(merging: ["n": 1])), .updateItem("i0", ItemChanges(merging: ["m": long])),
                .updateItem("i0", ItemChanges(merging: ["m": .null])),
            ]))
        guard case .failure(.model(let error, 1)) = list.store.submit(StoreFixture.list, write).result else {
            Issue.record("not refused at the second operation")
            return
        }
        #expect(error == .contentTooLarge("i0", limit: 65_536))
        #expect(try list.image == before)
    }
}

// MARK: - Large values

enum Big {
    static let contentBytes = Soak.isLong ? 65_000 : 16_000
    static let items = (0..<16).map(item)

    static func item(_ number: Int) -> ItemID { ItemID(unchecked: "i\(number % 16)") }
    static func small(_ number: Int) -> NewItem { NewItem(ItemID(unchecked: "n\(number)"), value: ItemChanges()) }

    /// All items of the first section, in a rotated order.
    static func rotated(_ number: Int) -> [NewItem] { (0..<16).map { NewItem(item($0 + number)) } }
    static let other = WantedSection("B", items: [NewItem("b")])

    static func text(_ name: String) -> JSONText {
        JSONText(.object(["text": .string(ByteText(name + String(repeating: "x", count: contentBytes - 20)))]))
    }

    static func content(_ number: Int) -> JSONText { text("\(number)") }

    static var snapshot: WantedSnapshot {
        var (list, section) = (ListChanges(), SectionChanges())
        list.layout = .set(text("l"))
        section.layout = .set(text("s"))
        section.header = .set(text("h"))
        section.footer = .set(text("f"))
        let values = (0..<16).map { number in
            var changes = ItemChanges()
            changes.content = .replace(content(number))
            return NewItem(item(number), value: changes)
        }
        let other = WantedSection("B", items: [NewItem("b", value: ItemChanges())])
        return WantedSnapshot(
            changes: list, sections: [WantedSection("A", changes: section, items: values), other])
    }

    static var state: ListState {
        var state = ListState(ListProperties(title: "Big"))
        _ = try? state.commit(.applySnapshot(snapshot))
        return state
    }
}

/// A store of one large list.
struct BigList {
    private let journal = TestJournal()
    private let live: StoreFixture

    init(bytesMax: Int = .max, rowsMax: Int = .max) async throws {
        var limits = StoreFixture.limits
        limits.historyBytesMax = 1 << 30
        limits.transactionBytesMax = bytesMax
        limits.transactionRowsMax = rowsMax
        // The list is made without limits.
        let first = try StoreFixture(journal: journal)
        try await first.createSettled(Big.snapshot)
        first.store.stop()
        live = try StoreFixture(journal: journal, limits: limits)
    }

    var store: Store { live.store }
    var head: ListSnapshot { get throws { try #require(live.head) } }
    var version: Version { get throws { try head.version } }
    var image: ListImage { get throws { ListImage(try head.state) } }

    /// The number of bytes that a write adds to the log.
    func recordBytes(of intent: WriteIntent) async throws -> Int {
        let count = journal.entries.count
        _ = try await store.submit(StoreFixture.list, Write(intent)).settled().get()
        return journal.entries.dropFirst(count).reduce(0) { $0 + $1.bytes.count }
    }

    /// Requires that the log gives the same list with all of its versions.
    func requireSameAfterRestart() throws {
        let recovered = try StoreFixture(journal: TestJournal(entries: journal.entries), limits: store.shared.limits)
        defer { recovered.store.stop() }
        try #require(ListImage(try #require(recovered.head).state) == image)
    }

    func stop() { store.stop() }
}

extension Delta {
    /// Every text that the state keeps. Texts that share their memory occur once.
    var texts: [JSONText] {
        var texts: [JSONText] = []
        forEachItem { texts.append($1.item.content) }
        for edit in inverse { texts += edit.texts }
        for section in past.sections.values {
            texts += [section.layout, section.header, section.footer].compactMap { $0 }
        }
        texts += [past.properties?.layout].compactMap { $0 }
        var kept: [JSONText] = []
        for text in texts where !kept.contains(where: { $0.hasSameBuffer(as: text) }) { kept.append(text) }
        return kept
    }
}

extension Edit {
    fileprivate var texts: [JSONText] {
        switch self {
        case .changeItem(_, let changes):
            if case .replace(let text) = changes.content { [text] } else { [] }
        case .insertItems(let rows, _, _, _): rows.map(\.item.content)
        case .changeSection(_, let changes): [changes.layout, changes.header, changes.footer].compactMap(\.text)
        case .changeList(let changes): [changes.layout].compactMap(\.text)
        case .insertSection(let section, _): [section.layout, section.header, section.footer].compactMap { $0 }
        case .deleteSection, .moveSection, .reloadSection, .deleteItems, .moveItem, .reconfigureItem, .reloadItem,
            .arrange, .arrangeRun, .arrangeSections:
            []
        }
    }
}

extension Change<JSONText?> {
    fileprivate var text: JSONText? { if case .set(let text) = self { text } else { nil } }
}

extension ItemChanges {
    init(kind: ByteText) {
        self.init()
        self.kind = .set(kind)
    }

    init(isReorderable: Bool) {
        self.init()
        self.isReorderable = .set(isReorderable)
    }

    init(merging patch: JSONValue) {
        self.init()
        content = .merge(JSONText(patch))
    }
}

extension SectionChanges {
    init(title: ByteText) {
        self.init()
        self.title = .set(title)
    }

    init(isReorderable: Bool) {
        self.init()
        self.isReorderable = .set(isReorderable)
    }

    init(header: ByteText) {
        self.init()
        self.header = .set(JSONText(.string(header)))
    }
}

extension ListChanges {
    init(title: ByteText) {
        self.init()
        self.title = .set(title)
    }
}
