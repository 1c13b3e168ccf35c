import JSONValue
import ListModel
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Pages of a snapshot, and snapshots of the past (docs/contract.md section 8).
@Suite struct PageTests {
    private static let lists = [
        "A:a,b,c B:d,e C:f", "A: B:a,b C: D: E:c,d,e F:", "A:a", "A: B:", "A:a,b,c,d,e,f,g,h,i", "",
    ]

    /// All pages, beginning with the first.
    private func pages(_ harness: Harness, _ target: String, between: () throws -> Void = {}) throws -> [Reply] {
        var replies = [try harness.ask("GET", target)]
        while let link = replies[replies.count - 1]["Link"] {
            try between()
            let next = try #require(link.firstMatch(of: /^<(.*)>; rel="next"$/)?.output.1)
            replies.append(try harness.ask("GET", String(next)))
            try #require(replies.count < 10_000, "the pages do not end")
        }
        return replies
    }

    private func sections(_ pages: [Reply]) -> [(id: String, items: [String])] {
        pages.flatMap { $0.json["sections"]?.elements ?? [] }.map { section in
            (section["id"]?.string ?? "", (section["items"]?.elements ?? []).compactMap { $0["id"]?.string })
        }
    }

    @Test(arguments: lists, 1...7) func thePagesAreTheWhole(_ notation: String, _ limit: Int) throws {
        let harness = try Harness(notation)
        let whole = sections([try harness.ask("GET", "/v1/lists/l")])
        let pages = try pages(harness, "/v1/lists/l?limit=\(limit)")
        let counts = pages.map { sections([$0]).map(\.items.count).reduce(0, +) }
        #expect(counts.dropLast().allSatisfy { $0 == limit })
        #expect(pages.allSatisfy { $0.status == 200 && $0.json["partial"] == true && $0["List-Version"] == "e1-1" })
        var joined: [(id: String, items: [String])] = []
        for section in sections(pages) {
            if joined.last?.id == section.id {
                joined[joined.count - 1].items += section.items
            } else {
                joined.append(section)
            }
        }
        #expect(joined.map(\.id) == whole.map(\.id))
        #expect(joined.map(\.items) == whole.map(\.items))
    }

    /// The list changes between the pages, but all pages are of the version of the first one.
    @Test func aPageIsPinned() throws {
        let count = min(Soak.items, 100_000)
        let notation = "A:" + (0..<count).map { "i\($0)" }.joined(separator: ",")
        let harness = try Harness(notation, historyVersionsMax: 1_000)
        var random = SeededGenerator(seed: 5)
        let pages = try pages(harness, "/v1/lists/l?limit=100") {
            let (item, other) = ("i\(random.below(count))", "i\(random.below(count))")
            let operation = random.pick([
                #"{"op":"moveItem","item":"\#(item)","before":"\#(other)"}"#,
                #"{"op":"deleteItems","items":["\#(item)"]}"#,
                #"{"op":"appendItems","items":[{"id":"n\#(random.below(count))"}],"section":"A"}"#,
            ])
            let reply = try harness.post("/v1/lists/l/transactions", #"{"operations":[\#(operation)]}"#)
            #expect(reply.status == 200 || reply.status == 409, "\(reply.text)")
        }
        #expect(pages.count == count / 100)
        #expect(sections(pages).flatMap(\.items) == (0..<count).map { "i\($0)" })
    }

    /// The rows of a sorted long list are found once for all pages, also while the list changes between them.
    @Test func theRowsOfAQueryAreFoundOnce() throws {
        let count = 3_000
        let notation = "A:" + (0..<count).map { "i\($0)" }.joined(separator: ",")
        let harness = try Harness(notation, historyVersionsMax: 1_000)
        var pagesSteps: [Int] = []
        var target = "/v1/lists/l?sort=-content.x&filter=&starred=false&limit=500"
        var items: [String] = []
        repeat {
            var reply: Reply?
            pagesSteps.append(try Steps.taken { reply = try harness.ask("GET", target) })
            let page = try #require(reply)
            items += sections([page]).flatMap(\.items)
            #expect(try harness.post("/v1/lists/l/items/i7/star", "{}").status == 200)
            target = page["Link"]?.firstMatch(of: /^<(.*)>; rel="next"$/).map { String($0.output.1) } ?? ""
        } while !target.isEmpty
        #expect(items == (0..<count).map { "i\($0)" })
        #expect(pagesSteps.count == 6)
        #expect(pagesSteps[0] >= count)
        #expect(pagesSteps.dropFirst().allSatisfy { $0 < count / 2 }, "\(pagesSteps)")
    }

    @Test func aViewHasPagesToo() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let whole = sections([try harness.ask("GET", "/v1/lists/emoji-explorer?view=visible")]).flatMap(\.items)
        let pages = try pages(harness, "/v1/lists/emoji-explorer?view=visible&limit=10")
        #expect(pages.count == 4)
        #expect(sections(pages).flatMap(\.items) == whole)
        #expect(whole.count == 36)
    }

    /// Any text that a client may put into a query must come back in a form that a link can hold.
    @Test(arguments: ["filter=x%3E", "filter=x>", "%6cimit=1&filter=x", "filter=x\"", "filter=<;\\x"])
    func aLinkHoldsWhatWasAsked(_ query: String) throws {
        let harness = try Harness(itemsMax: 100)
        let items = ["a", "b"].map { #"{"id":"\#($0)","content":{"t":"<;\\x>\#($0)","u":"x\""}}"# }.joined(
            separator: ",")
        try #require(try harness.put("/v1/lists/l", #"{"sections":[{"id":"s","items":[\#(items)]}]}"#).status == 201)
        let target = "/v1/lists/l?" + query + (query.contains("imit") ? "" : "&limit=1")
        let link = try #require(try harness.ask("GET", target)["Link"])
        let next = try #require(link.wholeMatch(of: /<([^<>"\\]*)>; rel="next"/)?.output.1)
        let reply = try harness.ask("GET", String(next))
        #expect(reply.status == 200, "\(next)")
        #expect(sections([reply]).flatMap(\.items) == ["b"])
    }

    /// The harness keeps ten versions.
    @Test func theWayGoesOnAsLongAsTheVersionIsKept() throws {
        let harness = try Harness()
        let link = try #require(try harness.ask("GET", "/v1/lists/l?limit=1")["Link"])
        #expect(link == #"</v1/lists/l?at=e1-1&limit=1&cursor=r1>; rel="next""#)
        for _ in 0..<11 { _ = try harness.ask("POST", "/v1/lists/l/items/a/star") }
        let late = try harness.ask("GET", "/v1/lists/l?at=e1-1&limit=1&cursor=r1")
        #expect(late.code == "version_gone")
    }

    @Test func thePastCanBeRead() throws {
        let harness = try Harness()
        let first = try harness.ask("GET", "/v1/lists/l")
        _ = try harness.ask("DELETE", "/v1/lists/l/items/p")
        _ = try harness.ask("POST", "/v1/lists/l/items/a/star")
        let past = try harness.ask("GET", "/v1/lists/l?at=e1-1")
        #expect(past.text == first.text)
        #expect(past["ETag"] == "\"e1-1\"")
        #expect(past["List-Version"] == "e1-1")
        #expect(try harness.ask("GET", "/v1/lists/l?at=e1-3").text == harness.ask("GET", "/v1/lists/l").text)
        #expect(try harness.ask("GET", "/v1/lists/l?at=e1-1", ["If-None-Match": "\"e1-1\""]).status == 304)
        // Without its version the snapshot puts the old rows back. It does not have flags at their default, so these
        // flags stay as they are.
        let body = past.text.replacing(#""version":"e1-1","#, with: "")
        #expect(try harness.put("/v1/lists/l", body).json["changed"] == true)
        #expect(try harness.rows("l") == "s:a,b,p,c t:")
    }

    @Test(arguments: [
        ("at=e1-2", 404, "not_found"), ("at=e9-1", 410, "version_gone"), ("at=1", 422, "invalid"),
        ("limit=0", 422, "invalid"), ("limit=10001", 422, "invalid"), ("limit=x", 422, "invalid"),
        ("cursor=r1", 422, "invalid"), ("limit=1&cursor=r1", 422, "invalid"),
        ("limit=1&at=e1-1&cursor=1", 422, "invalid"), ("limit=1&at=e1-1&cursor=r0", 422, "invalid"),
        ("limit=1&at=e1-1&cursor=r01", 422, "invalid"), ("limit=1&at=e1-1&cursor=r4", 422, "invalid"),
        ("limit=1&at=e1-1&cursor=r-1", 422, "invalid"), ("limit=1&at=e1-1&cursor=", 422, "invalid"),
        ("limit=1&at=e1-1&cursor=r99999999999999999999", 422, "invalid"),
    ])
    func whatIsNoPageIsRefused(_ query: String, _ status: Int, _ code: String) throws {
        let reply = try Harness().ask("GET", "/v1/lists/l?" + query)
        #expect(reply.status == status)
        #expect(reply.code == code)
    }
}
