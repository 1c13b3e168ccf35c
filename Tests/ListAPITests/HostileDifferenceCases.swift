import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Cases 63 and 64 of docs/model.md section 15 over HTTP: differences that only a hostile client sends.
///
/// The statuses are those of docs/contract.md section 6. An integer outside 0…2^53−1 breaks the schema. All others are
/// differences that do not fit.
@Suite struct HostileDifferenceCases {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var removals: String
        var insertions: String
        var status: Int
        /// The path of the change that the error names, below the section's difference.
        var change: String
        var testDescription: String { name }
    }

    private static func change(_ offset: String, _ element: String, _ associated: String? = nil) -> String {
        let partner = associated.map { #","associatedOffset":\#($0)"# } ?? ""
        return #"{"offset":\#(offset),"element":"\#(element)"\#(partner)}"#
    }

    /// Offsets above 2^53 − 1.
    static let beyondTheSchema = [
        Row(
            name: "case 63: Int.max and a removal", removals: change("0", "a"),
            insertions: change("9223372036854775807", "a"), status: 422, change: "insertions/0/offset"),
        Row(
            name: "case 63: Int.max alone", removals: "", insertions: change("9223372036854775807", "x"), status: 422,
            change: "insertions/0/offset"),
        Row(
            name: "case 63: beyond Int.max", removals: change("18446744073709551616", "a"), insertions: "", status: 422,
            change: "removals/0/offset"),
        Row(
            name: "case 63: 2^53", removals: change("0", "a"), insertions: change("9007199254740992", "a"), status: 422,
            change: "insertions/0/offset"),
        Row(
            name: "case 63: negative", removals: change("-1", "a"), insertions: change("0", "a"), status: 422,
            change: "removals/0/offset"),
        Row(
            name: "case 63: an association beyond the schema", removals: change("0", "a", "9223372036854775807"),
            insertions: change("1", "a"), status: 422, change: "removals/0/associatedOffset"),
        Row(
            name: "case 63: a negative association", removals: change("0", "a"),
            insertions: change("1", "a", "-9223372036854775808"), status: 422, change: "insertions/0/associatedOffset"),
        Row(
            name: "case 63: half a row", removals: change("0.5", "a"), insertions: change("1", "a"), status: 422,
            change: "removals/0/offset"),
    ]

    static let misfits = [
        Row(
            name: "case 63: 2^53 − 1 and a removal", removals: change("0", "a"),
            insertions: change("9007199254740991", "a"), status: 409, change: "insertions/0"),
        Row(
            name: "case 63: a removal beyond the end", removals: change("3", "a"), insertions: change("0", "a"),
            status: 409, change: "removals/0"),
        Row(
            name: "case 63: an insertion that leaves a gap", removals: change("0", "a"), insertions: change("3", "a"),
            status: 409, change: "insertions/0"),
        Row(
            name: "case 63: an association to no change", removals: change("0", "a"),
            insertions: change("2", "a", "1"), status: 409, change: "insertions/0"),
        Row(
            name: "case 63: two removals at one offset", removals: change("0", "a") + "," + change("0", "a"),
            insertions: change("2", "a"), status: 409, change: "removals/1"),
        Row(
            name: "case 63: two insertions at one offset", removals: change("0", "a") + "," + change("1", "b"),
            insertions: change("2", "a") + "," + change("2", "b"), status: 409, change: "insertions/1"),
        Row(
            name: "case 63: an association of two ids",
            removals: change("0", "a", "2") + "," + change("1", "b", "1"),
            insertions: change("1", "a", "1") + "," + change("2", "b", "0"), status: 409, change: "removals/0"),
        Row(
            name: "case 63: the result would hold an id twice", removals: "", insertions: change("3", "a"),
            status: 409, change: "insertions/0"),
        Row(
            name: "case 63: an id twice among the insertions", removals: change("0", "a"),
            insertions: change("0", "a") + "," + change("1", "a"), status: 409, change: "insertions/1"),
        Row(
            name: "case 63: another element than the base has", removals: change("0", "b"),
            insertions: change("1", "b"), status: 409, change: "removals/0"),
        Row(
            name: "case 63: what leaves arrives nowhere", removals: change("0", "a"), insertions: "", status: 409,
            change: "removals/0"),
        Row(
            name: "case 63: what arrives is unknown", removals: "", insertions: change("0", "x"), status: 409,
            change: "insertions/0"),
    ]

    private func send(_ harness: Harness, _ removals: String, _ insertions: String) throws -> Reply {
        try harness.post(
            "/v1/lists/l/reorders",
            #"""
            {"base":"e1-1","sections":{"s":{"difference":{"removals":[\#(removals)],"insertions":[\#(insertions)]}}}}
            """#)
    }

    @Test(arguments: beyondTheSchema + misfits)
    func refuse(_ row: Row) throws {
        let harness = try Harness("s:a,b,c")
        let before = try harness.ask("GET", "/v1/lists/l").text
        let reply = try send(harness, row.removals, row.insertions)
        #expect(reply.status == row.status)
        #expect(reply.code == (row.status == 422 ? "invalid" : "invalid_difference"))
        #expect(reply.json["errors"]?[0]?["pointer"]?.string == "/sections/s/difference/" + row.change)
        #expect(try harness.ask("GET", "/v1/lists/l").text == before)
        // The list still accepts writes.
        let next = try send(harness, Self.change("0", "a"), Self.change("2", "a"))
        #expect(next.status == 200)
        #expect(try harness.rows("l") == "s:b,c,a")
    }

    @Test("case 63: a difference without a base is none")
    func needsABase() throws {
        let harness = try Harness("s:a,b,c")
        let reply = try harness.post(
            "/v1/lists/l/reorders",
            #"""
            {"sections":{"s":{"difference":{"removals":[{"offset":0,"element":"a"}],
                                            "insertions":[{"offset":1,"element":"a"}]}}}}
            """#)
        #expect(reply.status == 422)
        #expect(reply.json["errors"]?[0]?["pointer"] == "/base")
    }

    /// No answer has a difference in it, so only the input form is tested.
    @Test(
        "case 64: an association may be there, null or left out, on either side",
        arguments: [
            (change("0", "a"), change("2", "a")), (change("0", "a", "null"), change("2", "a", "null")),
            (change("0", "a", "2"), change("2", "a")), (change("0", "a"), change("2", "a", "0")),
            (change("0", "a", "2"), change("2", "a", "0")), (change("0.0", "a"), change("2.0", "a", "0.0")),
            (
                #"{"associatedOffset":2,"element":"a","isRemove":true,"offset":0}"#,
                #"{"associatedOffset":0,"element":"a","isRemove":false,"offset":2}"#
            ),
        ])
    func associations(removal: String, insertion: String) throws {
        let harness = try Harness("s:a,b,c")
        let reply = try send(harness, removal, insertion)
        #expect(reply.changes == "mov 0.0>0.2")
        #expect(try harness.rows("l") == "s:b,c,a")
    }
}
