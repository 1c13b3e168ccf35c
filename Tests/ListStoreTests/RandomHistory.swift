import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

/// Long random histories, flat and with outlines. The changes that clients are told must lead to the states of the
/// store.
@Suite struct RandomHistory {
    /// The number of transactions. It is more than history keeps, so the oldest versions are dropped.
    static let transactions = Soak.isLong ? 2_500 : 200

    /// Four histories with different biases. If `LISTSTATE_SOAK_HISTORIES` is set, they submit 10,000 transactions in
    /// all.
    @Test(arguments: zip([UInt64(1), 2, 3, 4], [Bias.everything, .moves, .subtrees, .sections]))
    func replays(seed: UInt64, bias: Bias) throws {
        var lists = RandomLists(seed: seed, itemIDs: 60, bias: bias)
        let fixture = try StoreFixture("A:", limits: History.limits)
        let list = try #require(try fixture.store.list(StoreFixture.list))
        var history = History(list)
        for step in 0..<Self.transactions {
            let state = list.enter { $0.snapshot() }.state
            let operations = Self.operations(&lists, on: state)
            let view: View = lists.random.once(in: 2) ? .items : .visible
            let submission = fixture.store.submit(StoreFixture.list, Write(.operations(operations), view: view))
            switch submission.result {
            case .failure: try history.requireUnchanged(step)
            case .success(let result): try history.check(result, view: view, step)
            }
            try history.checkNet(from: lists.random.below(history.versions.count), step)
        }
        #expect(history.versions.count > Self.transactions / 4, "many transactions change something")
    }

    /// One to three operations. A list that has become short is filled again.
    private static func operations(_ lists: inout RandomLists, on state: ListState) -> [ListModel.Operation] {
        guard state.itemCount > 8 else { return [.applySnapshot(lists.snapshot(on: state))] }
        let count = lists.random.once(in: 4) ? 3 : 1
        return (0..<count).map { _ in lists.operation(on: state) }
    }

    /// The log gives the live state, with its history.
    @Test(arguments: zip([UInt64(11), 12, 13], [Bias.everything, .wholeStates, .arrivals]))
    func comesBackFromTheLog(seed: UInt64, bias: Bias) async throws {
        var lists = RandomLists(seed: seed, itemIDs: 30, bias: bias)
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal, limits: History.limits)
        try await fixture.createSettled(lists.snapshot())
        let first = try #require(fixture.head).version
        var newest = Submission(.failure(.keyInFlight), durability: nil)
        for _ in 0..<(Soak.isLong ? 300 : 120) {
            let state = try #require(fixture.head).state
            newest = fixture.store.submit(StoreFixture.list, Write(.operations([lists.operation(on: state)])))
        }
        _ = await newest.settled()
        let live = try #require(fixture.head)
        let reopened = try StoreFixture(journal: TestJournal(entries: journal.entries), limits: History.limits)
        let recovered = try #require(reopened.head)
        #expect(recovered.version == live.version)
        #expect(Rows(of: recovered.state, view: .items) == Rows(of: live.state, view: .items))
        let nets = try [fixture, reopened].compactMap { fixture in
            try fixture.store.list(StoreFixture.list)?.enter { $0.catchup(since: first, view: .visible) }.catchup
        }
        guard case .changes(let net, _, _, _) = nets[0], case .changes(let same, _, _, _) = nets[1] else {
            Issue.record("a reset")
            return
        }
        #expect(net == same)
        fixture.store.stop()
        reopened.store.stop()
    }
}

/// The knowledge of an observer: the rows of every version.
private struct History {
    static let limits = Store.Limits(
        itemsMax: 1_000, sectionsMax: 1_000, contentBytesMax: 65_536, historyVersionsMax: Soak.isLong ? 400 : 150,
        historyBytesMax: 1 << 30,
        receiptsMax: 10,
        receiptAgeMax: 10)

    let list: ListActor
    private(set) var versions: [(version: Version, items: Rows, visible: Rows, counts: ListCounts)] = []

    init(_ list: ListActor) {
        self.list = list
        record()
    }

    private mutating func record() {
        let head = list.enter { $0.snapshot() }
        let (items, visible) = (Rows(of: head.state, view: .items), Rows(of: head.state, view: .visible))
        // The counts are computed from the rows here. The state keeps them up to date instead.
        let counts = ListCounts(
            sections: items.sections.count, items: items.count, visibleItems: visible.count)
        versions.append((head.version, items, visible, counts))
    }

    private func rows(_ index: Int, _ view: View) -> Rows {
        view == .items ? versions[index].items : versions[index].visible
    }

    func requireUnchanged(_ step: Int) throws {
        let head = list.enter { $0.snapshot() }
        try #require(head.version == versions.last?.version, "step \(step)")
        try #require(Rows(of: head.state, view: .items) == versions.last?.items, "step \(step)")
    }

    /// The change set of a write leads from the state before it to the state that is served.
    mutating func check(_ result: WriteResult, view: View, _ step: Int) throws {
        let before = versions.count - 1
        let changes = try #require(result.changes)
        guard result.kind == .changed else {
            try #require(changes.isEmpty, "step \(step)")
            return try requireUnchanged(step)
        }
        record()
        try #require(result.from == versions[before].version, "step \(step)")
        try #require(result.version == result.from.next, "step \(step)")
        try #require(versions[before + 1].version == result.version, "step \(step)")
        try #require(versions[before + 1].counts == result.counts, "step \(step)")
        try #require(rows(before, view).applying(changes, view: view) == rows(before + 1, view), "step \(step)")
    }

    /// The net change set from an older version leads to the state that is served, with the fewest moves.
    func checkNet(from index: Int, _ step: Int) throws {
        let head = versions.count - 1
        for view in [View.items, .visible] {
            let (catchup, isLost) = list.enter { $0.catchup(since: versions[index].version, view: view) }
            guard case .changes(let changes, let from, let to, let counts) = catchup else {
                try #require(isLost && head - index > Self.limits.historyVersionsMax - 1, "step \(step)")
                continue
            }
            try #require(from == versions[index].version && to == versions[head].version)
            try #require(counts == versions[head].counts, "step \(step)")
            let old = rows(index, view)
            let new = rows(head, view)
            try #require(old.applying(changes, view: view) == new, "step \(step), from \(from), \(view)")
            let bound = SlowDiff(from: old, to: new, view: view)
            try #require(changes.items.moved.count == bound.itemMoves, "step \(step)")
            try #require(changes.sections.moved.count == bound.sectionMoves, "step \(step)")
        }
    }
}
