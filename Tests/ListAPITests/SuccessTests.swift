import HTTPTypes
import JSONValue
import Testing

@testable import ListAPI
@testable import ListWire

/// Every endpoint at least once, with its status for a success.
@Suite struct SuccessTests {
    static let rows = [
        Row("GET", "/v1/lists", 200),
        Row("GET", "/v1/lists?limit=1&cursor=k", 200),
        Row("GET", "/v1/lists/l", 200),
        Row("HEAD", "/v1/lists/l", 200),
        Row("GET", "/v1/lists/l?view=visible", 200),
        Row("GET", "/v1/lists/l", ["If-None-Match": "\"e1-1\""], "", 304),
        Row("GET", "/v1/lists/l", ["If-None-Match": "W/\"e1-1+gzip\""], "", 304),
        Row("GET", "/v1/lists/l", ["If-None-Match": "\"x\", \"e1-1\""], "", 304),
        Row("GET", "/v1/lists/l", ["If-None-Match": "*"], "", 304),
        Row("GET", "/v1/lists/l", ["If-None-Match": "\"e1-2\""], "", 200),
        Row("GET", "/v1/lists/l", ["If-None-Match": "not a tag"], "", 200),
        Row("GET", "/v1/lists/l?view=visible", ["If-None-Match": "\"e1-1\""], "", 304),
        Row("GET", "/v1/%6cists/l", 200),
        .json("POST", "/v1/lists", #"{"title":"N"}"#, 201),
        .json("POST", "/v1/lists", #"{"id":"new","sections":[{"id":"s"}]}"#, 201),
        .json("POST", "/v1/lists?dryRun=true", "{}", 200),
        .json("PUT", "/v1/lists/new", #"{"title":"N"}"#, 201),
        .json("PUT", "/v1/lists/l", #"{"version":"e1-1","sections":[{"id":"s","items":["b","a"]}]}"#, 200),
        .json("PUT", "/v1/lists/l?dryRun=true", #"{"sections":[]}"#, 200),
        Row("PUT", "/v1/lists/new", ["Content-Type": "application/json", "If-None-Match": "*"], "{}", 201),
        .json("PATCH", "/v1/lists/l", #"{"title":"M","label":"rename"}"#, 200),
        Row("DELETE", "/v1/lists/l", 204),
        Row("GET", "/v1/lists/l/sections/s", 200),
        Row("GET", "/v1/lists/l/sections/s?view=visible", 200),
        Row("GET", "/v1/lists/l/sections/s", ["If-None-Match": "\"e1-1\""], "", 304),
        .json("PUT", "/v1/lists/l/sections/s", #"{"items":["a","b"]}"#, 200),
        .json("PUT", "/v1/lists/l/sections/new", #"{"items":[{"id":"n"}]}"#, 200),
        .json("PATCH", "/v1/lists/l/sections/t", #"{"title":null}"#, 200),
        Row("DELETE", "/v1/lists/l/sections/t", 200),
        .json("POST", "/v1/lists/l/items", #"{"items":[{"id":"n"}]}"#, 200),
        .json("POST", "/v1/lists/l/items", #"{"items":[{"id":"n"}],"after":"a"}"#, 200),
        .json("POST", "/v1/lists/l/items", #"{"items":[{"kind":"k"}],"after":"a"}"#, 201),
        Row("GET", "/v1/lists/l/items/a", 200),
        Row("GET", "/v1/lists/l/items/a", ["If-None-Match": "\"e1-1\""], "", 304),
        .json("PATCH", "/v1/lists/l/items/a", #"{"content":{"n":null}}"#, 200),
        Row("PATCH", "/v1/lists/l/items/a", ["Content-Type": "application/merge-patch+json"], #"{"kind":"x"}"#, 200),
        Row("PATCH", "/v1/lists/l/items/a", ["Content-Type": "application/json; charset=UTF-8"], "{}", 200),
        Row("DELETE", "/v1/lists/l/items/p", 200),
        Row("PUT", "/v1/lists/l/items/a/star", 200),
        .json("PUT", "/v1/lists/l/items/a/star", #"{"base":"e1-1","label":"like"}"#, 200),
        Row("DELETE", "/v1/lists/l/items/a/star", 200),
        Row("POST", "/v1/lists/l/items/a/star", 200),
        Row("POST", "/v1/lists/l/items/p/expand", 200),
        Row("POST", "/v1/lists/l/items/p/collapse", 200),
        Row("GET", "/v1/lists/l/transactions", 200),
        Row("GET", "/v1/lists/l/transactions", ["If-None-Match": "\"e1-1\""], "", 304),
        .json("POST", "/v1/lists/l/transactions", #"{"operations":[]}"#, 200),
        .json("POST", "/v1/lists/l/transactions", #"{"operations":[{"op":"starItems","items":["a"]}]}"#, 200),
        .json("POST", "/v1/lists/l/reorders", #"{"sections":{"s":{"final":["b","a","p","c"]}}}"#, 200),
        .json(
            "POST", "/v1/lists/l/reorders",
            #"""
            {"base":"e1-1","sections":{"s":{"difference":{
              "removals":[{"offset":0,"element":"a"}],"insertions":[{"offset":1,"element":"a"}]}}}}
            """#, 200),
        Row("GET", "/v1/lists/l/changes", 200),
        Row("GET", "/v1/lists/l/changes?since=e1-1", 200),
        Row("GET", "/v1/lists/l/changes?since=e9-1", 200),
        Row("GET", "/v1/lists/l/changes?since=e1-1&mode=reload&view=visible", 200),
        Row("GET", "/v1/lists/l/changes?since=e1-1", ["Prefer": "wait=0, handling=strict"], "", 200),
        Row("HEAD", "/v1/lists/l/changes", ["Accept": "text/event-stream"], "", 200),
        Row("HEAD", "/v1/changes?list=l@e1-1&list=m", ["Accept": "text/event-stream"], "", 200),
        .json("POST", "/v1/lists/l/restore", #"{"version":"e1-1"}"#, 200),
        Row("GET", "/v1/emoji", 200),
        Row("GET", "/v1/emoji?category=food", 200),
        Row("GET", "/v1/emoji/categories", 200),
        Row("GET", "/v1/samples", 200),
        Row("POST", "/v1/samples/main-sub", 200),
        .json("POST", "/v1/samples/main-sub", #"{"seed":7}"#, 200),
        Row("POST", "/v1/samples/wifi/step", 200),
        Row("GET", "/healthz", 200),
        Row("GET", "/readyz", 200),
        Row("GET", "/openapi.yaml", 200),
        Row("GET", "/docs", 200),
        Row("GET", "/", 200),
        Row("GET", "/", ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"], "", 200),
        Row("GET", "/page/main.js", 200),
        Row("GET", "/client.js", 200),
        Row("GET", "/client.d.ts", 200),
        Row("GET", "/problems", 200),
        Row("GET", "/problems/cycle", 200),
        Row("HEAD", "/page/style.css", 200),
        Row("GET", "/page/style.css", ["Accept": "text/css,*/*;q=0.1"], "", 200),
        Row("OPTIONS", "/v1/lists", 204),
        Row("OPTIONS", "*", 204),
        // Fields that do not matter for a method are ignored.
        Row("GET", "/v1/lists/l", ["Content-Type": "text/plain"], "no body of a GET means anything", 200),
        Row("GET", "/v1/lists/l", ["Accept": "text/html, */*;q=0.1"], "", 200),
    ]

    /// A list has the name `wifi`. The sample of that name is not installed.
    @Test(arguments: rows)
    func succeeds(_ row: Row) throws {
        let reply = try Harness(lists: ["l", "wifi"]).ask(row.method, row.target, row.fields, row.body)
        #expect(reply.status == row.status, "\(reply.text)")
        #expect(reply.code == nil)
    }

    /// A 304 has the fields of the 200.
    @Test(arguments: ["/v1/lists/l", "/v1/lists/l?view=visible", "/v1/lists/l/sections/s", "/v1/lists/l/items/a"])
    func notModifiedKeepsFields(_ target: String) throws {
        let reply = try Harness().ask("GET", target, ["If-None-Match": "\"e1-1\""])
        #expect(reply.status == 304)
        #expect(reply["ETag"] == "\"e1-1\"")
        #expect(reply["List-Version"] == "e1-1")
        #expect(reply["Vary"] == "Accept, Accept-Encoding, Prefer")
    }

    @Test func everyEndpointHasARow() throws {
        let router = Router()
        let reached = try Self.rows.compactMap { row -> Endpoint? in
            let path = String(row.target.prefix { $0 != "?" })
            return try router.resource(at: ByteText(path))?.endpoint(.init(rawValue: row.method)!)
        }
        // These endpoints need something that is made first. HistoryTests, SubscriptionTests, AccessMatrixTests and
        // MetricsTests test them.
        let elsewhere: Set<Endpoint> = [
            .undo, .redo, .postChanges, .getSubscription, .listTokens, .postToken, .getToken, .deleteToken,
            .rotateToken, .getAccess, .putAccess, .postTicket, .getMetrics,
        ]
        #expect(Set(reached) == Set(Endpoint.allCases).subtracting(elsewhere))
    }
}
