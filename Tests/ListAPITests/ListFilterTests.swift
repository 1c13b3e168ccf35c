import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// `GET /v1/lists?filter=`: lists by id and title.
@Suite struct ListFilterTests {
    private static func harness() throws -> Harness {
        let harness = try Harness(lists: [])
        let titles = [
            "a1": "Groceries", "b2": "Caf\u{E9} round the corner", "c3": "To do", "groc": "\u{DC}bung", "z9": "a<b\"c",
        ]
        for (id, title) in titles {
            let body: JSONValue = ["title": .string(ByteText(title))]
            try #require(try harness.put("/v1/lists/\(id)", body.text).status == 201)
        }
        return harness
    }

    private func ids(_ reply: Reply) -> [String] { parts(reply.json["lists"]).compactMap { $0["id"]?.string } }

    @Test(arguments: [
        ("", ["a1", "b2", "c3", "groc", "z9"]), ("groc", ["a1", "groc"]), ("GROC", ["a1", "groc"]),
        ("o", ["a1", "b2", "c3", "groc"]),
        ("caf%C3%A9", ["b2"]), ("CAFE%CC%81", ["b2"]), ("cafe", []), ("%C3%BCbung", ["groc"]), ("to+do", ["c3"]),
        ("to%20do", ["c3"]), ("%20", ["b2", "c3"]), ("9", ["z9"]), ("%3Cb%22", ["z9"]), ("nothing", []),
    ])
    func finds(_ filter: String, _ expected: [String]) throws {
        let reply = try Self.harness().ask("GET", "/v1/lists?filter=\(filter)")
        #expect(reply.status == 200 && ids(reply) == expected && reply["Link"] == nil, "\(reply.text)")
    }

    /// The pages together have the same lists as the answer without pages.
    @Test(arguments: ["groc", "o", "%3Cb", "nothing", "+"], [1, 2, 3])
    func pagesLeadToAll(filter: String, limit: Int) throws {
        let harness = try Self.harness()
        let all = ids(try harness.ask("GET", "/v1/lists?filter=\(filter)"))
        var found: [String] = []
        var target: String? = "/v1/lists?filter=\(filter)&limit=\(limit)"
        while let next = target {
            let reply = try harness.ask("GET", next)
            #expect(reply.status == 200 && ids(reply).count <= limit)
            found += ids(reply)
            target = reply["Link"].map { String($0.split(separator: ">")[0].dropFirst()) }
        }
        #expect(found == all)
    }

    @Test(arguments: [
        "filter=\(String(repeating: "a", count: 257))", "filter=a&filter=b", "filter=a&limit=0", "filter=a&cursor=NO",
        "filter=a&field=title",
    ])
    func whatIsRefused(query: String) throws {
        let reply = try Self.harness().ask("GET", "/v1/lists?\(query)")
        #expect(reply.status == 422 && reply.code == "invalid")
    }
}
