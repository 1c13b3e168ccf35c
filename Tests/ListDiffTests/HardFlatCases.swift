import ListDiff
import ListModel
import TestSupport
import Testing

/// Hard cases of list differences: the order of one section.
@Suite struct HardFlatCases {
    /// Two states of one section. They are compared without knowledge of the operations.
    struct Order: Sendable, CustomTestStringConvertible {
        var name: String
        var old: [ItemID]
        var new: [ItemID]
        var moves: Int
        var testDescription: String { name }

        init(_ name: String, _ old: String, _ new: String, moves: Int) {
            self.name = name
            self.old = old.split(separator: ",").map { ItemID(unchecked: String($0)) }
            self.new = new.split(separator: ",").map { ItemID(unchecked: String($0)) }
            self.moves = moves
        }

        init(_ name: String, _ old: some Sequence<Int>, _ new: some Sequence<Int>, moves: Int) {
            self.name = name
            self.old = old.map { ItemID(unchecked: "i\($0)") }
            self.new = new.map { ItemID(unchecked: "i\($0)") }
            self.moves = moves
        }
    }

    static let short = [
        Order("empty to empty", "", "", moves: 0),
        Order("empty to full", "", "a,b", moves: 0),
        Order("full to empty", "a,b", "", moves: 0),
        Order("the same", "a,b,c", "a,b,c", moves: 0),
        Order("a single row", "a", "a", moves: 0),
        Order("a single row for another", "a", "b", moves: 0),
        Order("0,1 to 1,0", "0,1", "1,0", moves: 1),
        Order("1,2,3 to 3,2,1", "1,2,3", "3,2,1", moves: 2),
        Order("a,b,c,d to a,d,b,c", "a,b,c,d", "a,d,b,c", moves: 1),
        Order("the last of six to the front", "0,1,2,3,4,5", "5,0,1,2,3,4", moves: 1),
        Order("the first of six to the end", "0,1,2,3,4,5", "1,2,3,4,5,0", moves: 1),
        Order("two of six change places with two", "a,b,c,d,e,f", "a,d,b,e,c,f", moves: 2),
        Order(
            "A to V become ten, one of them new", "A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V",
            "J,E,C,O,Q,H,L,G,W,K", moves: 6),
        Order("all rows replaced", "a,b,c", "d,e,f", moves: 0),
        Order("all rows but one deleted", "a,b,c,d,e", "c", moves: 0),
    ]

    static let long = [
        Order("a block of 400 past one row", 0..<2_000, [0] + (401..<402) + (1..<401) + (402..<2_000), moves: 1),
        Order("one row past a block of 400", 0..<2_000, [0] + (2..<402) + [1] + (402..<2_000), moves: 1),
        Order(
            "a block of 1,000 moved together past 500", 0..<2_000, [500..<1_500, 0..<500, 1_500..<2_000].joined(),
            moves: 500),
        Order("1,000 rows reversed", 0..<1_000, (0..<1_000).reversed(), moves: 999),
        Order("two halves of 1,000 interleaved", 0..<1_000, (0..<500).flatMap { [$0, $0 + 500] }, moves: 499),
        Order(
            "10,000 equal rows before and after one change", 0..<20_001, (0..<10_000) + [-1] + (10_001..<20_001),
            moves: 0),
        Order("the first to the end of a long list", 0..<Soak.items, (1..<Soak.items) + [0], moves: 1),
        Order(
            "the last to the front of a long list", 0..<Soak.items, [Soak.items - 1] + (0..<Soak.items - 1), moves: 1),
    ]

    @Test(arguments: short + long)
    func fewestMoves(_ order: Order) throws {
        let before = try list(of: order.old)
        var after = before
        let delta = try after.commit(.applySnapshot(wanted(order.new)))
        let change = ChangeSet(undoing: delta, to: after, view: .items)
        let (old, new) = (Set(order.old), Set(order.new))
        #expect(change.items.moved.count == order.moves)
        #expect(change.items.deleted.count == old.subtracting(new).count)
        #expect(change.items.inserted.count == new.subtracting(old).count)
        #expect(change.items.count == order.moves + old.symmetricDifference(new).count)
        #expect(Rows(of: before, view: .items).applying(change, view: .items) == Rows(of: after, view: .items))
    }

    @Test(arguments: [
        ChangeSetCases.Case(
            "of two neighbours the one dragged up is named", "A:a,b,c", [.moveItem("b", .anchor(before("a")))],
            items: "mov 0.1>0.0"),
        ChangeSetCases.Case(
            "of two neighbours the one dragged down is named", "A:a,b,c", [.moveItem("a", .anchor(after("b")))],
            items: "mov 0.0>0.1"),
        ChangeSetCases.Case(
            "of two neighbours the one appended is named", "A:a,b", [.appendItems([NewItem("a")], nil)],
            items: "mov 0.0>0.1"),
    ])
    func dragged(_ row: ChangeSetCases.Case) throws {
        try row.check()
    }

    @Test("a block of 400 that was placed row by row is one move still")
    func aBlockByOperations() throws {
        let ids = (0..<2_000).map { ItemID(unchecked: "i\($0)") }
        let old = try list(of: ids)
        let operations = ids[1...400].reversed().map { Operation.moveItem($0, .anchor(after("i401"))) }
        for isOneByOne in [false, true] {
            var state = old
            let delta = try isOneByOne ? state.commit(oneByOne: operations) : state.commit(operations)
            let change = ChangeSet(undoing: delta, to: state, view: .items)
            #expect(change.text == "mov 0.401>0.1")
        }
    }

    /// Each row is dragged past more rows than are dragged in all. To leave one in place would cost more moves.
    @Test("of 1,000 rows ten dragged anywhere are the ten that are named", arguments: UInt64(1)...20)
    func tenOfThousand(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<1_000).map { ItemID(unchecked: "i\($0)") }
        let dragged = ids.indices.shuffled(using: &random).prefix(10)
        let drags = dragged.map { index in
            let far = ids.indices.filter { abs($0 - index) > 30 && !dragged.contains($0) }
            return Operation.moveItem(ids[index], .anchor(after(ids[random.pick(far)])))
        }
        let old = try list(of: ids)
        for isOneByOne in [false, true] {
            var state = old
            let delta = try isOneByOne ? state.commit(oneByOne: drags) : state.commit(drags)
            let change = ChangeSet(undoing: delta, to: state, view: .items)
            #expect(change.items.moved.count == 10)
            #expect(change.items.count == 10)
            #expect(Set(change.items.moved.map(\.id)) == Set(dragged.map { ids[$0] }))
        }
    }

    // MARK: Depth

    @Test("2,000 rows appended to four, on a small stack")
    func noRecursionOverRows() throws {
        let old = try ListState(notation: "A:a,b,c,d")
        let rows = (0..<2_000).map { new(ItemID(unchecked: "i\($0)")) }
        for operation in [
            Operation.appendItems(rows, nil), .applySnapshot(wanted(old.ids + rows.map(\.id))),
        ] {
            let change = try #require(try onSmallStack { try Self.change(by: operation, of: old) })
            #expect(change.items.inserted.map(\.path.index) == Array(4..<2_004))
            #expect(change.items.count == 2_000)
        }
    }

    @Test("a chain of 2,000 rows, each under the one before, on a small stack")
    func noRecursionOverLevels() throws {
        let old = try ListState(notation: "A:a,b")
        let chain = (0..<2_000).map { level in
            NewItem(
                ItemID(unchecked: "i\(level)"), parent: level == 0 ? nil : ItemID(unchecked: "i\(level - 1)"),
                value: ItemChanges())
        }
        let inserted = try #require(try onSmallStack { try Self.change(by: .insertItems(chain, before("b")), of: old) })
        #expect(inserted.items.inserted.map(\.row.level) == Array(0..<2_000))
        var deep = old
        try deep.commit(.insertItems(chain, before("b")))
        let start = deep
        let moved = try #require(
            onSmallStack { try Self.change(by: .moveItem("i0", .anchor(after("b"))), of: start) })
        #expect(moved.items.moved.map(\.id) == ["b"])
        let deleted = try #require(try onSmallStack { try Self.change(by: .deleteItems(["i0"]), of: start) })
        #expect(deleted.items.deleted.count == 2_000)
    }

    private static func change(by operation: Operation, of old: ListState) throws -> ChangeSet {
        var state = old
        let delta = try state.commit(operation)
        return ChangeSet(undoing: delta, to: state, view: .items)
    }
}

private func list(of ids: [ItemID]) throws -> ListState {
    var list = ListState(ListProperties(title: "list"))
    try list.commit(.appendSections([NewSection(SectionProperties(id: "A"), items: ids.map { new($0) })]))
    return list
}

private func wanted(_ ids: [ItemID]) -> WantedSnapshot {
    WantedSnapshot(sections: [WantedSection("A", items: ids.map { new($0) })])
}
