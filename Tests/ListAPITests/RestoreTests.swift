import JSONValue
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// A restoration over HTTP: an old version of a list becomes the head again.
@Suite struct RestoreTests {
    private let harness: Harness

    init() throws { harness = try Harness() }

    private func restore(_ body: String, _ query: String = "", _ fields: [String: String] = [:]) throws -> Reply {
        try harness.ask("POST", "/v1/lists/l/restore" + query, Harness.json.merging(fields) { $1 }, body)
    }

    private func snapshot(_ query: String = "") throws -> JSONValue {
        try harness.ask("GET", "/v1/lists/l" + query).json
    }

    private func starA() throws { _ = try harness.ask("POST", "/v1/lists/l/items/a/star") }

    private func patchA(_ number: Int) throws {
        _ = try harness.ask("PATCH", "/v1/lists/l/items/a", Harness.json, #"{"content":{"n":\#(number)}}"#)
    }

    @Test func allOfTheVersionComesBack() throws {
        let first = try snapshot()
        _ = try harness.ask(
            "PUT", "/v1/lists/l", Harness.json,
            #"{"title":"M","layout":{"kind":"list"},"sections":[{"id":"n","header":{"h":1},"items":["c","b"]}]}"#)
        try starA()
        let dry = try restore(#"{"version":"e1-1"}"#, "?dryRun=true")
        #expect(dry.status == 200 && dry.json["version"] == "e1-2" && dry.json["changed"] == true)
        let reply = try restore(#"{"version":"e1-1","label":"oops"}"#)
        #expect(reply.status == 200 && reply.json["version"] == "e1-3" && reply["ETag"] == "\"e1-3\"")
        #expect(reply.json["changes"]?["from"] == "e1-2" && reply.json["changes"]?["to"] == "e1-3")
        #expect(try reply.json["operations"] == json(#"[{"status":"applied"}]"#))
        for member in ["title", "layout", "sections"] {
            #expect(try snapshot()[member] == first[member])
        }
        let told = try #require(parts(try harness.ask("GET", "/v1/lists/l/transactions").json["transactions"]).first)
        #expect(told["restores"] == "e1-1" && told["label"] == "oops" && told["operations"] == .array([]))
        #expect(try harness.post("/v1/lists/l/undo", #"{"transaction":"e1-3"}"#).json["version"] == "e1-4")
        #expect(try snapshot()["title"] == "M")
        #expect(try harness.rows("l") == "n:c,b")
    }

    @Test func theHeadsOwnStateChangesNothing() throws {
        try starA()
        try starA()
        for version in ["e1-3", "e1-1"] {
            let reply = try restore(#"{"version":"\#(version)"}"#)
            #expect(reply.status == 200 && reply.json["changed"] == false && reply.json["version"] == "e1-3")
        }
    }

    @Test(arguments: [
        ("", 409, "not_deleted"), (#"{"label":"x"}"#, 409, "not_deleted"), (#"{"version":7}"#, 422, "invalid"),
        (#"{"version":"e1-9"}"#, 404, "not_found"), (#"{"version":"e9-1"}"#, 409, "made_anew"),
        (#"{"version":"e1-1"}"#, 410, "version_gone"), (#"{"version":"e1-12","base":"e1-1"}"#, 409, "unknown_base"),
        (#"{"version":"e1-12","what":1}"#, 422, "invalid"),
    ])
    func refused(_ body: String, _ status: Int, _ code: String) throws {
        for _ in 0..<(status == 404 ? 1 : 12) { try starA() }
        let reply = try harness.ask("POST", "/v1/lists/l/restore", body.isEmpty ? [:] : Harness.json, body)
        #expect(reply.status == status && reply.code == code, "\(reply.text)")
        if code == "made_anew" { #expect(reply.json["head"] == "e1-13") }
        #expect(try harness.ask("POST", "/v1/lists/no/restore", Harness.json, #"{"version":"e1-1"}"#).status == 404)
    }

    @Test func preconditionsAndRetriesAreAsOfOtherWrites() throws {
        try starA()
        #expect(try restore(#"{"version":"e1-1"}"#, "", ["If-Match": "\"e1-1\""]).status == 412)
        let known = try restore(#"{"version":"e1-1","base":"e1-1"}"#, "?strict=true", ["Idempotency-Key": "k"])
        #expect(known.status == 200 && known.json["missed"]?["to"] == "e1-2" && known.json["version"] == "e1-3")
        let again = try restore(#"{"version":"e1-1","base":"e1-1"}"#, "?strict=true", ["Idempotency-Key": "k"])
        #expect(again["Idempotency-Replayed"] == "true" && again.json["version"] == "e1-3")
        #expect(try restore(#"{"version":"e1-2"}"#, "", ["Prefer": "return=minimal"]).status == 204)
    }

    /// A snapshot that is put with its own old version is rebased. It changes nothing, and the answer says so.
    @Test func aSnapshotThatChangesNothingSaysSo() throws {
        let old = try harness.ask("GET", "/v1/lists/l").text
        try patchA(2)
        let reply = try harness.ask("PUT", "/v1/lists/l", Harness.json, old)
        #expect(reply.status == 200 && reply.json["changed"] == false)
        let warning = try #require(parts(reply.json["warnings"]).first)
        #expect(warning["code"] == "rebased_to_nothing" && warning["version"] == "e1-1")
        // The warning is missing if the client's version is the head, or if the client names a base itself.
        let newest = try harness.ask("GET", "/v1/lists/l").text
        let (same, named) = (
            try harness.ask("PUT", "/v1/lists/l", Harness.json, newest),
            try harness.ask("PUT", "/v1/lists/l", Harness.json, "{\"base\":\"e1-1\"," + old.dropFirst())
        )
        for reply in [same, named] { #expect(reply.json["changed"] == false && reply.json["warnings"] == nil) }
        try patchA(1)
        let equal = try harness.ask("PUT", "/v1/lists/l", Harness.json, old)
        #expect(equal.json["changed"] == false && equal.json["warnings"] == nil)
        // Without its version the snapshot is the wanted state, and is not rebased.
        try patchA(2)
        let plain = old.replacing(#""version":"e1-1","#, with: "")
        #expect(try harness.ask("PUT", "/v1/lists/l", Harness.json, plain).json["changed"] == true)
    }

    @Test func aSectionThatChangesNothingSaysSo() throws {
        let old = try harness.ask("GET", "/v1/lists/l/sections/s").text
        try patchA(2)
        let reply = try harness.ask("PUT", "/v1/lists/l/sections/s", Harness.json, old)
        #expect(reply.json["changed"] == false)
        #expect(parts(reply.json["warnings"]).first?["code"] == "rebased_to_nothing")
    }
}
