import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing
import Threads

/// Copies that readers get beside long writes show what the list itself would show.
@Suite struct CopyTests {
    private static func add(_ item: ItemID, _ pace: Write.Pace) -> Write {
        var write = Write(.operations([.appendItems([NewItem(item, value: ItemChanges())], .section("A"))]))
        write.pace = pace
        return write
    }

    /// The texts of all versions that readers have seen.
    private struct Seen: Sendable {
        var texts: [Int: String] = [:]
        var wrong: [String] = []
        var isOver = false
        var readers = 0
    }

    /// A lost commit and the one that comes after it have the same revision. Readers must never see the lost one.
    @Test func aVersionNamesOneStateWhateverIsLost() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        let list = try #require(try fixture.store.list(StoreFixture.list))
        let seen = Locked(Seen())
        for pace in [Write.Pace.brief, .long, .brief] {
            seen.withLock { $0.readers += 1 }
            try Thread {
                while !seen.withLock({ $0.isOver }) {
                    let snapshot = list.read(pace) { $0.snapshot() }
                    let text = StoreFixture.text(snapshot.state)
                    seen.withLock { seen in
                        let known = seen.texts[snapshot.version.revision]
                        seen.texts[snapshot.version.revision] = text
                        if let known, known != text { seen.wrong.append("\(snapshot.version): \(known), \(text)") }
                    }
                }
                seen.change { $0.readers -= 1 }
            }.detach()
        }
        var random = SeededGenerator(seed: 20)
        var lost = 0
        for round in 0..<300 {
            journal.close(gate: true)
            if Int.random(in: 0..<3, using: &random) == 0 { journal.fail(with: .full) }
            let paces: [Write.Pace] = [.long, .ordinary, .long]
            let submissions = paces.enumerated().map { index, pace in
                fixture.store.submit(StoreFixture.list, Self.add(ItemID(unchecked: "i\(round)-\(index)"), pace))
            }
            journal.close(gate: false)
            // It does not suspend: the readers would read on while other tests run.
            for submission in submissions where !Self.wait(for: submission) { lost += 1 }
            journal.fail(with: nil)
        }
        seen.withLock { $0.isOver = true }
        seen.wait(until: { $0.readers == 0 }) { _ in }
        let (wrong, versions) = seen.withLock { ($0.wrong, $0.texts.count) }
        #expect(wrong == [])
        #expect(lost > 0 && versions > 1)
        fixture.store.stop()
    }

    /// An answer that a reader publishes for all others is of the head that the reader saw.
    @Test func aCopyFromBeforeALossPublishesNothing() async throws {
        final class Answer: Sendable {}
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        let list = try #require(try fixture.store.list(StoreFixture.list))
        journal.close(gate: true)
        let lost = fixture.store.submit(StoreFixture.list, Self.add("x", .ordinary))
        journal.waitForBatch()
        let long = fixture.store.submit(StoreFixture.list, Self.add("y", .long))
        journal.fail(with: .full)
        var looks = 0
        let store = fixture.store
        // The reader has the copy that has `x` as version 2 when that is lost, and another write becomes version 2.
        let version = list.read { list in
            looks += 1
            guard looks == 1 else { return list.version }
            journal.close(gate: false)
            Self.wait(for: lost)
            Self.wait(for: long)
            journal.fail(with: nil)
            // A write that comes before the failed batch has ended fails with it.
            let tries = 0..<1_000
            _ = tries.first { _ in Self.wait(for: store.submit(StoreFixture.list, Self.add("z", .ordinary))) }
            list.publish(Answer(), for: Version(epoch: list.epoch, revision: 2))
            return list.version
        }
        #expect(looks == 2)
        #expect(version.revision == 2)
        #expect(list.published == nil)
        #expect(fixture.text == "A:a,z")
        fixture.store.stop()
    }

    /// Returns whether the write is durable.
    @discardableResult
    private static func wait(for submission: Submission) -> Bool {
        guard let durability = submission.durability else { return true }
        let outcome = Locked<Durability.Outcome?>(nil)
        durability.whenDone { one in outcome.change { $0 = one } }
        return outcome.wait(until: { $0 != nil }) { outcome in
            if case .success? = outcome { true } else { false }
        }
    }
}
