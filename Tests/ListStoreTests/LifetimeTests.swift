import ListStore
import Testing

/// A list keeps the queue, so the queue must not keep a list for good.
@Suite struct LifetimeTests {
    @Test("A store that is stopped, or just let go, leaves nothing behind", arguments: [true, false])
    func store(isStopped: Bool) async throws {
        let (list, journal) = try await Self.oneLife(isStopped: isStopped)
        #expect(list.object == nil)
        #expect(journal.object == nil)
    }

    @Test func aDeletedListGoes() async throws {
        let fixture = try StoreFixture(journal: TestJournal())
        let list = try await Self.deleted(in: fixture)
        fixture.store.stop()
        #expect(list.object == nil)
    }

    private static func deleted(in fixture: StoreFixture) async throws -> Weak<ListActor> {
        try await fixture.createSettled("A:a")
        let list = try #require(fixture.store.list(StoreFixture.list))
        _ = try await fixture.store.delete(StoreFixture.list, Write(.operations([]))).settled().get()
        return Weak(object: list)
    }

    private static func oneLife(isStopped: Bool) async throws -> (Weak<ListActor>, Weak<TestJournal>) {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        let list = try #require(fixture.store.list(StoreFixture.list))
        if isStopped { fixture.store.stop() }
        return (Weak(object: list), Weak(object: journal))
    }
}

private struct Weak<Object: AnyObject> {
    weak var object: Object?
}
