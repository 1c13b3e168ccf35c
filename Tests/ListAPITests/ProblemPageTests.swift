import HTTPTypes
import JSONValue
import TestSupport
import Testing
import Yams

@testable import ListAPI
@testable import ListWire

/// The page about a kind of problem, at the address of its type.
@Suite struct ProblemPageTests {
    @Test func eachCodeHasARow() {
        #expect(Set(Explanation.all.map(\.code)) == Set(ProblemCode.allCases))
        #expect(Explanation.all.count == ProblemCode.allCases.count)
        for row in Explanation.all {
            for text in [row.meaning, row.remedy] {
                #expect(text.hasSuffix("."), "\(row.code)")
                #expect(!text.contains("`") && !text.contains("  "), "\(row.code)")
            }
            #expect(!row.example.isEmpty)
        }
    }

    @Test func theContractHasTheSameCodes() throws {
        let harness = try Harness(lists: [])
        let contract = try #require(try Yams.load(yaml: harness.ask("GET", "/openapi.yaml").text) as? [String: Any])
        let problems = try #require(contract["x-problems"] as? [[String: Any]])
        let promised = problems.map { "\($0["code"] ?? "") \($0["status"] ?? "")" }
        #expect(Set(promised) == Set(ProblemCode.allCases.map { "\($0.rawValue) \($0.status.code)" }))
        #expect(promised.count == ProblemCode.allCases.count)
    }

    @Test(arguments: ProblemCode.allCases)
    func theTypeResolves(_ code: ProblemCode) throws {
        let harness = try Harness(lists: [])
        let page = try harness.ask("GET", "/problems/\(code.rawValue)")
        #expect(page.status == 200)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(page.text.contains("<h1>\(code.title)</h1>"))
        let json = try harness.ask("GET", "/problems/\(code.rawValue)", ["Accept": "application/json"])
        #expect(json["Content-Type"] == "application/json")
        #expect(json.json["code"]?.string == code.rawValue)
        #expect(json.json["type"]?.string == "/problems/\(code.rawValue)")
        #expect(json.json["status"] == .integer(code.status.code))
        for member in ["title", "meaning", "remedy", "example"] {
            #expect(json.json[member]?.string?.isEmpty == false)
        }
    }

    @Test func allAreListed() throws {
        let harness = try Harness(lists: [])
        let page = try harness.ask("GET", "/problems", ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"])
        for code in ProblemCode.allCases { #expect(page.text.contains(#"href="/problems/\#(code.rawValue)""#)) }
        let json = try harness.ask("GET", "/problems", ["Accept": "application/json"])
        #expect(json.json["problems"]?.elements.count == ProblemCode.allCases.count)
        #expect(try harness.ask("GET", "/problems/none").status == 404)
        #expect(try harness.ask("GET", "/problems/CYCLE").status == 404)
        #expect(try harness.ask("HEAD", "/problems/cycle").status == 200)
    }

    /// Text that looks like markup is escaped.
    @Test func textsAreEscaped() throws {
        let page = try Harness(lists: []).ask("GET", "/problems/not_json").text
        #expect(page.contains("<pre>POST"))
        for row in Explanation.all {
            let text = try Harness(lists: []).ask("GET", "/problems/\(row.code.rawValue)").text
            let content = text.split(separator: "<h2>Example</h2>")[1].split(separator: "</pre>")[0]
            #expect(!content.dropFirst("\n<pre>".count).contains("<"), "\(row.code)")
        }
    }

    /// The `type` of a problem is the address of its page.
    @Test func aProblemNamesItsPage() throws {
        let harness = try Harness()
        let type = try #require(try harness.ask("GET", "/v1/lists/none").json["type"]?.string)
        #expect(try harness.ask("GET", type).status == 200)
    }

    // MARK: One version

    @Test func thereIsOneVersion() throws {
        let harness = try Harness(lists: [])
        let contract = try #require(try Yams.load(yaml: harness.ask("GET", "/openapi.yaml").text) as? [String: Any])
        #expect((contract["info"] as? [String: Any])?["version"] as? String == API.version)
        let root = try harness.ask("GET", "/", ["Accept": "application/json"])
        #expect(root.json["name"] == "ListState")
        #expect(root.json["version"]?.string == API.version)
        #expect(try harness.ask("GET", "/")["Content-Type"] == "text/html; charset=utf-8")
        for link in ["contract", "lists", "problems"] {
            let target = try #require(root.json["links"]?[link]?.string)
            #expect(try harness.ask("GET", target).status == 200)
        }
    }
}
