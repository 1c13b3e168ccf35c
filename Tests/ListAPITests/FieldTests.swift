import Testing
import Texts

@testable import ListAPI
@testable import ListWire

/// The values that clients write into fields, right and wrong.
@Suite struct FieldTests {
    @Test(arguments: [
        ("return=minimal", true, false), ("RETURN = \"minimal\"", true, false), ("return=minimal;x=y", true, false),
        ("a, handling=strict", false, true), ("return=other, return=minimal", false, false), ("", false, false),
        (";", false, false), (";return=minimal", false, false), (",;,return=minimal", true, false), ("=", false, false),
    ])
    func preferences(_ field: String, wantsMinimal: Bool, isStrict: Bool) {
        let preferences = Preferences([ByteText(field)])
        #expect(preferences.wantsMinimal == wantsMinimal)
        #expect(preferences.isStrict == isStrict)
    }

    /// Every value of up to three delimiters. Some part that a parser expects is missing in each of them.
    @Test(arguments: [
        "Prefer", "Accept", "If-Match", "If-None-Match", "Content-Type", "Content-Encoding", "Idempotency-Key",
        "X-Request-Id", "Origin", "Cache-Control",
    ])
    func delimitersAloneHarmNobody(_ name: String) throws {
        let harness = try Harness(origins: .these(["https://a.test"]))
        let answers: Set = [200, 204, 304, 400, 403, 406, 409, 412, 415, 422]
        for value in Self.values(upTo: 3) {
            for (method, body) in [("GET", ""), ("PATCH", "{}")] {
                let fields = Harness.json.merging([name: value]) { $1 }
                let reply = try harness.ask(method, "/v1/lists/l", fields, body)
                #expect(answers.contains(reply.status), "\(name): \(value)")
            }
        }
    }

    private static func values(upTo length: Int) -> [String] {
        guard length > 0 else { return [""] }
        let shorter = values(upTo: length - 1)
        return shorter
            + shorter.filter { $0.utf8.count == length - 1 }.flatMap { value in
                [";", ",", "=", "\"", "*", "/", "W", " ", "q"].map { value + $0 }
            }
    }
}
