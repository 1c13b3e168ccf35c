import Foundation
import JSONValue
import TestSupport
import Testing

/// Requests as a newcomer gets them wrong, and what the answer must say so that they can be mended from it alone.
///
/// `LISTSTATE_MISTAKES_FILE` names a file for requests and answers, for somebody to try.
@Suite struct MistakeTests {
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

    private static func transaction(_ operation: String, _ status: Int, _ code: String, _ says: String) -> Mistake {
        Mistake("POST ./transactions", #"{"operations":[\#(operation)]}"#, status, code, says)
    }

    static let adding = [
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","text":"Bread"}]}"#, 422, "invalid", "/items/0/text",
            #"{\"content\":{\"text\":"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","done":false,"price":3}]}"#, 422, "invalid", "/items/0/done",
            "/items/0/price", #"{\"content\":{\"done\":"#),
        Mistake("POST ./items", #"{"items":{"id":"bread"}}"#, 422, "invalid", "/items", "an array"),
        Mistake(
            "POST ./items", #"{"item":{"id":"bread"}}"#, 422, "invalid", #"Items stand in an array: {\"items\":[{"#,
            #"The member \"items\" is needed."#),
        Mistake("POST ./items", #"{"items":[{"id":"x","children":[]}]}"#, 422, "invalid", "names it: {"),
        Mistake("POST ./items", #"{"items":[{"id":"x"}],"at":"first"}"#, 422, "invalid", "never by indexes"),
        Mistake("POST ./items", #"{"item":{}}"#, 422, "invalid", #"Items stand in an array: {\"items\":[{"#),
        Mistake(
            "POST ./items", #"{"section":"dairy","id":"bread"}"#, 422, "invalid",
            #"Items stand in an array: {\"items\":[{"#, #""pointer":"/items""#),
        Mistake(
            "POST ./items", #"[{"id":"bread"}]"#, 422, "invalid", "Expected an object",
            #"Such as {\"items\":[{"#, #""known":["items""#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"position":0}"#, 422, "invalid", "never by indexes",
            #"{\"before\":\"apple\"}"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"before":1}"#, 422, "invalid", "never by a number",
            #"such as \"milk\""#),
        Mistake("POST ./items", #"{"items":[{"id":"bread"}],"index":2}"#, 422, "invalid", "never by indexes"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"before":"nothing"}"#, 409, "unknown_item",
            #"no item \"nothing\": GET /v1/lists/{list} has them all.""#),
        Mistake("POST ./items", #"{"items":["bread"]}"#, 409, "unknown_item", #"{\"id\":\"bread\"}"#),
        Mistake(
            "POST ./items", "{'items':[{'id':'bread'}]}", 400, "not_json",
            #"at byte 1 there is a single quote where a name in double quotes or \"}\" should be"#),
        Mistake("POST ./items", "{items:[{id:1}]}", 400, "not_json", #"at byte 1 there is the word \"items\" where"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"},]}"#, 400, "not_json",
            #"at byte 25 there is \"]\" where a value should be. Leave out the comma before it."#),
        Mistake(
            "POST ./items", "{\n \"items\":[\n  ,{}]}", 400, "not_json",
            #"at byte 15 (line 3, column 3) there is a comma where a value or \"]\" should be"#),
        Mistake(
            "POST ./items", "{\"items\":[{\"content\":{\"text\":\"a\u{1}\"}}]}", 400, "not_json",
            "at byte 31 there is a control character (0x1) inside a string: write it as", "u0001"),
        Mistake(
            "POST ./items", "{\"items\":[{\"content\":{\"text\":\"a\nb\"}}]}", 400, "not_json",
            "(line 1, column 32) there is a line break inside a string"),
        Mistake(
            "POST ./items", #"{"items":[{"content":{"a":"x"y"}}]}"#, 400, "not_json", "A double quote that is part"),
        Mistake("POST ./items", #"{"items":[{"content":{"a":.5}}]}"#, 400, "not_json", "A number begins with a digit"),
        Mistake(
            "POST ./items", #"{"items":[{"content":{"a":"C:\d"}}]}"#, 400, "not_json", "a backslash that begins none of"
        ),
        Mistake("POST ./items", "{“items”:[]}", 400, "not_json", "at byte 1 there is a curly quote where a name"),
        Mistake("POST ./items", #"{"items":[{"starred":True}]}"#, 400, "not_json", "In JSON it is true."),
        Mistake(
            "POST ./items", "items=bread", 400, "not_json", #"at byte 0 there is the word \"items\" where a value"#,
            #"A body here is {\"items\":[{\"content\""#),
        Mistake(
            "POST ./items", "{\n \"items\" [\"pear\"]\n}", 400, "not_json",
            #"(line 2, column 10) there is \"[\" where a colon should be"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}]"#, 400, "not_json",
            #"it ends at byte 25 where a comma or \"}\" should be"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}]}"#, [], 415, "unsupported_media_type",
            "Content-Type: application/json"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}]}"#, ["Content-Type: application/x-www-form-urlencoded"], 415,
            "unsupported_media_type", "Content-Type: application/json"),
        Mistake("POST ./items", 422, "invalid", "A body is needed"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"},{"id":"bread"}]}"#, 422, "invalid", "/items/1", "twice"),
        Mistake("POST ./items", #"{"items":[{"id":""}]}"#, 422, "invalid", "/items/0/id", "1 to 255 bytes"),
        Mistake("POST ./items", #"{"items":[{"id":7}]}"#, 422, "invalid", "/items/0/id", "a string"),
        Mistake("POST ./items", #"{"items":[{"id":"bread","kind":"my kind"}]}"#, 422, "invalid", "A-Z, a-z"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","content":"Bread"}]}"#, 422, "invalid", "/items/0/content",
            "an object"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","starred":"yes"}]}"#, 422, "invalid", "/items/0/starred",
            "true or false"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"section":"bakery"}"#, 409, "unknown_section",
            #"no section \"bakery\""#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"before":"pear","after":"apple"}"#, 422, "invalid", "/after",
            "leave out one"),
        Mistake("POST ./items", #"{"items":[],"items":[]}"#, 400, "not_json", "already"),
    ]

    static let editing = [
        Mistake(
            "POST ./transactions", #"{"op":"appendItems","items":[{"id":"bread"}]}"#, 422, "invalid",
            #"The member \"operations\" is needed."#, "/op"),
        transaction(
            #"{"op":"add","items":[{"id":"bread"}]}"#, 422, "invalid", #"Did you mean \"appendItems\"?"#),
        transaction(#"{"op":"starItem","items":["pear"]}"#, 422, "invalid", #"Did you mean \"starItems\"?"#),
        transaction(
            #"{"operation":"appendItems","items":[{"id":"bread"}]}"#, 422, "invalid", #"\"op\" is needed"#),
        transaction(#"{"type":"moveItem","item":"pear","before":"milk"}"#, 422, "invalid", #""known":["appendS"#),
        transaction(#"{"op":"moveItem","item":"pear","to":0}"#, 422, "invalid", "never by indexes"),
        transaction(
            #"{"op":"moveItem","item":"pear"}"#, 422, "invalid", #""known":["before","after","section","parent"]"#),
        Mistake(
            "POST ./transactions", #"{"operations":[{"op":"moveItem"}]}"#, 422, "invalid",
            #""pointer":"/operations/0/item""#, "The place is beside another item"),
        transaction(
            #"{"op":"moveItem","item":{},"before":"milk"}"#, 422, "invalid",
            #"the id of an item, a string in double quotes such as \"milk\""#),
        transaction(#"{"op":"appendItems","id":"bread"}"#, 422, "invalid", #"Items stand in an array: {\"items\":[{"#),
        transaction(#"{"op":"appendItems","items":[{"id":"bread"}],"before":"pear"}"#, 422, "invalid", "insertItems"),
        transaction(
            #"{"op":"updateItem","item":"pear","after":"apple"}"#, 422, "invalid", #"{\"op\":\"moveItem\""#),
        transaction(
            #"{"op":"moveItem","item":"pear","section":"dairy","at":0}"#, 422, "invalid", #""known":["first","last"]"#),
        transaction(#"{"op":"moveItem","item":"pear","befor":"milk"}"#, 422, "invalid", #"Did you mean \"before\"?"#),
        transaction(
            #"{"op":"moveItem","item":"pear","section":"dairy","at":"top"}"#, 422, "invalid",
            #""known":["first","last"]"#),
        transaction(
            #"{"op":"moveItem","item":"pear","before":"pear"}"#, 409, "self_move", "cannot stand before or after itself"
        ),
        transaction(#"{"op":"moveItem","item":"pear","parent":"pear"}"#, 409, "cycle", "inside itself"),
        transaction(#"{"op":"updateItem","item":"pear","text":"P"}"#, 422, "invalid", #"{\"content\":{\"text\":"#),
        transaction(#"{"op":"updateItem","item":"pear","stared":true}"#, 422, "invalid", #"Did you mean \"starred\"?"#),
        transaction(#"{"op":"starItems","items":["pear"],"starred":false}"#, 422, "invalid", "unstarItems"),
        transaction(#"{"op":"replaceChildren","item":"pear","items":[]}"#, 422, "invalid", #"\"parent\" is needed"#),
        transaction(#""deleteAllItems""#, 422, "invalid", #"Such as {\"op\":\"starItems\""#),
        transaction(#"{"op":"deleteItems","items":"pear"}"#, 422, "invalid", #"{\"items\":[\"milk\",\"pear\"]}"#),
        transaction(#"{"op":"deleteItems","item":"pear"}"#, 422, "invalid", #"Did you mean \"items\"?"#),
        transaction(#"{"op":"deleteItems","ids":["pear"]}"#, 422, "invalid", #"Did you mean \"items\"?"#),
        transaction(#"{"op":"starItems","items":["mlik"]}"#, 409, "unknown_item", #"no item \"mlik\""#),
        Mistake("POST ./transactions", #"{"operations":{"op":"deleteAllItems"}}"#, 422, "invalid", "an array"),
        Mistake(
            "POST ./transactions", #"{"base":"41","operations":[]}"#, 422, "invalid", "/base", "k3v9-42",
            "may be left out"),
        Mistake(
            "POST ./transactions", #"{"base":"k3v9-1","operations":[{"op":"starItems","items":["pear"]}]}"#, 409,
            "unknown_base", #"without \"base\" the write applies to the list as it is now"#),
        Mistake(
            "PUT .", #"{"version":"41","sections":[]}"#, 422, "invalid", "/version", "may be left out of a snapshot"),
        Mistake(
            "POST ./undo", #"{"transaction":"last"}"#, 422, "invalid", "/transaction",
            "GET /v1/lists/{list}/transactions has those"),
        Mistake("POST ./transactions", #"{"base":41,"operations":[]}"#, 422, "invalid", "k3v9-42", "may be left out"),
        Mistake(
            "POST ./transactions",
            #"{"operations":[{"op":"fly"},{"op":"starItems","items":[1,"pear","pear"]},{"op":"moveItem"}],"x":1}"#,
            422, "invalid", #""pointer":"/x""#, #""pointer":"/operations/0/op""#, #""pointer":"/operations/1/items/0""#,
            #""pointer":"/operations/1/items/2""#, #""pointer":"/operations/2/item""#),
        Mistake("PATCH ./items/pear", #"{"text":"Pear!"}"#, 422, "invalid", #"{\"content\":{\"text\":"#),
        Mistake(
            "PATCH ./items/pear", #"{"before":"apple"}"#, 422, "invalid",
            #"{\"operations\":[{\"op\":\"moveItem\",\"item\":\"pear\",\"before\":\"apple\"}]}"#),
        Mistake("PATCH ./items/pear", #"{"parent":"apple"}"#, 422, "invalid", "leaves an item where it is"),
        Mistake("PATCH ./sections/fruit", #"{"starred":true}"#, 422, "invalid", "/items/{item}/star"),
        Mistake("PATCH .", #"{"items":[{"id":"bread"}]}"#, 422, "invalid", "POST /v1/lists/{list}/items"),
        Mistake("PATCH .", #"{"name":"Food"}"#, 422, "invalid", #"Did you mean \"title\"?"#),
        Mistake("PUT .", #"{"items":[{"id":"bread"}]}"#, 422, "invalid", #"{\"sections\":[{\"id\":\"main\""#),
        Mistake("PUT .", #"{"sections":["fruit"]}"#, 422, "invalid", #"Such as {\"id\":\"fruit\",\"items\":["#),
        Mistake(
            "PUT .", #"{"sections":{"fruit":["pear"]}}"#, 422, "invalid", #"Such as {\"sections\":[{\"id\":\"fruit\""#),
        Mistake("PUT ./sections/fruit", #"["pear","apple"]"#, 422, "invalid", #"\"items\":[{\"id\":\"pear\"}]}"#),
        Mistake("PATCH ./sections/fruit", #"{"id":"fruits"}"#, 422, "invalid", "An id stays what it is"),
        Mistake("PUT ./items/pear/star", #"{"starred":true}"#, 422, "invalid", "leave the body out"),
        Mistake("POST /v1/lists", #"{"id":"My List"}"#, 422, "invalid", "a-z, 0-9", "It may be left out"),
        Mistake("POST ./restore", 409, "not_deleted", #"{\"version\":\"k3v9-42\"}"#),
        Mistake("PUT .", #"{"id":"food","sections":[]}"#, 422, "invalid", "/id", "The path names another id"),
        Mistake("POST ./undo", 422, "invalid", #"{\"transaction\":\"k3v9-42\"}"#),
        Mistake("POST ./undo", #"{"version":"k3v9-1"}"#, 422, "invalid", #"Did you mean \"transaction\"?"#),
        Mistake("POST ./restore", #"{"to":"k3v9-1"}"#, 422, "invalid", #"Did you mean \"version\"?"#),
        Mistake("POST /v1/samples/wifi", #"{"seed":"x"}"#, 422, "invalid", "from 0 to 9007199254740991", "random part"),
        Mistake("POST /v1/samples/wifi", #"{"seed":-1}"#, 422, "invalid", "from 0 to 9007199254740991", "random part"),
        Mistake(
            "POST ./reorders", #"{"sections":{"fruit":["apple","pear"]}}"#, 422, "invalid", "/sections/fruit",
            "Expected an object", #"The wanted order is {\"final\":[\"pear\",\"apple\"]}"#),
        Mistake(
            "POST ./reorders", #"{"sections":[{"id":"fruit","final":["apple","pear"]}]}"#, 422, "invalid",
            #"{\"sections\":{\"fruit\":{\"final\":["#),
        Mistake(
            "POST ./reorders", #"{"fruit":["apple","pear"]}"#, 422, "invalid",
            #"{\"sections\":{\"fruit\":{\"final\":["#),
        Mistake(
            "POST ./reorders", #"{"sections":{"fruit":{"difference":{"removals":[{"offset":-1,"element":"pear"}]}}}}"#,
            422, "invalid", #""pointer":"/base""#, "the index of a row in its section", "removals/0/offset",
            #""pointer":"/sections/fruit/difference/insertions""#),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"grid","columns":2}}"#, 422, "invalid", "/layout/columns",
            #""known":["kind""#,
            #"A grid of two columns: {\"kind\":\"grid\",\"group\":{"#),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"grid","group":{"columns":2,"width":1}}}"#, 422, "invalid",
            #"A group of two columns: {\"direction\":"#, #""pointer":"/layout/group/height""#,
            #"{\"fractionalHeight\":1} or {\"fractionalWidth\":0.5}"#),
        Mistake(
            "PATCH .",
            #"{"layout":{"kind":"grid","group":{"direction":"horizontal","width":{"fractionalWidth":1},"#
                + #""height":{"absolute":44},"item":{}}}}"#, 422, "invalid", #""pointer":"/layout/group/item/width""#,
            #""pointer":"/layout/group/item/height""#, "An item that takes half of its group's width"),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"list","insets":{"top":"8px"}}}"#, 422, "invalid", "from 0 to 100000",
            "It counts points, such as 8"),
        Mistake("PATCH .", #"{"layout":{"kind":"list","interSectionSpacing":-8}}"#, 422, "invalid", "from 0 to 100000"),
        Mistake("PATCH .", #"{"layout":"grid"}"#, 422, "invalid", #"{\"kind\":\"list\","#),
        Mistake("PATCH .", #"{"layout":{"kind":"tiles"}}"#, 422, "invalid", #""known":["list","grid","orthogonal"]"#),
    ]

    static let paths = [
        Mistake("GET /lists", 404, "not_found", "/v1/lists?"),
        Mistake("GET /v1/list/groceries", 404, "not_found", "/v1/lists/{list}?"),
        Mistake("GET /v1/lists/", 404, "not_found", "Leave out the / at its end"),
        Mistake("GET /v1/lists/Groceries", 422, "invalid_id", "a-z, 0-9"),
        Mistake("PUT /v1/lists/My%20Groceries", "{}", 422, "invalid_id", "a-z, 0-9"),
        Mistake("GET /v1/lists/grocery", 404, "not_found", "GET /v1/lists has them all"),
        Mistake("GET ./items", 405, "method_not_allowed", "GET /v1/lists/{list} has all items"),
        Mistake("GET ./items/bread", 404, "not_found", "no such item"),
        Mistake("GET ./items/%01", 422, "invalid_id", "without control characters"),
        Mistake(
            "PUT ./items/bread", #"{"content":{}}"#, 405, "method_not_allowed", "POST /v1/lists/{list}/items with"),
        Mistake("POST .", #"{"items":[{"id":"bread"}]}"#, 405, "method_not_allowed", "POST /v1/lists/{list}/items"),
        Mistake("POST ./sections", #"{"id":"bakery"}"#, 404, "not_found", "PUT /v1/lists/{list}/sections/{section}"),
        Mistake(
            "POST ./sections/fruit/items", #"{"items":[{"id":"kiwi"}]}"#, 404, "not_found",
            #"POST /v1/lists/{list}/items with {\"section\":"#),
        Mistake("DELETE ./sections/fruit/items/pear", 404, "not_found", "/v1/lists/{list}/items/{item}"),
        Mistake(
            "POST ./reorder", #"{"sections":{"fruit":{"final":["apple","pear"]}}}"#, 404, "not_found",
            "/v1/lists/{list}/reorders?"),
        Mistake("GET ./history", 404, "not_found", "GET /v1/lists/{list}/transactions"),
        Mistake("GET ./stream", 404, "not_found", "Accept: text/event-stream"),
        Mistake("POST ./items/pear/unstar", 404, "not_found", "DELETE /v1/lists/{list}/items/{item}/star"),
        Mistake("POST ./items/pear/move", #"{"index":0}"#, 404, "not_found", "moveItem"),
        Mistake("DELETE ./items", 405, "method_not_allowed", "deleteItems"),
        Mistake("GET ./undo", 405, "method_not_allowed", #"Send it as POST, with the transaction: {\"transaction\":"#),
        Mistake("GET ./items/🥝", 400, "bad_path", "%F0%9F%A6%8A"),
        Mistake("GET ./items/100%", 400, "bad_path", "%25"),
        Mistake("GET /health", 404, "not_found", "GET /healthz"),
        Mistake("GET /openapi.json", 404, "not_found", "GET /openapi.yaml"),
        Mistake("POST /v1/samples/groceries", 404, "not_found", "GET /v1/samples"),
    ]

    static let queriesAndFields = [
        Mistake(
            "GET ./changes?since=41", 422, "invalid", "?since", "k3v9-42",
            "Without since the answer is the whole list"),
        Mistake("GET .?sort=name", 422, "invalid", "sort=content.name"),
        Mistake("GET /v1/lists?limit=0", 422, "invalid", "How many lists a page has", "from 1 to 1000"),
        Mistake("GET .?offset=10&limit=10", 422, "invalid", "follow the Link of each answer"),
        Mistake("GET .?cursor=r2&limit=1", 422, "invalid", "Follow the Link of the page before"),
        Mistake("GET .?limit=all", 422, "invalid", "How many rows a page has", "from 1 to 10000"),
        Mistake("GET .?veiw=visible", 422, "invalid", #"Did you mean \"view\"?"#),
        Mistake("GET .?view=tree", 422, "invalid", #""known":["items","visible"]"#),
        Mistake(
            "GET .?view=tree&veiw=items&limit=0&starred=yes", 422, "invalid", #""pointer":"?view""#,
            #""pointer":"?veiw""#, #""pointer":"?limit""#, #""pointer":"?starred""#, "There are 3 more errors"),
        Mistake("GET .?where=done:false", 422, "invalid", "where=content.done:false"),
        Mistake("GET .?done=false", 422, "invalid", "where=content.done:true"),
        Mistake("GET .?q=pear", 422, "invalid", #"Did you mean \"filter\"?"#),
        Mistake("GET ./changes?from=k3v9-1", 422, "invalid", #"Did you mean \"since\"?"#),
        Mistake("GET .?before=5", 422, "invalid", "count the rows on both sides", "around=milk&before=20"),
        Mistake(
            "GET .?around=pear&before=apple", 422, "invalid", "How many rows stand on that side", "from 0 to 10000"),
        Mistake(
            "POST ./items?before=pear", #"{"items":[{"id":"bread"}]}"#, 422, "invalid", "it stands in the body"),
        Mistake("GET ./changes?wait=soon", 422, "invalid", "?wait", "seconds", "More than 55 count as 55"),
        Mistake("GET .?expanded=pear", 422, "invalid", "view=visible"),
        Mistake("GET ./items/pear?view=items", 422, "invalid", "No parameter is known here"),
        Mistake("PUT ./items/pear/star", "", ["If-Match: k3v9-1"], 400, "bad_request", #"If-Match: \"k3v9-42\""#),
        Mistake("PUT ./items/pear/star", "", [#"If-Match: "k3v9-1""#], 412, "precondition_failed", #""head":"#),
        Mistake("PUT ./items/pear/star", "", ["Idempotency-Key: "], 400, "bad_idempotency_key", "1 to 255 ASCII"),
        Mistake("GET .", "", ["Accept: text/csv"], 406, "not_acceptable", "application/json"),
        Mistake(
            "POST /v1/changes", #"{"lists":["groceries"],"view":"tree"}"#,
            ["Content-Type: application/json", "Accept: text/event-stream"], 422, "invalid",
            #"Expected an object, such as {\"list\":\"groceries\"}"#, #""pointer":"/view""#),
        Mistake(
            "POST /v1/changes", #"{"lists":[{"list":"groceries"}]}"#, 406, "not_acceptable",
            "Accept: text/event-stream", "Prefer: respond-async"),
        Mistake(
            "GET /v1/changes?list=groceries,other", "", ["Accept: text/event-stream"], 422, "invalid",
            "several as list=a&list=b"),
        Mistake("GET /v1/changes?list=groceries", 406, "not_acceptable", "text/event-stream"),
        Mistake("PUT ./items/pear/star", "", ["Origin: https://a.test"], 403, "foreign_origin", "--allow-origin"),
    ]

    /// Names that are known somewhere stand in `known` and not in the sentences as well, which can be printed anywhere.
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
        #expect([Self.adding, Self.editing, Self.paths, Self.queriesAndFields].joined().count >= 60)
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
        var rendered = "The list: `PUT /v1/lists/groceries` \(list)\n"
        for row in [Self.adding, Self.editing, Self.paths, Self.queriesAndFields].joined() {
            let words = row.request.split(separator: " ", maxSplits: 1).map(String.init)
            let fields = row.fields.map { line in
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                return (parts[0], String(parts[1].drop { $0 == " " }))
            }
            let answer = try server.client.send(words[0], words[1], fields, body: Array(row.body.utf8))
            let text = answer.text
            rendered += "\n## \(row.request)\n\n```\n\((row.fields + [row.body]).joined(separator: "\n"))\n```\n\n"
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
