import JSONValue
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Deleted lists over HTTP: they can be found, restored and purged.
@Suite struct DeletedListTests {
    private let harness: Harness

    init() throws { harness = try Harness(lists: ["l", "m", "n"], keepsDeletedLists: true) }

    private func delete(_ id: String, _ query: String = "", _ fields: [String: String] = [:]) throws -> Reply {
        try harness.ask("DELETE", "/v1/lists/\(id)\(query)", fields)
    }

    private func restore(_ id: String, _ body: String = "") throws -> Reply {
        try harness.ask("POST", "/v1/lists/\(id)/restore", body.isEmpty ? [:] : Harness.json, body)
    }

    private func ids(_ query: String) throws -> [String] {
        parts(try harness.ask("GET", "/v1/lists" + query).json["lists"]).compactMap { $0["id"]?.string }
    }

    @Test func areListedByThemselves() throws {
        for id in ["n", "l"] { #expect(try delete(id).status == 204) }
        #expect(try ids("") == ["m"] && ids("?deleted=true") == ["l", "n"] && ids("?deleted=false") == ["m"])
        let page = try harness.ask("GET", "/v1/lists?deleted=true&limit=1")
        #expect(page["Link"] == #"</v1/lists?deleted=true&limit=1&cursor=l>; rel="next""#)
        #expect(try ids("?deleted=true&limit=1&cursor=l") == ["n"])
        #expect(try ids("?deleted=true&filter=N") == ["n"] && ids("?deleted=true&filter=m") == [])
        let found = try harness.ask("GET", "/v1/lists?deleted=true&filter=L&limit=1")
        #expect(found["Link"] == #"</v1/lists?deleted=true&filter=L&limit=1&cursor=l>; rel="next""#)
        #expect(
            try parts(page.json["lists"]) == [
                json(
                    #"""
                    {"id":"l","title":"L","version":"e1-1","counts":{"sections":2,"items":4,"visibleItems":3},
                    "deletedAt":"1970-01-01T00:00:00Z","restorableUntil":"1970-01-02T00:00:00Z"}
                    """#)
            ])
    }

    @Test func comeBackAsTheSameList() throws {
        _ = try harness.ask("POST", "/v1/lists/l/items/a/star")
        #expect(try delete("l", "", ["If-Match": "\"e1-2\""]).status == 204)
        for (method, target) in [
            ("GET", "/v1/lists/l"), ("GET", "/v1/lists/l/changes"), ("POST", "/v1/lists/l/items/a/star"),
        ] {
            let reply = try harness.ask(method, target)
            #expect(reply.status == 404 && reply.code == "not_found")
            #expect(reply.json["detail"] == "The list was deleted; POST /v1/lists/l/restore brings it back.")
        }
        let reply = try restore("l")
        #expect(reply.status == 200 && reply.json["version"] == "e1-3" && reply.json["changed"] == true)
        #expect(reply["ETag"] == "\"e1-3\"" && reply["Location"] == nil)
        let changes = try harness.ask("GET", "/v1/lists/l/changes?since=e1-1")
        #expect(changes.json["reset"] == nil && changes.json["to"] == "e1-3")
        let told = try harness.ask("GET", "/v1/lists/l/transactions").json["transactions"]
        #expect(parts(told).map { $0["restores"]?.string ?? "" } == ["e1-2", "", ""])
        #expect(try restore("l").code == "not_deleted")
        #expect(try delete("l").status == 204)
        #expect(try restore("l", #"{"version":"e1-1"}"#).json["version"] == "e1-4")
        #expect(try harness.ask("GET", "/v1/lists/l/items/a").json["starred"] == nil)
    }

    @Test func giveWayToAListOfTheirId() throws {
        _ = try delete("l")
        let made = try harness.ask(
            "PUT", "/v1/lists/l", ["Content-Type": "application/json", "If-None-Match": "*"], Harness.start)
        #expect(made.status == 201 && made.json["version"] == "e4-1")
        let reply = try restore("l", #"{"version":"e1-1"}"#)
        #expect(reply.status == 409 && reply.code == "made_anew" && reply.json["head"] == "e4-1")
        #expect(try ids("?deleted=true") == [])
    }

    @Test func arePurged() throws {
        #expect(try delete("l", "?purge=true").status == 204)
        #expect(try restore("l").json["detail"]?.string?.hasPrefix("There is no such list:") == true)
        _ = try delete("m")
        #expect(try delete("m").status == 404)
        #expect(try delete("m", "?purge=true", ["If-Match": "\"e2-9\""]).status == 412)
        for _ in 0..<2 { #expect(try delete("m", "?purge=true", ["Idempotency-Key": "k"]).status == 204) }
        #expect(try delete("m", "?purge=true").status == 404)
        #expect(try delete("n", "?purge=maybe").status == 422)
        #expect(try ids("") == ["n"] && ids("?deleted=true") == [])
    }
}
