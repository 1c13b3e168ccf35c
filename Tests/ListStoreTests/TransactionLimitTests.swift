import JSONValue
import ListDiff
import TestSupport
import Testing

@testable import ListModel
@testable import ListStore

/// The limits of a transaction: the bytes that it brings, and the rows that its operations go over.
@Suite struct TransactionLimitTests {
    private static func outline(_ count: Int) -> WantedSnapshot {
        var parent = ItemChanges()
        parent.isExpanded = .set(true)
        let children = (0..<count).map { number in
            NewItem(ItemID(unchecked: "c\(number)"), parent: "p", value: ItemChanges())
        }
        return WantedSnapshot(sections: [
            WantedSection("A", items: [NewItem("p", value: parent)] + children),
            WantedSection("B", items: [NewItem("b", value: ItemChanges())]),
        ])
    }

    private static func fixture(_ snapshot: WantedSnapshot, bytesMax: Int = .max, rowsMax: Int = .max) throws
        -> StoreFixture
    {
        let journal = TestJournal()
        let maker = try StoreFixture(journal: journal)
        _ = try maker.store.create(StoreFixture.list, Write(.operations([.applySnapshot(snapshot)]))).result.get()
        maker.store.stop()
        var limits = StoreFixture.limits
        limits.transactionBytesMax = bytesMax
        limits.transactionRowsMax = rowsMax
        return try StoreFixture(journal: journal, limits: limits)
    }

    private func error(_ fixture: StoreFixture, _ operations: [ListModel.Operation]) async -> ModelError? {
        switch await fixture.store.submit(StoreFixture.list, Write(.operations(operations))).settled() {
        case .failure(.model(let error, _)): error
        case .failure, .success: nil
        }
    }

    /// Each operation goes over a subtree of 1,000 rows or over a whole section.
    static let rowAmplifiers: [AmplifierTests.Amplifier] = [
        .init("expand and collapse") { .setExpanded(["p"], $0 % 2 == 1) },
        .init("move a subtree") { .moveItem("p", .last(.section($0 % 2 == 0 ? "B" : "A"))) },
        .init("append a subtree") { .appendItems([NewItem("p")], .section($0 % 2 == 0 ? "B" : "A")) },
        .init("section snapshot elsewhere") {
            let (section, other) = $0 % 2 == 0 ? ("B", "x\($0)") : ("A", "y\($0)")
            return .applySectionSnapshot(
                WantedSection(
                    SectionID(unchecked: section),
                    items: [NewItem("p"), NewItem(ItemID(unchecked: other), value: ItemChanges())]))
        },
    ]

    @Test(arguments: rowAmplifiers)
    func rowsAreGoneOverABoundedNumberOfTimes(_ amplifier: AmplifierTests.Amplifier) async throws {
        let fixture = try Self.fixture(Self.outline(900), rowsMax: 10_000)
        defer { fixture.store.stop() }
        let before = ListImage(try #require(fixture.head).state)
        let operations = (0..<200).map(amplifier.operation)
        #expect(await error(fixture, operations) == .transactionTooLong(limit: 10_000))
        #expect(ListImage(try #require(fixture.head).state) == before)
        // A few operations go over no more rows than the list has.
        #expect(await error(fixture, Array(operations.prefix(5))) == nil)
        #expect(ListImage(try #require(fixture.head).state) != before || amplifier.name.hasPrefix("expand"))
    }

    /// With an older base, each operation after the first that brings a whole state, such as `replaceChildren`, counts
    /// the rows of the base and of the present state towards `transactionRowsMax`. An insertion beside a deleted item
    /// does not: the neighbours of deleted items are looked for once for all operations.
    @Test(arguments: [true, false])
    func aStaleBaseCountsWholeStates(isWhole: Bool) async throws {
        let fixture = try Self.fixture(Self.outline(900), rowsMax: 10_000)
        defer { fixture.store.stop() }
        let base = try #require(fixture.head).version
        let children = (0..<900).map { ItemID(unchecked: "c\($0)") }
        #expect(await error(fixture, [.deleteItems(children)]) == nil)
        let before = ListImage(try #require(fixture.head).state)
        let operations = (0..<100).map { number -> ListModel.Operation in
            let new = NewItem(ItemID(unchecked: "n\(number)"), value: ItemChanges())
            return isWhole ? .replaceChildren("b", [new]) : .insertItems([new], ItemAnchor(.before, "c899"))
        }
        func submit(_ count: Int) async -> Result<WriteResult, StoreError> {
            let write = Write(.operations(Array(operations.prefix(count))), base: base)
            return await fixture.store.submit(StoreFixture.list, write).settled()
        }
        guard isWhole else {
            guard case .success = await submit(100) else { return _ = Issue.record("anchors were refused") }
            return
        }
        guard case .failure(.model(.transactionTooLong(limit: 10_000), _)) = await submit(100) else {
            Issue.record("not refused")
            return
        }
        #expect(ListImage(try #require(fixture.head).state) == before)
        guard case .success = await submit(5) else {
            Issue.record("a few were refused")
            return
        }
    }

    @Test func valuesAreCountedAsTheyCome() async throws {
        let fixture = try Self.fixture(Self.outline(3), bytesMax: 10_000)
        defer { fixture.store.stop() }
        let before = ListImage(try #require(fixture.head).state)
        var (item, section, list) = (ItemChanges(), SectionChanges(), ListChanges())
        let text = JSONText(.object(["t": .string(ByteText(String(repeating: "x", count: 6_000)))]))
        item.content = .replace(text)
        section.footer = .set(text)
        list.layout = .set(text)
        let large: [ListModel.Operation] = [
            .updateItem("c0", item), .updateSection("A", section), .updateList(list),
            .appendItems([NewItem("n", value: item)], nil),
            .appendSections([NewSection(section.applied(to: SectionProperties(id: "N")))]),
            .replaceChildren("b", [NewItem("m", value: item)]),
        ]
        for first in large.indices {
            for second in large.indices where first != second {
                let error = await error(fixture, [large[first], large[second]])
                #expect(error == .transactionTooLarge(limit: 10_000), "\(first), \(second)")
            }
        }
        #expect(ListImage(try #require(fixture.head).state) == before)
        #expect(await error(fixture, [large[0]]) == nil)
    }

    static let emptying: [AmplifierTests.Amplifier] = [
        .init("everything") { _ in .deleteAllItems },
        .init("a snapshot of nothing") { _ in .applySnapshot(WantedSnapshot(sections: [])) },
        .init("a snapshot of empty sections") { _ in
            .applySnapshot(WantedSnapshot(sections: [WantedSection("A", items: []), WantedSection("B", items: [])]))
        },
        .init("sections") { _ in .deleteSections(["A", "B"]) },
        .init("a section snapshot") { _ in .applySectionSnapshot(WantedSection("A", items: [])) },
        .init("items") { _ in .deleteItems(Big.items) },
    ]

    /// With the smallest limits possible a list can still be emptied, because removed values count towards no limit.
    @Test(arguments: emptying)
    func anyListCanBeEmptiedAndThatUndone(_ way: AmplifierTests.Amplifier) async throws {
        let fixture = try Self.fixture(Big.snapshot, bytesMax: 600, rowsMax: 1)
        defer { fixture.store.stop() }
        let before = ListImage(try #require(fixture.head).state)
        #expect(await error(fixture, [way.operation(0)]) == nil)
        let empty = ListImage(try #require(fixture.head).state)
        #expect(empty.itemCount < 2)
        for image in [before, empty] {
            let version = try #require(fixture.head).version
            let intent: WriteIntent = image == before ? .undo(version) : .redo(version)
            _ = try await fixture.store.submit(StoreFixture.list, Write(intent)).settled().get()
            #expect(ListImage(try #require(fixture.head).state) == image)
        }
    }

    /// The cost includes neither the other rows of the section nor the rows that history has to tell.
    @Test func replacedChildrenCostWhatTheyAre() throws {
        var state = ListState(ListProperties(title: "Long"))
        var items = (0..<4_000).map { NewItem(ItemID(unchecked: "i\($0)"), value: ItemChanges()) }
        items += ["x", "y", "z"].map { NewItem($0, parent: "i2000", value: ItemChanges()) }
        try state.commit(.appendSections([NewSection(SectionProperties(id: "A"), items: items)]))
        let before = ListImage(state)
        var log = TransactionLog()
        let orders: [[ItemID]] = [["z", "x"], ["n", "z", "x"], ["x", "y", "z"], [], ["x", "y", "z"]]
        for round in 0..<100 {
            for order in orders {
                let new = order.map { NewItem($0, value: ItemChanges()) }
                try state.apply(.replaceChildren("i2000", new), rules: .lenient, into: &log)
                try #require(state.rows(of: state.sectionHandles[0]).count == 4_000 + order.count, "\(round)")
            }
        }
        #expect(log.edits.reduce(0) { $0 + $1.rowCount } < 500 * 8)
        #expect(log.delta.estimatedBytes < 500 * 2_048)
        #expect(ListImage(state) == before)
        #expect(ListImage(state.reverted(log.delta)) == before)
    }
}

extension Edit {
    /// The number of rows that the edit names one by one.
    fileprivate var rowCount: Int {
        switch self {
        case .insertItems(let rows, _, _, _): rows.count
        case .deleteItems(_, let rows): rows.count
        case .arrange(let arrangements): arrangements.reduce(0) { $0 + $1.rows.count }
        case .arrangeRun(let run, _): run.rows.count
        default: 1
        }
    }
}
