// Mistakes in the bodies of writes.

extension Mistake {
    private static func transaction(_ operation: String, _ status: Int, _ code: String, _ says: String...) -> Mistake {
        Mistake(
            "POST ./transactions", #"{"operations":[\#(operation)]}"#, ["Content-Type: application/json"], status, code,
            says)
    }

    private static let replacing = "PUT replaces the list and deletes the sections and items that are left out."

    static let adding = [
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","text":"Bread"}]}"#, 422, "invalid", "/items/0/text",
            #"{\"content\":{\"text\":"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","done":false,"price":3}]}"#, 422, "invalid", "/items/0/done",
            "/items/0/price", #"{\"content\":{\"done\":"#),
        Mistake("POST ./items", #"{"items":{"id":"bread"}}"#, 422, "invalid", "/items", "an array"),
        Mistake(
            "POST ./items", #"{"item":{"id":"bread"}}"#, 422, "invalid", #"Items go in an array: {\"items\":[{"#,
            #"The member \"items\" is needed."#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"x","children":[]}]}"#, 422, "invalid", "names it: {",
            #"already: {\"parent\":\"milk\",\"items\":["#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"x"}],"at":"first"}"#, 422, "invalid", #"Only moveItem has \"at\""#,
            "item that is first now. The new place is in the section of that neighbour.", "has the ids in order",
            #"in an empty one, leave out \"before\" and \"after\" and send \"section\""#),
        Mistake("POST ./items", #"{"item":{}}"#, 422, "invalid", #"Items go in an array: {\"items\":[{"#),
        Mistake(
            "POST ./items", #"{"section":"dairy","id":"bread"}"#, 422, "invalid",
            #"Items go in an array: {\"items\":[{"#, #""pointer":"/items""#),
        Mistake(
            "POST ./items", #"[{"id":"bread"}]"#, 422, "invalid", "Expected an object",
            #"For example: {\"items\":[{"#, #""known":["items""#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"position":0}"#, 422, "invalid", "never by an index",
            #"set \"before\" to the id of the item that is first now"#, "in the section of that neighbour",
            "and in an empty one"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"before":1}"#, 422, "invalid", "never by a number",
            #"such as \"milk\""#, "has the ids in order", #"send \"section\""#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"index":2}"#, 422, "invalid", "never by an index",
            "the item that has index 2 in its section now. The new place is in the section of that neighbour.",
            #"leave out \"before\" and \"after\" and send \"section\""#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"before":"nothing"}"#, 409, "unknown_item",
            #"no item \"nothing\": GET /v1/lists/groceries returns all of them.""#),
        Mistake("POST ./items", #"{"items":["bread"]}"#, 409, "unknown_item", #"{\"id\":\"bread\"}"#),
        Mistake(
            "POST ./items", "{'items':[{'id':'bread'}]}", 400, "not_json",
            #"at byte 1 there is a single quote where a name in double quotes or \"}\" should be"#),
        Mistake(
            "POST ./items", "{items:[{id:1}]}", 400, "not_json", #"at byte 1 there is the word \"items\" where"#,
            #"and ids are texts: {\"id\":\"1\"}"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"},]}"#, 400, "not_json",
            #"at byte 25 there is \"]\" where a value should be. Leave out the comma before it."#),
        Mistake(
            "POST ./items", "{\n \"items\":[\n  ,{}]}", 400, "not_json",
            #"at byte 15 (line 3, column 3) there is a comma where a value or \"]\" should be. Leave out the comma."#),
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
            "POST ./items", #"{"items":[{"content":{"a":"C:\d"}}]}"#, 400, "not_json",
            "a backslash that begins none of", #"one that is part of a text is written as \\\\."#),
        Mistake("POST ./items", "{“items”:[]}", 400, "not_json", "at byte 1 there is a curly quote where a name"),
        Mistake("POST ./items", #"{"items":[{"starred":True}]}"#, 400, "not_json", "In JSON it is true."),
        Mistake(
            "POST ./items", "items=bread", 400, "not_json", #"at byte 0 there is the word \"items\" where a value"#,
            #"A body here looks like {\"items\":[{\"id\":\"bread\"}]}"#),
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
            "POST ./items", #"{"items":[{"id":"bread"},{"id":"bread"}]}"#, 422, "invalid", "/items/1", "occurs twice",
            "Each new item or section needs an id of its own."),
        Mistake(
            "POST ./items", #"{"items":[{"id":""}]}"#, 422, "invalid", "/items/0/id", "1 to 255 bytes",
            "may be left out"),
        Mistake("POST ./items", #"{"items":[{"id":7}]}"#, 422, "invalid", "/items/0/id", "a string"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","kind":"my kind"}]}"#, 422, "invalid",
            "1 to 64 characters from A-Z", #"{\"kind\":\"my-kind\"}"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","content":"Bread"}]}"#, 422, "invalid", "/items/0/content",
            "an object"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread","starred":"yes"}]}"#, 422, "invalid", "/items/0/starred",
            "true or false"),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"section":"bakery"}"#, 409, "unknown_section",
            #"no section \"bakery\""#, #"{\"operations\":[{\"op\":\"appendSections\",\"sections\":[\"bakery\"]}]}"#),
        Mistake(
            "POST ./items", #"{"items":[{"id":"bread"}],"before":"pear","after":"apple"}"#, 422, "invalid", "/after",
            "leave out one of them. Each alone names a place: right before that row, or right after it."),
        Mistake("POST ./items", #"{"items":[],"items":[]}"#, 400, "not_json", #"the member \"items\" occurs twice"#),
    ]

    static let editing = [
        Mistake(
            "POST ./transactions", #"{"op":"appendItems","items":[{"id":"bread"}]}"#, 422, "invalid",
            #"The member \"operations\" is needed.""#, "/op",
            #"all its members, go in an array: {\"operations\":[{\"op\":\"appendItems\",…}]}"#),
        transaction(
            #"{"op":"add","items":[{"id":"bread"}]}"#, 422, "invalid", #"Did you mean \"appendItems\"?"#),
        transaction(#"{"op":"starItem","items":["pear"]}"#, 422, "invalid", #"Did you mean \"starItems\"?"#),
        transaction(
            #"{"operation":"appendItems","items":[{"id":"bread"}]}"#, 422, "invalid",
            #"\"operation\" is called \"op\" here: {\"op\":\"appendItems\",…}"#),
        transaction(
            #"{"type":"moveItem","item":"pear","before":"milk"}"#, 422, "invalid",
            #"\"type\" is called \"op\" here: {\"op\":\"moveItem\",…}"#),
        transaction(
            #"{"op":"moveItem","item":"pear","to":0}"#, 422, "invalid",
            #"never by an index: {\"section\":\"fruit\",\"at\":\"first\"}"#),
        transaction(
            #"{"op":"moveItem","item":"pear"}"#, 422, "invalid",
            #"The object needs \"before\", \"after\", \"section\" or \"parent\""#),
        Mistake(
            "POST ./transactions", #"{"operations":[{"op":"moveItem"}]}"#, 422, "invalid",
            #""pointer":"/operations/0/item""#,
            #"It is the id of an item, a string in double quotes such as \"milk\". GET /v1/lists/groceries has the ids."#
        ),
        transaction(
            #"{"op":"moveItem","item":{},"before":"milk"}"#, 422, "invalid",
            #"the id of an item, a string in double quotes such as \"milk\""#, "GET /v1/lists/groceries has the ids."),
        transaction(#"{"op":"appendItems","id":"bread"}"#, 422, "invalid", #"Items go in an array: {\"items\":[{"#),
        transaction(#"{"op":"appendItems","items":[{"id":"bread"}],"before":"pear"}"#, 422, "invalid", "insertItems"),
        transaction(
            #"{"op":"updateItem","item":"pear","after":"apple"}"#, 422, "invalid",
            #"{\"op\":\"moveItem\",\"item\":\"…\",\"after\":\"apple\"}"#),
        transaction(
            #"{"op":"moveItem","item":"pear","section":"dairy","at":0}"#, 422, "invalid",
            #"Expected \"first\" or \"last\""#),
        transaction(#"{"op":"moveItem","item":"pear","befor":"milk"}"#, 422, "invalid", #"Did you mean \"before\"?"#),
        transaction(
            #"{"op":"moveItem","item":"pear","section":"dairy","at":"top"}"#, 422, "invalid",
            #"It can be \"first\" or \"last\"."#),
        transaction(
            #"{"op":"moveItem","item":"pear","before":"pear"}"#, 409, "self_move", "cannot be placed beside itself"),
        transaction(
            #"{"op":"moveItem","item":"pear","parent":"pear"}"#, 409, "cycle", "inside itself",
            #"{\"op\":\"moveItem\",\"item\":\"pear\",\"section\":"#),
        transaction(
            #"{"op":"updateItem","item":"pear","text":"P"}"#, 422, "invalid",
            #"{\"content\":{\"text\":\"P\"},\"merge\":true}. Without \"merge\":true the other"#),
        transaction(#"{"op":"updateItem","item":"pear","stared":true}"#, 422, "invalid", #"Did you mean \"starred\"?"#),
        transaction(#"{"op":"starItems","items":["pear"],"starred":false}"#, 422, "invalid", "unstarItems"),
        transaction(
            #"{"op":"replaceChildren","item":"pear","items":[]}"#, 422, "invalid",
            #"Did you mean \"parent\"? {\"op\":\"replaceChildren\",\"parent\":\"pear\""#),
        transaction(
            #""deleteAllItems""#, 422, "invalid",
            #"For example: {\"op\":\"deleteAllItems\"}. deleteAllItems deletes the sections, too;"#,
            "deleteItems with the ids of all items keeps them."),
        transaction(
            #"{"op":"deleteItems","items":"pear"}"#, 422, "invalid",
            #"For example: {\"op\":\"deleteItems\",\"items\":[\"pear\"]}"#),
        transaction(
            #"{"op":"deleteItems","item":"pear"}"#, 422, "invalid",
            #"Did you mean \"items\"? For example: {\"op\":\"deleteItems\",\"items\":[\"pear\"]}"#),
        transaction(
            #"{"op":"deleteItems","ids":["pear"]}"#, 422, "invalid",
            #"Did you mean \"items\"? For example: {\"op\":\"deleteItems\",\"items\":[\"pear\"]}"#),
        transaction(
            #"{"op":"starItems","items":["mlik"]}"#, 409, "unknown_item", #"no item \"mlik\""#,
            #"Did you mean \"milk\"?"#),
        Mistake(
            "POST ./transactions", #"{"operations":{"op":"deleteAllItems"}}"#, 422, "invalid", "an array",
            #"{\"operations\":[{\"op\":\"deleteAllItems\"}]}. deleteAllItems deletes the sections, too;"#,
            "deleteItems with the ids of all items keeps them."),
        Mistake(
            "POST ./transactions", #"{"base":"41","operations":[]}"#, 422, "invalid", "/base", "k3v9-42",
            "may be left out"),
        Mistake(
            "POST ./transactions", #"{"base":"k3v9-1","operations":[{"op":"starItems","items":["pear"]}]}"#, 409,
            "unknown_base", #"without \"base\" the write applies to the list as it is now"#),
        Mistake(
            "PUT .", #"{"version":"41","sections":[]}"#, 422, "invalid", "/version", "newer edits of others stay",
            "the answer whose state you edited, never a later one", "are deleted either way"),
        Mistake(
            "POST ./undo", #"{"transaction":"last"}"#, 422, "invalid", "/transaction",
            "GET /v1/lists/groceries/transactions lists the transactions"),
        Mistake(
            "POST ./transactions", #"{"base":41,"operations":[]}"#, 422, "invalid",
            #"in double quotes such as \"k3v9-42\", copied whole from \"version\""#, "may be left out"),
        Mistake(
            "POST ./transactions",
            #"{"operations":[{"op":"fly"},{"op":"starItems","items":[1,"pear","pear"]},{"op":"moveItem"}],"x":1}"#,
            422, "invalid", #""pointer":"/x""#, #""pointer":"/operations/0/op""#, #""pointer":"/operations/1/items/0""#,
            #""pointer":"/operations/1/items/2""#, #""pointer":"/operations/2/item""#),
        Mistake(
            "PATCH ./items/pear", #"{"text":"Pear!"}"#, 422, "invalid", #"{\"content\":{\"text\":"#,
            "The other values of the content stay."),
        Mistake(
            "PATCH ./items/pear", #"{"before":"apple"}"#, 422, "invalid",
            #"{\"operations\":[{\"op\":\"moveItem\",\"item\":\"pear\",\"before\":\"apple\"}]}"#),
        Mistake(
            "PATCH ./items/pear", #"{"parent":"apple"}"#, 422, "invalid", "leaves an item where it is",
            #"{\"operations\":[{\"op\":\"moveItem\",\"item\":\"pear\",\"parent\":\"apple\"}]}"#),
        Mistake(
            "PATCH ./sections/fruit", #"{"starred":true}"#, 422, "invalid", "Only items can be starred",
            #"POST /v1/lists/groceries/transactions with {\"operations\":[{\"op\":\"starItems\""#),
        Mistake(
            "PATCH .", #"{"items":[{"id":"bread"}]}"#, 422, "invalid", "POST /v1/lists/groceries/items",
            "moves there those that the list has"),
        Mistake("PATCH .", #"{"name":"Food"}"#, 422, "invalid", #"Did you mean \"title\"?"#),
        Mistake(
            "PUT .", #"{"items":[{"id":"bread"}]}"#, 422, "invalid",
            #"To add items: POST /v1/lists/groceries/items with {\"items\":[{"#,
            #"{\"sections\":[{\"id\":\"main\",\"items\":[…]}]}"#, replacing,
            #"A \"title\" or \"content\" that is left out stays."#),
        Mistake(
            "PUT .", #"{"sections":["fruit"]}"#, 422, "invalid",
            #"object: {\"sections\":[{\"id\":\"fruit\",\"items\":[…]}]}."#,
            "sections: POST /v1/lists/groceries/transactions with ", replacing,
            #"a bare id names an item that exists; a new one is an object: [\"pear\",{\"id\":\"bread\"}]"#),
        Mistake(
            "PUT .", #"{"sections":"dairy"}"#, 422, "invalid", #"{\"sections\":[{\"id\":\"dairy\",\"items\":[…]}]}"#,
            replacing),
        Mistake(
            "PUT .", #"{"sections":{"fruit":["pear"]}}"#, 422, "invalid",
            "one for each section", #"object: {\"sections\":[{\"id\":\"fruit\",\"items\":[\"pear\"]}]}."#,
            replacing),
        Mistake(
            "PUT ./sections/fruit", #"["pear","apple"]"#, 422, "invalid", #"{\"items\":[\"pear\",\"apple\"]}"#,
            #"/v1/lists/groceries/reorders with {\"sections\":{\"fruit\":{\"final\":[\"pear\",\"apple\"]}}}"#,
            #"/v1/lists/groceries/items with {\"section\":\"fruit\""#,
            "PUT replaces the section and deletes the items that are left out."),
        Mistake(
            "PATCH ./sections/fruit", #"{"id":"fruits"}"#, 422, "invalid", "An id stays as it is",
            #"{\"title\":\"fruits\"}"#),
        Mistake("PUT ./items/pear/star", #"{"starred":true}"#, 422, "invalid", "No body is needed."),
        Mistake(
            "POST /v1/lists", #"{"id":"My List"}"#, 422, "invalid", "a-z, 0-9", "may be left out",
            #"{\"id\":\"my-list\",\"title\":\"My List\"}"#),
        Mistake(
            "POST ./restore", 409, "not_deleted", #"{\"version\":\"k3v9-42\"}"#, "all later edits are taken back",
            #"/v1/lists/groceries/undo with {\"transaction\":"#),
        Mistake(
            "POST ./restore", #"{"version":"41"}"#, 422, "invalid", "copied whole", "versions that can be restored",
            "all later edits are taken back"),
        Mistake(
            "PUT .", #"{"id":"food","sections":[]}"#, 422, "invalid", "/id",
            #"The path says groceries, the body says food. An id stays as it is."#, #"PATCH {\"title\":\"food\"}"#,
            #"To replace all of groceries, leave \"id\" out. To replace all of food, PUT /v1/lists/food."#,
            "PUT deletes the items that the body leaves out: with [] all."),
        Mistake("POST ./undo", 422, "invalid", #"{\"transaction\":\"k3v9-42\"}"#),
        Mistake(
            "POST ./undo", #"{"version":"k3v9-1"}"#, 422, "invalid", #"Did you mean \"transaction\"?"#,
            "/v1/lists/groceries/restore with", "this one transaction", "all later edits are taken back"),
        Mistake(
            "POST ./restore", #"{"to":"k3v9-1"}"#, 422, "invalid", #"Did you mean \"version\"?"#,
            "all later edits are taken back",
            #"/v1/lists/groceries/undo with {\"transaction\":\"k3v9-1\"}"#),
        Mistake("POST /v1/samples/wifi", #"{"seed":"x"}"#, 422, "invalid", "from 0 to 9007199254740991", "random part"),
        Mistake("POST /v1/samples/wifi", #"{"seed":-1}"#, 422, "invalid", "from 0 to 9007199254740991", "random part"),
        Mistake(
            "POST ./reorders", #"{"sections":{"fruit":["apple","pear"]}}"#, 422, "invalid", "/sections/fruit",
            "Expected an object", #"The wanted order is {\"final\":[\"apple\",\"pear\"]}"#),
        Mistake(
            "POST ./reorders", #"{"sections":[{"id":"fruit","final":["apple","pear"]}]}"#, 422, "invalid",
            #"{\"sections\":{\"fruit\":{\"final\":["#),
        Mistake(
            "POST ./reorders", #"{"fruit":["apple","pear"]}"#, 422, "invalid",
            #"{\"sections\":{\"fruit\":{\"final\":["#),
        Mistake(
            "POST ./reorders", #"{"sections":{"fruit":{"difference":{"removals":[{"offset":-1,"element":"pear"}]}}}}"#,
            422, "invalid", #""pointer":"/base""#,
            #"needs no base: {\"sections\":{\"fruit\":{\"final\":[…]}}} with the ids in that order."#,
            "the index of a row in its section", "removals/0/offset",
            "Offsets of removals count the old order", "DELETE /v1/lists/groceries/items/pear.",
            #""pointer":"/sections/fruit/difference/insertions""#),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"grid","columns":2}}"#, 422, "invalid", "/layout/columns",
            #""known":["kind""#,
            #"A grid of two columns, as \"count\" says, with rows 44 points high: {\"kind\":\"grid\","#,
            #"\"fractionalHeight\":1}}}}.""#),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"grid","group":{"columns":2,"width":1}}}"#, 422, "invalid",
            #"its direction is \"horizontal\" or \"vertical\": {\"direction\":"#, #""pointer":"/layout/group/height""#,
            #"{\"fractionalHeight\":1} or {\"fractionalWidth\":0.5}"#),
        Mistake(
            "PATCH .",
            #"{"layout":{"kind":"grid","group":{"direction":"horizontal","width":{"fractionalWidth":1},"#
                + #""height":{"absolute":44},"item":{}}}}"#, 422, "invalid", #""pointer":"/layout/group/item/width""#,
            #""pointer":"/layout/group/item/height""#, "An item that takes half of its group's width"),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"list","insets":{"top":"8px"}}}"#, 422, "invalid", "from 0 to 100000",
            "In points, for example 8."),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"list","interSectionSpacing":-8}}"#, 422, "invalid", "from 0 to 100000",
            "0 is the smallest."),
        Mistake("PATCH .", #"{"layout":"grid"}"#, 422, "invalid", #"{\"kind\":\"grid\","#),
        Mistake(
            "PATCH .", #"{"layout":{"kind":"tiles"}}"#, 422, "invalid",
            #"\"grid\" (cells, as \"group\" says) or \"orthogonal\""#, #"\"group\" may be left out."#,
            #"{\"kind\":\"grid\",\"group\":{"#),
    ]
}
