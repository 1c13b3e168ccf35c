import ListModel
import Testing

@testable import ListDiff

@Suite struct CompositionTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Sections by name, with rows of one letter each, as in `A:abc B:`.
        let rows: String
        let steps: [Step]
        /// The expected `RowChanges.text`.
        let changes: String

        init(_ testDescription: String, _ rows: String, _ steps: [Step], _ changes: String) {
            self.testDescription = testDescription
            self.rows = rows
            self.steps = steps
            self.changes = changes
        }
    }

    static let inOneSection = [
        Example("nothing", "A:abc", [], ""),
        Example("a row inserted", "A:abc", [.insert("x", "A", 1)], "+A1"),
        Example("a row inserted into a section without rows", "A:", [.insert("x", "A", 0)], "+A0"),
        Example("a row deleted", "A:abc", [.delete("b", "A", 1)], "-b@A1"),
        Example("all rows deleted", "A:abc", [.delete("abc", "A", 0)], "-a@A0 -b@A1 -c@A2"),
        Example("inserted and deleted", "A:abc", [.insert("x", "A", 1), .delete("x", "A", 1)], ""),
        Example(
            "inserted, moved and deleted", "A:ab",
            [
                .insert("x", "A", 0), .move(1, "A", 0, "A", 2), .delete("x", "A", 2),
            ], ""),
        Example("deleted and inserted there again", "A:abc", [.delete("b", "A", 1), .insert("b", "A", 1)], ""),
        Example("deleted and inserted elsewhere", "A:abc", [.delete("a", "A", 0), .insert("a", "A", 2)], "A0>A2"),
        Example(
            "another row in the place of a deleted one", "A:abc",
            [
                .delete("b", "A", 1), .insert("x", "A", 1),
            ], "-b@A1 +A1"),
        Example("inserted and moved", "A:abc", [.insert("x", "A", 0), .move(1, "A", 0, "A", 3)], "+A3"),
        Example("moved and deleted", "A:abc", [.move(1, "A", 0, "A", 2), .delete("a", "A", 2)], "-a@A0"),
        Example(
            "moved five times", "A:abcdef",
            [
                .move(1, "A", 0, "A", 5), .move(1, "A", 5, "A", 1), .move(1, "A", 1, "A", 3), .move(1, "A", 3, "A", 2),
                .move(1, "A", 2, "A", 4),
            ], "A0>A4"),
        Example("moved and moved back", "A:abc", [.move(1, "A", 0, "A", 2), .move(1, "A", 2, "A", 0)], ""),
        Example("neighbours swapped downwards", "A:abc", [.move(1, "A", 0, "A", 1)], "A0>A1"),
        Example("neighbours swapped upwards", "A:abc", [.move(1, "A", 1, "A", 0)], "A1>A0"),
        Example(
            "neighbours swapped by both: the earlier one stays", "A:ab",
            [
                .move(1, "A", 0, "A", 1), .move(1, "A", 0, "A", 1), .move(1, "A", 0, "A", 1),
            ], "A1>A0"),
        Example("a run moved together", "A:abcdef", [.move(2, "A", 0, "A", 4)], "A0>A4 A1>A5"),
        Example("a run moved past one row is that row's move", "A:abcdx", [.move(4, "A", 0, "A", 1)], "A4>A0"),
        Example(
            "the order turned around", "A:abc", [.move(1, "A", 0, "A", 2), .move(1, "A", 0, "A", 1)], "A1>A1 A0>A2"),
        Example(
            "a row hidden and shown, neither placed nor moved", "A:abc",
            [
                .delete("b", "A", 1), .show("b", "A", 1), .move(1, "A", 0, "A", 1),
            ], "A0>A1"),
        Example(
            "shown where it was not: with the tie, what was not placed stays", "A:ab",
            [
                .delete("b", "A", 1), .show("b", "A", 0),
            ], "A1>A0"),
        Example(
            "a hidden row placed, so that it is what moved", "A:ab",
            [
                .delete("a", "A", 0), .placeHiddenRows(Letters.rows("a")), .show("a", "A", 1),
            ], "A0>A1"),
        Example(
            "without the placing, the earlier row stays", "A:ab",
            [
                .delete("a", "A", 0), .show("a", "A", 1),
            ], "A1>A0"),
    ]

    static let acrossSections = [
        Example("to another section", "A:ab B:c", [.move(1, "A", 0, "B", 1)], "A0>B1"),
        Example("to another section and home", "A:ab B:c", [.move(1, "A", 0, "B", 1), .move(1, "B", 1, "A", 0)], ""),
        Example(
            "through three sections and home", "A:ab B:c C:d",
            [
                .move(1, "A", 0, "B", 1), .move(1, "B", 1, "C", 0), .move(1, "C", 0, "A", 0),
            ], ""),
        Example(
            "through a section that was there in between", "A:ab",
            [
                .insertSection(Letters.section("N")), .move(1, "A", 0, "N", 0), .move(1, "N", 0, "A", 0),
                .deleteSection(Letters.section("N")),
            ], ""),
        Example("deleted here and inserted there", "A:ab B:c", [.delete("a", "A", 0), .insert("a", "B", 0)], "A0>B0"),
        Example(
            "a run to another section, between others that go", "A:abcd B:xy",
            [
                .move(2, "A", 1, "B", 1), .delete("x", "B", 0), .move(1, "A", 0, "A", 1),
            ], "-x@B0 A0>A1 A1>B0 A2>B1"),
        Example(
            "into an inserted section", "A:abc",
            [
                .insertSection(Letters.section("N")), .move(2, "A", 1, "N", 0), .insert("x", "N", 1),
            ], "A1»N0 A2»N2"),
        Example(
            "out of a deleted section", "A:a B:bc",
            [
                .move(1, "B", 0, "A", 0), .delete("c", "B", 0), .deleteSection(Letters.section("B")),
            ], "+A0"),
        Example(
            "out of a deleted section into an inserted one", "A:a B:b",
            [
                .insertSection(Letters.section("N")), .move(1, "B", 0, "N", 0), .deleteSection(Letters.section("B")),
            ], ""),
        Example("a section without rows deleted", "A:a B:", [.deleteSection(Letters.section("B"))], ""),
        Example(
            "a section deleted and inserted again with its rows", "A:abc",
            [
                .delete("abc", "A", 0), .deleteSection(Letters.section("A")), .insertSection(Letters.section("A")),
                .insert("abc", "A", 0),
            ], ""),
        Example(
            "a section deleted and inserted again with one of its rows and a new one", "A:abc",
            [
                .delete("abc", "A", 0), .deleteSection(Letters.section("A")), .insertSection(Letters.section("A")),
                .insert("xb", "A", 0),
            ], "-a@A0 -c@A2 +A0"),
        Example(
            "a section deleted and inserted again while its rows went elsewhere", "A:ab B:c",
            [
                .move(2, "A", 0, "B", 1), .deleteSection(Letters.section("A")), .insertSection(Letters.section("A")),
            ], "A0>B1 A1>B2"),
        Example(
            "a section inserted and deleted again", "A:a",
            [
                .insertSection(Letters.section("N")), .insert("x", "N", 0), .delete("x", "N", 0),
                .deleteSection(Letters.section("N")),
            ], ""),
    ]

    @Test(arguments: inOneSection + acrossSections)
    func changes(_ example: Example) throws {
        var history = RowHistory(Letters.model(example.rows))
        for step in example.steps { history.append(step) }
        let changes = try #require(history.changes(0..<example.steps.count))
        #expect(changes.text == example.changes)
        #expect(changes == history.difference(0..<example.steps.count))
    }

    /// Rows that stay cost nothing, however many they are.
    @Test func aMillionRowsAreAFewPieces() throws {
        let section = Letters.section("A")
        var composition = Composition()
        composition.append(.move(1, "A", 999_999, "A", 0))
        composition.append(.move(1, "A", 5, "A", 500_000))
        composition.append(.delete("x", "A", 70))
        #expect(composition.documents[section].map { $0.pieces.pieceCount <= 8 } == true)
        let changes = composition.changes { _ in true }
        #expect(changes?.text == "-x@A70 A999999>A0 A4>A499999")
    }

    /// A step of a run costs as much as a step of one row. Rows that come or go are counted one by one.
    @Test func costsWhatItTook() {
        var composition = Composition()
        #expect(composition.cost == 0)
        composition.append(.move(1000, "A", 0, "A", 7))
        #expect(composition.cost == 1)
        composition.append(.delete("abc", "A", 0))
        composition.append(.insert("ab", "A", 0))
        composition.append(.placeHiddenRows(Letters.rows("c")))
        #expect(composition.cost == 10)
        composition.append(.insertSection(Letters.section("N")))
        #expect(composition.cost == 11)
    }

    @Test func wholeOrdersAreNotComposed() {
        var composition = Composition()
        #expect(composition.canCompose)
        let rows = Letters.rows("ab")
        composition.append(.arrangeRows([.init(Letters.section("A"), old: rows, new: rows.reversed())]))
        composition.append(.move(1, "A", 0, "A", 1))
        #expect(!composition.canCompose)
        let changes = composition.changes { _ in true }
        #expect(changes == nil)
    }

    /// Runs that are hidden and shown repeatedly leave no pieces behind.
    @Test func hidingAndShowingLeavesOnePiece() throws {
        var composition = Composition()
        for _ in 0..<100 {
            composition.append(.delete("cdef", "A", 2))
            composition.append(.show("cdef", "A", 2))
            composition.append(.insert("x", "A", 4))
            composition.append(.delete("x", "A", 4))
        }
        #expect(composition.documents[Letters.section("A")]?.pieces.pieceCount == 1)
        #expect(composition.goneRows.isEmpty)
    }
}
