import JSONValue
import TestSupport
import Testing

@testable import ListAPI

@Suite struct NothingToUndoTests {
    @Test func theCauseIsNamed() throws {
        let harness = try Harness("A:a B:b")
        func detail(_ path: String, _ version: String) throws -> String {
            let reply = try harness.post("/v1/lists/l/" + path, #"{"transaction":"\#(version)"}"#)
            #expect(reply.code == "nothing_to_undo")
            return reply.json["detail"]?.string ?? ""
        }
        #expect(try detail("undo", "e1-1").contains("made the list"))
        _ = try harness.post("/v1/lists/l/transactions", #"{"operations":[{"op":"reloadItems","items":["a"]}]}"#)
        #expect(try detail("undo", "e1-2").contains("changed no state"))
        _ = try harness.ask("PUT", "/v1/lists/l/items/a/star")
        #expect(try detail("redo", "e1-3").contains("is not undone"))
        _ = try harness.post("/v1/lists/l/undo", #"{"transaction":"e1-3"}"#)
        #expect(try detail("undo", "e1-3").contains("undone already"))
    }
}
