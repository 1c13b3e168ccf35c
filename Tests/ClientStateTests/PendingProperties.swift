import ClientState
import ListDiff
import ListModel
import TestSupport
import Testing

/// The rows that a client with pending edits shows are those of a client that makes everything anew each time.
@Suite struct PendingProperties {
    /// The slow and obvious meaning of a list with pending edits: the server's state, and each edit done on a copy of it.
    private static func reference(_ server: ListState, _ pending: [PendingEdit]) throws -> ListState {
        var state = server
        for edit in pending {
            if (try? state.commit(edit.operations)) != nil { continue }
            var (rebase, copy) = (Rebase(reapplyingOn: state), state)
            do {
                for operation in edit.operations {
                    let resolution = rebase.resolve(operation, on: copy)
                    if case .adjusted = resolution.outcome { continue }
                    for resolved in resolution.operations { try copy.commit(resolved) }
                }
                state = copy
            } catch {
                // The list cannot take the edit, which shows nothing.
            }
        }
        return state
    }

    @Test("What is shown is what the reference shows", arguments: ReplayProperties.histories)
    func shows(_ history: ReplayProperties.History) throws {
        var lists = RandomLists(seed: history.seed, itemIDs: Int(history.seed % 24) + 2, bias: history.bias)
        var server = ServerDouble(lists.list())
        let view: View = history.seed.isMultiple(of: 2) ? .items : .visible
        var client = LocalList(view: view)
        /// The server's state at the version that the client holds.
        var held = server.state
        _ = try client.take(Catchup(answer: server.changes(since: nil)))
        for step in 0..<40 {
            let old = Rows(of: client.state, view: view)
            let shown: LocalList.Shown
            switch lists.random.below(6) {
            case 0...1:
                let operations = (0...lists.random.below(3)).map { _ in lists.operation(on: client.state) }
                shown = client.show(PendingEdit(id: step, operations: operations))
            case 2:
                guard let edit = client.pending.first(where: { $0.answered == nil }) else { continue }
                if (try? server.write(edit.operations)) != nil {
                    shown = client.settle([edit.id], at: server.version)
                } else {
                    shown = client.refuse([edit.id])
                }
            case 3:
                guard let edit = client.pending.randomElement(using: &lists.random) else { continue }
                shown = client.refuse([edit.id])
            default:
                var (told, since): ([Catchup], Version?) = ([], client.version)
                for _ in 0...lists.random.below(3) {
                    _ = try? server.write([lists.operation(on: server.state)])
                    if lists.random.once(in: 40) { server.beginEpoch() }
                    told.append(try Catchup(answer: server.changes(since: since)))
                    since = server.version
                }
                held = server.state
                let isWhole = told.contains { if case .reset = $0 { true } else { false } }
                shown =
                    try isWhole
                    ? client.take(Catchup(answer: server.changes(since: client.version))) : client.take(told)
            }

            let expected = try Self.reference(held, client.pending)
            let isSame = ListImage(client.state) == ListImage(expected)
            try #require(isSame, "step \(step): \(client.pending.map(\.operations))")
            try #require(ListImage(client.state).flaw == nil)
            guard case .changes(let changes) = shown else { throw ReplayProperties.Everything() }
            try #require(old.applying(changes, view: view) == Rows(of: client.state, view: view), "step \(step)")
        }
    }

    @Test(arguments: [true, false])
    func whatIsShownIsAnimatedIfTheServerLetsIt(isAnimated: Bool) throws {
        var state = ListState(ListProperties(title: "T"))
        try state.commit([
            .appendSections([NewSection(SectionProperties(id: "s"))]),
            .appendItems([NewItem("a", value: ItemChanges())], .section("s")),
        ])
        var (server, client) = (ServerDouble(state), LocalList(view: .visible))
        _ = try client.take(server.catchup(since: nil))
        try server.write([.setStarred(["a"], true)])
        guard case .changes(var changes, let from, let to, let counts) = server.catchup(since: client.version) else {
            return #expect(Bool(false), "a reset")
        }
        changes.isAnimated = isAnimated
        guard case .changes(let shown) = try client.take(.changes(changes, from: from, to: to, counts: counts)) else {
            return #expect(Bool(false), "everything")
        }
        #expect(shown.isAnimated == isAnimated && !shown.isEmpty)
    }
}
