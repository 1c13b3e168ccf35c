import ListDiff
import ListModel
import Threads
import Testing

@testable import ListStore

/// A list whose records cannot be carried out is named and can be deleted. Other lists are not affected.
@Suite struct DamagedListTests {
    private static let (bad, good) = (StoreFixture.list, ListID("zoo")!)

    /// A journal of two lists. The first one has a record that no program writes.
    private func journal() async throws -> TestJournal {
        let journal = TestJournal()
        let store = try StoreFixture(journal: journal).store
        for id in [Self.bad, Self.good] { _ = try await store.create(id, Self.put("A:a,b")).settled().get() }
        store.stop()
        let nonsense = JournalEntry(list: Self.bad, kind: .append, bytes: [9, 9, 9], receipt: nil)
        return TestJournal(entries: journal.entries + [nonsense])
    }

    private static func put(_ sections: String, base: Version? = nil, match: Write.Match? = nil) -> Write {
        Write(
            .operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections(sections)))]), base: base,
            match: match)
    }

    private static func isUnreadable(_ submission: Submission) -> Bool {
        if case .failure(.unreadable(bad, .corrupt)) = submission.result { true } else { false }
    }

    private func text(_ store: Store, _ id: ListID) throws -> String? {
        try store.list(id)?.enter { StoreFixture.text($0.snapshot().state) }
    }

    private func requireDamaged(_ store: Store) throws {
        #expect(throws: StoreError.self) { try store.list(Self.bad) }
        let listed = store.lists(after: nil, limit: 9)
        #expect(listed.map(\.id) == [Self.bad, Self.good] && listed.map { $0.list == nil } == [true, false])
        #expect(store.damagedLists(limit: 9) == [Self.bad])
        #expect(try text(store, Self.good) == "A:a,b")
    }

    @Test func isNamedOnceAndRefusesWhatNeedsItsState() async throws {
        let journal = try await journal()
        let named = Locked<[ListID]>([])
        let store = try Store(
            journal: journal, limits: StoreFixture.limits, clock: { 0 }, token: { "x" },
            noteDamage: { list in named.withLock { $0.append(list.id) } })
        let before = journal.entries
        let known = Version(epoch: "e1", revision: 1)
        for _ in 0..<2 {
            try requireDamaged(store)
            #expect(Self.isUnreadable(store.submit(Self.bad, Write(.operations([])))))
            #expect(Self.isUnreadable(store.submit(Self.bad, Write(.undo(nil)))))
            #expect(Self.isUnreadable(store.create(Self.bad, Self.put("B:c"), mustNotExist: true)))
            #expect(Self.isUnreadable(store.create(Self.bad, Self.put("B:c", base: known))))
            for match in [[known], [Version(epoch: "x", revision: 0)]] {
                #expect(Self.isUnreadable(store.create(Self.bad, Self.put("B:c", match: .versions(match)))))
                #expect(Self.isUnreadable(store.delete(Self.bad, Write(.operations([]), match: .versions(match)))))
            }
        }
        #expect(named.withLock { $0 } == [Self.bad])
        #expect(try store.compact().map(\.id) == [Self.bad])
        #expect(journal.entries == before)
        store.stop()
    }

    @Test(arguments: [nil, Write.Match.any]) func isDeleted(_ match: Write.Match?) async throws {
        let journal = try await journal()
        let store = try StoreFixture(journal: journal).store
        journal.fail(with: .full)
        let refused = await store.delete(Self.bad, Write(.operations([]), match: match)).settled()
        #expect(throws: StoreError.self) { try refused.get() }
        try requireDamaged(store)
        journal.fail(with: nil)
        _ = try await store.delete(Self.bad, Write(.operations([]), match: match)).settled().get()
        #expect(try store.list(Self.bad) == nil)
        #expect(store.lists(after: nil, limit: 9).map(\.id) == [Self.good] && store.damagedLists(limit: 9).isEmpty)
        _ = try await store.create(Self.bad, Self.put("B:c")).settled().get()
        store.stop()
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries)).store
        #expect(try text(again, Self.bad) == "B:c" && text(again, Self.good) == "A:a,b")
        again.stop()
    }

    /// The list stays there as damaged until another list is on the disk in its place.
    @Test(arguments: [nil, Write.Match.any]) func isMadeAnew(_ match: Write.Match?) async throws {
        let journal = try await journal()
        let store = try StoreFixture(journal: journal, epochs: "n").store
        journal.close(gate: true)
        let waiting = store.create(Self.bad, Self.put("B:c", match: match))
        #expect(throws: StoreError.self) { try store.list(Self.bad) }
        journal.fail(with: .full)
        journal.close(gate: false)
        let refused = await waiting.settled()
        #expect(throws: StoreError.self) { try refused.get() }
        try requireDamaged(store)
        journal.fail(with: nil)
        let made = try await store.create(Self.bad, Self.put("B:c", match: match)).settled().get()
        #expect(made.kind == .created && made.version.revision == 1 && made.version.epoch.hasPrefix("n"))
        #expect(try text(store, Self.bad) == "B:c" && store.damagedLists(limit: 9).isEmpty)
        _ = try await store.submit(Self.bad, Self.put("C:d")).settled().get()
        store.stop()
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries)).store
        #expect(try text(again, Self.bad) == "C:d" && text(again, Self.good) == "A:a,b")
        again.stop()
    }
}
