import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// An id that neither a list nor its history names has no handle. Otherwise a list would grow with every id it ever
/// had.
@Suite struct HandleReleaseTests {
    private static func add(_ item: ItemID) -> ListModel.Operation {
        .appendItems([NewItem(item, value: ItemChanges())], .section("A"))
    }

    @Test("what comes and goes while a list is made")
    func making() throws {
        let fixture = try StoreFixture()
        let wanted = WantedSnapshot(sections: StoreFixture.sections("A:a"))
        let first = Write(.operations([.applySnapshot(wanted), Self.add("b"), .deleteItems(["b"])]))
        _ = try fixture.store.create(StoreFixture.list, first).result.get()
        let count = try #require(fixture.head).state.itemHandleCount
        _ = try fixture.write(Self.add("c"))
        #expect(fixture.head?.state.itemHandleCount == count)
    }

    @Test("what is gone when a new epoch begins")
    func renewing() async throws {
        let journal = TestJournal()
        let written = try StoreFixture(journal: journal)
        try await written.createSettled("A:a,b")
        _ = try written.write(.deleteItems(["a"]))
        written.store.stop()
        let renewed = try StoreFixture(journal: journal, mayMissCommits: true, epochs: "n")
        let count = try #require(renewed.head).state.itemHandleCount
        _ = try await renewed.store.submit(StoreFixture.list, Write(.operations([Self.add("c")]))).settled().get()
        #expect(renewed.text == "A:b,c" && renewed.head?.state.itemHandleCount == count)
        renewed.store.stop()
    }

    @Test("what came back in a commit that was lost, after history had dropped its end")
    func comingBack() throws {
        var state = ListState(ListProperties(title: "List"))
        _ = try state.commit(.appendSections([NewSection(SectionProperties(id: "A"), items: [])]))
        _ = try state.commit(Self.add("a"))
        _ = try state.commit(.appendSections([NewSection(SectionProperties(id: "B"), items: [])]))
        let gone = [try state.commit(.deleteItems(["a"])), try state.commit(.deleteSections(["B"]))]
        let back = [
            try state.commit(Self.add("a")),
            try state.commit(.appendSections([NewSection(SectionProperties(id: "B"), items: [])])),
        ]
        for delta in gone { state.release(delta) }
        for delta in back.reversed() { state.forgetRetained(delta) }
        let (items, sections) = (state.itemHandleCount, state.sectionHandleCount)
        _ = try state.commit(Self.add("c"))
        _ = try state.commit(.appendSections([NewSection(SectionProperties(id: "C"), items: [])]))
        #expect(state.itemHandleCount == items && state.sectionHandleCount == sections)
        #expect(!state.contains("a" as ItemID) && state.contains("c" as ItemID))
    }

    @Test("change sets are kept as long as history is, and only those that say something")
    func catchups() throws {
        var cache = CatchupCache()
        var history = History(startingAt: 1)
        var state = ListState(ListProperties(title: "List"))
        _ = try state.commit(.appendSections([NewSection(SectionProperties(id: "A"), items: [])]))
        let id = StoreFixture.list
        func snapshot() -> ListSnapshot {
            ListSnapshot(id: id, version: Version(epoch: "e", revision: history.newest), state: state)
        }
        #expect(cache.changes(since: 1, to: snapshot(), view: .items, history) == ChangeSet())
        #expect(cache.count == 0)
        for number in 0..<4 {
            let delta = try state.commit(Self.add(ItemID(unchecked: "\(number)")))
            let limits = History.Limits(versionsMax: 2, bytesMax: .max)
            for dropped in history.append(
                delta, TransactionNote(actor: "a", label: nil, time: 0, intent: .unknown), limits: limits,
                keepingSince: .max)
            { state.release(dropped) }
            _ = cache.changes(since: history.newest - 1, to: snapshot(), view: .items, history)
            #expect(cache.count == min(number + 1, 2))
        }
    }
}
