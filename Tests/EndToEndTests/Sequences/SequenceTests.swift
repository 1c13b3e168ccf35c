import Foundation
import JSONValue
import TestSupport
import Testing
import Texts

/// A client numbers its writes to a list. Each is done once, whatever is sent again and whoever is killed.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct SequenceTests {
    private static let start = #"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]}]}"#

    /// Requests one after another, each with its number and its answer in short.
    private static let rows: [(number: Int, method: String, path: String, body: String, answer: String)] = [
        (2, "PUT", "/v1/lists/l", start, "409 sequence_gap"),
        (1, "PUT", "/v1/lists/l", start, "201 uses 1"),
        (1, "PUT", "/v1/lists/l", start, "201 uses 1 again"),
        (1, "PUT", "/v1/lists/l", #"{"sections":[]}"#, "422 key_reused"),
        (1, "POST", "/v1/lists/l/items/a/star", "", "422 key_reused"),
        (2, "POST", "/v1/lists/l/items/a/star", "", "200 uses 2"),
        (2, "POST", "/v1/lists/l/items/a/star", "", "200 uses 2 again"),
        (4, "POST", "/v1/lists/l/items/a/star", "", "409 sequence_gap expects 3"),
        (3, "POST", "/v1/lists/l/items/a/star?dryRun=true", "", "200"),
        (5, "POST", "/v1/lists/l/items/a/star?dryRun=true", "", "409 sequence_gap expects 3"),
        // A refusal by the list, with and without a version to look at, and by the form of the body.
        (3, "POST", "/v1/lists/l/items/gone/star", "", "404 not_found uses 3"),
        (3, "POST", "/v1/lists/l/items/gone/star", "", "404 not_found uses 3 again"),
        (3, "POST", "/v1/lists/l/items/a/star", "", "422 key_reused"),
        (4, "POST", "/v1/lists/l/items", #"{"items":[{"id":"c"}],"base":"zz-1"}"#, "409 unknown_base uses 4"),
        (4, "POST", "/v1/lists/l/items", #"{"items":[{"id":"c"}],"base":"zz-1"}"#, "409 unknown_base uses 4 again"),
        (5, "POST", "/v1/lists/l/items", #"{"items":[1]}"#, "422 invalid uses 5"),
        (5, "POST", "/v1/lists/l/items", #"{"items":[1]}"#, "422 invalid uses 5 again"),
        (7, "POST", "/v1/lists/l/items", #"{"items":[1]}"#, "409 sequence_gap expects 6"),
        (5, "POST", "/v1/lists/l/items", "{", "422 key_reused"),
        (6, "POST", "/v1/lists/l/items", "{", "400 not_json uses 6"),
        (6, "POST", "/v1/lists/l/items", "{", "400 not_json uses 6 again"),
        // A refusal that uses nothing up.
        (7, "PUT", "/v1/lists/l/items/a/star?no=such", "", "422 invalid"),
        (7, "POST", "/v1/lists/l/items/gone/star", "", "404 not_found uses 7"),
        (8, "PUT", "/v1/lists/l/items/b/star", "", "200 uses 8"),
        // What changes nothing uses its number up all the same.
        (9, "PUT", "/v1/lists/l/items/b/star", "", "200 uses 9"),
        (9, "PUT", "/v1/lists/l/items/b/star", "", "200 uses 9 again"),
        // Lower numbers.
        (1, "PUT", "/v1/lists/l", start, "204 uses 1 again"),
        (2, "POST", "/v1/lists/l/items/a/star", "", "204 uses 2 again"),
        (3, "POST", "/v1/lists/l/items/gone/star", "", "409 sequence_refused"),
        (7, "POST", "/v1/lists/l/items/gone/star", "", "409 sequence_refused"),
        (8, "POST", "/v1/lists/l/items/gone/star", "", "204 uses 8 again"),
        // Of another list.
        (10, "PUT", "/v1/lists/m", start, "409 sequence_gap"),
        // The body that names the list could not be read.
        (1, "POST", "/v1/lists", #"{"id":"m","title":1}"#, "422 invalid"),
        (1, "POST", "/v1/lists", #"{"id":"m"}"#, "201 uses 1"),
        (1, "POST", "/v1/lists", #"{"id":"m"}"#, "201 uses 1 again"),
        (2, "POST", "/v1/lists", #"{"id":"m"}"#, "409 list_exists uses 2"),
        (2, "POST", "/v1/lists", #"{"id":"m"}"#, "409 list_exists uses 2 again"),
        (1, "POST", "/v1/lists", #"{"title":"No id"}"#, "400 bad_client_sequence"),
        // A list that is gone, comes back, and goes for good.
        (10, "DELETE", "/v1/lists/l", "", "204 uses 10"),
        (10, "DELETE", "/v1/lists/l", "", "204 uses 10 again"),
        (11, "POST", "/v1/lists/l/items/a/star", "", "404 not_found uses 11"),
        (12, "POST", "/v1/lists/l/restore", "", "200 uses 12"),
        (12, "POST", "/v1/lists/l/restore", "", "200 uses 12 again"),
        (13, "DELETE", "/v1/lists/l", "", "204 uses 13"),
        (14, "DELETE", "/v1/lists/l?purge=true", "", "204 uses 14"),
        (14, "DELETE", "/v1/lists/l?purge=true", "", "204 uses 14 again"),
        (15, "PUT", "/v1/lists/l", start, "201 uses 15"),
        (14, "DELETE", "/v1/lists/l?purge=true", "", "204 uses 14 again"),
        (1, "POST", "/v1/samples/wifi", "", "200 uses 1"),
        (1, "POST", "/v1/samples/wifi", "", "200 uses 1 again"),
        (2, "POST", "/v1/samples/wifi/step", "", "200 uses 2"),
        (2, "POST", "/v1/samples/wifi/step", "", "200 uses 2 again"),
    ]

    @Test(arguments: ServedEngine.allCases) func numbersAreAnswered(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine)
        for (index, row) in Self.rows.enumerated() {
            let answer = try scene.send(row.number, row.method, row.path, row.body)
            #expect(answer.short == row.answer, "row \(index): \(row.number) \(row.method) \(row.path): \(answer.text)")
        }
        #expect(try scene.items() == ["a", "b"])
    }

    /// The same rows, with a crash of the server before each.
    @Test func numbersOutliveCrashes() throws {
        let scene = try SequenceScene(.folder)
        for (index, row) in Self.rows.prefix(20).enumerated() {
            try scene.crash()
            let answer = try scene.send(row.number, row.method, row.path, row.body)
            #expect(answer.short == row.answer, "row \(index): \(row.number) \(row.method) \(row.path): \(answer.text)")
        }
    }

    /// Fields that are no name and no number are refused, and change nothing.
    @Test(arguments: ServedEngine.allCases) func hostileFieldsAreRefused(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", Self.start).status == 201)
        let name = ("Client", "\"one\"")
        let number = ("Client-Sequence", "2")
        let wrongNumbers = [
            "", "0", "-1", "+2", "2.0", "2.5", "1e3", "0x2", "\"2\"", "two", "2;a=b", "2, 3", "(2)", "?1", ":Mg==:",
            "@2",
            "1000000000000000", "9223372036854775807", "18446744073709551616", String(repeating: "9", count: 999),
            "2 2",
            "\u{0662}",
        ]
        let wrongNames = [
            "", "\"\"", "\"one", "one\"", "\"o\"ne\"", "\"a\\\"", "\"a\\b\"", "1one", "one two", "one;a", "\"one\";a",
            "a, b",
            "é", "\"é\"", "(one)", "?1", "17", "\"\(String(repeating: "x", count: 65))\"",
            String(repeating: "x", count: 65),
            "\"a\tb\"",
        ]
        var rows: [[(String, String)]] = wrongNumbers.map { [name, ("Client-Sequence", $0)] }
        rows += wrongNames.map { [("Client", $0), number] }
        rows += [
            [number], [name, number, number], [name, name, number], [name, number, ("Client-Sequence", "3")],
            [name, number, ("Client", "\"two\"")], [name, number, ("Idempotency-Key", "k")],
        ]
        for fields in rows {
            let answer = try scene.client.send("POST", "/v1/lists/l/items/a/star", fields)
            #expect(answer.short == "400 bad_client_sequence", "\(fields): \(answer.text)")
        }
        // A name alone says nothing, but is looked at. A read has no number.
        #expect(try scene.client.send("PUT", "/v1/lists/l/items/a/star", [("Client", "one")]).short == "200")
        let badName = try scene.client.send("PUT", "/v1/lists/l/items/a/star", [("Client", "")])
        #expect(badName.short == "400 bad_client_sequence")
        #expect(try scene.client.send("GET", "/v1/lists/l", [("Client-Sequence", "x")]).status == 200)
        let longest = "\"\(String(repeating: "\\\"", count: 64))\""
        for name in ["one", " \"one\" ", "\"one\""] {
            let answer = try scene.client.send("POST", "/v1/lists/l/items/a/star", [("Client", name), number])
            #expect(answer.short.hasPrefix("200 uses 2"), "\(name): \(answer.text)")
        }
        for name in [longest, "\" \"", "*", "a/b:c", String(repeating: "x", count: 64)] {
            let answer = try scene.client.send(
                "PUT", "/v1/lists/l/items/a/star", [("Client", name), ("Client-Sequence", "001")])
            #expect(answer.short == "200 uses 1", "\(name): \(answer.text)")
        }
        let far = try scene.send(999_999_999_999_999, "PUT", "/v1/lists/l/items/a/star", client: "far")
        #expect(far.short == "409 sequence_gap")
    }

    /// What a gap says is what the server knows.
    @Test(arguments: ServedEngine.allCases) func aGapSaysWhatIsKnown(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine)
        let unknown = try scene.send(2, "PUT", "/v1/lists/l", Self.start)
        #expect(unknown.text.contains("does not know this sequence") && !unknown.text.contains("are there"))
        #expect(try scene.send(1, "PUT", "/v1/lists/l", Self.start).short == "201 uses 1")
        let known = try scene.send(3, "PUT", "/v1/lists/l", Self.start)
        #expect(known.short == "409 sequence_gap expects 2" && known.text.contains("lower numbers"))
    }

    /// A retry that this server would refuse, because its limits are others by now, was applied all the same.
    @Test(arguments: ServedEngine.lasting) func whatWasAppliedIsNotRefusedLater(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", Self.start).short == "201 uses 1")
        let body = #"{"operations":[{"op":"moveItem","item":"a","after":"b"},{"op":"deleteItems","items":["b"]}]}"#
        #expect(try scene.send(2, "POST", "/v1/lists/l/transactions", body).short == "200 uses 2")
        try scene.restart(["--operations-max", "1"])
        #expect(try scene.send(2, "POST", "/v1/lists/l/transactions", body).short == "204 uses 2 again")
        #expect(try scene.send(3, "POST", "/v1/lists/l/transactions", body).short == "413 too_many_operations uses 3")
        #expect(try scene.send(2, "POST", "/v1/lists/l/transactions", body + " ").short == "204 uses 2 again")
    }

    /// A problem has the id of the request that it answers.
    @Test func aReplayedRefusalNamesItsOwnRequest() throws {
        let scene = try SequenceScene(.memory)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", Self.start).short == "201 uses 1")
        for id in [nil, "mine-1", "mine-2", nil] {
            let answer = try scene.send(
                2, "POST", "/v1/lists/l/items/gone/star", fields: id.map { [("X-Request-Id", $0)] } ?? [])
            let told = try JSONValue(parsing: answer.body)["requestId"]?.string.map { "\($0)" }
            #expect(answer.status == 404 && told == answer["X-Request-Id"], "\(answer.text)")
            if let id { #expect(told == id) }
        }
    }

    /// Two tokens that name their clients alike have two sequences, and what a token may not do uses nothing up.
    @Test func sequencesBelongToCallers() throws {
        let scene = try SequenceScene(.memory)
        func token(_ name: String, _ can: String, by admin: String?) throws -> String {
            let fields = admin.map { [("Authorization", "Bearer \($0)")] } ?? []
            let body = #"{"name":"\#(name)","grants":[{"lists":["*"],"can":["\#(can)"]}]}"#
            let made = try scene.client.send("POST", "/v1/tokens", fields, json: body)
            return try #require(try JSONValue(parsing: made.body)["token"]?.string.map { "\($0)" }, "\(made.text)")
        }
        let admin = try token("admin", "administer", by: nil)
        let (reader, writer) = (try token("reader", "read", by: admin), try token("writer", "write", by: admin))
        func send(_ number: Int, _ secret: String?, _ path: String, _ body: String = "") throws -> String {
            let fields = secret.map { [("Authorization", "Bearer \($0)")] } ?? []
            return try scene.send(number, body.isEmpty ? "POST" : "PUT", path, body, fields: fields).short
        }
        #expect(try send(1, admin, "/v1/lists/l", Self.start) == "201 uses 1")
        #expect(try send(2, admin, "/v1/lists/l/items/a/star") == "200 uses 2")
        #expect(try send(2, writer, "/v1/lists/l/items/a/star") == "409 sequence_gap")
        #expect(try send(1, writer, "/v1/lists/l/items/a/star") == "200 uses 1")
        for _ in 0..<2 {
            #expect(try send(1, reader, "/v1/lists/l/items/a/star") == "403 forbidden")
            #expect(try send(1, nil, "/v1/lists/l/items/a/star") == "401 unauthenticated")
            #expect(try send(1, "lst_wrong", "/v1/lists/l/items/a/star") == "401 unauthenticated")
        }
        #expect(try send(2, admin, "/v1/lists/l/items/a/star") == "200 uses 2 again")
        #expect(try send(3, admin, "/v1/lists/l/items/a/star") == "200 uses 3")
    }

    /// The next number may be sent before the one before is answered, and many may be on the way.
    @Test(arguments: ServedEngine.allCases) func numbersMayFollowAtOnce(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", #"{"sections":[{"id":"s"}]}"#).status == 201)
        let socket = try RawSocket(port: scene.server.port)
        var text = ""
        for number in 2...60 {
            // Every tenth is refused.
            let body =
                number % 10 == 0 ? #"{"items":[{"id":"x"}],"before":"gone"}"# : SequenceScene.append("i\(number)")
            text +=
                "POST /v1/lists/l/items HTTP/1.1\r\nHost: localhost\r\nClient: one\r\nClient-Sequence: \(number)\r\n"
            text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        try socket.send(text)
        for number in 2...60 {
            let wanted = number % 10 == 0 ? "409 unknown_item uses \(number)" : "200 uses \(number)"
            #expect(try socket.readResponse().short == wanted)
        }
        #expect(try scene.items() == (2...60).filter { $0 % 10 != 0 }.map { "i\($0)" })
    }
}
