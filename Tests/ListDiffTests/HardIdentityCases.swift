import ListDiff
import ListModel
import TestSupport
import Testing

/// Hard cases of list differences: which rows are the same row.
///
/// A repeated id in a request is refused before it gets here: see HardWireCases.
@Suite struct HardIdentityCases {
    typealias Case = ChangeSetCases.Case

    static let longest = String(repeating: "n", count: 254)

    static let cases = [
        Case(
            "composed to decomposed is another item", "A:\u{E9}", [.applySnapshot(snapshot("A:e\u{301}"))],
            items: "del 0.0, ins 0.0"),
        Case(
            "decomposed to composed is another item", "A:e\u{301}", [.applySnapshot(snapshot("A:\u{E9}"))],
            items: "del 0.0, ins 0.0"),
        Case(
            "composed and decomposed change places", "A:\u{E9},x,e\u{301}",
            [.applySnapshot(snapshot("A:e\u{301},x,\u{E9}"))], items: "mov 0.2>0.0, mov 0.1>0.1"),
        Case("case matters", "A:a", [.applySnapshot(snapshot("A:A"))], items: "del 0.0, ins 0.0"),
        Case(
            "the longest ids, alike but for their last byte", "A:\(longest)a,\(longest)b",
            [.applySnapshot(snapshot("A:\(longest)b,\(longest)c"))], items: "del 0.0, ins 0.1"),
        Case(
            "a section and an item of one name", "A:A,b", [.moveItem("b", .anchor(before("A")))], items: "mov 0.1>0.0"),
        Case(
            "an id that the list holds comes in again: it moves", "A:a,b B:c",
            [.appendItems([new("a")], .section("B"))],
            items: "mov 0.0>1.1"),
        Case(
            "an id that the list holds comes in with a new section: it leaves where it was", "A:a,b",
            [.appendSections([section("B", new("a"))])], items: "insS 1, del 0.0"),
    ]

    @Test(arguments: cases)
    func change(_ row: Case) throws {
        try row.check()
    }

    /// A transaction that would make two rows or two sections with one id.
    struct Repeat: Sendable, CustomTestStringConvertible {
        var name: String
        var operation: Operation
        var error: ModelError
        var testDescription: String { name }
    }

    static let repeats = [
        Repeat(
            name: "an id twice in a section", operation: .applySnapshot(snapshot("A:a,n,n B:b")),
            error: .repeatedItem("n")),
        Repeat(
            name: "an id that the list holds twice in a section", operation: .applySnapshot(snapshot("A:a,b,a")),
            error: .repeatedItem("a")),
        Repeat(
            name: "an id in two sections", operation: .applySnapshot(snapshot("A:a,n B:n")), error: .repeatedItem("n")),
        Repeat(
            name: "an id twice among what is appended", operation: .appendItems([new("n"), new("n")], nil),
            error: .repeatedItem("n")),
        Repeat(
            name: "an id in two of the sections that are appended",
            operation: .appendSections([section("M", new("n")), section("N", new("n"))]), error: .repeatedItem("n")),
        Repeat(name: "a section twice", operation: .applySnapshot(snapshot("A:a A:b")), error: .repeatedSection("A")),
        Repeat(
            name: "a section that the list holds", operation: .appendSections([section("N"), section("B")]),
            error: .sectionExists("B")),
    ]

    /// A state never has an id twice, so neither does the old state of a change set.
    @Test(arguments: repeats)
    func refused(_ row: Repeat) throws {
        var list = try ListState(notation: "A:a,b B:c")
        let before = ListImage(list)
        #expect(throws: row.error) { try list.commit([.deleteItems(["c"]), row.operation]) }
        #expect(ListImage(list) == before)
    }

    /// Hashes with ×31 or ×33 give both strings of a pair the same value, and so all strings of a length that are made
    /// of them.
    @Test("4,096 ids of one weak hash are 4,096 items", arguments: [["Aa", "BB"], ["Ez", "FY"]])
    func collidingIDs(pair: [String]) throws {
        var names = [""]
        for _ in 0..<12 { names = names.flatMap { name in pair.map { name + $0 } } }
        let multiplier = UInt32(pair[0] == "Aa" ? 31 : 33)
        let weakHashes = Set(names.map { $0.utf8.reduce(UInt32(5381)) { $0 &* multiplier &+ UInt32($1) } })
        try #require(weakHashes.count == 1 && Set(names).count == 4_096)
        let ids = names.map { ItemID(unchecked: $0) }
        // With a hash that a client can predict, it could choose ids that all fall into one slot.
        #expect(Set(ids.map(\.hashValue)).count == 4_096)
        var list = ListState(ListProperties(title: "list"))
        try list.commit(.appendSections([NewSection(SectionProperties(id: "A"), items: ids.map { new($0) })]))
        #expect(list.itemCount == 4_096)
        let old = Rows(of: list, view: .items)
        let delta = try list.commit([.deleteItems([ids[7]]), .moveItem(ids[4_095], .anchor(before(ids[0])))])
        let change = ChangeSet(undoing: delta, to: list, view: .items)
        #expect(change.text == "del 0.7, mov 0.4095>0.0")
        #expect(old.applying(change, view: .items) == Rows(of: list, view: .items))
    }

    @Test(
        "what is no id: empty, longer than 255 bytes, with a control character",
        arguments: ["", longest + "aa", longest + "\u{E9}", "\u{0}", "a\nb", "\u{7F}", "\u{85}"])
    func noIDs(name: String) {
        #expect(ItemID(name) == nil)
        #expect(SectionID(name) == nil)
    }

    @Test("an id of 255 bytes is one", arguments: [longest + "a", String(longest.dropLast()) + "\u{E9}"])
    func longestIDs(name: String) {
        #expect(name.utf8.count == 255)
        #expect(ItemID(name)?.rawValue.string == name)
    }
}
