import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

/// Hard cases of list differences: spans of many versions, and spans that are no longer kept.
@Suite struct HardHistoryCases {
    private static let limits = Store.Limits(
        itemsMax: 1_000, sectionsMax: 1_000, contentBytesMax: 65_536, historyVersionsMax: 10_000,
        historyBytesMax: 1 << 30, receiptsMax: 10,
        receiptAgeMax: 10)

    @Test("10,000 versions are one net change set")
    func tenThousandVersions() throws {
        let versions = 10_000
        var lists = RandomLists(seed: 10_000, itemIDs: 200, sectionIDs: 3, bias: .moves)
        let fixture = try StoreFixture(limits: Self.limits)
        let start = Write(.operations([.applySnapshot(lists.snapshot())]))
        _ = try fixture.store.create(StoreFixture.list, start).result.get()
        var kept: [ListSnapshot] = []
        var newest = try #require(fixture.head)
        while newest.version.revision <= versions {
            if newest.version.revision % 2_500 == 1 { kept.append(newest) }
            let operation =
                newest.state.itemCount > 20 ? lists.operation(on: newest.state) : .applySnapshot(lists.snapshot())
            // An operation that the list refuses makes no version.
            _ = fixture.store.submit(StoreFixture.list, Write(.operations([operation])))
            newest = try #require(fixture.head)
        }
        #expect(kept.map(\.version.revision) == [1, 2_501, 5_001, 7_501])
        for old in kept {
            for view in [View.items, .visible] {
                let change = try fixture.changes(since: old.version, view: view)
                let (before, after) = (Rows(of: old.state, view: view), Rows(of: newest.state, view: view))
                #expect(before.applying(change, view: view) == after)
                let least = SlowDiff(from: before, to: after, view: view)
                let named = SlowDiff(change)
                #expect(named.itemMoves == least.itemMoves && named.sectionMoves == least.sectionMoves)
                #expect(named.deletedItems == least.deletedItems && named.insertedItems == least.insertedItems)
                #expect(try fixture.changes(since: old.version, view: view) == change, "asked again")
            }
        }
    }

    /// History counts the contents, headers and titles that it keeps. The operations here write sixteen times as much
    /// as it may keep. A star adds nothing, because it leaves the content as it is.
    @Test func largeContents() throws {
        var limits = Self.limits
        limits.historyBytesMax = 1 << 20
        let long = JSONText(.string(String(repeating: "x", count: 60_000)))
        func item(_ round: Int) -> ListModel.Operation {
            var changes = ItemChanges()
            changes.content = .replace(JSONText(.object(["\(round)": long.value])))
            return .updateItem("a", changes)
        }
        func section(_ round: Int) -> ListModel.Operation {
            var changes = SectionChanges()
            changes.header = .set(round % 2 == 0 ? long : nil)
            changes.title = .set(ByteText(String(repeating: "x", count: 4_000 + round % 2)))
            return .updateSection("A", changes)
        }
        func star(_: Int) -> ListModel.Operation { .toggleStar("a") }
        for (operation, kept) in [(item, 0...18), (section, 0...41), (star, 280...280)] {
            let fixture = try StoreFixture("A:a", limits: limits)
            _ = try fixture.write(item(0))
            for round in 0..<280 { _ = try fixture.write(operation(round)) }
            let list = try #require(try fixture.store.list(StoreFixture.list))
            let page = try list.enter { try $0.transactions(before: nil, limit: 280) }.page
            #expect(kept.contains(page.count))
        }
    }

    @Test("a version that is no longer kept gets the whole snapshot")
    func lostHistory() throws {
        var limits = Self.limits
        limits.historyVersionsMax = 3
        let fixture = try StoreFixture("A:a,b,c", limits: limits)
        let first = try #require(fixture.head).version
        for item in ["a", "b", "c", "a"] as [ItemID] { _ = try fixture.write(.moveItem(item, .last(.section("A")))) }
        let head = try #require(fixture.head)
        let list = try #require(try fixture.store.list(StoreFixture.list))
        for view in [View.items, .visible] {
            let (catchup, isLost) = list.enter { $0.catchup(since: first, view: view) }
            guard case .reset(let snapshot) = catchup else {
                Issue.record("no reset")
                continue
            }
            #expect(isLost)
            #expect(snapshot.version == head.version)
            #expect(ListImage(snapshot.state) == ListImage(head.state))
            #expect(list.enter { !$0.catchup(since: first.next, view: view).isHistoryLost })
        }
    }

    @Test("the same version has nothing to catch up with")
    func sameVersion() throws {
        let fixture = try StoreFixture("A:a,b,c")
        _ = try fixture.write(.moveItem("a", .last(.section("A"))))
        let head = try #require(fixture.head).version
        for view in [View.items, .visible] { #expect(try fixture.changes(since: head, view: view).isEmpty) }
    }
}

extension StoreFixture {
    /// The net change set from a version to the head.
    func changes(since version: Version, view: View) throws -> ChangeSet {
        let list = try #require(try store.list(Self.list))
        guard case .changes(let changes, version, _, _) = list.enter({ $0.catchup(since: version, view: view) }).catchup
        else {
            throw NoChanges()
        }
        return changes
    }

    private struct NoChanges: Error {}
}
