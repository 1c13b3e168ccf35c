import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Hard cases of list differences as clients send and see them.
@Suite struct HardWireCases {
    private let list = "/v1/lists/l"
    private var transactions: String { list + "/transactions" }
    private static let longest = String(repeating: "n", count: 255)

    // MARK: Identity

    /// A PUT of a list with an id that the list cannot hold.
    struct BadID: Sendable, CustomTestStringConvertible {
        var name: String
        var sections: String
        /// The place of the wrong or repeated id in the body.
        var pointer: String
        var code = "repeated_id"
        var testDescription: String { name }
    }

    static let badIDs = [
        BadID(
            name: "PUT with an id twice in a section", sections: #"{"id":"A","items":["a","b","a"]}"#,
            pointer: "/sections/0/items/2"),
        BadID(
            name: "PUT with a new id twice in a section", sections: #"{"id":"A","items":["a",{"id":"n"},{"id":"n"}]}"#,
            pointer: "/sections/0/items/2"),
        BadID(
            name: "PUT with an id in two sections", sections: #"{"id":"A","items":["a"]},{"id":"B","items":["b","a"]}"#,
            pointer: "/sections/1/items/1"),
        BadID(
            name: "PUT with a section twice", sections: #"{"id":"A","items":["a"]},{"id":"A","items":["b"]}"#,
            pointer: "/sections/1"),
        BadID(
            name: "PUT with an empty id", sections: #"{"id":"A","items":[{"id":""}]}"#,
            pointer: "/sections/0/items/0/id", code: "out_of_bounds"),
        BadID(
            name: "PUT with an empty section id", sections: #"{"id":"","items":["a"]}"#, pointer: "/sections/0/id",
            code: "out_of_bounds"),
        BadID(
            name: "PUT with an id of 256 bytes", sections: #"{"id":"A","items":[{"id":"\#(longest)n"}]}"#,
            pointer: "/sections/0/items/0/id", code: "out_of_bounds"),
        BadID(
            name: "PUT with a section id of 256 bytes", sections: #"{"id":"\#(longest)n","items":[]}"#,
            pointer: "/sections/0/id", code: "out_of_bounds"),
    ]

    @Test(arguments: badIDs)
    func refused(_ row: BadID) throws {
        let harness = try Harness("A:a,b B:c")
        let before = try harness.ask("GET", list).text
        let reply = try harness.put(list, #"{"title":"New","sections":[\#(row.sections)]}"#)
        #expect(reply.status == 422)
        #expect(reply.code == "invalid")
        let error = reply.json["errors"]?[0]
        #expect(error?["pointer"]?.string == row.pointer)
        #expect(error?["code"]?.string == row.code)
        #expect(try harness.ask("GET", list).text == before)
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "")
    }

    @Test("an id of 255 bytes goes in, is found and goes out")
    func longestID() throws {
        let harness = try Harness("A:a")
        let sent = #"{"sections":[{"id":"\#(Self.longest)","items":["a",{"id":"\#(Self.longest)"}]}]}"#
        #expect(try harness.put(list, sent).status == 200)
        #expect(try harness.ask("GET", list + "/items/\(Self.longest)").json["section"] == .string(Self.longest))
        let deleted = try harness.ask("DELETE", list + "/items/\(Self.longest)")
        #expect(deleted.changes == "del 0.1")
        #expect(deleted.json["changes"]?["items"]?["deleted"]?[0]?["id"] == .string(Self.longest))
    }

    // MARK: Index spaces

    /// The offsets are those of an array that shifts after each step. The offsets of a difference count all rows of the
    /// old or the new state, so these are refused.
    @Test(
        "offsets that shift an array from step to step are refused",
        arguments: [
            // `a` leaves at 0, and then `b` at 0.
            ([(0, "a"), (0, "b")], [(3, "a"), (3, "b")]),
            // `b` leaves at 1, and then `d` at its new index, 2.
            ([(1, "b"), (2, "d")], [(0, "b"), (1, "d")]),
        ] as [([(Int, String)], [(Int, String)])])
    func arrayShifts(removals: [(Int, String)], insertions: [(Int, String)]) throws {
        func changes(_ changes: [(Int, String)]) -> String {
            changes.map { #"{"offset":\#($0.0),"element":"\#($0.1)"}"# }.joined(separator: ",")
        }
        let harness = try Harness("A:a,b,c,d")
        let reply = try harness.post(
            list + "/reorders",
            #"""
            {"base":"e1-1","sections":{"A":{"difference":{"removals":[\#(changes(removals))],
                                                          "insertions":[\#(changes(insertions))]}}}}
            """#)
        #expect(reply.status == 409)
        #expect(reply.code == "invalid_difference")
        #expect(try harness.rows("l") == "A:a,b,c,d")
    }

    // MARK: Composition

    @Test("a version that is no longer kept: 200 and the whole snapshot, or 410 if the client is strict")
    func lostHistory() throws {
        let harness = try Harness("A:a,b")
        for _ in 0...100 { #expect(try harness.ask("POST", list + "/items/a/star").status == 200) }
        for view in ["items", "visible"] {
            let changes = list + "/changes?since=e1-1&view=\(view)"
            let reset = try harness.ask("GET", changes)
            #expect(reset.status == 200)
            #expect(reset.json["reset"] == true)
            #expect(reset.json["to"] == "e1-102")
            #expect(reset.json["snapshot"] == (try harness.ask("GET", list + "?view=\(view)").json))
            #expect(reset.json["items"] == nil)
            let strict = try harness.ask("GET", changes, ["Prefer": "handling=strict"])
            #expect(strict.status == 410)
        }
        #expect(try harness.ask("GET", list + "/changes?since=e1-2").json["from"] == "e1-2")
    }

    // MARK: Service

    private static let start = [("A", "a,b,c,d,e,f,g,h"), ("B", "i,j,k,l,m,n,o,p"), ("C", "q,r,s,t")]

    private static let history = [
        #"{"op":"moveItem","item":"a","section":"B"}"#, #"{"op":"deleteItems","items":["g","j","c","p","n","e"]}"#,
        #"{"op":"appendSections","sections":[{"id":"D","items":["d",{"id":"x"}]}]}"#,
        #"{"op":"insertItems","items":[{"id":"e"},{"id":"y"},{"id":"z"}],"before":"a"}"#,
        #"{"op":"starItems","items":["y","f","b","d","k","q","t","m"]}"#,
        #"{"op":"moveSection","section":"D","before":"A"}"#, #"{"op":"reloadItems","items":["o","l","h"]}"#,
        #"{"op":"deleteSections","sections":["C"]}"#,
    ]

    /// The bytes of all change sets of a history. Each is asked for twice.
    ///
    /// - Parameter past: The state of the list before the history. It decides the order in which the server met the
    ///   ids.
    private func changeSets(past: String) throws -> [[String]] {
        let harness = try Harness(past)
        let start = Self.start.map { section, ids in #"{"id":"\#(section)","items":[\#(Self.new(ids))]}"# }
        let applied = try harness.put(list, #"{"sections":[\#(start.joined(separator: ","))]}"#)
        try #require(applied.json["changed"] == true)
        for operation in Self.history {
            let reply = try harness.post(transactions, #"{"operations":[\#(operation)]}"#)
            try #require(reply.json["changed"] == true, "\(operation)")
        }
        return try (2...Self.history.count + 1).flatMap { base in
            try ["items", "visible"].map { view in
                try (0..<2).map { _ in
                    try harness.ask("GET", list + "/changes?since=e1-\(base)&view=\(view)").text
                }
            }
        }
    }

    private static func new(_ ids: String) -> String {
        ids.split(separator: ",").map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
    }

    @Test("the same base twice, on one server or on two, gives the same bytes")
    func sameBytes() throws {
        let first = try changeSets(past: "Z:z")
        #expect(first.count == 2 * Self.history.count)
        for past in ["B:p,y,g,n,x A:e,d,j C:c,b,a", "A:d,b,e,j,c B:a", "C: A:x,y"] {
            for (mine, other) in zip(first, try changeSets(past: past)) { #expect(Set(mine + other).count == 1) }
        }
    }
}
