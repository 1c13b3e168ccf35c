import ListDiff
import ListModel
import ListStore
import Testing

/// A list holds a reference to the queue, so the queue must not hold the list for good. Those who wait for a commit
/// must not hold it either.
@Suite struct LifetimeTests {
    private static let write = Write(
        .operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:a")))]))

    @Test("A store that is stopped, or just let go, leaves nothing behind", arguments: [true, false])
    func store(isStopped: Bool) async throws {
        let (list, journal) = try await Self.oneLife(isStopped: isStopped)
        #expect(list.object == nil)
        #expect(journal.object == nil)
    }

    private static func oneLife(isStopped: Bool) async throws -> (Weak<ListActor>, Weak<TestJournal>) {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await settle(journal) { fixture.store.create(StoreFixture.list, write) }
        let list = try #require(try fixture.store.list(StoreFixture.list))
        if isStopped { fixture.store.stop() }
        return (Weak(object: list), Weak(object: journal))
    }

    @Test func aDeletedListGoes() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        let list = try await Self.deleted(in: fixture, journal)
        fixture.store.stop()
        #expect(list.object == nil)
        #expect(try fixture.store.list(StoreFixture.list) == nil)
    }

    private static func deleted(in fixture: StoreFixture, _ journal: TestJournal) async throws -> Weak<ListActor> {
        try await settle(journal) { fixture.store.create(StoreFixture.list, write) }
        let list = try #require(try fixture.store.list(StoreFixture.list))
        try await settle(journal) { fixture.store.delete(StoreFixture.list, Write(.operations([]))) }
        return Weak(object: list)
    }

    @Test("A list that is refused beside the end of the one before leaves nothing behind", arguments: [true, false])
    func refusal(endIsLost: Bool) async throws {
        let journal = try await Self.refused(endIsLost: endIsLost)
        #expect(journal.object == nil)
    }

    private static func refused(endIsLost: Bool) async throws -> Weak<TestJournal> {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        journal.close(gate: true)
        journal.fail(with: endIsLost ? .full : nil)
        let end = fixture.store.delete(StoreFixture.list, Write(.operations([])))
        let refusal = fixture.store.create(StoreFixture.list, Write(.operations([.toggleStar("none")])))
        journal.close(gate: false)
        if case .failure = await end.settled() { #expect(endIsLost) } else { #expect(!endIsLost) }
        _ = await refusal.settled()
        fixture.store.stop()
        return Weak(object: journal)
    }

    /// Holds the disk back until `body` has returned, so that the submission does wait for its commit.
    private static func settle(_ journal: TestJournal, _ body: () -> Submission) async throws {
        journal.close(gate: true)
        let submission = body()
        journal.close(gate: false)
        _ = try await submission.settled().get()
    }
}

private struct Weak<Object: AnyObject> {
    weak var object: Object?
}
