import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

@Suite struct SampleTests {
    private static let samples = [
        "emoji-explorer", "emoji-explorer-list", "reorderable", "emojis-and-numbers", "main-sub", "mountains", "wifi",
        "insertion-sort", "editing", "reactor-sections", "grid", "inset-grid", "two-column-grid", "distinct-sections",
        "adaptive-sections", "item-badges", "section-headers-footers", "pinned-section-headers", "section-background",
        "nested-groups", "orthogonal-sections", "orthogonal-behaviors", "simple-list", "list-appearances",
        "custom-cells", "cell-content", "custom-configurations", "conference-videos", "conference-news", "menu",
    ]

    @Test func areThoseOfTheContract() throws {
        let served = try parts(Harness(lists: []).ask("GET", "/v1/samples").json["samples"])
        #expect(served.compactMap { $0["id"]?.string } == Self.samples)
        #expect(served.filter { $0["moves"] != nil }.compactMap { $0["id"]?.string } == ["wifi", "insertion-sort"])
    }

    /// A layout that the server sends must also be one that can be written.
    @Test("What is served can be put back, and that changes nothing", arguments: samples)
    func putBack(_ sample: String) throws {
        let harness = try Harness(sample: sample)
        let list = "/v1/lists/\(sample)"
        let reply = try harness.put(list, harness.ask("GET", list).text)
        #expect(reply.status == 200)
        #expect(reply.json["changed"] == false)
        #expect(try harness.post("/v1/samples/\(sample)", "").json["changed"] == false)
    }

    @Test("A reset changes what a client has changed, and no id")
    func reset() throws {
        let harness = try Harness(sample: "distinct-sections")
        let list = "/v1/lists/distinct-sections"
        try #require(try harness.ask("DELETE", list + "/items/grid5.12").status == 200)
        try #require(
            try harness.post(
                list + "/transactions", #"{"operations":[{"op":"moveItem","item":"list.0","section":"grid3"}]}"#
            )
            .status == 200)
        #expect(try harness.post("/v1/samples/distinct-sections", "{}").changes == "ins 1.2, mov 2.10>0.0")
    }

    @Test("Steps under one seed are the same steps, also after a reset")
    func repeatable() throws {
        let harness = try Harness(sample: "wifi")
        var runs: [[String]] = []
        for _ in 0..<2 {
            try #require(try harness.post("/v1/samples/wifi", #"{"seed":7}"#).status == 200)
            var run: [String] = []
            for _ in 0..<6 {
                let reply = try harness.ask("POST", "/v1/samples/wifi/step")
                try #require(reply.status == 200 && reply.json["changed"] == true)
                run.append(try #require(reply.changes))
            }
            runs.append(run)
        }
        #expect(runs[0] == runs[1])
        let words = Set(runs[0].flatMap { $0.split(separator: ", ").map { $0.prefix(3) } })
        #expect(words == ["del", "ins"])
    }

    @Test("A step follows the switch")
    func theSwitch() throws {
        let harness = try Harness(sample: "wifi")
        func turn(_ isOn: Bool) throws {
            let body = #"{"content":{"enabled":\#(isOn)}}"#
            try #require(
                try harness.ask("PATCH", "/v1/lists/wifi/items/config.wi-fi", Harness.json, body).status == 200)
        }
        try turn(false)
        #expect(try harness.ask("POST", "/v1/samples/wifi/step").changes == "delS 1, del 0.1")
        #expect(try harness.ask("POST", "/v1/samples/wifi/step").json["changed"] == false)
        try turn(true)
        #expect(try harness.ask("POST", "/v1/samples/wifi/step").changes == "insS 1, ins 0.1")
    }

    @Test("Insertion sort ends sorted, and then nothing changes any more")
    func sorts() throws {
        let harness = try Harness(sample: "insertion-sort")
        var steps = 0
        while try harness.ask("POST", "/v1/samples/insertion-sort/step").json["changed"] == true { steps += 1 }
        #expect((1...23).contains(steps))
        let rows = try harness.rows("insertion-sort").split(separator: " ")
        #expect(rows[0] == "row-0:" + (0..<24).map { "row-0.\($0)" }.joined(separator: ","))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var target: String
        var body = ""
        var status: Int
        var testDescription: String { "\(target) \(body)" }
    }

    static let refusals = [
        Refusal(target: "/v1/samples/none/step", status: 404),
        Refusal(target: "/v1/samples/main-sub/step", status: 404),
        Refusal(target: "/v1/samples/insertion-sort/step", status: 404),
        Refusal(target: "/v1/samples/wifi/step", body: #"{"seed":-1}"#, status: 422),
        Refusal(target: "/v1/samples/wifi/step", body: #"{"steps":2}"#, status: 422),
        Refusal(target: "/v1/samples/wifi/step", body: #"{"base":"e9-1"}"#, status: 409),
        Refusal(target: "/v1/samples/wifi/step?view=all", status: 422),
    ]

    /// The sample `insertion-sort` is not installed.
    @Test(arguments: refusals)
    func refuses(_ row: Refusal) throws {
        let harness = try Harness(sample: "wifi")
        #expect(try harness.post(row.target, row.body).status == row.status)
        #expect(try harness.ask("GET", "/v1/lists/wifi")["List-Version"] == "e1-1")
    }

    @Test("A retry with a key makes no second step")
    func keyed() throws {
        let harness = try Harness(sample: "wifi")
        let replies = try (0..<2).map { _ in
            try harness.ask("POST", "/v1/samples/wifi/step", ["Idempotency-Key": "k"])
        }
        #expect(replies.map { $0.json["version"] } == ["e1-2", "e1-2"])
        #expect(replies[1]["Idempotency-Replayed"] == "true")
    }
}
