import ClientState
import ListDiff
import ListModel
import Testing
import Texts

/// What a server answers is read as docs/contract.md says, and a wrong answer names the member that is wrong.
@Suite struct AnswerTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let member: ByteText
        let body: String
        var testDescription: String { "\(member): \(body)" }

        init(member: ByteText, body: String) { (self.member, self.body) = (member, body) }

        init(_ member: ByteText, sections: String) {
            self.init(member: member, body: #"{"id":"l","version":"e-1","sections":\#(sections)}"#)
        }
    }

    static let wrong = [
        Wrong(member: "", body: #"{"id":"l","#),
        Wrong(member: "", body: "[]"),
        Wrong(member: "id", body: #"{"version":"e-1","title":""}"#),
        Wrong(member: "id", body: #"{"id":"Not A List","version":"e-1"}"#),
        Wrong(member: "version", body: #"{"id":"l","version":"e"}"#),
        Wrong(member: "partial", body: #"{"id":"l","version":"e-1","partial":true}"#),
        Wrong(member: "title", body: #"{"id":"l","version":"e-1","title":7}"#),
        Wrong("sections", sections: #"[{"id":"s"},{"id":"s"}]"#),
        Wrong("sections", sections: #"[{"id":"s","items":[{"id":"a"},{"id":"a"}]}]"#),
        Wrong("parent", sections: #"[{"id":"s","items":[{"id":"a","parent":"b"}]}]"#),
        Wrong("content", sections: #"[{"id":"s","items":[{"id":"a","content":[]}]}]"#),
        Wrong("kind", sections: #"[{"id":"s","items":[{"id":"a","kind":"a b"}]}]"#),
        Wrong(
            member: "counts",
            body: #"{"id":"l","version":"e-1","counts":{"sections":1,"items":0,"visibleItems":0}}"#),
    ]

    @Test("A wrong snapshot is refused", arguments: wrong)
    func refuses(_ wrong: Wrong) {
        #expect { _ = try ListSnapshot(answer: Array(wrong.body.utf8)) } throws: {
            ($0 as? AnswerError)?.member == wrong.member
        }
    }

    @Test func resultsAreRead() throws {
        let body = #"""
            {"version":"k3v9-42","changed":true,"later":[1],
             "operations":[{"status":"applied"},{"status":"adjusted","reason":"anchor_deleted"},
              {"status":"partial","reason":"item_deleted","items":["a"],"sections":["s"]},
              {"status":"dropped","reason":"cycle"},{"status":"new"}],
             "missed":{"list":"l","from":"k3v9-40","to":"k3v9-41","view":"items",
              "counts":{"sections":0,"items":0,"visibleItems":0},"properties":{"title":"T","layout":null}},
             "warnings":[{"code":"missing","detail":"…"}]}
            """#
        let answer = try WriteAnswer(answer: Array(body.utf8))
        #expect(answer.version == Version("k3v9-42") && answer.hasChanged)
        #expect(answer.outcomes.map(\.status) == [.applied, .adjusted, .partial, .dropped, .other("new")])
        #expect(answer.outcomes.map(\.reason) == [nil, "anchor_deleted", "item_deleted", "cycle", nil])
        #expect(answer.outcomes[2].items == ["a"] && answer.outcomes[2].sections == ["s"])
        #expect(answer.warnings == ["missing"])
        guard case .changes(let changes, let from, let to, _)? = answer.missed else {
            Issue.record("missed is no change set")
            return
        }
        #expect(from == Version("k3v9-40") && to == Version("k3v9-41"))
        #expect(changes.properties.title == .set("T") && changes.properties.layout == .set(nil))
    }

    @Test func problemsAreRead() throws {
        let body = #"{"code":"sequence_gap","status":409,"title":"T","detail":"D","op":2,"expected":57}"#
        let problem = try ServerProblem(answer: Array(body.utf8))
        #expect(problem.code == "sequence_gap" && problem.status == 409 && problem.title == "T")
        #expect(problem.detail == "D" && problem.operation == 2 && problem.expected == 57)
        #expect(throws: AnswerError.self) { try ServerProblem(answer: Array(#"{"status":409}"#.utf8)) }
        #expect(ServerProblem(status: 502).code == "")
    }
}
