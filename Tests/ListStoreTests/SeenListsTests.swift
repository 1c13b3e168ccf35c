import ListDiff
import ListModel
import TestSupport
import Testing
import Texts

@testable import ListStore

/// Compares the lists that a reader may see with those of a look at each id.
@Suite struct SeenListsTests {
    private static let bytes = Array("-.09_az".utf8)

    private static func text(_ range: ClosedRange<Int>, _ random: inout SeededGenerator) -> ByteText {
        let count = Int.random(in: range, using: &random)
        return ByteText(decoding: (0..<count).map { _ in bytes.randomElement(using: &random)! })
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>) func agreeWithALookAtEachID(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var names: Set<ByteText> = []
        for _ in 0..<1_500 { names.insert(Self.text(1...4, &random)) }
        names.insert(ByteText(decoding: [UInt8](repeating: UInt8(ascii: "z"), count: 128)))
        let all = names.compactMap { ListID($0) }.sorted { $0.rawValue < $1.rawValue }
        let single = (0..<Int.random(in: 0...9, using: &random)).compactMap { _ in ListID(Self.text(1...3, &random)) }
        let beginnings = (0..<Int.random(in: 0...5, using: &random)).map { _ in Self.text(0...3, &random) }
        let end = Self.bytes.randomElement(using: &random)!
        let includes: @Sendable (ListID) -> Bool = { $0.rawValue.utf8.last != end }
        let seen = SeenLists(ids: single + single.prefix(1), beginnings: beginnings, where: includes)
        let ids = OrderedIDs(all)
        for _ in 0..<20 {
            let cursor = random.once(in: 4) ? nil : ListID(Self.text(1...4, &random))
            let limit = Int.random(in: 1...40, using: &random)
            let expected = all.filter { id in
                let isNamed = single.contains(id) || beginnings.contains { id.rawValue.hasPrefix($0) }
                return isNamed && includes(id) && (cursor.map { $0.rawValue < id.rawValue } ?? true)
            }
            let found = seen.ids(after: cursor, limit: limit, from: ids.ids, contains: ids.contains)
            #expect(found == Array(expected.prefix(limit)), "\(beginnings) \(single) \(String(describing: cursor))")
        }
    }

    /// Whoever may see few lists does not make the store look at all others.
    @Test func looksAtFewIDs() {
        let all = (0..<100_000).map { ListID("team-\($0 % 1_000)-\($0)")! }.sorted { $0.rawValue < $1.rawValue }
        let ids = OrderedIDs(all)
        let seen = SeenLists(ids: [all[70_000]], beginnings: ["team-7-", "team-999-"]) { _ in true }
        var looks = 0
        let found = seen.ids(
            after: nil, limit: 1_000,
            from: { last, limit in
                looks += limit
                return ids.ids(after: last, limit: limit)
            }, contains: ids.contains)
        #expect(found.count == 201)
        #expect(looks <= 4_096)
    }

    @Test func aPageOfTwoStoresShowsWhatTheOtherHasMade() async throws {
        let memory = MemoryJournal(fault: .givesNoHints)
        let stores = try ["e", "f"].map { name in
            try StoreFixture(journal: WatchedJournal(over: memory), epochs: name).store
        }
        let write = Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections("s:a")))]))
        func make(_ names: [String]) async throws {
            for name in names {
                _ = try await stores[0].create(ListID(ByteText(name))!, write).settled().get()
            }
        }
        let seen = SeenLists(ids: [ListID("x")!, ListID("none")!], beginnings: ["m-"]) { _ in true }
        func page(after id: String? = nil, limit: Int) throws -> String {
            let id = id.flatMap { ListID(ByteText($0)) }
            try stores[1].checkPage(after: id, limit: limit + 1, among: seen)
            let page = stores[1].lists(after: id, limit: limit, looksMax: limit, bytesMax: .max, among: seen) { _ in
                true
            }
            let names = page.lists.map { $0.id.rawValue.string }.joined(separator: " ")
            return names + (page.last.map { ", more after \($0)" } ?? "")
        }
        try await make(["a", "m-1", "m-2", "n", "x", "y"])
        #expect(try page(limit: 2) == "m-1 m-2, more after m-2")
        #expect(try page(after: "m-2", limit: 2) == "x")
        #expect(try page(limit: 3) == "m-1 m-2 x")
        try await make(["m-0", "none"])
        #expect(try page(limit: 9) == "m-0 m-1 m-2 none x")
        _ = try await stores[0].delete(ListID("x")!, Write(.operations([]))).settled().get()
        #expect(try page(limit: 9) == "m-0 m-1 m-2 none")
    }
}
