import JSONValue
import TestSupport
import Testing
import Texts

/// The examples of openapi.yaml fit its schemas, and a server answers as they show.
@Suite struct OpenAPIExamplesTests {
    @Test func everyExampleFitsItsSchema() throws {
        let document = try OpenAPIDocument.ofProject()
        for operation in document.operations {
            for media in operation.requestContent + operation.responses.flatMap(\.content) {
                for (name, value) in media.examples.members {
                    let faults = document.check.faults(in: value, against: media.schema)
                    #expect(faults.isEmpty, "\(operation), \(name): \(faults)")
                }
            }
        }
    }

    @Test func everyOperationHasExamples() throws {
        // These operations send files, which need no example.
        let files = ["getContract", "getReference", "getPage", "getPageFile", "getClient", "getClientTypes"]
        for operation in try OpenAPIDocument.ofProject().operations where !files.contains(operation.id) {
            let success = operation.responses.filter { $0.status.hasPrefix("2") }
            let hasBody = success.contains { response in response.content.contains { !$0.type.isEmpty } }
            let exampleCount = success.flatMap(\.content).reduce(0) { $0 + $1.examples.count }
            #expect(exampleCount > 0 || !hasBody, "\(operation) shows no answer")
            for media in operation.requestContent { #expect(!media.examples.isEmpty, "\(operation) shows no request") }
        }
    }

    /// Bodies that break the schema of an operation, each in one way.
    static let forbidden = [
        ("putList", #"{"title":"L","sectoins":[]}"#),
        ("putList", #"{"partial":true}"#),
        ("putList", #"{"version":"k3v9-042"}"#),
        ("putList", #"{"sections":[{"items":[]}]}"#),
        ("patchList", #"{"title":null}"#),
        ("patchList", #"{"layout":{}}"#),
        ("patchList", #"{"layout":{"kind":"list","colour":"red"}}"#),
        ("patchList", #"{"layout":{"kind":"list","leadingSwipe":["archive"]}}"#),
        ("patchList", #"{"layout":{"kind":"list","cells":{"a":{"configuration":"cell","name":"n"}}}}"#),
        ("patchList", #"{"layout":{"kind":"list","cells":{"a":{"configuration":"custom"}}}}"#),
        ("patchList", #"{"layout":{"kind":"list","cells":{"a b":{"configuration":"cell"}}}}"#),
        ("patchList", #"{"layout":{"kind":"grid","insets":{"top":-1}}}"#),
        ("patchList", #"{"layout":{"kind":"grid","variants":[]}}"#),
        ("patchList", #"{"layout":{"kind":"grid","group":{"direction":"horizontal"}}}"#),
        ("patchList", #"{"layout":{"kind":"orthogonal","behavior":"sideways"}}"#),
        ("patchList", #"{"layout":{"kind":"orthogonal","supplementaries":[{"kind":"header"}]}}"#),
        ("postItems", #"{"items":["a"],"section":"s","parent":"p"}"#),
        ("postItems", #"{"items":[{"id":null}]}"#),
        ("postItems", #"{"items":[""]}"#),
        ("postItems", #"{"items":["a\u0007"]}"#),
        ("postItems", #"{"items":[{"id":"a","kind":"no kind"}]}"#),
        ("postItems", #"{"items":[{"id":"a","starred":1}]}"#),
        ("postTransaction", #"{"operations":[{"op":"moveItem","item":"a"}]}"#),
        ("postTransaction", #"{"operations":[{"op":"moveItem","item":"a","before":"b","after":"c"}]}"#),
        ("postTransaction", #"{"operations":[{"op":"moveItem","item":"a","before":"b","at":"last"}]}"#),
        ("postTransaction", #"{"operations":[{"op":"updateItem","item":"a","merge":true}]}"#),
        ("postTransaction", #"{"operations":[{"op":"sortItems"}]}"#),
        ("postTransaction", #"{"operations":{}}"#),
        ("postReorder", #"{"sections":{"s":{"difference":{"insertions":[],"removals":[]}}}}"#),
        ("postReorder", #"{"base":"k-1","sections":{"s":{"difference":{"insertions":[]}}}}"#),
        ("postReorder", #"{"sections":{"s":{"final":["a"],"difference":{"insertions":[],"removals":[]}}}}"#),
        ("patchList", groupOfBoth),
        ("undo", "{}"),
        ("redo", #"{"label":"again"}"#),
        ("postChanges", #"{"lists":[{"list":"a"}],"sort":"name"}"#),
        ("postChanges", #"{"lists":[{"list":"a"}],"field":"a..b"}"#),
        ("postChanges", #"{"lists":[{"list":"a"}],"where":["done:false"]}"#),
        ("installSample", #"{"seed":1.5}"#),
        ("installSample", #"{"seed":9007199254740992}"#),
    ]

    /// A group has either one item that is repeated, or these items. This one wrongly has both.
    private static let groupOfBoth =
        #"{"layout":{"kind":"grid","group":{"direction":"horizontal","width":\#(length),"height":\#(length),"#
        + #""item":\#(cell),"items":[\#(cell)],"count":2}}}"#
    private static let cell = #"{"width":\#(length),"height":\#(length)}"#
    private static let length = #"{"absolute":10}"#

    @Test(arguments: forbidden)
    func theSchemasForbid(_ id: String, _ body: String) throws {
        let document = try OpenAPIDocument.ofProject()
        let schema = try #require(document.operation(id)?.requestContent.first?.schema)
        let value = try JSONValue(parsing: Array(body.utf8))
        #expect(!document.check.faults(in: value, against: schema).isEmpty)
    }

    @Test func aServerForbidsItToo() throws {
        let document = try OpenAPIDocument.ofProject()
        let server = try ServerProcess(["--memory", "--samples"])
        for (id, body) in Self.forbidden {
            let operation = try #require(document.operation(id))
            let target = operation.template.replacing(/{(list|sample)}/, with: "main-sub")
            // The preference is needed because the answer would otherwise have to be a stream.
            let answer = try server.client.send(operation.method, target, [("Prefer", "respond-async")], json: body)
            #expect(answer.status == 422, "\(operation) \(body): \(answer.text)")
        }
    }

    /// A target cannot carry U+0000, not even percent-encoded. The character stands behind `start`.
    @Test(arguments: [
        ("listLists", "filter", "a"), ("getList", "filter", "a"), ("getList", "field", "a"),
        ("getList", "where", "content.a:"), ("getList", "sort", "content."), ("getChanges", "previousFilter", ""),
    ])
    func noQueryHasANullCharacter(_ id: String, _ name: String, _ start: String) throws {
        let document = try OpenAPIDocument.ofProject()
        let operation = try #require(document.operation(id))
        let schema = try #require(operation.parameters.first { $0.name == name && $0.place == "query" }?.schema)
        let value = JSONValue.string(ByteText(start + "\0"))
        #expect(!document.check.faults(in: value, against: schema["items"] ?? schema).isEmpty)

        let server = try ServerProcess(["--memory", "--samples"])
        let target = operation.template.replacing("{list}", with: "main-sub")
        #expect(try server.client.send("GET", "\(target)?\(name)=\(start)%00").status == 400)
    }

    /// A link names an operation of the page and only parameters that it has. No link has a `requestBody`, because
    /// openapi-generator accepts only a string there.
    @Test func everyLinkLeadsToAnOperation() throws {
        let document = try OpenAPIDocument.ofProject()
        let links = document.operations.flatMap { $0.responses.flatMap(\.links) }
        #expect(!links.isEmpty)
        for link in links {
            #expect(link["requestBody"] == nil, "\(link.text)")
            let target = try #require(document.operation(link["operationId"]?.string ?? ""), "\(link.text)")
            let names = Set(target.parameters.map(\.name))
            #expect(names.isSuperset(of: (link["parameters"]?.members ?? []).map(\.key.string)), "\(link.text)")
            let members = (link["x-request-body"]?.members ?? []).map(\.key.string)
            let body = target.requestContent.first.map { document.properties(of: $0.schema) } ?? []
            #expect(body.isSuperset(of: members), "\(link.text)")
        }
    }

    /// The help names an option and its default. Long lines are folded, so white space is ignored.
    @Test func everyLimitIsAnOption() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let limits = try #require(OpenAPIDocument.ofProject().root["x-limits"]?.elements).filter { $0["flag"] != nil }
        for limit in limits {
            let flag = try #require(limit["flag"]?.string)
            let line = try #require(
                words.split(separator: " \(flag) <").dropFirst().first?.split(separator: " <").first)
            #expect(line.contains("(default: \(limit["default"]?.text ?? "")"), "\(flag): \(line)")
        }
        let options = words.matches(of: /--([a-z-]+-(max|min|bytes|seconds|days|per-minute)|[a-z-]*memory-mebibytes) </)
            .map {
                "--\($0.output.1)"
            }
        // The times for caches and between two looks for keys are no limits.
        let others: Set = ["--shared-cache-seconds", "--jwks-seconds"]
        #expect(Set(options).subtracting(others) == Set(limits.compactMap { $0["flag"]?.string }))
    }

    @Test func aServerDoesWhatTheyShow() throws {
        let server = try ServerProcess(["--memory", "--samples"])
        let client = server.client
        let served = try client.send("GET", "/openapi.yaml")
        let document = try OpenAPIDocument(yaml: served.text)
        #expect(try document.root == OpenAPIDocument.ofProject().root)

        var scenario = OpenAPIScenario(document, client)
        let steps = try #require(document.root["x-scenario"]?.elements)
        for (index, step) in steps.enumerated() {
            let faults = try scenario.replay(step)
            #expect(faults.isEmpty, "step \(index), \(step["name"]?.text ?? ""): \(faults)")
        }
        let replayed = Set(steps.compactMap { $0["operationId"]?.string })
        #expect(replayed == Set(document.operations.map(\.id)))
        #expect(server.stop() == 0)
    }

    /// The replay of a scenario itself must find errors: steps with wrong expectations are reported.
    @Test func aReplayTellsWhatIsOtherwise() throws {
        let server = try ServerProcess(["--memory"])
        var scenario = OpenAPIScenario(try .ofProject(), server.client)
        let expectations: [JSONValue] = [
            ["status": 204], ["status": 200, "body": ["status": "ill"]], ["status": 200, "headers": ["Link": "*"]],
            ["status": 200, "headers": ["Vary": "Origin"]], ["status": 200, "answer": "nowhere"],
        ]
        for expected in expectations {
            #expect(try !scenario.replay(["operationId": "getHealth", "expect": expected]).isEmpty, "\(expected.text)")
        }
        #expect(try scenario.replay(["operationId": "getHealth", "expect": ["status": 200, "answer": "ok"]]) == [])
    }
}
