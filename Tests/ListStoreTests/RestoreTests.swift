import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// A restoration makes the whole state of a kept version the head again, whoever wrote it.
@Suite struct RestoreTests {
    /// Random histories with restorations. Each restoration gives exactly the old state, live and from the log.
    @Test(arguments: Soak.seeds(24), [Bias.everything, .moves, .arrivals, .subtrees, .sections, .wholeStates])
    func theStateIsTheOneOfThatVersion(seed: UInt64, bias: Bias) async throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, sectionIDs: 3, bias: bias)
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled(lists.snapshot())
        var images = [try #require(fixture.head)].map { ListImage($0.state) }
        for step in 0..<60 {
            let head = try #require(fixture.head)
            let rows = Rows(of: head.state, view: .visible)
            let isRestoration = lists.random.once(in: 4)
            let target = 1 + lists.random.below(head.version.revision)
            let intent: WriteIntent =
                if isRestoration {
                    .restore(Version(epoch: head.version.epoch, revision: target))
                } else if lists.random.once(in: 8), head.version.revision > 1 {
                    .undo(head.version)
                } else {
                    .operations([lists.operation(on: head.state), lists.operation(on: head.state)])
                }
            let written = await fixture.store.submit(StoreFixture.list, Write(intent, view: .visible)).settled()
            guard case .success(let result) = written else {
                try #require(!isRestoration, "step \(step): \(written)")
                continue
            }
            let after = try #require(fixture.head)
            let image = ListImage(after.state)
            let changes = try #require(result.changes)
            try #require(image.flaw == nil, "step \(step)")
            try #require(
                rows.applying(changes, view: .visible) == Rows(of: after.state, view: .visible), "step \(step)")
            if isRestoration {
                try #require(image == images[target - 1], "step \(step)")
                try #require(result.outcomes == [.applied] && result.warnings.isEmpty, "step \(step)")
                try #require((result.kind == .unchanged) == (image == images[images.count - 1]), "step \(step)")
            }
            guard result.kind == .changed else { continue }
            images.append(image)
            try #require(after.version.revision == images.count, "step \(step)")
        }
        fixture.store.stop()
        let replayed = try StoreFixture(journal: TestJournal(entries: journal.entries))
        #expect(replayed.head.map { ListImage($0.state) } == images.last)
        replayed.store.stop()
    }

    /// A restoration is a transaction like any other. An undo takes it back, also after other writes.
    @Test func undoTakesARestorationBack() throws {
        let fixture = try StoreFixture("A:a,b")
        let first = try #require(fixture.head).version
        _ = try fixture.write([.deleteItems(["a"])], by: "ann")
        _ = try fixture.write([.toggleStar("b")], by: "bob")
        let restored = try fixture.submit(.restore(first), by: "ann")
        #expect(restored.kind == .changed && restored.version.revision == 4 && fixture.text == "A:a,b")
        _ = try fixture.write([.appendSections([NewSection(SectionProperties(id: "C"))])], by: "bob")
        _ = try fixture.undo(nil, by: "ann")
        #expect(fixture.text == "A:b C:")
        let head = try #require(fixture.head)
        #expect(head.state.handle(of: "b").map { head.state[$0].isStarred } == true)
        _ = try fixture.redo(nil, by: "ann")
        #expect(fixture.text == "A:a,b C:")
    }

    /// Switching between two states makes transactions no larger than the difference, so history keeps as many versions
    /// as before.
    @Test func goingToAndFroCostsTheDifference() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a,b,c,d")
        for _ in 0..<40 {
            _ = await fixture.store.submit(StoreFixture.list, Write(.operations([.toggleStar("a")]))).settled()
        }
        let epoch = try #require(fixture.head).version.epoch
        var sizes: [Int] = []
        for round in 0..<30 {
            let target = Version(epoch: epoch, revision: [1, 20, 7, 34][round % 4] + round % 2)
            _ = try await fixture.store.submit(StoreFixture.list, Write(.restore(target))).settled().get()
            sizes.append(journal.entries[journal.entries.count - 1].bytes.count)
        }
        #expect(try #require(sizes.max()) < 200)
        fixture.store.stop()
    }

    @Test func whatCannotBeRestoredIsRefused() throws {
        var limits = StoreFixture.limits
        limits.historyVersionsMax = 2
        let fixture = try StoreFixture("A:a", limits: limits)
        let first = try #require(fixture.head).version
        for _ in 0..<4 { _ = try fixture.write(.toggleStar("a")) }
        let head = try #require(fixture.head).version
        func refusal(_ version: Version) -> String {
            guard case .failure(let error) = fixture.store.submit(StoreFixture.list, Write(.restore(version))).result
            else { return "none" }
            return switch error {
            case .versionGone: "gone"
            case .versionAhead: "ahead"
            case .madeAnew(head): "made anew"
            default: "\(error)"
            }
        }
        #expect(refusal(first) == "gone")
        #expect(refusal(head.next) == "ahead")
        #expect(refusal(Version(epoch: "other", revision: 1)) == "made anew")
        let same = try fixture.submit(.restore(head))
        #expect(same.kind == .unchanged && same.version == head && fixture.head?.version == head)
    }

    /// A list that once had the greatest number of items can be restored, although all of them are inserted before the
    /// others are deleted.
    @Test func aFullListComesBack() throws {
        var limits = StoreFixture.limits
        limits.itemsMax = 3
        let fixture = try StoreFixture("A:a,b,c", limits: limits)
        let first = try #require(fixture.head).version
        try fixture.create("B:d,e,f")
        _ = try fixture.submit(.restore(first))
        #expect(fixture.text == "A:a,b,c")
    }
}
