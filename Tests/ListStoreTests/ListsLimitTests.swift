import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// `Store.Limits.listsMax`.
@Suite struct ListsLimitTests {
    private static func id(_ number: Int) -> ListID { ListID("list-\(number)")! }

    private static func isRefused(_ submission: Submission) -> Bool {
        if case .failure(.tooManyLists(limit: 2)) = submission.result { true } else { false }
    }

    @Test(arguments: [true, false])
    func thereAreNoMoreLists(isOnDisk: Bool) async throws {
        var limits = StoreFixture.limits
        limits.listsMax = 2
        limits.deleted = Store.Limits.Deleted(listsMax: 10, bytesMax: 1 << 20, ageMax: 1_000)
        let store = try Store(
            journal: isOnDisk ? TestJournal() : nil, limits: limits, clock: { 1_000 }, token: { "e" })
        let write = Write(.operations([]))
        for number in 0..<2 { _ = try await store.create(Self.id(number), write).settled().get() }
        #expect(Self.isRefused(store.create(Self.id(2), write)))
        #expect(Self.isRefused(store.create(Self.id(2), Write(.operations([]), isDryRun: true))))
        #expect(!store.contains(Self.id(2)))
        // A list that is there takes writes.
        _ = try await store.create(Self.id(1), write).settled().get()
        _ = try await store.delete(Self.id(0), write).settled().get()
        _ = try await store.create(Self.id(2), write).settled().get()
        // A deleted list does not count, and has no room to come back.
        #expect(Self.isRefused(store.restore(Self.id(0), nil, write)))
        _ = try await store.delete(Self.id(2), write).settled().get()
        _ = try await store.restore(Self.id(0), nil, write).settled().get()
        store.stop()
    }
}
