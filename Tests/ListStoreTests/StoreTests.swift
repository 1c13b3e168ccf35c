import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

@Suite struct StoreTests {
    private static let key = ReceiptKey(scope: [1], request: [2])

    private func star(_ id: ItemID, key: ReceiptKey? = nil) -> Write {
        Write(.operations([.setStarred([id], true)]), key: key)
    }

    @Test func versionsGrowByOneWithEachChange() throws {
        let fixture = try StoreFixture("A:a,b")
        let first = try #require(fixture.head).version
        #expect(first.revision == 1)
        let starred = try fixture.write(.setStarred(["a"], true))
        #expect(starred.kind == .changed && starred.from == first && starred.version == first.next)
        let again = try fixture.write(.setStarred(["a"], true))
        #expect(again.kind == .unchanged && again.version == first.next)
        #expect(again.changes?.isEmpty == true)
    }

    @Test func thereAndBackInOneTransactionIsNoChange() throws {
        let fixture = try StoreFixture("A:a,b B:c")
        let result = try fixture.write(
            .deleteItems(["c"]), .appendItems([NewItem("c", value: ItemChanges())], .section("B")),
            .moveItem("a", .anchor(ItemAnchor(.after, "b"))), .moveItem("b", .anchor(ItemAnchor(.after, "a"))))
        #expect(result.kind == .unchanged)
        #expect(fixture.text == "A:a,b B:c")
    }

    @Test func aMarkMakesAVersion() throws {
        let fixture = try StoreFixture("A:a,b")
        let base = try #require(fixture.head).version
        let result = try fixture.write(.reconfigureItems(["b"]))
        #expect(result.kind == .changed)
        #expect(result.changes?.items.reconfigured.map(\.row.item.id) == ["b"])
        let list = try #require(try fixture.store.list(StoreFixture.list))
        _ = try fixture.write(.setStarred(["a"], true))
        guard case .changes(let net, _, _, _) = list.enter({ $0.catchup(since: base, view: .items) }).catchup else {
            Issue.record("a reset")
            return
        }
        #expect(net.items.reconfigured.map(\.row.item.id) == ["a", "b"])
    }

    @Test func aFailedOperationTakesTheTransactionWithIt() throws {
        let fixture = try StoreFixture("A:a,b,c")
        let before = try #require(fixture.head)
        #expect(throws: StoreError.self) {
            _ = try fixture.write(
                .setStarred(["a"], true), .deleteItems(["b"]), .moveItem("zz", .last(.section("A"))),
                .appendItems([NewItem("n", value: ItemChanges())], nil))
        }
        #expect(fixture.text == "A:a,b,c")
        #expect(fixture.head?.version == before.version)
        let handle = try #require(fixture.head?.state.handle(of: "a" as ItemID))
        #expect(fixture.head?.state[handle].isStarred == false)
    }

    @Test func dryRunsLeaveNothing() throws {
        let fixture = try StoreFixture("A:a,b")
        let before = try #require(fixture.head).version
        let dry = Write(.operations([.deleteItems(["a"])]), isDryRun: true)
        let result = try fixture.store.submit(StoreFixture.list, dry).result.get()
        #expect(result.version == before && result.changes?.items.deleted.map(\.id) == ["a"])
        #expect(fixture.text == "A:a,b")
    }

    @Test func ifMatch() throws {
        let fixture = try StoreFixture("A:a,b")
        let first = try #require(fixture.head).version
        _ = try fixture.write(.setStarred(["a"], true))
        let stale = Write(.operations([.setStarred(["b"], true)]), match: .versions([first]))
        guard
            case .failure(.preconditionFailed(let head, let missed)) = fixture.store.submit(StoreFixture.list, stale)
                .result
        else { Issue.record("not refused"); return }
        #expect(head == first.next)
        guard case .changes(let changes, from: first, to: first.next, counts: _)? = missed else {
            Issue.record("no changes"); return
        }
        #expect(changes.items.reconfigured.count == 1)
        let fresh = Write(.operations([.setStarred(["b"], true)]), match: .versions([first.next]))
        #expect(try fixture.store.submit(StoreFixture.list, fresh).result.get().kind == .changed)
    }

    @Test(arguments: [
        Version(epoch: "other", revision: 1), Version(epoch: "e1", revision: 9), Version(epoch: "e1", revision: 0),
    ])
    func unknownBase(_ base: Version) throws {
        let fixture = try StoreFixture("A:a,b")
        let write = Write(.operations([.deleteItems(["a"])]), base: base)
        guard case .failure(.unknownBase(let head, .reset)) = fixture.store.submit(StoreFixture.list, write).result
        else {
            Issue.record("not refused")
            return
        }
        #expect(head == fixture.head?.version)
        #expect(fixture.text == "A:a,b")
    }

    @Test func historyIsBoundedAndSaysSo() throws {
        var limits = StoreFixture.limits
        limits.historyVersionsMax = 3
        let fixture = try StoreFixture("A:a,b", limits: limits)
        let first = try #require(fixture.head).version
        for round in 0..<4 { _ = try fixture.write(.setStarred(["a"], round.isMultiple(of: 2))) }
        let list = try #require(try fixture.store.list(StoreFixture.list))
        #expect(list.enter { $0.catchup(since: first, view: .items).isHistoryLost })
        let kept = Version(epoch: first.epoch, revision: 2)
        #expect(!list.enter { $0.catchup(since: kept, view: .items).isHistoryLost })
    }

    // MARK: - Keys

    @Test func aRetryGetsTheSameAnswerAndActsOnce() throws {
        let fixture = try StoreFixture("A:a,b")
        let toggle = Write(.operations([.toggleStar("a")]), key: Self.key)
        let first = try fixture.store.submit(StoreFixture.list, toggle).result.get()
        _ = try fixture.write(.setStarred(["b"], true))
        let second = try fixture.store.submit(StoreFixture.list, toggle).result.get()
        #expect(second.isReplay && second.version == first.version && second.kind == first.kind)
        #expect(second.outcomes == first.outcomes && second.changes == first.changes)
        #expect(fixture.head?.version.revision == 3)
    }

    @Test func aKeyIsBoundToItsRequestAndFreeAfterARefusal() throws {
        let fixture = try StoreFixture("A:a,b")
        #expect(throws: StoreError.self) {
            _ = try fixture.store.submit(StoreFixture.list, star("zz", key: Self.key)).result.get()
        }
        _ = try fixture.store.submit(StoreFixture.list, star("a", key: Self.key)).result.get()
        let other = ReceiptKey(scope: Self.key.scope, request: [3])
        guard case .failure(.keyReused) = fixture.store.submit(StoreFixture.list, star("b", key: other)).result else {
            Issue.record("not refused")
            return
        }
    }

    @Test func receiptsOutliveTheListAndTheProcess() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        let first = try await fixture.store.submit(StoreFixture.list, star("a", key: Self.key)).settled().get()
        _ = try await fixture.store.delete(StoreFixture.list, Write(.operations([]))).settled().get()
        let reopened = try StoreFixture(journal: TestJournal(entries: journal.entries, receipts: journal.receipts))
        #expect(reopened.head == nil)
        let replay = try reopened.store.submit(StoreFixture.list, star("a", key: Self.key)).result.get()
        #expect(replay.isReplay && replay.version == first.version && replay.kind == .changed)
        fixture.store.stop()
        reopened.store.stop()
    }

    // MARK: - Durability

    @Test func readersSeeOnlyWhatIsDurable() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a,b")
        journal.close(gate: true)
        let pending = fixture.store.submit(StoreFixture.list, Write(.operations([.deleteItems(["a"])])))
        let refused = fixture.store.submit(StoreFixture.list, star("a"))
        #expect(fixture.text == "A:a,b")
        #expect(fixture.head?.version.revision == 1)
        #expect(refused.durability != nil, "a refusal that speaks of a pending write waits for it")
        journal.close(gate: false)
        _ = try await pending.settled().get()
        #expect(fixture.text == "A:b")
        fixture.store.stop()
    }

    @Test func aLostBatchIsRolledBackAndLaterWritesWork() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a,b")
        journal.close(gate: true)
        journal.fail(with: .full)
        let lost = [
            fixture.store.submit(StoreFixture.list, Write(.operations([.deleteItems(["a"])]))),
            fixture.store.submit(StoreFixture.list, star("b")),
        ]
        journal.close(gate: false)
        for submission in lost {
            guard case .failure(.journal(.full)) = await submission.settled() else {
                Issue.record("not lost")
                continue
            }
        }
        #expect(fixture.text == "A:a,b")
        journal.fail(with: nil)
        // A write that comes before the queue has told everyone of the failure fails too.
        var kept: WriteResult?
        for _ in 0..<1_000 where kept == nil {
            kept = try? await fixture.store.submit(StoreFixture.list, star("a")).settled().get()
        }
        let next = try #require(kept)
        #expect(next.version.revision == 2)
        fixture.store.stop()
        let reopened = try StoreFixture(journal: TestJournal(entries: journal.entries, receipts: journal.receipts))
        #expect(reopened.text == "A:a,b" && reopened.head?.version == next.version)
        reopened.store.stop()
    }

    /// A write that is not durable can be taken back, however short the history is.
    @Test func pendingWritesAreKeptBeyondTheLimitsOfHistory() async throws {
        var limits = StoreFixture.limits
        limits.historyVersionsMax = 2
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal, limits: limits)
        let wanted = WantedSnapshot(sections: StoreFixture.sections("A:a,b"))
        _ = try await fixture.store.create(StoreFixture.list, Write(.operations([.applySnapshot(wanted)]))).settled()
            .get()
        journal.close(gate: true)
        journal.fail(with: .full)
        let lost = (0..<6).map { round in
            fixture.store.submit(
                StoreFixture.list,
                Write(
                    .operations([
                        .appendItems([NewItem(ItemID(unchecked: "n\(round)"), value: ItemChanges())], .section("A"))
                    ])))
        }
        #expect(fixture.text == "A:a,b")
        journal.close(gate: false)
        for submission in lost { await #expect(throws: StoreError.self) { _ = try await submission.settled().get() } }
        #expect(fixture.text == "A:a,b")
        fixture.store.stop()
    }

    @Test func aListThatIsMadeAgainHasAnotherEpoch() async throws {
        let fixture = try StoreFixture("A:a")
        let first = try #require(fixture.head).version
        _ = try fixture.store.delete(StoreFixture.list, Write(.operations([]))).result.get()
        #expect(fixture.head == nil)
        try fixture.create("A:a")
        #expect(fixture.head?.version.revision == 1)
        #expect(fixture.head?.version.epoch != first.epoch)
    }
}

@Suite struct RecoveryTests {
    private func journal(_ operations: ListModel.Operation...) async throws -> TestJournal {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a,b")
        for operation in operations {
            _ = try await fixture.store.submit(StoreFixture.list, Write(.operations([operation]))).settled().get()
        }
        fixture.store.stop()
        return journal
    }

    @Test func aStartThatMayMissCommitsBeginsANewEpochForGood() async throws {
        let written = try await journal(.deleteItems(["a"]))
        let journal = TestJournal(entries: written.entries)
        let before = try StoreFixture(journal: TestJournal(entries: written.entries))
        let old = try #require(before.head).version
        let renewed = try StoreFixture(journal: journal, mayMissCommits: true, epochs: "n")
        let new = try #require(renewed.head).version
        #expect(new.epoch != old.epoch && renewed.text == "A:b")
        let list = try #require(try renewed.store.list(StoreFixture.list))
        #expect(list.enter { $0.catchup(since: old, view: .items).isHistoryLost })
        _ = try await renewed.store.submit(StoreFixture.list, Write(.operations([.setStarred(["b"], true)]))).settled()
            .get()
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries))
        #expect(again.head?.version == new.next)
        for fixture in [before, renewed, again] { fixture.store.stop() }
    }

    /// A record is missing in the middle of the log, which no checksum of single rows can show.
    @Test func recordsThatDoNotFitTogetherAreRefused() async throws {
        let written = try await journal(
            .appendItems([NewItem("c", value: ItemChanges())], .section("A")), .deleteItems(["c"]))
        var entries = written.entries
        entries.remove(at: 1)
        let store = try StoreFixture(journal: TestJournal(entries: entries)).store
        defer { store.stop() }
        #expect(store.load().map(\.id) == [StoreFixture.list])
        // The answer is not that the list does not exist.
        #expect(throws: StoreError.self) { try store.list(StoreFixture.list) }
        let refused = store.submit(StoreFixture.list, Write(.operations([])))
        guard case .failure(.unreadable(StoreFixture.list, .corrupt)) = refused.result else {
            Issue.record("\(refused.result)")
            return
        }
    }
}
