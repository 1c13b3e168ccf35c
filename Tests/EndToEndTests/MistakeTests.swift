import Foundation
import JSONValue
import TestSupport
import Testing

/// Requests with the mistakes of newcomers. Each answer alone must be enough to correct the mistake.
///
/// `LISTSTATE_MISTAKES_FILE` names a file to which the requests and answers are written, so that people can try them.
@Suite struct MistakeTests {
    /// A long list of known names stands only in `known`. The sentences have only characters that can be printed
    /// anywhere.
    private func requirePlainness(_ text: String, _ row: Mistake) {
        let json = try? JSONValue(parsing: Array(text.utf8))
        var sentences = [json?["detail"]?.string ?? ""]
        for error in json?["errors"]?.elements ?? [] {
            let known = (error["known"]?.elements ?? []).compactMap { $0.string }.joined(separator: ", ")
            sentences.append(error["detail"]?.string ?? "")
            #expect(known.isEmpty || !sentences.contains { $0.contains(known) }, "\(row): \(known)")
        }
        for sentence in sentences {
            #expect(!sentence.isEmpty || json?["errors"] == nil, "\(row)")
            #expect(sentence.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(row): \(sentence)")
        }
    }

    @Test func theTableIsLong() {
        #expect(Mistake.all.count >= 60)
    }

    @Test func eachIsAnsweredSoThatItCanBeMended() throws {
        let server = try ServerProcess(["--memory"])
        let client = server.client
        let list = """
            {"title":"Groceries","sections":[
              {"id":"fruit","items":[{"id":"pear","content":{"text":"Pear"}},{"id":"apple"}]},
              {"id":"dairy","items":[{"id":"milk"}]}]}
            """
        #expect(try client.send("PUT", "/v1/lists/groceries", json: list).status == 201)
        let before = try client.send("GET", "/v1/lists/groceries").text
        let head = try #require(try JSONValue(parsing: Array(before.utf8))["version"]?.string)
        var rendered = "The list: `PUT /v1/lists/groceries` \(list)\n"
        for (index, row) in Mistake.all.enumerated() {
            let words = row.request.split(separator: " ", maxSplits: 1).map(String.init)
            let fields = row.fields.map { line in
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                return (parts[0], String(parts[1].drop { $0 == " " }))
            }
            let body = row.body.replacing("HEAD", with: "\(head)")
            let answer = try server.client.send(words[0], words[1], fields, body: Array(body.utf8))
            let text = answer.text
            rendered +=
                "\n## \(index + 1): \(row.request)\n\n```\n\((row.fields + [body]).joined(separator: "\n"))\n```\n\n"
            rendered += "\(answer.status) `\(text)`\n"
            #expect(answer.status == row.status, "\(row): \(text)")
            #expect(text.contains(#""code":"\#(row.code)""#), "\(row): \(text)")
            for part in row.says { #expect(text.contains(part), "\(part) in \(row): \(text)") }
            #expect(text.utf8.count < 4_096, "\(row): \(text)")
            requirePlainness(text, row)
            let after = try client.send("GET", "/v1/lists/groceries").text
            #expect(after == before, "\(row)")
        }
        if let file = ProcessInfo.processInfo.environment["LISTSTATE_MISTAKES_FILE"] {
            try rendered.write(toFile: file, atomically: true, encoding: .utf8)
        }
        #expect(server.stop() == 0)
    }
}
