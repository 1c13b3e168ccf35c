import JSONValue
import Threads
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Ids that the server makes.
@Suite struct IdentifierTests {
    private let list = "/v1/lists/l"
    private func id(_ number: Int) -> String { "00000000-0000-7000-8000-00000000000\(number)" }

    // MARK: UUIDs

    @Test func aFormIsThatOfVersion7() {
        let maker = IdentifierMaker(milliseconds: { 0x019B_2C5E_7A10 }, random: { .max })
        #expect(maker.next() == "019b2c5e-7a10-77ff-bfff-ffffffffffff")
        let other = IdentifierMaker(milliseconds: { 1 }, random: { 0 })
        #expect(other.next() == "00000000-0001-7000-8000-000000000000")
    }

    /// The clock and the random numbers may do anything: the clock stands still or goes back, and the ids of one
    /// millisecond overflow.
    @Test(arguments: Soak.seeds(50))
    func eachSortsBehindTheOneBefore(seed: UInt64) {
        let random = Locked(SeededGenerator(seed: seed))
        let maker = IdentifierMaker(
            milliseconds: { random.withLock { UInt64.random(in: 1_000...1_003, using: &$0) } },
            random: { random.withLock { $0.next() % 3 == 0 ? .max : $0.next() } })
        var last: ByteText = ""
        for _ in 0..<2_000 {
            let next = maker.next()
            #expect(Array(last.utf8).lexicographicallyPrecedes(Array(next.utf8)))
            #expect(
                next.string.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
            )
            last = next
        }
    }

    @Test func aCounterThatIsFullGoesOnAboveIt() {
        let maker = IdentifierMaker(milliseconds: { 1 }, random: { .max })
        #expect(maker.next() == "00000000-0001-77ff-bfff-ffffffffffff")
        #expect(maker.next() == "00000000-0001-7800-8000-0000ffffffff")
    }

    // MARK: Items

    @Test func anItemWithoutAnIDGetsOne() throws {
        let harness = try Harness()
        let reply = try harness.post(
            list + "/items", #"{"items":[{"content":{"n":1}},{"id":"x"},{"kind":"k"},{}],"after":"a"}"#)
        #expect(reply.status == 201)
        #expect(reply["Location"] == "\(list)/items/\(id(1))")
        let made: JSONValue = [.string(ByteText(id(1))), .string(ByteText(id(2))), .string(ByteText(id(3)))]
        #expect(reply.json["operations"] == [["status": "applied", "created": made]])
        #expect(try harness.rows("l") == "s:a,\(id(1)),x,\(id(2)),\(id(3)),b,p,c t:")
        #expect(try harness.ask("GET", "\(list)/items/\(id(1))").json["content"] == ["n": 1])
        let told = try harness.ask("GET", list + "/transactions?limit=1").json["transactions"]?[0]?["operations"]?[0]
        #expect(parts(told?["items"]).map { $0["id"]?.string } == [id(1), "x", id(2), id(3)])
    }

    @Test func transactionsMakeIDsToo() throws {
        let harness = try Harness()
        let reply = try harness.post(
            list + "/transactions",
            #"""
            {"operations":[{"op":"appendSections","sections":[{"id":"u","items":[{"kind":"k"}]}]},
              {"op":"starItems","items":["a"]},{"op":"insertItems","items":[{}],"before":"a"}]}
            """#)
        #expect(reply.status == 200 && reply["Location"] == nil)
        #expect(parts(reply.json["operations"]).map { $0["created"]?[0]?.string } == [id(1), nil, id(2)])
        #expect(try harness.rows("l") == "s:\(id(2)),a,b,p,c t: u:\(id(1))")
    }

    /// A body with the whole state must name all ids.
    @Test(arguments: [
        Row.json("PUT", "", #"{"sections":[{"id":"s","items":[{}]}]}"#, 422),
        .json("PUT", "/sections/s", #"{"items":[{}]}"#, 422),
        .json("POST", "/transactions", #"{"operations":[{"op":"replaceChildren","parent":"p","items":[{}]}]}"#, 422),
        .json("POST", "/items", #"{"items":[{"id":null}]}"#, 422),
        .json("POST", "/items", #"{"items":[{"parent":"a"}]}"#, 409),
        .json("POST", "/items", #"{"items":[{}],"after":"none"}"#, 409),
    ])
    func whatIsRefused(_ row: Row) throws {
        let harness = try Harness()
        let before = try harness.ask("GET", list).text
        #expect(try harness.ask(row.method, list + row.target, row.fields, row.body).status == row.status)
        #expect(try harness.ask("GET", list).text == before)
    }

    @Test func aRetryNamesTheSameItems() throws {
        let harness = try Harness()
        for prefer in [[:], ["Prefer": "return=minimal"]] {
            let fields = prefer.merging(["Idempotency-Key": "k\(prefer.count)"]) { $1 }
            let first = try harness.post(list + "/items", #"{"items":[{},{}]}"#, fields)
            let retry = try harness.post(list + "/items", #"{"items":[{},{}]}"#, fields)
            #expect(first.status == 201 && retry.status == 201 && retry["Idempotency-Replayed"] == "true")
            #expect(first["Location"] != nil && retry["Location"] == first["Location"])
            #expect(retry.text == first.text && first.text.isEmpty != prefer.isEmpty)
        }
        #expect(try harness.ask("GET", list).json["counts"]?["items"] == 8)
    }

    /// `Location` names only the first item, and a transaction has no `Location`. So the result is sent in spite of the
    /// preference.
    @Test func aTransactionIsNotMinimal() throws {
        let reply = try Harness().post(
            list + "/transactions", #"{"operations":[{"op":"appendItems","items":[{}]}]}"#,
            ["Prefer": "return=minimal"])
        #expect(reply.status == 200 && reply.json["operations"]?[0]?["created"]?[0] != nil)
    }

    @Test func aDryRunMakesNothing() throws {
        let harness = try Harness()
        let reply = try harness.post(list + "/items?dryRun=true", #"{"items":[{}]}"#)
        #expect(reply.status == 200 && reply["Location"] == nil)
        #expect(reply.json["operations"] == [["status": "applied"]])
        #expect(reply.changes == "ins 1.0")
        #expect(try harness.ask("GET", list)["List-Version"] == "e1-1")
    }

    /// The base is a version since which other clients have deleted the anchor and the section.
    @Test func aStaleBaseTellsWhatWasMade() throws {
        let harness = try Harness()
        _ = try harness.ask("DELETE", list + "/items/b")
        _ = try harness.ask("DELETE", list + "/sections/t")
        let moved = try harness.post(list + "/items", #"{"base":"e1-1","items":[{}],"before":"b"}"#)
        #expect(moved.status == 201)
        #expect(moved.json["operations"]?[0]?["status"] == "adjusted")
        #expect(moved.json["operations"]?[0]?["created"] == [.string(ByteText(id(1)))])
        let dropped = try harness.post(list + "/items", #"{"base":"e1-1","items":[{}],"section":"t"}"#)
        #expect(dropped.status == 200 && dropped["Location"] == nil)
        #expect(dropped.json["operations"] == [["status": "dropped", "reason": "section_deleted"]])
    }

    // MARK: Lists

    @Test func aListIsCreated() throws {
        let harness = try Harness()
        let named = try harness.post(
            "/v1/lists", #"{"id":"mine","title":"M","sections":[{"id":"s","items":[{"id":"a"}]}]}"#)
        #expect(named.status == 201 && named["Location"] == "/v1/lists/mine" && named["List-Version"] == "e2-1")
        #expect(
            named.json == ["list": "mine", "version": "e2-1", "changed": true, "operations": [["status": "applied"]]])
        #expect(try harness.rows("mine") == "s:a")
        let unnamed = try harness.post("/v1/lists", #"{"title":"T"}"#)
        #expect(unnamed.status == 201 && unnamed["Location"] == "/v1/lists/\(id(1))")
        #expect(unnamed.json["list"]?.string == id(1))
        #expect(try harness.ask("GET", "/v1/lists/\(id(1))").json["title"] == "T")
        let minimal = try harness.post("/v1/lists", "{}", ["Prefer": "return=minimal"])
        #expect(minimal.status == 201 && minimal.text.isEmpty && minimal["Location"] == "/v1/lists/\(id(2))")
    }

    /// A snapshot that the server has sent creates a copy.
    @Test func aServedSnapshotIsACopy() throws {
        let harness = try Harness()
        let served = try harness.ask("GET", list).text.replacing(#""id":"l""#, with: #""id":"copy""#)
        #expect(try harness.post("/v1/lists", served).status == 201)
        #expect(try harness.rows("copy") == harness.rows("l"))
    }

    @Test(arguments: [
        Row.json("POST", "/v1/lists", #"{"id":"l"}"#, 409, "list_exists"),
        .json("POST", "/v1/lists?dryRun=true", #"{"id":"l"}"#, 409, "list_exists"),
        .json("POST", "/v1/lists", #"{"id":"L"}"#, 422, "invalid"),
        .json("POST", "/v1/lists", #"{"id":""}"#, 422, "invalid"),
        .json("POST", "/v1/lists", #"{"id":7}"#, 422, "invalid"),
        .json("POST", "/v1/lists", #"{"partial":true}"#, 422, "partial_snapshot"),
        .json("POST", "/v1/lists", #"{"sections":[{"id":"s","items":["a"]}]}"#, 409, "unknown_item"),
        Row("POST", "/v1/lists", Harness.json.merging(["If-Match": "*"]) { $1 }, "{}", 412, "precondition_failed"),
        Row("POST", "/v1/lists", 422, "invalid"),
    ])
    func whatMakesNoList(_ row: Row) throws {
        let harness = try Harness()
        let before = try harness.ask("GET", "/v1/lists").text
        let reply = try harness.ask(row.method, row.target, row.fields, row.body)
        #expect(reply.status == row.status && reply.code == row.code, "\(reply.text)")
        #expect(try harness.ask("GET", "/v1/lists").text == before)
    }

    @Test func aRetryNamesTheSameList() throws {
        let harness = try Harness()
        let first = try harness.post("/v1/lists", "{}", ["Idempotency-Key": "k"])
        let retry = try harness.post("/v1/lists", "{}", ["Idempotency-Key": "k"])
        #expect(first.status == 201 && retry.status == 201 && retry["Idempotency-Replayed"] == "true")
        #expect(retry["Location"] == first["Location"] && retry.text == first.text)
        #expect(parts(try harness.ask("GET", "/v1/lists").json["lists"]).count == 2)
        #expect(try harness.post("/v1/lists", #"{"title":"T"}"#, ["Idempotency-Key": "k"]).code == "key_reused")
    }

    @Test func aDryRunCreatesNothing() throws {
        let harness = try Harness()
        let reply = try harness.post("/v1/lists?dryRun=true", #"{"id":"mine"}"#)
        #expect(reply.status == 200 && reply["Location"] == nil && reply["ETag"] == nil)
        #expect(reply.json == ["list": "mine", "changed": true, "operations": [["status": "applied"]]])
        #expect(try harness.ask("GET", "/v1/lists/mine").status == 404)
    }
}
