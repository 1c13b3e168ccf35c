import ListDiff
import ListModel
import ListStore
import Threads
import TestSupport
import Testing

/// Hard cases of list differences: long lists, reads while others write, and results that can be repeated.
@Suite struct HardServiceCases {
    private static let limits = Store.Limits(
        itemsMax: 10_000_000, sectionsMax: 10_000, contentBytesMax: 65_536, historyVersionsMax: 10_000,
        historyBytesMax: 1 << 30,
        receiptsMax: 10, receiptAgeMax: 10)

    /// Ten sections, `s0` to `s9`. Together they have as many items as a long list.
    private static let ids: [[ItemID]] = (0..<10).map { section in
        (0..<Soak.items / 10).map { ItemID(unchecked: "\(section).\($0)") }
    }

    private static func longList() throws -> StoreFixture {
        let fixture = try StoreFixture(limits: limits)
        _ = try fixture.store.create(StoreFixture.list, Write(.operations([.applySnapshot(wanted(ids))]))).result.get()
        return fixture
    }

    private static func wanted(_ ids: [[ItemID]]) -> WantedSnapshot {
        WantedSnapshot(
            sections: ids.enumerated().map { index, ids in
                WantedSection(
                    SectionID(unchecked: "s\(index)"), items: ids.map { NewItem($0, value: ItemChanges()) })
            })
    }

    private static func ids(of state: ListState) -> [[ItemID]] {
        state.sectionHandles.map { section in state.rows(of: section).map { state[$0].id } }
    }

    // MARK: Readers

    /// Moves random items to random places.
    private static func move(_ count: Int, in fixture: StoreFixture, _ random: inout SeededGenerator) throws {
        for _ in 0..<count {
            let item = random.pick(random.pick(ids))
            let anchor = random.pick(random.pick(ids))
            guard item != anchor else { continue }
            _ = try fixture.write(.moveItem(item, .anchor(ItemAnchor(.after, anchor))))
        }
    }

    @Test("a reader goes on through one version, row by row, while rows move")
    func readerBetweenMoves() throws {
        var random = SeededGenerator(seed: 1)
        let fixture = try Self.longList()
        let held = try #require(fixture.head)
        for (section, ids) in zip(held.state.sectionHandles, Self.ids) {
            let rows = held.state.rows(of: section)
            try Self.move(max(10, Soak.items / 1_000), in: fixture, &random)
            #expect(rows.map { held.state[$0].id } == ids)
            #expect(held.state.rows(of: section) == rows)
        }
        #expect(Self.ids(of: held.state) == Self.ids)
        let head = try #require(fixture.head)
        #expect(head.version.revision > held.version.revision)
        #expect(Set(Self.ids(of: head.state).joined()) == Set(Self.ids.joined()))
        let change = try fixture.changes(since: held.version, view: .items)
        #expect(Rows(of: held.state, view: .items).applying(change, view: .items) == Rows(of: head.state, view: .items))
    }

    @Test("readers on other threads see whole versions while rows move")
    func readersDuringMoves() async throws {
        let fixture = try Self.longList()
        let held = try #require(fixture.head)
        let isDone = Locked(false)
        async let writer: Void = {
            defer { isDone.withLock { $0 = true } }
            var random = SeededGenerator(seed: 2)
            try Self.move(max(100, Soak.items / 100), in: fixture, &random)
        }()
        var seen = held.version
        repeat {
            #expect(Self.ids(of: held.state) == Self.ids)
            let head = try #require(fixture.head)
            #expect(head.version.revision >= seen.revision)
            seen = head.version
            #expect(head.state.itemCount == Soak.items)
            #expect(Set(Self.ids(of: head.state).joined()).count == Soak.items)
            await Task.yield()
        } while !isDone.withLock { $0 }
        try await writer
        #expect(try #require(fixture.head).version.revision > held.version.revision)
    }

    // MARK: A large PUT

    /// In each section one item in a hundred has changed places with an item half a section away. To keep one of them
    /// in place, half of the other items would have to move.
    @Test("a PUT of a long list with one row in a hundred moved names those rows and no other", arguments: [1, 2])
    func largePut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var wanted = Self.ids
        var moved: Set<ItemID> = []
        for section in wanted.indices {
            let count = wanted[section].count
            let firstHalf = Array(0..<count / 2).shuffled(using: &random).prefix(count / 200)
            for index in firstHalf {
                moved.formUnion([wanted[section][index], wanted[section][index + count / 2]])
                wanted[section].swapAt(index, index + count / 2)
            }
        }
        try #require(moved.count == Soak.items / 100)
        let fixture = try Self.longList()
        let base = try #require(fixture.head).version
        let result = try fixture.write(.applySnapshot(Self.wanted(wanted)), base: base)
        let change = try #require(result.changes)
        #expect(change.items.moved.count == Soak.items / 100)
        #expect(change.items.count == Soak.items / 100)
        #expect(Set(change.items.moved.map(\.id)) == moved)
        #expect(Self.ids(of: try #require(fixture.head).state) == wanted)
        #expect(try fixture.changes(since: base, view: .items) == change)
    }

    // MARK: Repetition

    /// The numbers of handles, and the order in which they were made, must not show in a change set.
    @Test("one history in two stores, one of them with a past, gives equal change sets", arguments: Bias.allCases)
    func determinism(bias: Bias) throws {
        var lists = RandomLists(seed: 77, itemIDs: 40, bias: bias)
        let start = Operation.applySnapshot(lists.snapshot())
        let (plain, worn) = (try StoreFixture(limits: Self.limits), try StoreFixture(limits: Self.limits))
        _ = try plain.store.create(StoreFixture.list, Write(.operations([start]))).result.get()
        var past = WantedSnapshot(sections: [WantedSection("past", items: [])])
        past.sections[0].items = lists.itemIDs.shuffled(using: &lists.random).map { NewItem($0, value: ItemChanges()) }
        _ = try worn.store.create(StoreFixture.list, Write(.operations([.applySnapshot(past)]))).result.get()
        _ = try worn.write(.deleteAllItems)
        _ = try worn.write(start)
        var bases = [try versions(plain, worn)]
        for _ in 0..<150 {
            let state = try #require(plain.head).state
            let operation = lists.operation(on: state)
            let view: View = lists.random.once(in: 2) ? .items : .visible
            let write = Write(.operations([operation]), view: view)
            let results = [plain, worn].map { $0.store.submit(StoreFixture.list, write).result }
            guard case .success(let one) = results[0], case .success(let other) = results[1] else { continue }
            try #require(one.changes == other.changes, "\(operation)")
            try #require(one.kind == other.kind && one.outcomes == other.outcomes && one.warnings == other.warnings)
            if one.kind == .changed { bases.append(try versions(plain, worn)) }
        }
        #expect(bases.count > 30, "many transactions change something")
        #expect(ListImage(try #require(plain.head).state) == ListImage(try #require(worn.head).state))
        for base in bases {
            for view in [View.items, .visible] {
                let change = try plain.changes(since: base.plain, view: view)
                #expect(try worn.changes(since: base.worn, view: view) == change)
                #expect(try plain.changes(since: base.plain, view: view) == change)
            }
        }
    }

    private func versions(_ plain: StoreFixture, _ worn: StoreFixture) throws -> (plain: Version, worn: Version) {
        (try #require(plain.head).version, try #require(worn.head).version)
    }
}
