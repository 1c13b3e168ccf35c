// Mistakes in paths, queries and fields.

extension Mistake {
    static let paths = [
        Mistake("GET /lists", 404, "not_found", "/v1/lists?"),
        Mistake("GET /v1/list/groceries", 404, "not_found", "/v1/lists/groceries?"),
        Mistake("GET /v1/lists/", 404, "not_found", "Did you mean /v1/lists?"),
        Mistake("GET /v1/lists/Groceries", 422, "invalid_id", "a-z, 0-9", "Did you mean groceries?"),
        Mistake(
            "PUT /v1/lists/My%20Groceries", "{}", 422, "invalid_id", "a-z, 0-9",
            #"PUT /v1/lists/my-groceries with \"title\":\"My Groceries\""#, "it is replaced. The header",
            "If-None-Match: * prevents that"),
        Mistake(
            "GET /v1/lists/grocery", 404, "not_found", "GET /v1/lists returns all of them", "Did you mean groceries?"),
        Mistake(
            "GET ./items", 405, "method_not_allowed", "does not support GET, only POST and OPTIONS",
            "GET /v1/lists/groceries has all items"),
        Mistake(
            "GET ./items/bread", 404, "not_found", #"has no item \"bread\""#,
            #"POST /v1/lists/groceries/items with {\"items\":[{\"id\":\"bread\"}]}"#),
        Mistake(
            "GET ./items/%01", 422, "invalid_id", "without control characters", "GET /v1/lists/groceries has the ids"),
        Mistake(
            "PUT ./items/bread", #"{"content":{}}"#, 405, "method_not_allowed",
            #"POST /v1/lists/groceries/items with {\"items\":[{\"id\":\"bread\",\"content\":{…}}]}"#,
            #"{\"op\":\"updateItem\",\"item\":\"bread\",\"content\":{…}}"#),
        Mistake(
            "POST .", #"{"items":[{"id":"bread"}]}"#, 405, "method_not_allowed",
            #"POST /v1/lists/groceries/items with {\"items\":[…]} adds items"#),
        Mistake(
            "POST ./sections", #"{"id":"bakery"}"#, 404, "not_found",
            #"path. POST /v1/lists/groceries/transactions with {\"operations\":[{\"op\":\"appendSections\","#,
            "PUT /v1/lists/groceries/sections/{section} with {}", "or empties the one",
            #"\"sections\":[\"bakery\"]"#),
        Mistake(
            "POST ./sections/fruit/items", #"{"items":[{"id":"kiwi"}]}"#, 404, "not_found",
            #"POST /v1/lists/groceries/items with {\"section\":\"fruit\""#),
        Mistake("DELETE ./sections/fruit/items/pear", 404, "not_found", "/v1/lists/groceries/items/pear"),
        Mistake(
            "POST ./reorder", #"{"sections":{"fruit":{"final":["apple","pear"]}}}"#, 404, "not_found",
            "/v1/lists/groceries/reorders?"),
        Mistake("GET ./history", 404, "not_found", "GET /v1/lists/groceries/transactions"),
        Mistake("GET ./stream", 404, "not_found", "Accept: text/event-stream", "VERSION is copied"),
        Mistake("POST ./items/pear/unstar", 404, "not_found", "DELETE /v1/lists/groceries/items/pear/star"),
        Mistake(
            "POST ./items/pear/move", #"{"index":0}"#, 404, "not_found",
            #"\"item\":\"pear\",\"section\":\"fruit\",\"at\":\"first\"}"#, "sets the order of a whole section"),
        Mistake(
            "DELETE ./items", 405, "method_not_allowed", #"{\"op\":\"deleteItems\",\"items\":[…]}"#,
            "with the ids of all items it keeps the sections",
            #"with {\"items\":[]} empties one section, which keeps its title"#),
        Mistake(
            "GET ./undo", 405, "method_not_allowed",
            #"Send it as POST with the version of a transaction: {\"transaction\":"#,
            "GET /v1/lists/groceries/transactions lists"),
        Mistake("GET ./items/🥝", 400, "bad_path", "/v1/lists/groceries/items/%F0%9F%A5%9D\""),
        Mistake("GET ./items/100%", 400, "bad_path", "/v1/lists/groceries/items/100%25\""),
        Mistake("GET /health", 404, "not_found", "GET /healthz"),
        Mistake("GET /openapi.json", 404, "not_found", "GET /openapi.yaml"),
        Mistake("POST /v1/samples/groceries", 404, "not_found", "GET /v1/samples"),
    ]

    private static let next = #"follow the header Link with rel=\"next\" of each answer as it is"#

    static let queriesAndFields = [
        Mistake(
            "GET ./changes?since=41", 422, "invalid", "?since", "k3v9-42",
            #"Without \"since\" the answer is the whole list"#),
        Mistake("GET .?sort=name", 422, "invalid", "sort=content.name"),
        Mistake("GET /v1/lists?limit=0", 422, "invalid", "how many lists a page has", "from 1 to 1000", next),
        Mistake("GET .?offset=10&limit=10", 422, "invalid", next),
        Mistake("GET .?cursor=r2&limit=1", 422, "invalid", next),
        Mistake(
            "GET .?limit=all", 422, "invalid", "how many rows a page has", "from 1 to 10000",
            #"Without \"limit\" it has all of them"#),
        Mistake("GET .?veiw=visible", 422, "invalid", #"Did you mean \"view\"?"#),
        Mistake(
            "GET .?view=tree", 422, "invalid", #"\"visible\" (only those whose parents"#, "There is no nested form"),
        Mistake(
            "GET .?view=tree&veiw=items&limit=0&starred=yes", 422, "invalid", #""pointer":"?view""#,
            #""pointer":"?veiw""#, #""pointer":"?limit""#, #""pointer":"?starred""#, "There are 3 more errors",
            #"Did you mean \"view\"? That is there already: leave one out."#),
        Mistake("GET .?where=done:false", 422, "invalid", "where=content.done:false"),
        Mistake("GET .?where=starred:true", 422, "invalid", "no part of that: send starred=true instead"),
        Mistake("GET .?where=kind:%22product%22", 422, "invalid", "no part of that: send kind=product instead"),
        Mistake(
            "GET .?where=!content.done:true", 422, "invalid", #"There is no \"not\""#, "starred=false",
            "selects false alone", "null or has no such member; two requests give both"),
        Mistake("GET .?where=content.done!=true", 422, "invalid", #"There is no \"not\" and no \"or\""#),
        Mistake("GET .?done=false", 422, "invalid", "where=content.done:false"),
        Mistake("GET .?q=pear", 422, "invalid", #"Did you mean \"filter\"?"#, #"where=content.name:\"pear\""#, "%22"),
        Mistake("GET ./changes?from=k3v9-1", 422, "invalid", #"Did you mean \"since\"?"#),
        Mistake(
            "GET .?before=5", 422, "invalid", "are numbers of rows around the item", "around=milk&before=20",
            #"Without \"around\", leave both out."#),
        Mistake(
            "GET .?around=pear&before=apple", 422, "invalid", "are numbers of rows around the item",
            "from 0 to 10000"),
        Mistake(
            "POST ./items?before=pear", #"{"items":[{"id":"bread"}]}"#, 422, "invalid",
            #"it goes in the body, {\"before\":\"pear\"}"#),
        Mistake(
            "GET ./changes?wait=soon", 422, "invalid", "?wait", "seconds", "More than 55 count as 55",
            #"Copy the version whole from \"version\" in the answer of GET /v1/lists/groceries"#,
            #"Without \"since\" the answer comes at once"#),
        Mistake("GET .?expanded=pear", 422, "invalid", "view=visible"),
        Mistake("GET ./items/pear?view=items", 422, "invalid", "This resource takes no parameters"),
        Mistake("PUT ./items/pear/star", "", ["If-Match: k3v9-1"], 400, "bad_request", #"If-Match: \"k3v9-42\""#),
        Mistake(
            "PUT ./items/pear/star", "", [#"If-Match: "k3v9-1""#], 412, "precondition_failed", #""head":"#,
            #"Take the snapshot in \"missed\""#),
        Mistake(
            "PUT ./items/pear/star", "", ["Idempotency-Key: "], 400, "bad_idempotency_key", "1 to 255 ASCII",
            "a new one for each request"),
        Mistake("GET .", "", ["Accept: text/csv"], 406, "not_acceptable", "application/json"),
        Mistake(
            "GET .", "", ["Accept: text/event-stream"], 406, "not_acceptable",
            "GET /v1/lists/groceries/changes?since=VERSION"),
        Mistake(
            "GET /v1/lists", "", ["Accept: text/event-stream"], 406, "not_acceptable",
            "GET /v1/changes?list=a&list=b", "GET /v1/lists has the ids"),
        Mistake(
            "PUT ./sections/fruit", "{}", ["Content-Type: application/json", "If-None-Match: *"], 412,
            "precondition_failed", "asks that there be no such section yet", "items that it leaves out are deleted"),
        Mistake(
            "PATCH ./sections/fruit", #"{"title":"F"}"#, ["Content-Type: application/json", "If-None-Match: *"], 400,
            "bad_request", "only on PUT of a list or a section"),
        Mistake(
            "POST /v1/changes", #"{"lists":["groceries"],"view":"tree"}"#,
            ["Content-Type: application/json", "Accept: text/event-stream"], 422, "invalid",
            #"Expected an object, such as {\"list\":\"groceries\"}"#, #""pointer":"/view""#,
            "There is no nested form"),
        Mistake(
            "POST /v1/changes", #"{"lists":[{"list":"groceries"}]}"#, 406, "not_acceptable",
            "Accept: text/event-stream", "send the header Prefer: respond-async"),
        Mistake(
            "GET /v1/changes?list=groceries,other", "", ["Accept: text/event-stream"], 422, "invalid",
            "several as list=a&list=b"),
        Mistake("GET /v1/changes?list=groceries", 406, "not_acceptable", "text/event-stream"),
        Mistake(
            "PUT ./items/pear/star", "", ["Origin: https://a.test"], 403, "foreign_origin", "--allow-origin",
            "A program that is no browser leaves the header Origin out."),
    ]
}
