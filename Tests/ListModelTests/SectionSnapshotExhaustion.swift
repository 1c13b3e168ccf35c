import ListModel
import TestSupport
import Testing

/// Tries every edit on every small tree, with a list as the reference. The two store trees in different ways.
@Suite struct SectionSnapshotExhaustion {
    /// An edit of a section snapshot, and the operation with the same effect, if the edit is accepted.
    private struct Step {
        var edit: (inout SectionSnapshot) throws(ModelError) -> Void
        var operation: ListOperation
    }

    @Test func agreesWithAListWithFlags() throws {
        #expect(try explore(ids: ["a", "b", "c"], flags: true) == 1 + 3 * 2 + 6 * 2 * 4 + 6 * 5 * 8)
    }

    @Test func agreesWithAList() throws {
        #expect(try explore(ids: ["a", "b", "c", "d"], flags: false) == 1 + 4 + 12 * 2 + 24 * 5 + 24 * 14)
    }

    /// Tries every step on every tree that steps lead to.
    ///
    /// - Returns: The number of trees. The ordered forests of n items are counted by the Catalan numbers 1, 1, 2, 5,
    ///   14. Each forest is multiplied by the ways to name its items and to expand them.
    private func explore(ids: [ItemID], flags: Bool) throws -> Int {
        let steps = try self.steps(ids: ids, flags: flags)
        var seen: Set<String> = [""]
        var pending = [SectionSnapshot()]
        while let before = pending.popLast() {
            let text = try before.notation
            for (number, step) in steps.enumerated() {
                var after = before
                do {
                    try step.edit(&after)
                } catch {
                    try #require(after == before, "step \(number) on \(text)")
                    continue
                }
                var list = try ListState(notation: "S:\(text)")
                try list.run(step.operation)
                let result = try after.notation
                try #require(list.notation == "S:\(result)", "step \(number) on \(text)")
                try #require(list.sectionSnapshot(of: "S") == after, "step \(number) on \(text)")
                if seen.insert(result).inserted { pending.append(after) }
            }
        }
        return seen.count
    }

    private func steps(ids: [ItemID], flags: Bool) throws -> [Step] {
        var steps: [Step] = []
        for x in ids {
            steps.append(
                Step(edit: { s throws(ModelError) in try s.append([x]) }, operation: .appendItems(new(x), nil)))
            steps.append(Step(edit: { s throws(ModelError) in try s.delete([x]) }, operation: .deleteItems([x])))
            if flags { steps += flagSteps(x) }
            for y in ids where x != y { steps += pairSteps(x, y) }
        }
        return steps
    }

    private func flagSteps(_ x: ItemID) -> [Step] {
        [
            Step(
                edit: { s throws(ModelError) in
                    guard s.contains(x) else { throw .unknownItem(x) }
                    s.expand([x])
                }, operation: .setExpanded([x], true)),
            Step(
                edit: { s throws(ModelError) in
                    guard s.contains(x) else { throw .unknownItem(x) }
                    s.collapse([x])
                }, operation: .setExpanded([x], false)),
        ]
    }

    private func pairSteps(_ x: ItemID, _ y: ItemID) -> [Step] {
        [
            Step(
                edit: { s throws(ModelError) in try s.append([x], to: y) }, operation: .appendItems(new(x), .parent(y))),
            Step(
                edit: { s throws(ModelError) in try s.insert([x], before: y) },
                operation: .insertItems(new(x), ItemAnchor(.before, y))),
            Step(
                edit: { s throws(ModelError) in try s.insert([x], after: y) },
                operation: .insertItems(new(x), ItemAnchor(.after, y))),
            Step(edit: { s throws(ModelError) in try s.delete([x, y]) }, operation: .deleteItems([x, y])),
            Step(
                edit: { s throws(ModelError) in
                    var new = SectionSnapshot()
                    try new.append([x])
                    try s.replace(childrenOf: y, using: new)
                }, operation: .replaceChildren(y, [collapsed(x)])),
        ]
    }

    /// An item that becomes collapsed even if it exists, because a section snapshot sets all flags.
    private func collapsed(_ id: ItemID) -> NewItem {
        var value = ItemChanges()
        value.isExpanded = .set(false)
        return NewItem(id, value: value)
    }
}
