import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Cases of docs/model.md section 15 over HTTP: the answers of transactions, their effects, and the changes that a
/// client missed.
@Suite struct WriteCases {
    private let list = "/v1/lists/l"
    private var transactions: String { list + "/transactions" }

    private func body(_ operations: String...) -> String { #"{"operations":[\#(operations.joined(separator: ","))]}"# }

    @Test("case 1: what moves though it was appended is reported")
    func movedExisting() throws {
        let harness = try Harness("A:a,b B:c")
        let reply = try harness.post(transactions, body(#"{"op":"appendItems","items":["a"],"section":"B"}"#))
        #expect(try harness.rows("l") == "A:b B:c,a")
        #expect(reply.changes == "mov 0.0>1.1")
        #expect(reply.warnings == ["moved_existing a"])
    }

    struct Given: Sendable, CustomTestStringConvertible {
        var item: String
        /// The item after the write, without its id.
        var stored: JSONValue
        var changes: String
        var testDescription: String { item }
    }

    /// The item `a` is starred and has the kind `k` and the content `{"n":1}`. A member that is left out is kept.
    @Test(arguments: [
        Given(item: "", stored: ["kind": "k", "content": ["n": 1], "starred": true], changes: "mov 0.0>1.1"),
        Given(
            item: #","content":{"n":2}"#, stored: ["kind": "k", "content": ["n": 2], "starred": true],
            changes: "mov 0.0>1.1, cfg 1.1"),
        Given(
            item: #","kind":"m""#, stored: ["kind": "m", "content": ["n": 1], "starred": true],
            changes: "mov 0.0>1.1, rld 1.1"),
        Given(
            item: #","starred":false"#, stored: ["kind": "k", "content": ["n": 1]], changes: "mov 0.0>1.1, cfg 1.1"),
        Given(
            item: #","expanded":true,"reorderable":false"#,
            stored: ["kind": "k", "content": ["n": 1], "starred": true, "expanded": true, "reorderable": false],
            changes: "mov 0.0>1.1, cfg 1.1"),
        Given(
            item: #","kind":"m","content":{}"#, stored: ["kind": "m", "content": [:], "starred": true],
            changes: "mov 0.0>1.1, rld 1.1"),
    ])
    func anItemThatExistsTakesWhatIsGiven(_ row: Given) throws {
        for base in ["", #""base":"e1-1","#] {
            let harness = try Harness("A:x,b B:c")
            let start = #"{"sections":[{"id":"A","items":[{"id":"a","kind":"k","content":{"n":1},"starred":true}"#
            _ = try harness.put(list, start + #","b"]},{"id":"B","items":["c"]}]}"#)
            let before = try harness.ask("GET", list).json
            // The write names a base, and another client has written since.
            let known = base.replacing("e1-1", with: "e1-2")
            if !base.isEmpty { _ = try harness.ask("PUT", list + "/items/c/star") }
            let reply = try harness.post(list + "/items", #"{\#(known)"items":[{"id":"a"\#(row.item)}],"section":"B"}"#)
            #expect(reply.changes == row.changes)
            #expect(reply.json["operations"] == [["status": "applied"]])
            #expect(reply.warnings == ["moved_existing a"])
            let stored = try harness.ask("GET", list + "/items/a").json
            for key in ["kind", "content", "starred", "expanded", "reorderable"] {
                #expect(stored[key] == row.stored[key], "\(key)")
            }
            let version = try #require(reply["List-Version"])
            let undone = try harness.post(list + "/undo", #"{"transaction":"\#(version)"}"#)
            #expect(undone.status == 200)
            #expect(try harness.ask("GET", list).json["sections"]?[0] == before["sections"]?[0])
        }
    }

    /// Any combination of members makes one transaction. `a` has two hidden children.
    @Test(arguments: [
        (body: #"{"starred":true}"#, changes: "cfg 0.0", counts: 3),
        (body: #"{"expanded":true,"content":{"n":1}}"#, changes: "cfg 0.0", counts: 5),
        (body: #"{"expanded":true,"starred":true,"reorderable":false,"kind":"k"}"#, changes: "rld 0.0", counts: 5),
        (body: #"{"starred":false,"expanded":false}"#, changes: "", counts: 3),
    ])
    func aPatchTakesFlags(_ row: (body: String, changes: String, counts: Int)) throws {
        let harness = try Harness("A:a,b B:c")
        _ = try harness.post(list + "/items", #"{"items":[{"id":"x"},{"id":"y"}],"parent":"a"}"#)
        let reply = try harness.ask("PATCH", list + "/items/a", Harness.json, row.body)
        #expect(reply.status == 200 && reply.changes == row.changes)
        #expect(reply["List-Version"] == (row.changes.isEmpty ? "e1-2" : "e1-3"))
        #expect(try harness.ask("GET", list).json["counts"]?["visibleItems"]?.integer == row.counts)
        guard !row.changes.isEmpty else { return }
        #expect(try harness.post(list + "/undo", #"{"transaction":"e1-3"}"#).status == 200)
        let item = try harness.ask("GET", list + "/items/a").json
        #expect(item["starred"] == nil && item["expanded"] == nil && item["reorderable"] == nil)
        #expect(item["kind"] == "item" && item["content"] == [:])
    }

    @Test(arguments: [#"{"starred":null}"#, #"{"expanded":1}"#, #"{"reorderable":"no"}"#, #"{"flags":{}}"#])
    func aPatchWithoutSenseChangesNothing(body: String) throws {
        let harness = try Harness("A:a")
        let reply = try harness.ask("PATCH", list + "/items/a", Harness.json, body)
        #expect(reply.status == 422 && reply.code == "invalid")
        #expect(try harness.ask("GET", list)["List-Version"] == "e1-1")
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var name: String
        var list: String
        var operation: String
        var status = 409
        var code: String
        var testDescription: String { name }
    }

    /// Cases that only name an error. docs/contract.md section 7 has the statuses.
    @Test(arguments: [
        Refused(
            name: "case 3: an id twice in one argument", list: "A:a",
            operation: #"{"op":"appendItems","items":[{"id":"x"},{"id":"x"}]}"#, status: 422, code: "invalid"),
        Refused(
            name: "case 4: no section at all", list: "", operation: #"{"op":"appendItems","items":[{"id":"x"}]}"#,
            code: "no_sections"),
        Refused(
            name: "case 5: a section that exists", list: "A:a",
            operation: #"{"op":"appendSections","sections":[{"id":"B"},{"id":"A"}]}"#, code: "section_exists"),
        Refused(
            name: "case 9: after itself", list: "A:a,b", operation: #"{"op":"moveItem","item":"a","after":"a"}"#,
            code: "self_move"),
        Refused(
            name: "case 12: the anchor in the argument", list: "A:a,b",
            operation: #"{"op":"insertItems","items":["b",{"id":"z"}],"before":"b"}"#, code: "destination_in_list"),
        Refused(
            name: "case 13: reload of what is not there", list: "A:a",
            operation: #"{"op":"reloadItems","items":["a","zz"]}"#, code: "unknown_item"),
        Refused(
            name: "case 52: a place that is not said", list: "A:a,b", operation: #"{"op":"moveItem","item":"a"}"#,
            status: 422, code: "invalid"),
        Refused(
            name: "case 52: two places", list: "A:a,b,c",
            operation: #"{"op":"moveItem","item":"a","before":"c","after":"b"}"#, status: 422, code: "invalid"),
        Refused(
            name: "case 36: children from elsewhere", list: "A:p,c",
            operation: #"{"op":"replaceChildren","parent":"p","items":[{"id":"n"},"c"]}"#, code: "item_exists"),
    ])
    func refuse(_ row: Refused) throws {
        let harness = try Harness(row.list)
        let before = try harness.ask("GET", list).text
        let reply = try harness.post(transactions, body(row.operation))
        #expect(reply.status == row.status)
        #expect(reply.code == row.code)
        #expect(try harness.ask("GET", list).text == before)
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "")
    }

    @Test("case 6: what was not there to be deleted is reported")
    func missing() throws {
        let harness = try Harness("A:a,b B:c")
        let reply = try harness.post(transactions, body(#"{"op":"deleteItems","items":["zz","a"]}"#))
        #expect(try harness.rows("l") == "A:b B:c")
        #expect(reply.changes == "del 0.0")
        #expect(reply.warnings == ["missing zz"])
    }

    @Test("case 11: a move to where it is makes no version")
    func noMove() throws {
        let harness = try Harness("A:a,b,c")
        let reply = try harness.post(transactions, body(#"{"op":"moveItem","item":"a","before":"b"}"#))
        #expect(reply.status == 200)
        #expect(reply.json["changed"] == false)
        #expect(reply.changes == "")
        #expect(reply["List-Version"] == "e1-1")
    }

    @Test("case 13: a reload is content only, and is not repeated when the state is applied again")
    func reload() throws {
        let harness = try Harness("A:a,b,c")
        #expect(try harness.post(transactions, body(#"{"op":"reloadItems","items":["b"]}"#)).changes == "rld 0.1")
        let applied = try harness.put(list, try harness.ask("GET", list).text)
        #expect(applied.json["changed"] == false)
        #expect(applied.changes == "")
        #expect(try harness.ask("GET", list + "/changes?since=e1-2").changes == "")
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "rld 0.1")
    }

    @Test("case 27: whoever asks to reload gets the snapshot and no rows", arguments: ["items", "visible"])
    func reloadMode(view: String) throws {
        let harness = try Harness("A:a,b B:c")
        #expect(try harness.ask("DELETE", list + "/items/b").changes == "del 0.1")
        let reply = try harness.ask("GET", list + "/changes?since=e1-1&mode=reload&view=\(view)")
        let snapshot = try harness.ask("GET", list + "?view=\(view)").json
        #expect(
            reply.json == ["list": "l", "to": "e1-2", "view": .string(view), "reset": true, "snapshot": snapshot])
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "del 0.1")
    }

    @Test("case 61: é composed and é decomposed are two items")
    func normalisation() throws {
        let harness = try Harness("A:\u{E9},e\u{301}")
        #expect(try harness.ask("PUT", list + "/items/e%CC%81/star").changes == "cfg 0.1")
        #expect(try harness.ask("GET", list + "/items/%C3%A9").json["starred"] == nil)
        #expect(try harness.ask("GET", list + "/items/e%CC%81").json["starred"] == true)
        #expect(try harness.ask("DELETE", list + "/items/%C3%A9").changes == "del 0.0")
        #expect(try harness.rows("l").unicodeScalars.elementsEqual("A:e\u{301}".unicodeScalars))
    }

    @Test("case 68: the third of five fails, and nothing is applied")
    func atomic() throws {
        let harness = try Harness("A:a,b B:c")
        let before = try harness.ask("GET", list).text
        let reply = try harness.post(
            transactions,
            body(
                #"{"op":"appendItems","items":[{"id":"n"}],"section":"A"}"#, #"{"op":"deleteItems","items":["a"]}"#,
                #"{"op":"moveItem","item":"zz","section":"A"}"#, #"{"op":"deleteSections","sections":["B"]}"#,
                #"{"op":"deleteAllItems"}"#))
        #expect(reply.status == 409)
        #expect(reply.code == "unknown_item")
        #expect(reply.json["op"] == 2)
        #expect(try harness.ask("GET", list).text == before)
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "")
    }

    // MARK: Two clients

    private let smileys = "/v1/lists/reorderable"
    private let rofl = "smileys.rolling-on-the-floor-laughing"

    /// The first client puts laughing first at `e1-1`, which makes `e1-2`.
    private func raced() throws -> Harness {
        let harness = try Harness(sample: "reorderable")
        let first = try harness.post(
            smileys + "/transactions", body(#"{"op":"moveItem","item":"smileys.laughing","before":"smileys.happy"}"#),
            ["If-Match": "\"e1-1\""])
        #expect(first.status == 200)
        #expect(first.changes == "mov 1.1>1.0")
        return harness
    }

    @Test("case 67: the second of two with one base gets 412 and what it has not seen, then says it by intent")
    func lostRace() throws {
        let harness = try raced()
        let intent = #"{"op":"moveItem","item":"\#(rofl)","before":"smileys.happy"}"#
        let lost = try harness.post(smileys + "/transactions", body(intent), ["If-Match": "\"e1-1\""])
        #expect(lost.status == 412)
        #expect(lost.json["head"] == "e1-2")
        #expect(lost.json["missed"]?.changeText == "mov 1.1>1.0")
        #expect(try harness.ask("GET", smileys)["List-Version"] == "e1-2")
        let rebased = try harness.post(
            smileys + "/transactions", #"{"base":"e1-1","operations":[\#(intent)]}"#)
        #expect(rebased.status == 200)
        #expect(rebased.json["operations"] == [["status": "applied"]])
        #expect(rebased.json["missed"]?.changeText == "mov 1.1>1.0")
        #expect(rebased.json["changes"]?["from"] == "e1-2")
        #expect(rebased.changes == "mov 1.2>1.1")
        #expect(try harness.rows("reorderable").contains("smileys:smileys.laughing,\(rofl),smileys.happy "))
    }

    @Test("case 67: a strict client gets 409 where its anchor is gone, and 200 where nothing needs forgiving")
    func strictRace() throws {
        let harness = try raced()
        #expect(try harness.ask("DELETE", smileys + "/items/smileys.happy").changes == "del 1.1")
        func send(_ anchor: String) throws -> Reply {
            try harness.post(
                smileys + "/transactions?strict=true",
                #"{"base":"e1-1","operations":[{"op":"moveItem","item":"\#(rofl)","before":"\#(anchor)"}]}"#)
        }
        let refused = try send("smileys.happy")
        #expect(refused.status == 409)
        #expect(refused.code == "stale_base")
        #expect(refused.json["head"] == "e1-3")
        #expect(refused.json["missed"]?.changeText == "del 1.0")
        #expect(try harness.ask("GET", smileys)["List-Version"] == "e1-3")
        #expect(try send("smileys.laughing").changes == "mov 1.1>1.0")
    }
}
