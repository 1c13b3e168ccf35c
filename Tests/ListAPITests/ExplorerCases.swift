import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// docs/model.md section 15 over HTTP, on the sample `emoji-explorer`: sections 0 recents, 1 outline, 2 list.
@Suite struct ExplorerCases {
    private let list = "/v1/lists/emoji-explorer"

    private func counts(_ harness: Harness) throws -> JSONValue? { try harness.ask("GET", list).json["counts"] }

    private func sizes(_ harness: Harness, view: String) throws -> [Int] {
        parts(try harness.ask("GET", list + "?view=\(view)").json["sections"]).map { parts($0["items"]).count }
    }

    /// The body of the section `recents` as it is now, with one more item if `id` is given.
    private func recents(_ harness: Harness, adding id: String? = nil) throws -> String {
        guard case .object(var section) = try harness.ask("GET", list + "/sections/recents").json else { return "" }
        section.remove("version")
        if let id { section.set(.array(parts(section["items"]) + [.string(id)]), for: "items") }
        return String(decoding: JSONValue.object(section).bytes, as: UTF8.self)
    }

    @Test("case 24: recents applied twice are applied once")
    func appliedTwice() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let recents = try recents(harness)
        #expect(try harness.ask("DELETE", list + "/sections/recents").changes == "delS 0")
        #expect(try harness.put(list + "/sections/recents", recents).changes == "insS 2")
        let again = try harness.put(list + "/sections/recents", recents)
        #expect(again.json["changed"] == false)
        #expect(again.changes == "")
        #expect(again["List-Version"] == "e1-3")
    }

    @Test("case 24: nor does the list or the sample applied to itself change anything")
    func appliedToItself() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let put = try harness.put(list, try harness.ask("GET", list).text)
        let reset = try harness.ask("POST", "/v1/samples/emoji-explorer")
        for reply in [put, reset] {
            #expect(reply.json["changed"] == false)
            #expect(reply.changes == "")
            #expect(reply["List-Version"] == "e1-1")
        }
    }

    @Test("case 41: 36 rows of 57 items at the start")
    func start() throws {
        let harness = try Harness(sample: "emoji-explorer")
        #expect(try counts(harness) == ["sections": 3, "items": 57, "visibleItems": 36])
        #expect(try sizes(harness, view: "items") == [8, 28, 21])
        #expect(try sizes(harness, view: "visible") == [8, 7, 21])
    }

    @Test("case 41: Food shows its three rows and hides them")
    func expandFood() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let food = list + "/items/outline.food"
        let expanded = try harness.ask("POST", food + "/expand?view=visible")
        #expect(expanded.changes == "ins 1.3, ins 1.4, ins 1.5, cfg 1.2")
        #expect(try counts(harness) == ["sections": 3, "items": 57, "visibleItems": 39])
        let collapsed = try harness.ask("POST", food + "/collapse?view=visible")
        #expect(collapsed.changes == "del 1.5, del 1.4, del 1.3, cfg 1.2")
        #expect(try counts(harness) == ["sections": 3, "items": 57, "visibleItems": 36])
    }

    @Test("case 42: a child of collapsed Food is no visible row, and Food counts it")
    func hiddenChild() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let reply = try harness.post(
            list + "/items?view=visible", #"{"items":[{"id":"outline.cheese"}],"parent":"outline.food"}"#)
        #expect(reply.changes == "cfg 1.2")
        let food = reply.json["changes"]?["items"]?["reconfigured"]?[0]?["item"]
        #expect(food?["id"] == "outline.food")
        #expect(food?["childCount"] == 4)
        #expect(try sizes(harness, view: "items") == [8, 29, 21])
        #expect(try sizes(harness, view: "visible") == [8, 7, 21])
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "ins 1.12")
    }

    @Test("case 43: recents that name the fox of the list take it from there")
    func takenFromAnotherSection() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let reply = try harness.put(list + "/sections/recents", try recents(harness, adding: "list.fox"))
        #expect(reply.changes == "mov 2.3>0.8")
        #expect(try sizes(harness, view: "items") == [9, 28, 20])
        #expect(try harness.ask("GET", list + "/items/list.fox").json["section"] == "recents")
    }

    /// The model's type sees an unknown section as an empty tree. For a client the section does not exist.
    @Test("case 43: an unknown section is made at the end, and one that goes takes its tree with it")
    func sections() throws {
        let harness = try Harness(sample: "emoji-explorer")
        #expect(try harness.ask("GET", list + "/sections/new").status == 404)
        #expect(try harness.put(list + "/sections/new", #"{"items":[{"id":"n"}]}"#).changes == "insS 3")
        #expect(try harness.ask("DELETE", list + "/sections/outline").changes == "delS 1")
        #expect(try counts(harness) == ["sections": 3, "items": 30, "visibleItems": 30])
        #expect(try harness.ask("GET", list + "/items/outline.fox").status == 404)
        #expect(try harness.put(list + "/sections/outline", #"{"items":[{"id":"outline.food"}]}"#).changes == "insS 3")
        #expect(try sizes(harness, view: "items") == [8, 21, 1, 1])
    }

    @Test(
        "case 57: what happens to one twin does not happen to the others",
        arguments: [
            (#"{"op":"starItems","items":["list.whiskey"]}"#, "cfg 2.6"),
            (#"{"op":"deleteItems","items":["recents.whiskey"]}"#, "del 0.1"),
            (#"{"op":"moveItem","item":"recents.whiskey","before":"list.whiskey"}"#, "mov 0.1>2.6"),
            (#"{"op":"moveItem","item":"outline.whiskey","section":"recents"}"#, "mov 1.9>0.8, cfg 0.8"),
        ])
    func twins(operation: String, changes: String) throws {
        let harness = try Harness(sample: "emoji-explorer")
        let reply = try harness.post(list + "/transactions", #"{"operations":[\#(operation)]}"#)
        #expect(reply.changes == changes)
    }

    // MARK: The star

    @Test("case 58: set twice is one change, and touches its row only")
    func starTwice() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let star = list + "/items/list.whiskey/star"
        let first = try harness.ask("PUT", star)
        #expect(first.changes == "cfg 2.6")
        #expect(first.json["changes"]?["items"]?["reconfigured"]?[0]?["item"]?["starred"] == true)
        let second = try harness.ask("PUT", star)
        #expect(second.status == 200)
        #expect(second.json["changed"] == false)
        #expect(second.changes == "")
        #expect(second["List-Version"] == "e1-2")
        #expect(try harness.ask("GET", list + "/changes?since=e1-1").changes == "cfg 2.6")
        for twin in ["recents.whiskey", "outline.whiskey"] {
            #expect(try harness.ask("GET", list + "/items/\(twin)").json["starred"] == nil)
        }
    }

    @Test("case 58: unset by a client that has not seen that another unset it")
    func unstarLate() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let star = list + "/items/list.apple/star"
        #expect(try harness.ask("DELETE", star).changes == "cfg 2.7")
        let late = try harness.ask("DELETE", star, Harness.json, #"{"base":"e1-1"}"#)
        #expect(late.status == 200)
        #expect(late.json["changed"] == false)
        #expect(late.json["missed"]?.changeText == "cfg 2.7")
        #expect(late["List-Version"] == "e1-2")
    }

    @Test("case 58: a toggle is one change each time")
    func toggle() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let star = list + "/items/list.whiskey/star"
        for starred in [JSONValue.bool(true), nil] {
            #expect(try harness.ask("POST", star).changes == "cfg 2.6")
            #expect(try harness.ask("GET", list + "/items/list.whiskey").json["starred"] == starred)
        }
    }

    /// Any item can be starred (docs/contract.md section 1).
    @Test("case 58: a header can be starred, an unknown item cannot")
    func starOthers() throws {
        let harness = try Harness(sample: "emoji-explorer")
        #expect(try harness.ask("PUT", list + "/items/outline.food/star?view=visible").changes == "cfg 1.2")
        #expect(try harness.ask("PUT", list + "/items/none/star").status == 404)
        let operation = #"{"operations":[{"op":"starItems","items":["list.fox","none"]}]}"#
        let refused = try harness.post(list + "/transactions", operation)
        #expect(refused.status == 409)
        #expect(refused.code == "unknown_item")
        #expect(try harness.ask("GET", list)["List-Version"] == "e1-2")
        #expect(try harness.ask("GET", list + "/items/list.fox").json["starred"] == nil)
    }

    @Test("case 59: a seed draws the same one to five stars wherever it is sent", arguments: [0, 7, 41])
    func seededStars(seed: Int) throws {
        let texts = try (0..<2).map { _ in
            let harness = try Harness(itemsMax: 1_000)
            try #require(try harness.post("/v1/samples/emoji-explorer", #"{"seed":\#(seed)}"#).status == 200)
            return try harness.ask("GET", list).text
        }
        #expect(texts[0] == texts[1])
        #expect((1...5).contains(texts[0].ranges(of: #""starred":true"#).count))
    }

    // MARK: Texts

    @Test("case 60: the cyclist's joiner and the watch's private-use apple come through")
    func texts() throws {
        let harness = try Harness(sample: "emoji-explorer")
        let cyclist = try harness.ask("GET", list + "/items/list.cycling").json["content"]?["text"]?.string
        #expect(cyclist?.unicodeScalars.map(\.value) == [0x1F6B4, 0x200D, 0x2640, 0xFE0F])
        let watch = try harness.ask("GET", list + "/items/list.watch").json["content"]?["title"]?.string
        #expect(watch?.unicodeScalars.first?.value == 0xF8FF)
    }

    @Test(
        "case 60: texts that look alike are different texts",
        arguments: [
            ("list.cycling", ["\u{1F6B4}\u{2640}\u{FE0F}"]), ("list.camping", ["\u{26FA}"]),
            ("list.fox", ["\u{E9}", "e\u{301}", "\u{E9}"]),
        ])
    func lookalikes(item: String, texts: [String]) throws {
        let harness = try Harness(sample: "emoji-explorer")
        for text in texts {
            let body = #"{"content":{"text":"\#(text)"}}"#
            let reply = try harness.ask("PATCH", list + "/items/\(item)", Harness.json, body)
            #expect(reply.json["changed"] == true)
            let now = try harness.ask("GET", list + "/items/\(item)").json["content"]?["text"]
            // The comparison is of JSON values: two Swift strings are equal if one has é composed and the other has it
            // decomposed.
            #expect(now == .string(text))
        }
    }
}
