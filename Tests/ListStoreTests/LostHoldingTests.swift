import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// What counts for a creator while commits wait for the disk, and after they are lost.
@Suite struct LostHoldingTests {
    private struct Scene {
        let journal = TestJournal()
        let store: Store

        init(lists: Int) throws {
            var limits = StoreFixture.limits
            limits.holdingMax = Holding(lists: lists, items: 100, bytes: 1_000)
            store = try Store(journal: journal, limits: limits, clock: { 1_000 }, token: { "e" })
        }

        func create(_ name: String, by caller: ByteText) -> Submission {
            store.create(ListID(ByteText(name))!, Write(.operations([]), caller: caller))
        }

        func holding(of creator: ByteText) -> Holding { store.shared.holdings.holding(of: creator) }
    }

    private static func isFull(_ submission: Submission) -> Bool {
        if case .failure(.holdingFull(.lists, limit: _)) = submission.result { true } else { false }
    }

    @Test func lostCommitsAreTakenBack() async throws {
        let scene = try Scene(lists: 2)
        defer { scene.store.stop() }
        _ = try await scene.create("a", by: "ada").settled().get()
        let before = scene.holding(of: "ada")
        scene.journal.fail(with: .full)
        let items = [NewItem("x", value: ItemChanges()), NewItem("y", value: ItemChanges())]
        let section = NewSection(SectionProperties(id: "s", title: "a title"), items: items)
        let append = Write(.operations([.appendSections([section])]), caller: "ada")
        let lost = [scene.store.submit(ListID("a")!, append), scene.create("b", by: "ada")]
        for submission in lost {
            guard case .success = submission.result, case .failure = await submission.settled() else {
                Issue.record("it is kept")
                continue
            }
        }
        #expect(scene.holding(of: "ada") == before)
        #expect(!(await scene.store.delete(ListID("a")!, append).settled().isSuccess))
        #expect(scene.holding(of: "ada") == before)
        scene.journal.fail(with: nil)
        // Another id: a list of the lost one's id would rest on its end.
        _ = try await scene.create("c", by: "ada").settled().get()
        #expect(Self.isFull(scene.create("d", by: "ada")))
    }

    /// A list that is about to end makes room for who has made it, and for nobody else.
    @Test func theEndOfOthersMakesNoRoom() async throws {
        let scene = try Scene(lists: 1)
        defer { scene.store.stop() }
        _ = try await scene.create("a", by: "ada").settled().get()
        _ = try await scene.create("b", by: "bob").settled().get()
        scene.journal.close(gate: true)
        var ends: [Submission] = []
        for name in ["a", "b"] {
            ends.append(scene.store.delete(ListID(ByteText(name))!, Write(.operations([])), purges: true))
        }
        let isFull = Self.isFull(scene.create("b", by: "ada"))
        let again = scene.create("a", by: "ada")
        scene.journal.close(gate: false)
        #expect(isFull)
        for submission in ends + [again] { _ = try await submission.settled().get() }
        #expect(scene.holding(of: "ada") == Holding(lists: 1, items: 0, bytes: 1))
        #expect(scene.holding(of: "bob") == .none)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
