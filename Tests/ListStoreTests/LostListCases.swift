import Dispatch
import ListDiff
import ListModel
import ListStore
import Threads
import TestSupport
import Testing

/// Lists that are created and deleted while others write to them, or while the disk is full.
@Suite struct LostListCases {
    private static let put = put("B:b")
    private static let deletion = Write(.operations([]))
    private static let addition = Write(
        .operations([.appendSections([NewSection(SectionProperties(id: "C"))])]))

    private static func put(_ sections: String) -> Write {
        Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections(sections)))]))
    }

    /// Makes all submissions of `body` fail together.
    private func lose(_ journal: TestJournal, _ body: () -> [Submission]) async {
        journal.close(gate: true)
        journal.fail(with: .full)
        let lost = body()
        journal.close(gate: false)
        for submission in lost {
            guard case .failure(.journal(.full)) = await submission.settled() else {
                Issue.record("not lost")
                continue
            }
        }
        journal.fail(with: nil)
    }

    /// Repeats a write until it succeeds. After a failed batch the queue also fails later writes to the lists of the
    /// batch, until it has told all writes of the batch about the failure.
    private func write(_ body: () -> Submission) async throws {
        for _ in 0..<1_000 {
            if case .success = await body().settled() { return }
        }
        Issue.record("never written")
    }

    @Test("a deletion is lost with the list made after it: the old list is there again")
    func deletedAndMadeAgain() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        let before = try #require(fixture.head).version
        await lose(journal) {
            [
                fixture.store.delete(StoreFixture.list, Self.deletion),
                fixture.store.create(StoreFixture.list, Self.put),
                fixture.store.delete(StoreFixture.list, Self.deletion),
                fixture.store.create(StoreFixture.list, Self.put),
            ]
        }
        #expect(fixture.text == "A:a" && fixture.head?.version == before)
        try await write { fixture.store.submit(StoreFixture.list, Self.addition) }
        fixture.store.stop()
        try requireReplay(of: journal, "A:a C:")
    }

    @Test("a list is lost with its deletion: its id is free")
    func madeAndDeleted() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        await lose(journal) {
            [
                fixture.store.create(StoreFixture.list, Self.put),
                fixture.store.delete(StoreFixture.list, Self.deletion),
            ]
        }
        #expect(fixture.head == nil)
        try await write { fixture.store.create(StoreFixture.list, Self.put("A:a")) }
        #expect(fixture.text == "A:a")
        fixture.store.stop()
        try requireReplay(of: journal, "A:a")
    }

    /// The write is refused because of a list that may still be lost, so the refusal has to wait.
    @Test("a list must not be there while it is being made: the refusal waits, and names its first version")
    func madeTwice() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        journal.close(gate: true)
        let first = fixture.store.create(StoreFixture.list, Self.put)
        let second = fixture.store.create(StoreFixture.list, Self.put, mustNotExist: true)
        journal.close(gate: false)
        let made = try await first.settled().get()
        guard case .failure(.preconditionFailed(let head?, nil)) = await second.settled() else {
            Issue.record("not refused")
            return
        }
        #expect(second.durability != nil)
        #expect(head == made.version)
        fixture.store.stop()
    }

    @Test("writes after the end are refused, and leave nothing")
    func afterTheEnd() async throws {
        let fixture = try StoreFixture(journal: TestJournal())
        try await fixture.createSettled("A:a")
        fixture.store.stop()
        let other = try #require(ListID("other"))
        let late = [
            fixture.store.submit(StoreFixture.list, Self.addition), fixture.store.create(other, Self.put),
            fixture.store.delete(StoreFixture.list, Self.deletion),
        ]
        for submission in late {
            guard case .failure(.journal(.closed)) = await submission.settled() else {
                Issue.record("not refused")
                continue
            }
        }
        #expect(fixture.text == "A:a")
        #expect(try fixture.store.list(other) == nil)
    }

    @Test("lists are made, deleted and written to at once: the log can be read again")
    func races() throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        let ids = (0..<(Soak.isLong ? 3_000 : 600)).compactMap { ListID("list-\($0)") }
        let made = Locked(0)
        for id in ids {
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                switch number {
                case 0, 1:
                    guard case .success(let result) = fixture.store.create(id, Self.put).result else {
                        Issue.record("\(id) is not made")
                        return
                    }
                    if result.kind == .created { made.withLock { $0 += 1 } }
                case 2: _ = fixture.store.submit(id, Self.addition)
                default: _ = fixture.store.delete(id, Self.deletion)
                }
            }
        }
        fixture.store.stop()
        #expect(journal.entries.count { $0.kind == .create } == made.withLock { $0 })
        let replayed = try StoreFixture(journal: TestJournal(entries: journal.entries))
        for id in ids {
            let (now, then) = [fixture.store, replayed.store].map { store in
                (try? store.list(id))?.map { StoreFixture.text($0.enter { $0.snapshot() }.state) }
            }.pair
            #expect(now == then)
        }
        replayed.store.stop()
    }

    private func requireReplay(of journal: TestJournal, _ text: String) throws {
        let replayed = try StoreFixture(journal: TestJournal(entries: journal.entries))
        #expect(replayed.text == text)
        replayed.store.stop()
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
