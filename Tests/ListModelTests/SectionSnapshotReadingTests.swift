import ListModel
import TestSupport
import Testing

/// Reading a section snapshot: docs/model.md section 13, and cases 33 to 35 and 38 to 40.
@Suite struct SectionSnapshotReadingTests {
    @Test func items() throws {
        let tree = try SectionSnapshot(notation: "0{1,2{4}},3")
        #expect(tree.items == ["0", "1", "2", "4", "3"])
        #expect(tree.rootItems == ["0", "3"])
        #expect(tree.contains("4"))
        #expect(!tree.contains("zz"))
        #expect(SectionSnapshot().items.isEmpty)
    }

    @Test(
        "visible is what has only expanded ancestors",
        arguments: [
            ("0{1,2},3", ["0", "3"]), ("+0{1,2},3", ["0", "1", "2", "3"]), ("+0{1,2},+3", ["0", "1", "2", "3"]),
            ("p{+q{r}}", ["p"]), ("+p{+q{r}}", ["p", "q", "r"]), ("+p{q{+r{s}}},t", ["p", "q", "t"]),
        ] as [(String, [ItemID])])
    func visible(notation: String, visible: [ItemID]) throws {
        let tree = try SectionSnapshot(notation: notation)
        #expect(tree.visibleItems == visible)
        for item in tree.items {
            #expect(try tree.isVisible(item) == visible.contains(item))
        }
    }

    @Test("case 33: an expanded leaf shows a child at once")
    func expandedLeaf() throws {
        var tree = try SectionSnapshot(notation: "0{1,2},3")
        tree.expand(["3"])
        #expect(tree.visibleItems == ["0", "3"])
        #expect(try tree.isExpanded("3"))
        try tree.append(["a"], to: "3")
        #expect(tree.visibleItems == ["0", "3", "a"])
    }

    @Test("case 34: a collapsed parent keeps what is expanded below it")
    func nestedExpansion() throws {
        var tree = try SectionSnapshot(notation: "p{q{r}}")
        tree.expand(["q"])
        #expect(tree.visibleItems == ["p"])
        tree.expand(["p"])
        #expect(tree.visibleItems == ["p", "q", "r"])
        tree.collapse(["p"])
        #expect(tree.visibleItems == ["p"])
        #expect(try tree.isExpanded("q"))
        #expect(tree.items == ["p", "q", "r"])
        tree.expand(["p"])
        #expect(tree.visibleItems == ["p", "q", "r"])
    }

    @Test("case 35: what is expanded after a replacement")
    func expandedItems() throws {
        var tree = try SectionSnapshot(notation: "+0{1,2},3")
        try tree.replace(childrenOf: "0", using: try SectionSnapshot(notation: "7,+8{9}"))
        #expect(tree.visibleItems == ["0", "7", "8", "9", "3"])
        #expect(tree.expandedItems == ["0", "8"])
        #expect(try SectionSnapshot(notation: "p{+q{r}},+s").expandedItems == ["q", "s"])
    }

    @Test(
        "case 38: the tree below an item",
        arguments: [
            ("p", false, "+q{r}"), ("p", true, "p{+q{r}}"), ("q", false, "r"), ("q", true, "+q{r}"), ("r", false, ""),
            ("r", true, "r"), ("s", false, ""), ("s", true, "+s"),
        ] as [(ItemID, Bool, String)])
    func subtree(item: ItemID, includingParent: Bool, expected: String) throws {
        let tree = try SectionSnapshot(notation: "p{+q{r}},+s")
        let part = try tree.snapshot(of: item, includingParent: includingParent)
        #expect(try part.notation == expected)
        #expect(try part == SectionSnapshot(notation: expected))
    }

    @Test("case 38: levels shift by one where the parent is included")
    func subtreeLevels() throws {
        let tree = try SectionSnapshot(notation: "p{+q{r}}")
        let below = try tree.snapshot(of: "p")
        #expect(try [below.level(of: "q"), below.level(of: "r")] == [0, 1])
        let whole = try tree.snapshot(of: "p", includingParent: true)
        #expect(try [whole.level(of: "p"), whole.level(of: "q"), whole.level(of: "r")] == [0, 1, 2])
        #expect(try !whole.isExpanded("p"))
        #expect(try whole.isExpanded("q"))
    }

    @Test("case 39: an index counts hidden items, a row among the visible ones does not")
    func positions() throws {
        let tree = try SectionSnapshot(notation: "0{1,2},3")
        #expect(tree.index(of: "2") == 2)
        #expect(tree.index(of: "3") == 3)
        #expect(tree.index(of: "zz") == nil)
        #expect(tree.visibleItems.firstIndex(of: "2") == nil)
        #expect(tree.visibleItems.firstIndex(of: "3") == 1)
        #expect(try tree.parent(of: "0") == nil)
        #expect(try tree.parent(of: "2") == "0")
        #expect(try [tree.level(of: "0"), tree.level(of: "2")] == [0, 1])
    }

    @Test(
        "case 40: as text",
        arguments: [
            ("+0{1,2},3", "+*0\n  -*1\n  -*2\n-*3"), ("0{1,2},3", "-*0\n  - 1\n  - 2\n-*3"),
            ("+p{q{+r{s}}}", "+*p\n  -*q\n    + r\n      - s"), ("", ""),
        ])
    func visualDescription(notation: String, text: String) throws {
        #expect(try SectionSnapshot(notation: notation).visualDescription() == text)
    }

    @Test(
        "equality is order, hierarchy and what is expanded",
        arguments: [
            ("0{1,2},3", "0{2,1},3"), ("0{1,2},3", "0{1},2,3"), ("0{1,2},3", "+0{1,2},3"), ("0,1", "1,0"), ("0", ""),
        ])
    func inequality(left: String, right: String) throws {
        #expect(try SectionSnapshot(notation: left) != SectionSnapshot(notation: right))
    }

    @Test(
        "a section of a list as a tree",
        arguments: [
            ("A", "x,y"), ("O", "+0{1,+2{4}},3"), ("E", ""), ("zz", ""),
        ] as [(SectionID, String)])
    func ofAList(section: SectionID, tree: String) throws {
        let list = try ListState(notation: "A:x,*y O:+0{1,+2{4}},3 E:")
        #expect(try list.sectionSnapshot(of: section) == SectionSnapshot(notation: tree))
    }

    @Test("case 43: a deleted section has an empty tree")
    func ofADeletedSection() throws {
        var list = try ListState(notation: "A:x O:+0{1}")
        var log = TransactionLog()
        try list.apply(
            .deleteSections(["O"]), rules: .strict, into: &log)
        #expect(list.sectionSnapshot(of: "O") == SectionSnapshot())
    }
}
