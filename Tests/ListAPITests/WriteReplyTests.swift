import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The fields and bodies of answers to writes.
@Suite struct WriteReplyTests {
    private let star = "/v1/lists/l/items/a/star"

    @Test func resultsCarryTheVersion() throws {
        let reply = try Harness().ask("PUT", star)
        #expect(reply["ETag"] == "\"e1-2\"")
        #expect(reply["List-Version"] == "e1-2")
        #expect(reply["X-Request-Id"] == "made")
        #expect(reply.json["version"] == "e1-2")
        #expect(reply.json["changed"] == true)
        #expect(reply.json["operations"] == [["status": "applied"]])
    }

    /// No cache keeps the result of a write, so it has no fields for caches.
    @Test func resultsAreNotToBeKept() throws {
        let reply = try Harness().ask("PUT", star)
        #expect(reply["Content-Type"] == "application/json")
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply["Vary"] == nil)
        #expect(reply["Cache-Control"] == nil)
    }

    @Test func whatChangesNothingMakesNoVersion() throws {
        let harness = try Harness()
        _ = try harness.ask("PUT", star)
        let reply = try harness.ask("PUT", star)
        #expect(reply.status == 200)
        #expect(reply.json["version"] == "e1-2")
        #expect(reply.json["changed"] == false)
    }

    @Test func creationSaysWhere() throws {
        let reply = try Harness().ask("PUT", "/v1/lists/new", Harness.json, "{}")
        #expect(reply["Location"] == "/v1/lists/new")
        #expect(reply.json["changes"] == nil)
    }

    @Test func minimalMeansNoBody() throws {
        let harness = try Harness()
        let prefer = ["Prefer": "respond-async, return=\"minimal\""]
        let starred = try harness.ask("PUT", star, prefer)
        #expect(starred.status == 204)
        #expect(starred.text.isEmpty)
        #expect(starred["Preference-Applied"] == "return=minimal")
        #expect(starred["List-Version"] == "e1-2")
        let created = try harness.ask("PUT", "/v1/lists/new", Harness.json.merging(prefer) { $1 }, "{}")
        #expect(created.status == 201)
        #expect(created.text.isEmpty)
    }

    @Test func minimalKeepsWhatMustBeTold() throws {
        let harness = try Harness()
        let prefer = Harness.json.merging(["Prefer": "return=minimal"]) { $1 }
        let missing = #"{"operations":[{"op":"deleteItems","items":["none"]}]}"#
        let warned = try harness.ask("POST", "/v1/lists/l/transactions", prefer, missing)
        #expect(warned.status == 200)
        #expect(warned["Preference-Applied"] == nil)
        #expect(warned.warnings == ["missing none"])
        _ = try harness.ask("PUT", star)
        let behind = try harness.ask("PUT", "/v1/lists/l/items/b/star", prefer, #"{"base":"e1-1"}"#)
        #expect(behind.status == 200)
        #expect(behind.json["missed"]?["from"] == "e1-1")
        #expect(behind.json["missed"]?["to"] == "e1-2")
    }

    @Test func aDryRunKeepsNothing() throws {
        let harness = try Harness()
        let reply = try harness.ask("PUT", "/v1/lists/l?dryRun=true", Harness.json, #"{"sections":[]}"#)
        #expect(reply.status == 200)
        #expect(reply.json["version"] == "e1-1")
        #expect(reply.json["changes"]?["from"] == "e1-1")
        #expect(reply.json["changes"]?["to"] == nil)
        #expect(try harness.ask("GET", "/v1/lists/l")["List-Version"] == "e1-1")
        let creation = try harness.ask("PUT", "/v1/lists/n?dryRun=true", Harness.json, "{}")
        #expect(creation.status == 200 && creation["ETag"] == nil)
        #expect(creation.json == ["changed": true, "operations": [["status": "applied"]]])
        #expect(try harness.ask("GET", "/v1/lists/n").status == 404)
    }

    /// Every write, on a list whose first transaction was undone by the second.
    @Test(arguments: [
        Row.json("PUT", "", #"{"sections":[]}"#, 200), .json("PATCH", "", #"{"title":"N"}"#, 200),
        Row("DELETE", "", 200), .json("PUT", "/sections/s", #"{"items":[]}"#, 200),
        .json("PATCH", "/sections/s", #"{"title":"S"}"#, 200), Row("DELETE", "/sections/s", 200),
        .json("POST", "/items", #"{"items":[{"id":"n"}]}"#, 200), .json("PATCH", "/items/a", #"{"starred":true}"#, 200),
        Row("DELETE", "/items/a", 200), Row("PUT", "/items/a/star", 200), Row("DELETE", "/items/b/star", 200),
        Row("POST", "/items/a/star", 200), Row("POST", "/items/p/expand", 200), Row("POST", "/items/b/collapse", 200),
        .json("POST", "/transactions", #"{"operations":[{"op":"deleteAllItems"}]}"#, 200),
        .json("POST", "/reorders", #"{"sections":{"s":{"final":["b","a","p","c"]}}}"#, 200),
        .json("POST", "/undo", #"{"transaction":"e1-2"}"#, 200),
        .json("POST", "/redo", #"{"transaction":"e1-4"}"#, 200),
    ])
    func everyWriteCanBeDry(_ row: Row) throws {
        let harness = try Harness()
        _ = try harness.ask("PATCH", "/v1/lists/l/items/b", Harness.json, #"{"starred":true,"expanded":true}"#)
        _ = try harness.ask("PATCH", "/v1/lists/l", Harness.json, #"{"title":"M"}"#)
        _ = try harness.post("/v1/lists/l/undo", #"{"transaction":"e1-3"}"#)
        let before = try harness.ask("GET", "/v1/lists/l").text
        let target = "/v1/lists/l" + row.target
        // A dry run does not use up its key, also if the client prefers a minimal answer.
        let fields = row.fields.merging(["Idempotency-Key": "k", "Prefer": "return=minimal"]) { $1 }
        for _ in 0..<2 {
            let dry = try harness.ask(row.method, target + "?dryRun=true", fields, row.body)
            #expect(dry.status == 200 && dry["Idempotency-Replayed"] == nil, "\(dry.text)")
            #expect(dry["List-Version"] == "e1-4" && dry.json["version"] == "e1-4" && dry.json["changed"] == true)
            if row.target.isEmpty, row.method == "DELETE" {
                #expect(dry.text == #"{"version":"e1-4","changed":true,"operations":[]}"#)
            } else {
                #expect(dry.json["changes"]?["from"] == "e1-4" && dry.json["changes"]?["to"] == nil)
                let rows = try #require(dry.changes)
                #expect(!rows.isEmpty || dry.json["changes"]?["properties"] != nil, "\(dry.text)")
            }
            #expect(try harness.ask("GET", "/v1/lists/l").text == before)
        }
        let real = try harness.ask(row.method, target, fields, row.body)
        #expect(real.status == 200 || real.status == 204)
        #expect(real["Idempotency-Replayed"] == nil)
    }

    @Test func samplesCanBeDry() throws {
        let harness = try Harness(sample: "wifi")
        for sample in ["wifi", "main-sub"] {
            let dry = try harness.ask("POST", "/v1/samples/\(sample)?dryRun=true")
            #expect(dry.status == 200 && dry["Location"] == nil)
        }
        #expect(try harness.ask("GET", "/v1/lists/main-sub").status == 404)
        let before = try harness.ask("GET", "/v1/lists/wifi").text
        let step = try harness.post("/v1/samples/wifi/step?dryRun=true", #"{"seed":11}"#)
        #expect(step.json["changed"] == true && step.changes?.isEmpty == false && step.json["version"] == "e1-1")
        #expect(try harness.ask("GET", "/v1/lists/wifi").text == before)
    }

    /// A dry run is refused if the write would be.
    @Test func aDryRunIsRefusedAsTheWriteWouldBe() throws {
        let harness = try Harness()
        let list = "/v1/lists/l"
        #expect(try harness.ask("DELETE", "/v1/lists/none?dryRun=true").status == 404)
        #expect(try harness.ask("DELETE", list + "?dryRun=true", ["If-Match": "\"e1-7\""]).status == 412)
        #expect(try harness.ask("PUT", list + "/items/none/star?dryRun=true").status == 404)
        let cycle = try harness.post(
            list + "/transactions?dryRun=true", #"{"operations":[{"op":"moveItem","item":"p","parent":"c"}]}"#)
        #expect(cycle.status == 409 && cycle.code == "cycle")
        #expect(try harness.ask("GET", list)["List-Version"] == "e1-1")
    }

    @Test func aRetryGetsTheSameAnswer() throws {
        let harness = try Harness()
        let first = try harness.ask("POST", star, ["Idempotency-Key": "k1"])
        let retry = try harness.ask("POST", star, ["Idempotency-Key": "\"k1\""])
        #expect(first["Idempotency-Replayed"] == nil)
        #expect(retry["Idempotency-Replayed"] == "true")
        #expect(retry.text == first.text)
        #expect(try harness.ask("GET", "/v1/lists/l")["List-Version"] == "e1-2")
    }

    @Test func aReusedKeyIsRefused() throws {
        let harness = try Harness()
        let fields = Harness.json.merging(["Idempotency-Key": "k1"]) { $1 }
        let list = "/v1/lists/l"
        #expect(try harness.ask("PATCH", list, fields, #"{"title":"A"}"#).status == 200)
        let otherBody = try harness.ask("PATCH", list, fields, #"{"title":"B"}"#)
        #expect(otherBody.status == 422)
        #expect(otherBody.code == "key_reused")
        #expect(try harness.ask("PATCH", list + "?strict=true", fields, #"{"title":"A"}"#).code == "key_reused")
        let match = fields.merging(["If-Match": "*"]) { $1 }
        #expect(try harness.ask("PATCH", list, match, #"{"title":"A"}"#).code == "key_reused")
        // Another method or path is another scope of keys.
        #expect(try harness.ask("PUT", star, ["Idempotency-Key": "k1"])["Idempotency-Replayed"] == nil)
    }

    @Test func aRetryOutlivesItsList() throws {
        let harness = try Harness()
        #expect(try harness.ask("DELETE", "/v1/lists/l", ["Idempotency-Key": "k"]).status == 204)
        let retry = try harness.ask("DELETE", "/v1/lists/l", ["Idempotency-Key": "k"])
        #expect(retry.status == 204)
        #expect(retry["Idempotency-Replayed"] == "true")
        #expect(try harness.ask("DELETE", "/v1/lists/l").status == 404)
    }

    @Test func ifMatchHolds() throws {
        let harness = try Harness()
        #expect(try harness.ask("PUT", star, ["If-Match": "\"e1-1\""]).status == 200)
        let late = try harness.ask("DELETE", star, ["If-Match": "W/\"e1-1+gzip\""])
        #expect(late.status == 412)
        #expect(late.json["head"] == "e1-2")
        #expect(late.json["missed"]?["from"] == "e1-1")
        #expect(try harness.ask("DELETE", star, ["If-Match": "\"e1-1\", W/\"e1-2+gzip\""]).status == 200)
        #expect(try harness.ask("PUT", star, ["If-Match": "*"]).status == 200)
    }

    @Test func installingIsNoPut() throws {
        let harness = try Harness()
        let installed = try harness.ask("POST", "/v1/samples/main-sub")
        #expect(installed.status == 200)
        #expect(installed["Location"] == nil)
        #expect(installed.json["changed"] == true)
        #expect(installed.json["changes"] == nil)
        #expect(try harness.ask("GET", "/v1/lists/main-sub")["ETag"] == installed["ETag"])
    }

    /// The collapsed `p` hides `c`, so the star of `c` is not in the view.
    @Test func missedCountsTheRowsOfTheView() throws {
        let harness = try Harness()
        for item in ["b", "c"] { _ = try harness.ask("PUT", "/v1/lists/l/items/\(item)/star") }
        let seen = try harness.ask("GET", "/v1/lists/l/changes?since=e1-1&view=visible").json
        let late = try harness.ask("PUT", "/v1/lists/l/items/a/star?view=visible", ["If-Match": "\"e1-1\""])
        #expect(late.status == 412)
        #expect(late.json["missed"] == seen)
        #expect(seen["items"]?["reconfigured"]?[0]?["item"]?["id"] == "b")
        #expect(seen["items"]?["reconfigured"]?[1] == nil)
    }

    @Test func deletingAListHeedsItsBase() throws {
        let harness = try Harness()
        _ = try harness.ask("PUT", "/v1/lists/l/items/a/star")
        for base in ["other-1", "e1-3"] {
            let reply = try harness.ask("DELETE", "/v1/lists/l", Harness.json, #"{"base":"\#(base)"}"#)
            #expect(reply.status == 409)
            #expect(reply.code == "unknown_base")
            #expect(reply.json["head"] == "e1-2")
            #expect(reply.json["missed"]?["reset"] == true)
        }
        #expect(try harness.ask("GET", "/v1/lists/l").status == 200)
        #expect(try harness.ask("DELETE", "/v1/lists/l", Harness.json, #"{"base":"e1-1"}"#).status == 204)
    }

    @Test func aStrictStaleWriteSaysWhatWasMissed() throws {
        let harness = try Harness()
        #expect(try harness.ask("DELETE", "/v1/lists/l/items/b").status == 200)
        let body = #"{"base":"e1-1","operations":[{"op":"starItems","items":["b"]}]}"#
        let strict = try harness.ask("POST", "/v1/lists/l/transactions?strict=true", Harness.json, body)
        #expect(strict.status == 409)
        #expect(strict.code == "stale_base")
        #expect(strict.json["head"] == "e1-2")
        #expect(strict.json["missed"]?["to"] == "e1-2")
        let forgiving = try harness.ask("POST", "/v1/lists/l/transactions", Harness.json, body)
        #expect(forgiving.status == 200)
        #expect(forgiving.json["operations"]?[0]?["status"] == "dropped")
        #expect(forgiving.json["operations"]?[0]?["reason"] == "item_deleted")
    }

    @Test func anUnknownBaseGetsAReset() throws {
        let reply = try Harness().ask("PUT", star, Harness.json, #"{"base":"e9-1"}"#)
        #expect(reply.code == "unknown_base")
        #expect(reply.json["missed"]?["reset"] == true)
        #expect(reply.json["missed"]?["snapshot"]?["version"] == "e1-1")
    }
}
