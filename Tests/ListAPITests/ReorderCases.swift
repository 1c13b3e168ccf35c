import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// docs/model.md section 15 over HTTP, on the sample `reorderable`: sections 0 recents, 1 smileys, 2 nature, 3 food, …
@Suite struct ReorderCases {
    private let list = "/v1/lists/reorderable"
    private static let rofl = "smileys.rolling-on-the-floor-laughing"

    /// A reorder in both forms of docs/contract.md section 6.
    struct Drag: Sendable, CustomTestStringConvertible {
        var name: String
        /// Items that are deleted from the sample first.
        var deleted: [String] = []
        var difference: String
        var final: String
        var changes: String
        var testDescription: String { name }
    }

    static let drags = [
        Drag(
            name: "case 44: the last of one section to its front",
            difference: #"""
                "smileys":{"difference":{"removals":[{"offset":2,"element":"\#(rofl)","associatedOffset":0}],
                                         "insertions":[{"offset":0,"element":"\#(rofl)","associatedOffset":2}]}}
                """#,
            final: #""smileys":{"final":["\#(rofl)","smileys.happy","smileys.laughing"]}"#, changes: "mov 1.2>1.0"),
        Drag(
            name: "case 45: into the middle of another section, without associations, the last section first",
            difference: #"""
                "nature":{"difference":{"removals":[],"insertions":[{"offset":1,"element":"smileys.laughing"}]}},
                "smileys":{"difference":{"removals":[{"offset":1,"element":"smileys.laughing"}],"insertions":[]}}
                """#,
            final: #"""
                "nature":{"final":["nature.fox","smileys.laughing","nature.bee","nature.turtle"]},
                "smileys":{"final":["smileys.happy","\#(rofl)"]}
                """#,
            changes: "mov 1.1>2.1"),
        Drag(
            name: "case 46: the last of a section before the first of the next, which is no flat move",
            difference: #"""
                "nature":{"difference":{"removals":[],"insertions":[{"offset":0,"element":"\#(rofl)"}]}},
                "smileys":{"difference":{"removals":[{"offset":2,"element":"\#(rofl)"}],"insertions":[]}}
                """#,
            final: #"""
                "nature":{"final":["\#(rofl)","nature.fox","nature.bee","nature.turtle"]},
                "smileys":{"final":["smileys.happy","smileys.laughing"]}
                """#,
            changes: "mov 1.2>2.0"),
        Drag(
            name: "case 47: the last item leaves and its section stays", deleted: ["smileys.laughing", rofl],
            difference: #"""
                "smileys":{"difference":{"removals":[{"offset":0,"element":"smileys.happy"}],"insertions":[]}},
                "nature":{"difference":{"removals":[],"insertions":[{"offset":3,"element":"smileys.happy"}]}}
                """#,
            final: #"""
                "smileys":{"final":[]},
                "nature":{"final":["nature.fox","nature.bee","nature.turtle","smileys.happy"]}
                """#,
            changes: "mov 1.0>2.3"),
    ]

    private func prepared(_ drag: Drag) throws -> (harness: Harness, base: String) {
        let harness = try Harness(sample: "reorderable")
        for item in drag.deleted { try #require(try harness.ask("DELETE", list + "/items/\(item)").status == 200) }
        return (harness, try #require(try harness.ask("GET", list)["List-Version"]))
    }

    @Test(arguments: drags)
    func difference(_ drag: Drag) throws {
        let (harness, base) = try prepared(drag)
        let reply = try harness.post(list + "/reorders", #"{"base":"\#(base)","sections":{\#(drag.difference)}}"#)
        #expect(reply.json["changed"] == true)
        #expect(reply.changes == drag.changes)
        // The result has one operation for each section that the client names.
        let sections = drag.difference.ranges(of: #""difference""#).count
        #expect(reply.json["operations"] == .array(Array(repeating: ["status": "applied"], count: sections)))
    }

    @Test("case 48: both methods give the same list", arguments: drags)
    func bothMethods(_ drag: Drag) throws {
        let lists = try [drag.difference, drag.final].map { sections in
            let (harness, base) = try prepared(drag)
            let reply = try harness.post(list + "/reorders", #"{"base":"\#(base)","sections":{\#(sections)}}"#)
            #expect(reply.changes == drag.changes)
            return try harness.ask("GET", list).text
        }
        #expect(lists[0] == lists[1])
    }

    @Test("case 46: the flat order is the same, and yet there is a version")
    func flatOrder() throws {
        let harness = try Harness(sample: "reorderable")
        func flat() throws -> [String] {
            try harness.rows("reorderable").split(separator: " ").flatMap { section in
                section.drop { $0 != ":" }.dropFirst().split(separator: ",").map(String.init)
            }
        }
        let before = try flat()
        let drag = try #require(Self.drags.first { $0.name.hasPrefix("case 46") })
        let reply = try harness.post(list + "/reorders", #"{"base":"e1-1","sections":{\#(drag.difference)}}"#)
        #expect(reply["List-Version"] == "e1-2")
        #expect(before.count == 29)
        #expect(try flat() == before)
    }

    private func difference(_ removed: Int, _ inserted: Int, _ item: String) -> String {
        #"""
        {"base":"e1-1","sections":{"smileys":{"difference":{
          "removals":[{"offset":\#(removed),"element":"\#(item)"}],
          "insertions":[{"offset":\#(inserted),"element":"\#(item)"}]}}}}
        """#
    }

    /// The difference is rebased (docs/contract.md section 6). The standard library's `applying` would give happy,
    /// happy, laughing.
    @Test("case 48: a difference to a stale base loses nothing and doubles nothing")
    func staleDifference() throws {
        let harness = try Harness(sample: "reorderable")
        #expect(try harness.post(list + "/reorders", difference(2, 0, Self.rofl)).changes == "mov 1.2>1.0")
        let second = try harness.post(list + "/reorders", difference(1, 0, "smileys.laughing"))
        #expect(second.json["missed"]?.changeText == "mov 1.2>1.0")
        #expect(second.changes == "mov 1.2>1.0")
        #expect(
            try harness.rows("reorderable").contains("smileys:smileys.laughing,\(Self.rofl),smileys.happy nature:"))
        // This difference was made for the head but names an older base, which it does not fit.
        let misnamed = try harness.post(list + "/reorders", difference(0, 2, "smileys.laughing"))
        #expect(misnamed.status == 409)
        #expect(misnamed.code == "invalid_difference")
        #expect(try harness.ask("GET", list)["List-Version"] == "e1-3")
    }

    @Test("case 54: a fixed item is not moved, and others move past it")
    func fixedItem() throws {
        let harness = try Harness("s:a,b,c")
        let fix = #"{"operations":[{"op":"updateItem","item":"b","reorderable":false}]}"#
        #expect(try harness.post("/v1/lists/l/transactions", fix).changes == "cfg 0.1")
        func reorder(_ final: String) throws -> Reply {
            try harness.post("/v1/lists/l/reorders", #"{"sections":{"s":{"final":\#(final)}}}"#)
        }
        #expect(try reorder(#"["a","c","b"]"#).changes == "mov 0.2>0.1")
        #expect(try harness.rows("l") == "s:a,c,b")
        let moved = try harness.post(
            "/v1/lists/l/transactions", #"{"operations":[{"op":"moveItem","item":"b","before":"a"}]}"#)
        #expect(moved.status == 403)
        #expect(moved.code == "not_reorderable")
        #expect(try reorder(#"["b","a","c"]"#).status == 403)
        #expect(try harness.rows("l") == "s:a,c,b")
    }

    @Test(
        "case 54: the header of a section stays first",
        arguments: [
            (
                "reorders",
                #"{"sections":{"main":{"final":["main.first","main.second","main.third","main.main-item"]}}}"#
            ),
            ("transactions", #"{"operations":[{"op":"moveItem","item":"main.main-item","section":"sub"}]}"#),
            ("transactions", #"{"operations":[{"op":"moveItem","item":"main.third","before":"main.main-item"}]}"#),
            ("items", #"{"items":[{"id":"n"}],"before":"main.main-item"}"#),
        ])
    func header(resource: String, body: String) throws {
        let harness = try Harness(sample: "main-sub")
        let reply = try harness.post("/v1/lists/main-sub/\(resource)", body)
        #expect(reply.status == 403)
        #expect(reply.code == "not_reorderable")
        #expect(try harness.ask("GET", "/v1/lists/main-sub")["List-Version"] == "e1-1")
    }

    /// The handlers of a drag belong to the client. The server sees only the final order.
    @Test("case 55: a drag that is given up makes no version")
    func cancelled() throws {
        let harness = try Harness(sample: "reorderable")
        let unchanged = [
            #""smileys":{"final":["smileys.happy","smileys.laughing","\#(Self.rofl)"]}"#,
            #""smileys":{"difference":{"removals":[],"insertions":[]}}"#,
            #""smileys":{"difference":{"removals":[{"offset":1,"element":"smileys.laughing"}],"insertions":[{"offset":1,"element":"smileys.laughing"}]}}"#,
        ]
        for sections in unchanged {
            let reply = try harness.post(list + "/reorders", #"{"base":"e1-1","sections":{\#(sections)}}"#)
            #expect(reply.json["changed"] == false)
            #expect(reply.changes == "")
            #expect(reply["List-Version"] == "e1-1")
        }
    }

    @Test("case 56: who moves to another section keeps category, star and id")
    func keepsItself() throws {
        let harness = try Harness(sample: "reorderable")
        let item = list + "/items/smileys.laughing"
        #expect(try harness.ask("PUT", item + "/star").changes == "cfg 1.1")
        let move = #"{"operations":[{"op":"moveItem","item":"smileys.laughing","after":"nature.fox"}]}"#
        #expect(try harness.post(list + "/transactions", move).changes == "mov 1.1>2.1")
        let moved = try harness.ask("GET", item).json
        #expect(moved["section"] == "nature")
        #expect(moved["starred"] == true)
        #expect(moved["content"]?["category"] == "Smileys")
    }

    // MARK: Resets

    @Test("case 26: 29 new identities are 29 deletions and 29 insertions")
    func freshIdentities() throws {
        let harness = try Harness(sample: "reorderable")
        var text = try harness.ask("GET", list).text
        for section in try harness.rows("reorderable").split(separator: " ").map({ $0.prefix { $0 != ":" } }) {
            text.replace(#""id":"\#(section)."#, with: #""id":"\#(section).new-"#)
        }
        let changes = try harness.put(list, text).json["changes"]
        #expect(changes?["sections"] == nil)
        let (deleted, inserted) = (parts(changes?["items"]?["deleted"]), parts(changes?["items"]?["inserted"]))
        #expect(deleted.count == 29)
        #expect(inserted.count == 29)
        #expect(changes?["items"]?["moved"] == nil)
    }

    @Test("case 26: a reset of the sample keeps identities, so it only moves")
    func keptIdentities() throws {
        let harness = try Harness(sample: "reorderable")
        let start = try harness.rows("reorderable")
        for drag in Self.drags.prefix(3) {
            let reply = try harness.post(list + "/reorders", #"{"sections":{\#(drag.final)}}"#)
            #expect(reply.json["changed"] == true)
        }
        #expect(try harness.rows("reorderable") != start)
        let items = try harness.ask("POST", "/v1/samples/reorderable").json["changes"]?["items"]
        let moved = parts(items?["moved"])
        #expect(!moved.isEmpty)
        for part in ["deleted", "inserted", "reconfigured", "reloaded"] { #expect(items?[part] == nil) }
        #expect(try harness.rows("reorderable") == start)
    }

    // MARK: Many

    @Test("case 66: a shuffle of 8000 has the fewest moves, and gives way to a reset with 8000 stars more")
    func manyItems() throws {
        let ids = (0..<8_000).map { "i\($0)" }
        var random = SeededGenerator(seed: 66)
        let wanted = ids.shuffled(using: &random)
        let harness = try Harness("s:" + ids.joined(separator: ","))
        let quoted = wanted.map { "\"\($0)\"" }.joined(separator: ",")
        let reply = try harness.post(
            "/v1/lists/l/reorders", #"{"base":"e1-1","sections":{"s":{"final":[\#(quoted)]}}}"#)
        #expect(try harness.rows("l") == "s:" + wanted.joined(separator: ","))
        let moved = parts(reply.json["changes"]?["items"]?["moved"])
        #expect(moved.count == 8_000 - longestIncrease(wanted.compactMap { Int($0.dropFirst()) }))
        #expect(replay(moved, on: ids) == wanted)
        // The change set names no more rows than the list has.
        #expect(
            try harness.ask("GET", "/v1/lists/l/changes?since=e1-1").json["items"] == reply.json["changes"]?["items"])

        let stars = #"{"operations":[{"op":"starItems","items":[\#(quoted)]}]}"#
        let starred = try harness.post("/v1/lists/l/transactions", stars)
        let reconfigured = parts(starred.json["changes"]?["items"]?["reconfigured"])
        #expect(reconfigured.count == 8_000)
        let since = try harness.ask("GET", "/v1/lists/l/changes?since=e1-1").json
        #expect(since["reset"] == true)
        #expect(since["items"] == nil)
        let snapshot = parts(since["snapshot"]?["sections"]?[0]?["items"])
        #expect(snapshot.count == 8_000)
    }

    /// The length of the longest increasing subsequence, by patience sorting.
    private func longestIncrease(_ numbers: [Int]) -> Int {
        var piles: [Int] = []
        for number in numbers {
            var (low, high) = (0, piles.count)
            while low < high {
                let middle = (low + high) / 2
                if piles[middle] < number { low = middle + 1 } else { high = middle }
            }
            if low < piles.count { piles[low] = number } else { piles.append(number) }
        }
        return piles.count
    }

    /// The ids of a section after moves within it. The moves are sorted by target.
    private func replay(_ moves: [JSONValue], on ids: [String]) -> [String] {
        var arrivals: [(to: Int, id: String)] = []
        var leaving: Set<Int> = []
        for move in moves {
            guard case .number(let from) = move["from"]?["index"], case .number(let to) = move["to"]?["index"],
                let from = from.integer, let to = to.integer, let id = move["id"]?.string, ids[from] == id
            else { return [] }
            leaving.insert(from)
            arrivals.append((to, id))
        }
        var staying = ids.indices.filter { !leaving.contains($0) }.map { ids[$0] }.makeIterator()
        var next = arrivals.makeIterator()
        var arrival = next.next()
        return ids.indices.compactMap { index in
            guard arrival?.to == index else { return staying.next() }
            defer { arrival = next.next() }
            return arrival?.id
        }
    }
}
