import Foundation
import JSONValue
import ListModel
import SampleLists
import TestSupport
import Testing

@Suite struct MountainSampleTests {
    @Test func contentNamesNameAndHeight() throws {
        let list = try installed(.mountains)
        let rows = list.rows(of: try #require(list.handle(of: "mountains" as SectionID)))
        #expect(rows.allSatisfy { list[$0].kind == "mountain" })
        #expect(list[rows[0]].content == JSONText(["name": "Aconcagua", "height": 6961]))
        #expect(list.strings("name", in: "mountains").count == rows.count)
    }

    @Test func namesAreDistinctAndComposed() throws {
        let names = try installed(.mountains).strings("name", in: "mountains")
        #expect(names.count >= 120)
        #expect(Set(names).count == names.count)
        #expect(names.count { name in name.unicodeScalars.contains { !$0.isASCII } } >= 20)
        for name in names {
            #expect(Array(name.utf8) == Array(name.precomposedStringWithCanonicalMapping.utf8))
        }
    }

    @Test("some share a height, and their order is not that of heights")
    func heights() throws {
        let heights = try installed(.mountains).heights(in: "mountains")
        #expect(heights.max() == 8849)
        #expect(heights.min() == 318)
        #expect(heights.count - Set(heights).count == 8)
        #expect(heights != heights.sorted(by: >))
    }

    @Test func theyStandInTheOrderOfTheirNames() throws {
        let names = try installed(.mountains).strings("name", in: "mountains")
        #expect(names == names.sorted())
        #expect(names.first == "Aconcagua")
        #expect(names.last == "Škrlatica")
        let pico = names.filter { $0.hasPrefix("Pico ") }.prefix(5)
        #expect(
            pico == ["Pico Bolívar", "Pico Cristóbal Colón", "Pico Duarte", "Pico Simón Bolívar", "Pico da Neblina"])
    }

    /// Each letter that a client types changes the result, except the last one.
    @Test func typing() throws {
        let names = try installed(.mountains).strings("name", in: "mountains").map { $0.lowercased() }
        let typed = ["", "m", "mo", "mou", "moun", "mount", "mountx"]
        let counts = typed.map { text in names.count { text.isEmpty || $0.contains(text) } }
        #expect(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > counts[3] && counts[3] > counts[4])
        #expect(counts[4...] == [counts[5], counts[5], 0])
        #expect(names.contains("mönch"), "An accent, which is not folded.")
        #expect(names.contains { $0.contains("mount") && !$0.hasPrefix("mount") })
    }

    @Test(
        arguments: [
            ("Mönch", "mountains.m-nch"), ("Barre des Écrins", "mountains.barre-des-crins"),
            ("Aoraki / Mount Cook", "mountains.aoraki-mount-cook"), ("Jbel M'Goun", "mountains.jbel-m-goun"),
        ] as [(String, ItemID)])
    func slugs(name: String, id: ItemID) throws {
        let list = try installed(.mountains)
        let content = list[try #require(list.handle(of: id))].content.value
        guard case .object(let members) = content else {
            Issue.record("\(id) has no members")
            return
        }
        #expect(members["name"] == .string(name))
    }
}

@Suite struct EditingSampleTests {
    @Test func theEightHighest() throws {
        let list = try installed(.editing)
        #expect(list.strings("name", in: "visited") == ["Makalu", "Cho Oyu", "Dhaulagiri", "Manaslu"])
        #expect(list.strings("name", in: "bucketList") == ["Mount Everest", "K2", "Kangchenjunga", "Lhotse"])
        #expect(list.heights(in: "visited") == [8485, 8188, 8167, 8163])
    }

    struct Drop: Sendable {
        var item: ItemID
        var place: Destination
        var visited: [String]
        var bucketList: [String]
    }

    /// In one section, a drop on a lower row places the item *after* that row. Other drops on a row place it *before*,
    /// and a drop below the last row places it at the end.
    static let drops = [
        Drop(
            item: "visited.makalu", place: .anchor(ItemAnchor(.after, "visited.dhaulagiri")),
            visited: ["Cho Oyu", "Dhaulagiri", "Makalu", "Manaslu"],
            bucketList: ["Mount Everest", "K2", "Kangchenjunga", "Lhotse"]),
        Drop(
            item: "visited.manaslu", place: .anchor(ItemAnchor(.before, "visited.cho-oyu")),
            visited: ["Makalu", "Manaslu", "Cho Oyu", "Dhaulagiri"],
            bucketList: ["Mount Everest", "K2", "Kangchenjunga", "Lhotse"]),
        Drop(
            item: "bucketList.k2", place: .anchor(ItemAnchor(.before, "visited.cho-oyu")),
            visited: ["Makalu", "K2", "Cho Oyu", "Dhaulagiri", "Manaslu"],
            bucketList: ["Mount Everest", "Kangchenjunga", "Lhotse"]),
        Drop(
            item: "bucketList.k2", place: .last(.section("visited")),
            visited: ["Makalu", "Cho Oyu", "Dhaulagiri", "Manaslu", "K2"],
            bucketList: ["Mount Everest", "Kangchenjunga", "Lhotse"]),
    ]

    @Test(arguments: drops)
    func rowsAreDropped(_ drop: Drop) throws {
        var list = try installed(.editing)
        var log = TransactionLog()
        try list.apply(.moveItem(drop.item, drop.place), rules: .strict, into: &log)
        #expect(list.strings("name", in: "visited") == drop.visited)
        #expect(list.strings("name", in: "bucketList") == drop.bucketList)
        #expect(try !list.install(.editing).isEmpty)
        #expect(ListImage(list) == ListImage(try installed(.editing)))
    }
}
