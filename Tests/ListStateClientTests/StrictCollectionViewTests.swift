import Foundation
import ListStateClient
import Testing

/// The strict collection view refuses what it says, so that a test of what it takes means something.
@MainActor @Suite struct StrictCollectionViewTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let after: [String]
        let updates: @MainActor @Sendable (StrictCollectionView) -> Void

        init(
            _ description: String, _ after: [String],
            _ updates: @escaping @MainActor @Sendable (StrictCollectionView) -> Void
        ) {
            (testDescription, self.after, self.updates) = (description, after, updates)
        }
    }

    /// Each begins with the rows a b c in one section, and d in another.
    nonisolated static let refusals = [
        Refusal("invalid number of items", ["ab", "d"]) { _ in },
        Refusal("invalid number of items", ["abc", "d"]) { $0.deleteItems(at: [[0, 1]]) },
        Refusal("invalid number of sections", ["abc"]) { _ in },
        Refusal("an item before is out of range", ["abc", "d"]) { $0.deleteItems(at: [[0, 3]]) },
        Refusal("an item before is out of range", ["abc", "d"]) { $0.moveItem(at: [2, 0], to: [0, 0]) },
        Refusal("an item after is out of range", ["abc", "d"]) { $0.moveItem(at: [0, 0], to: [0, 3]) },
        Refusal("an item before is named twice", ["acb", "d"]) {
            $0.deleteItems(at: [[0, 1]])
            $0.moveItem(at: [0, 1], to: [0, 2])
        },
        Refusal("an item after is named twice", ["abxc", "d"]) {
            $0.insertItems(at: [[0, 2]])
            $0.moveItem(at: [0, 1], to: [0, 2])
        },
        Refusal("moves and reloads in one batch", ["acb", "d"]) {
            $0.moveItem(at: [0, 1], to: [0, 2])
            $0.reloadItems(at: [[0, 1]])
        },
        Refusal("moves and reloads in one batch", ["acb", "d"]) {
            $0.moveItem(at: [0, 1], to: [0, 2])
            $0.reconfigureItems(at: [[0, 1]])
        },
        Refusal("a reloaded or reconfigured item is named twice", ["abc", "d"]) {
            $0.reloadItems(at: [[0, 1]])
            $0.reconfigureItems(at: [[0, 1]])
        },
        Refusal("an item before is in a section", ["abc"]) {
            $0.deleteSections([1])
            $0.deleteItems(at: [[1, 0]])
        },
        Refusal("an item after is in a section", ["abc", "d", "x"]) {
            $0.insertSections([2])
            $0.insertItems(at: [[2, 0]])
        },
        Refusal("an item before is in a section", ["d", "ab"]) {
            $0.moveSection(1, toSection: 0)
            $0.moveSection(0, toSection: 1)
            $0.deleteItems(at: [[0, 2]])
        },
        Refusal("a section before is named twice", ["abc", "d"]) {
            $0.deleteSections([1])
            $0.moveSection(1, toSection: 0)
        },
        Refusal("a section after is out of range", ["abc", "d"]) { $0.insertSections([3]) },
        Refusal("an item twice", ["abca", "d"]) { $0.insertItems(at: [[0, 3]]) },
        Refusal("a cell cannot become one of another kind", ["Abc", "d"]) { $0.reconfigureItems(at: [[0, 0]]) },
        Refusal("a batch within a batch", ["abc", "d"]) { view in view.performUpdates {} },
    ]

    @Test("What UIKit refuses is refused", arguments: refusals)
    func refuses(_ row: Refusal) {
        var rows = ["abc", "d"]
        let view = StrictCollectionView(counts: { rows.map(\.count) }) { rows.map(Self.section) }
        view.reloadData()

        view.performUpdates {
            rows = row.after
            row.updates(view)
        }

        #expect(view.refusal?.hasPrefix(row.testDescription) == true, "\(view.refusal ?? "taken")")
    }

    @Test func refusesChangesOutsideOfABatchAndBeforeIt() {
        var rows = ["abc"]
        let view = StrictCollectionView(counts: { rows.map(\.count) }) { rows.map(Self.section) }
        view.reloadData()
        view.deleteItems(at: [[0, 0]])
        #expect(view.refusal == "a change outside of a batch")

        let other = StrictCollectionView(counts: { rows.map(\.count) }) { rows.map(Self.section) }
        other.reloadData()
        rows = ["ab"]
        other.performUpdates { other.deleteItems(at: [[0, 2]]) }
        #expect(other.refusal?.hasPrefix("the data source has changed before the batch") == true)
    }

    /// A cell that moves shows the same as before until it is reconfigured.
    @Test func keepsCells() {
        var rows = [StrictCollectionView.Section(header: "", cells: [cell("a", "1"), cell("b", "1")])]
        let view = StrictCollectionView(counts: { rows.map(\.cells.count) }) { rows }
        view.reloadData()
        view.performUpdates {
            rows[0].cells = [cell("b", "2"), cell("a", "1")]
            view.moveItem(at: [0, 1], to: [0, 0])
        }
        #expect(view.shown[0].cells == [cell("b", "1"), cell("a", "1")])
        view.performUpdates { view.reconfigureItems(at: [[0, 0]]) }
        #expect(view.shown == rows && view.refusal == nil)
    }

    private func cell(_ id: String, _ text: String) -> StrictCollectionView.Cell { .init(id: id, kind: "", text: text) }

    /// A section with a row for each letter. A capital letter is the same row with another kind.
    private static func section(_ letters: String) -> StrictCollectionView.Section {
        .init(
            header: "",
            cells: letters.map { letter in
                .init(id: letter.lowercased(), kind: letter.isUppercase ? "capital" : "small", text: "")
            })
    }
}
