import ListDiff
import TestSupport
import Testing

@testable import ListModel

@Suite struct ReferenceProperties {
    /// The message of a failure has the bias and the seed, with which it can be repeated.
    @Test(arguments: Bias.allCases, UInt64(1)...12)
    func operationsMeanWhatTheReferenceSays(bias: Bias, seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: [3, 8, 20][Int(seed % 3)], bias: bias)
        var state = ListState(ListProperties(title: "Random"))
        var reference = ReferenceList(state.properties)
        try state.commit(.applySnapshot(lists.snapshot(into: &reference)))
        var applied = 0
        for step in 0..<60 {
            let operation = lists.operation(on: state)
            let before = state
            do {
                let delta = try state.commit(operation)
                reference.apply(operation)
                applied += 1
                let reverted = state.reverted(delta)
                try #require(reverted.hasSameState(as: before), "step \(step): the delta does not revert \(operation)")
            } catch let error as ModelError {
                try #require(state.hasSameState(as: before), "step \(step): \(error) left something of \(operation)")
                try #require(state.hasSameHandles(as: before, in: lists), "step \(step): \(error) left handles")
            }
            try requireInvariants(state)
            let items = Rows(of: state, view: .items)
            try #require(items == reference.rows(view: .items), "step \(step): \(operation)")
            try #require(
                Rows(of: state, view: .visible) == reference.rows(view: .visible), "step \(step): \(operation)")
            try #require(state.visibleItemCount == reference.rows(view: .visible).count)
        }
        #expect(applied > 5)
    }

    @Test(arguments: UInt64(1)...12)
    func editsPerformedAgainGiveTheSameState(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 12, bias: .everything)
        var state = lists.list()
        var follower = state
        for step in 0..<60 {
            let operation = lists.operation(on: state)
            var log = TransactionLog()
            do {
                try state.apply(operation, rules: .lenient, into: &log)
                state.settle(&log)
            } catch {
                state.forget(log.delta)
                continue
            }
            var delta = Delta()
            for edit in log.edits {
                try #require(follower.fits(edit), "step \(step): \(edit) of \(operation)")
                follower.perform(edit, recording: &delta)
            }
            state.retain(log.delta)
            follower.retain(delta)
            // Handles are not compared, because refused operations of the leader make handles too.
            try #require(
                Rows(of: follower, view: .items) == Rows(of: state, view: .items), "step \(step): \(operation)")
        }
    }

    @Test(arguments: UInt64(1)...12)
    func composedDeltasRevertTheWholeSpan(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 12, bias: Bias.allCases[Int(seed) % Bias.allCases.count])
        var state = lists.list()
        let before = state
        var span = Delta()
        for _ in 0..<40 {
            guard let delta = try? state.commit(lists.operation(on: state)) else { continue }
            span.append(delta)
            try #require(state.reverted(span).hasSameState(as: before))
        }
    }

    @Test(arguments: UInt64(1)...8)
    func handlesThatHistoryDroppedAreReused(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 40, bias: .arrivals)
        var state = lists.list()
        var history: [Delta] = []
        for _ in 0..<300 {
            guard let delta = try? state.commit(lists.operation(on: state)) else { continue }
            history.append(delta)
            if history.count > 3 { state.release(history.removeFirst()) }
            try requireInvariants(state)
        }
        // Every handle belongs to an id that is in the list or that the kept history names.
        #expect(state.items.count <= 40)
    }
}

extension RandomLists {
    /// A snapshot that has been applied to the reference too.
    fileprivate mutating func snapshot(into reference: inout ReferenceList) -> WantedSnapshot {
        let snapshot = snapshot()
        reference.apply(.applySnapshot(snapshot))
        return snapshot
    }
}

extension ListState {
    /// Whether all parts of both lists are equal, also the ids of handles that are not in the list.
    fileprivate func hasSameState(as other: ListState) -> Bool {
        properties == other.properties && order.handles == other.order.handles && itemCount == other.itemCount
            && order.handles.allSatisfy { self[$0] == other[$0] && rows(of: $0) == other.rows(of: $0) }
            && order.handles.allSatisfy { rows(of: $0).allSatisfy { isSame($0, in: other) } }
            && sections.count(where: \.isAlive) == other.sections.count(where: \.isAlive)
            && items.count(where: \.isAlive) == other.items.count(where: \.isAlive)
    }

    private func isSame(_ item: ItemHandle, in other: ListState) -> Bool {
        self[item] == other[item] && section(of: item) == other.section(of: item)
            && parent(of: item) == other.parent(of: item) && level(of: item) == other.level(of: item)
            && childCount(of: item) == other.childCount(of: item)
            && descendantCount(of: item) == other.descendantCount(of: item)
            && visibleIndex(of: item) == other.visibleIndex(of: item)
    }

    /// Whether each possible id has the same handle in both lists, or none in both.
    fileprivate func hasSameHandles(as other: ListState, in lists: RandomLists) -> Bool {
        lists.itemIDs.allSatisfy { handle(of: $0) == other.handle(of: $0) }
    }
}
