import JSONValue
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Writes with `"animated":false`.
@Suite struct AnimatedTests {
    private let list = "/v1/lists/l"

    /// Whether a change set may be shown with an animation. The member `animated` is only ever false or missing.
    private func isAnimated(_ changes: JSONValue?) -> Bool {
        guard let flag = changes?["animated"] else { return true }
        #expect(flag == false)
        return false
    }

    /// Every write that is answered with a change set.
    @Test(arguments: [
        ("PUT", "", #""sections":[]"#), ("PATCH", "", #""title":"N""#), ("PUT", "/sections/s", #""items":[]"#),
        ("PATCH", "/sections/s", #""title":"S""#), ("DELETE", "/sections/s", ""),
        ("POST", "/items", #""items":[{"id":"n"}]"#), ("PATCH", "/items/a", #""starred":true"#),
        ("DELETE", "/items/a", ""), ("PUT", "/items/a/star", ""), ("DELETE", "/items/b/star", ""),
        ("POST", "/items/a/star", ""), ("POST", "/items/p/expand", ""), ("POST", "/items/b/collapse", ""),
        ("POST", "/transactions", #""operations":[{"op":"deleteAllItems"}]"#),
        ("POST", "/reorders", #""sections":{"s":{"final":["b","a","p","c"]}}"#),
        ("POST", "/undo", #""transaction":"e1-2""#), ("POST", "/redo", #""transaction":"e1-4""#),
    ])
    func everyWriteSaysSo(method: String, path: String, body: String) throws {
        for (value, expected) in [("false", false), ("true", true), ("", true)] {
            let harness = try Harness()
            _ = try harness.ask("PATCH", list + "/items/b", Harness.json, #"{"starred":true,"expanded":true}"#)
            _ = try harness.ask("PATCH", list, Harness.json, #"{"title":"M"}"#)
            _ = try harness.post(list + "/undo", #"{"transaction":"e1-3"}"#)
            let members = [body, value.isEmpty ? "" : "\"animated\":\(value)"].filter { !$0.isEmpty }
            let sent = "{\(members.joined(separator: ","))}"
            let dry = try harness.ask(method, list + path + "?dryRun=true", Harness.json, sent)
            #expect(isAnimated(dry.json["changes"]) == expected, "\(dry.text)")
            let fields = Harness.json.merging(["Idempotency-Key": "k"]) { $1 }
            let reply = try harness.ask(method, list + path, fields, sent)
            #expect(reply.status == 200 && isAnimated(reply.json["changes"]) == expected, "\(reply.text)")
            #expect(try harness.ask(method, list + path, fields, sent).text == reply.text)
            #expect(isAnimated(try harness.ask("GET", list + "/changes?since=e1-4").json) == expected)
            #expect(isAnimated(try harness.ask("GET", list + "/changes?since=e1-3").json))
        }
    }

    @Test(arguments: ["0", "null", #""no""#])
    func onlyTrueOrFalse(value: String) throws {
        let harness = try Harness()
        let reply = try harness.post(list + "/items/a/star", #"{"animated":\#(value)}"#)
        #expect(reply.status == 422 && reply.json["errors"]?[0]?["pointer"] == "/animated")
        #expect(try harness.ask("GET", list)["List-Version"] == "e1-1")
    }

    @Test func whatChangesNothingSaysNothing() throws {
        let harness = try Harness()
        let reply = try harness.ask("DELETE", list + "/items/a/star", Harness.json, #"{"animated":false}"#)
        #expect(reply.json["changed"] == false && reply.json["changes"]?["animated"] == nil)
        let created = try harness.put("/v1/lists/n", #"{"animated":false}"#)
        #expect(created.status == 201)
        #expect(try harness.ask("DELETE", "/v1/lists/n", Harness.json, #"{"animated":false}"#).status == 204)
    }

    /// A net change set is animated unless none of its versions is. This is tested for every span of kept versions.
    @Test(arguments: Soak.seeds(20))
    func netChangesAreAnimatedIfAnythingIs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let harness = try Harness()
        // Whether each version is animated; the index is the revision.
        var flags = [true, true]
        let rate = Int.random(in: 1...6, using: &random)
        for _ in 0..<40 {
            let flag = Int.random(in: 0...rate, using: &random) == 0
            flags.append(flag)
            // The value is new each time, so that every view has a change.
            let body = #"{"content":{"m":\#(flags.count)},"animated":\#(flag)}"#
            #expect(try harness.ask("PATCH", list + "/items/a", Harness.json, body).status == 200)
            let newest = flags.count - 1
            for since in max(1, newest - 10)..<newest {
                let expected = flags[(since + 1)...].contains(true)
                for view in ["", "&view=visible", "&kind=k", "&sort=content.n"] {
                    let reply = try harness.ask("GET", "\(list)/changes?since=e1-\(since)\(view)").json
                    #expect(reply["reset"] == nil && isAnimated(reply) == expected, "\(since) to \(newest)\(view)")
                }
            }
        }
    }

    @Test func whatWasMissedSaysSo() throws {
        let harness = try Harness()
        for item in ["a", "b"] {
            _ = try harness.ask("PUT", list + "/items/\(item)/star", Harness.json, #"{"animated":false}"#)
        }
        let reply = try harness.ask("PUT", list + "/items/p/star", Harness.json, #"{"base":"e1-1"}"#).json
        #expect(!isAnimated(reply["missed"]) && isAnimated(reply["changes"]))
        let late = try harness.ask("PUT", list + "/items/c/star", ["If-Match": "\"e1-2\""]).json
        #expect(late["head"] == "e1-4" && isAnimated(late["missed"]))
    }

    @Test func streamsSaySo() throws {
        try Harness("A:a,b").serve { port, client, _ in
            func star(_ item: String, _ isAnimated: Bool) throws {
                let body = #"{"animated":\#(isAnimated),"label":"L"}"#
                #expect(try client.send("POST", list + "/items/\(item)/star", json: body).status == 200)
            }
            let stream = try EventClient(port: port, list + "/changes?since=e1-1")
            for (index, flag) in [false, true, false].enumerated() {
                try star("a", flag)
                let event = try #require(try stream.next())
                #expect(event.json["to"]?.string == "e1-\(index + 2)" && event.json["label"] == "L")
                #expect(isAnimated(event.json) == flag)
            }
            try star("b", false)
            // The changes since a version come as one net change, for all rows and for some.
            for (since, expected) in [(2, true), (3, false), (4, false)] {
                for query in ["", "&starred=true", "&around=a"] {
                    let target = list + "/changes?since=e1-\(since)\(query)"
                    let event = try #require(try EventClient(port: port, target).next())
                    guard event.name == "change" else { continue }
                    #expect(isAnimated(event.json) == expected, "\(target)")
                }
            }
        }
    }

    /// History tells the operations. A body with only `animated` adds nothing to them.
    @Test func historyIsAsBefore() throws {
        let harness = try Harness()
        _ = try harness.ask("PUT", list + "/items/a/star", Harness.json, #"{"animated":false}"#)
        let told = try harness.ask("GET", list + "/transactions?limit=1").json["transactions"]?[0]
        #expect(told?["operations"] == [["op": "starItems", "items": ["a"]]])
    }
}
