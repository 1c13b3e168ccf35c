import Testing

/// A request with a mistake that newcomers make, and the words that its answer must contain. The answer alone must be
/// enough to correct the mistake.
struct Mistake: Sendable, CustomTestStringConvertible {
    var request: String
    var fields: [String]
    /// The body of the request. The version of the list replaces `HEAD` in it.
    var body: String
    var status: Int
    var code: String
    /// Texts that the answer must contain.
    var says: [String]

    /// - Parameter request: The method and the path. A path that begins with a dot is below the list.
    init(_ request: String, _ status: Int, _ code: String, _ says: String...) {
        self.init(request, "", [], status, code, says)
    }

    /// A request with a JSON body.
    init(_ request: String, _ body: String, _ status: Int, _ code: String, _ says: String...) {
        self.init(request, body, ["Content-Type: application/json"], status, code, says)
    }

    /// A request with header lines.
    init(
        _ request: String, _ body: String, _ fields: [String], _ status: Int, _ code: String, _ says: String...
    ) {
        self.init(request, body, fields, status, code, says)
    }

    init(
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

    /// The requests that readers sent after an answer that had misled them.
    private static let secondAttempts = [
        Mistake(
            "POST ./items", #"{"items":[{"id":"skimmed","parent":"milk"}]}"#, 409, "not_a_tree",
            #"{\"parent\":\"milk\",\"items\":[{\"id\":\"skimmed\"}]}"#),
        Mistake(
            "POST ./undo", #"{"transaction":"k3v9-1"}"#, 409, "unknown_base", #"names in \"transaction\""#,
            "GET /v1/lists/groceries/transactions lists",
            #"send one of these versions as {\"transaction\":\"k3v9-42\"}"#),
        Mistake(
            "POST ./restore", #"{"version":"k3v9-1"}"#, 409, "made_anew", "is mistyped, or the list was deleted",
            "GET /v1/lists/groceries/transactions lists", "all later edits are taken back"),
        Mistake(
            "POST ./undo", #"{"transaction":"HEAD"}"#, 409, "nothing_to_undo", "so it cannot be undone",
            "DELETE /v1/lists/groceries deletes the whole list", "/v1/lists/groceries/restore brings"),
        Mistake(
            "POST ./redo", #"{"transaction":"HEAD"}"#, 409, "nothing_to_undo", "There is nothing to redo",
            "A redo takes back an undo"),
        Mistake("PATCH ./items/paer", #"{"starred":true}"#, 404, "not_found", #"Did you mean \"pear\"?"#),
        Mistake("DELETE ./sections/fruits", 404, "not_found", #"Did you mean \"fruit\"?"#, "deletes its items, too"),
        Mistake("POST /v1/samples/mountain", 404, "not_found", #"Did you mean \"mountains\"?"#),
        Mistake(
            "POST ./reorders",
            #"{"base":"HEAD","sections":{"fruit":{"difference":{"removals":[{"offset":1,"element":"pear"}],"#
                + #""insertions":[{"offset":0,"element":"pear"}]}}}}"#, 409, "invalid_difference",
            "The base has another item at this offset.",
            #"needs no base: {\"sections\":{\"fruit\":{\"final\":[…]}}} with the ids in that order."#),
        Mistake(
            "PUT .", 422, "invalid", "A body is needed",
            #"looks like {\"sections\":[{\"id\":\"fruit\",\"items\":[\"pear\",\"apple\"]}]}."#,
            "deletes the sections and items that are left out", "a bare id names an item that exists",
            "To add items: POST /v1/lists/groceries/items with"),
        Mistake(
            "PUT ./sections/fruit", "items=pear", 400, "not_json", "deletes the items that are left out",
            #"looks like {\"items\":[\"pear\",\"apple\"]}."#, "a bare id names an item that exists",
            #"To add items: POST /v1/lists/groceries/items with {\"section\":\"fruit\""#),
    ]
}
