import Testing

/// A request as a newcomer gets it wrong, and what the answer must say so that it can be mended from that alone.
struct Mistake: Sendable, CustomTestStringConvertible {
    var request: String
    var fields: [String]
    var body: String
    var status: Int
    var code: String
    /// Parts of the answer.
    var says: [String]

    /// - Parameter request: Method and path, below the list where it begins with a dot.
    init(_ request: String, _ status: Int, _ code: String, _ says: String...) {
        self.init(request, "", [], status, code, says)
    }

    /// With a body of JSON.
    init(_ request: String, _ body: String, _ status: Int, _ code: String, _ says: String...) {
        self.init(request, body, ["Content-Type: application/json"], status, code, says)
    }

    /// With lines of the head.
    init(
        _ request: String, _ body: String, _ fields: [String], _ status: Int, _ code: String, _ says: String...
    ) {
        self.init(request, body, fields, status, code, says)
    }

    private init(
        _ request: String, _ body: String, _ fields: [String], _ status: Int, _ code: String, _ says: [String]
    ) {
        self.request = request.replacing(" .", with: " /v1/lists/groceries", maxReplacements: 1)
        self.fields = fields
        self.body = body
        self.status = status
        self.code = code
        self.says = says
    }

    var testDescription: String { "\(request) \(fields) \(body)" }
}

extension Mistake {
    static let all = [adding, editing, paths, queriesAndFields, secondAttempts].flatMap { $0 }

    /// What readers sent after an answer that led them on to another mistake.
    private static let secondAttempts = [
        Mistake(
            "POST ./items", #"{"items":[{"id":"skimmed","parent":"milk"}]}"#, 409, "not_a_tree",
            #"{\"parent\":\"milk\",\"items\":[{\"id\":\"skimmed\"}]}"#),
        Mistake(
            "POST ./undo", #"{"transaction":"k3v9-1"}"#, 409, "unknown_base", #"names in \"transaction\""#,
            "GET /v1/lists/groceries/transactions lists"),
        Mistake(
            "POST ./restore", #"{"version":"k3v9-1"}"#, 409, "made_anew", "deleted and created again",
            "GET /v1/lists/groceries/transactions lists"),
    ]
}
