import JSONValue
import TestSupport
import Testing

@testable import ListModel

/// A list that begins with a snapshot is the list that edits would make, and is refused for the same reasons.
@Suite struct BeginningTests {
    private static let empty = ListState(ListProperties(title: "empty"))

    private static func begun(
        _ snapshot: WantedSnapshot, _ rules: Rules, _ budget: Budget? = nil
    ) -> Result<ListState, ModelError> {
        var (state, log) = (empty, TransactionLog(budget: budget))
        do throws(ModelError) { try state.begin(with: snapshot, rules: rules, &log) } catch { return .failure(error) }
        return .success(state)
    }

    private static func applied(
        _ snapshot: WantedSnapshot, _ rules: Rules, _ budget: Budget? = nil
    ) -> Result<ListState, ModelError> {
        var (state, log) = (empty, TransactionLog(budget: budget))
        do throws(ModelError) { try state.apply(.applySnapshot(snapshot), rules: rules, into: &log) } catch {
            return .failure(error)
        }
        return .success(state)
    }

    @Test("Any list begins as edits make it, and goes on so", arguments: Soak.seeds(60))
    func isTheSameList(seed: UInt64) throws {
        let count = [3, 20, 150, 1_500][Int(seed % 4)]
        var lists = RandomLists(
            seed: seed, itemIDs: count, bias: Bias.allCases[Int(seed) % Bias.allCases.count])
        let snapshot = lists.snapshot()
        let distinct = try #require(WantedSnapshot(changes: snapshot.changes, distinct: snapshot.sections))
        var state = try Self.applied(snapshot, .lenient).get()
        for wanted in [snapshot, distinct] {
            let begun = try Self.begun(wanted, .lenient).get()
            try requireInvariants(begun)
            try #require(ListImage(begun) == ListImage(state))
            try #require(begun.contentBytes == state.contentBytes && begun.counts == state.counts)
        }
        var begun = try Self.begun(distinct, .lenient).get()
        for step in 0..<20 {
            let operation = lists.operation(on: state)
            let done = (try? state.commit(operation)) != nil
            try #require(((try? begun.commit(operation)) != nil) == done, "step \(step)")
            try #require(ListImage(begun) == ListImage(state), "step \(step)")
        }
        try requireInvariants(begun)
    }

    /// Small limits, and snapshots with ids twice, bare ids, and parents that stand behind their children or elsewhere.
    @Test(arguments: Soak.seeds(300))
    func refusesAlike(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let snapshot = Self.odd(using: &random)
            var rules = Rules.lenient
            if random.once(in: 4) { rules.itemsMax = random.below(10) }
            if random.once(in: 4) { rules.sectionsMax = random.below(4) }
            let budget =
                random.once(in: 3) ? Budget(bytesMax: random.below(400), rowsMax: random.below(4)) : nil
            switch (Self.begun(snapshot, rules, budget), Self.applied(snapshot, rules, budget)) {
            case (.success(let begun), .success(let applied)):
                try requireInvariants(begun)
                try #require(ListImage(begun) == ListImage(applied))
            case (.failure(let begun), .failure(let applied)): try #require(begun == applied)
            case (let begun, let applied): Issue.record("\(begun) is not \(applied): \(snapshot)")
            }
        }
    }

    private static func odd(using random: inout SeededGenerator) -> WantedSnapshot {
        let ids = (0..<30).map { ItemID(unchecked: "i\($0)") }
        var next = 0
        let sections = (0..<random.below(4)).map { number in
            let items = (0..<random.below(6)).map { _ in
                next += 1
                let id = random.once(in: 40) ? ids[0] : ids[next]
                let parent = random.once(in: 3) ? ids[max(0, next - random.below(4))] : nil
                var value = ItemChanges()
                if random.once(in: 2) { value.content = .replace(JSONText(["n": .integer(next)])) }
                if random.once(in: 4) { value.isExpanded = .set(true) }
                return NewItem(id, parent: parent, value: random.once(in: 40) ? nil : value)
            }
            return WantedSection(random.once(in: 20) ? "s" : SectionID(unchecked: "s\(number)"), items: items)
        }
        var changes = ListChanges()
        if random.once(in: 2) { changes.title = .set(random.once(in: 2) ? "empty" : "T") }
        return WantedSnapshot(changes: changes, sections: sections)
    }

    /// The items of a short list have their JSON. Those of a long one share the memory of their contents.
    @Test(arguments: [2_000, 2_001]) func shortListsAreSealed(count: Int) throws {
        let items = (0..<count).map { NewItem(ItemID(unchecked: "i\($0)"), value: ItemChanges()) }
        let state = try Self.begun(WantedSnapshot(sections: [WantedSection("s", items: items)]), .lenient).get()
        let rows = state.rows(of: try #require(state.firstSection))
        #expect(rows.count == count && rows.allSatisfy { state[$0].isSealed == (count == 2_000) })
    }

    /// Children may stand behind the children of others, if their parents stand before them.
    @Test func itemsGetTheirOrder() throws {
        let value = ItemChanges()
        let items: [NewItem] = [
            NewItem("a", value: value), NewItem("b", value: value), NewItem("a1", parent: "a", value: value),
            NewItem("b1", parent: "b", value: value), NewItem("a2", parent: "a", value: value),
        ]
        let section = WantedSection("s", items: items)
        let snapshot = try #require(WantedSnapshot(changes: ListChanges(), distinct: [section]))
        let state = try Self.begun(snapshot, .lenient).get()
        try requireInvariants(state)
        let rows = state.rows(of: try #require(state.firstSection)).map { state[$0].id }
        #expect(rows == ["a", "a1", "a2", "b", "b1"])
    }

    @Test func anItemIsThereOnce() {
        let sections = [WantedSection("s", items: [NewItem("a")]), WantedSection("t", items: [NewItem("a")])]
        #expect(WantedSnapshot(changes: ListChanges(), distinct: sections) == nil)
        #expect(WantedSnapshot(changes: ListChanges(), distinct: [sections[0]])?.itemTable != nil)
    }

    /// A snapshot whose sections are changed is looked at again.
    @Test func otherSectionsMayHaveAnItemTwice() throws {
        let section = WantedSection("s", items: [NewItem("a", value: ItemChanges())])
        var snapshot = try #require(WantedSnapshot(changes: ListChanges(), distinct: [section]))
        snapshot.sections.append(WantedSection("t", items: section.items))
        guard case .failure(.repeatedItem("a")) = Self.begun(snapshot, .lenient) else {
            Issue.record("not refused")
            return
        }
    }
}

/// Short texts share a buffer.
@Suite struct SharedTextsTests {
    @Test(arguments: [0, 1, 126, 127, 128, 129, 254, 255, 256, 257, 100_000])
    func comesBack(count: Int) throws {
        var texts = SharedTexts()
        let long = Array(repeating: UInt8(ascii: "x"), count: count)
        let wanted = [Array("{}".utf8), long, [], long]
        let added = try wanted.map { text in try #require(texts.add(bytesMax: count + 2) { $0 += text }) }
        let buffer = texts.finish()
        #expect(buffer.count < 2 * 257 + 5)
        let read = added.map { added in
            switch added {
            case .shared(let place): Array(JSONText(in: buffer, countedAt: place).bytes)
            case .alone(let text): Array(text.bytes)
            }
        }
        #expect(read == wanted)
        #expect(texts.finish() == [])
    }

    @Test func aBufferIsFullAtSomeTime() {
        var texts = SharedTexts()
        var count = 0
        while !texts.isFull, count < 10_000 {
            count += 1
            _ = texts.add(bytesMax: 100) { $0 += Array(repeating: 1, count: 100) }
        }
        #expect(texts.finish().count == 101 * count && count < 10_000)
        #expect(!texts.isFull)
    }

    @Test func aTextMayBeTooLong() {
        var texts = SharedTexts()
        let added = texts.add(bytesMax: 3) { $0 += [1, 2, 3, 4] }
        if case .some = added { Issue.record("not refused") }
    }
}
