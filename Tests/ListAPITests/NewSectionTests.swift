import JSONValue
import TestSupport
import Testing

@testable import ListAPI

@Suite struct NewSectionTests {
    private static let ifNew = Harness.json.merging(["If-None-Match": "*"]) { $1 }

    @Test func aSectionIsMadeOnlyIfThereIsNone() throws {
        let harness = try Harness("A:a B:b")
        let (there, new) = ("/v1/lists/l/sections/A", "/v1/lists/l/sections/N")
        let refused = try harness.ask("PUT", there, Self.ifNew, "{}")
        #expect(refused.status == 412 && refused.code == "precondition_failed" && refused.json["head"] == "e1-1")
        #expect(try harness.rows("l") == "A:a B:b")
        #expect(try harness.ask("PUT", new + "?dryRun=true", Self.ifNew, "{}").status == 200)
        let stale = Self.ifNew.merging(["If-Match": "\"e1-7\""]) { $1 }
        #expect(try harness.ask("PUT", new, stale, "{}").json["missed"] != nil, "both fields count")
        let made = try harness.ask("PUT", new, Self.ifNew, #"{"items":["b"]}"#)
        #expect(made.status == 200 && made.json["version"] == "e1-2")
        #expect(try harness.rows("l") == "A:a B: N:b")
        #expect(try harness.ask("PUT", new, Self.ifNew, "{}").status == 412)
        #expect(try harness.ask("PUT", "/v1/lists/none/sections/N", Self.ifNew, "{}").status == 404)
    }
}
