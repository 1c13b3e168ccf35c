import Testing

/// A request and the expected answer.
struct Row: Sendable, CustomTestStringConvertible {
    var method: String
    var target: String
    var fields: [String: String]
    var body: String
    var status: Int
    /// The expected code of a problem; nil for a success.
    var code: String?

    init(
        _ method: String, _ target: String, _ fields: [String: String], _ body: String, _ status: Int,
        _ code: String? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.status = status
        self.code = code
    }

    /// A request without fields and body.
    init(_ method: String, _ target: String, _ status: Int, _ code: String? = nil) {
        self.init(method, target, [:], "", status, code)
    }

    /// A request with a JSON body.
    static func json(
        _ method: String, _ target: String, _ body: String, _ status: Int, _ code: String? = nil
    ) -> Row {
        Row(method, target, Harness.json, body, status, code)
    }

    var testDescription: String { "\(method) \(target) \(fields) \(body) → \(status) \(code ?? "")" }
}
