/// The explanation of a kind of problem, shown on the page at `/problems/{code}`.
struct Explanation: Sendable {
    let code: ProblemCode
    let meaning: String
    /// The correction of the request, or another remedy.
    let remedy: String
    /// A request that gets this problem.
    let example: String

    private init(_ code: ProblemCode, _ meaning: String, _ remedy: String, _ example: String) {
        self.code = code
        self.meaning = meaning
        self.remedy = remedy
        self.example = example
    }

    /// A row for each code, in the order of the codes.
    static let all = [
        Explanation(
            .badRequest,
            "The request is not well-formed HTTP, or a header of it cannot be read.",
            "detail says which part. Versions in If-Match and If-None-Match go in double quotes; Host comes once.",
            "PUT /v1/lists/groceries/items/milk/star\nIf-Match: k3v9-42"),
        Explanation(
            .badPath,
            "The path of the request has a percent-encoding that is broken or gives no UTF-8, or bytes that must be encoded.",
            "Percent-encode each id: a space is %20, % itself %25, / inside an id %2F, and 🦊 %F0%9F%A6%8A.",
            "GET /v1/lists/groceries/items/100%"),
        Explanation(
            .notJSON,
            """
            The body is not JSON, or JSON that readers disagree on: a repeated name, half a surrogate pair, invalid \
            UTF-8, a byte order mark, a trailing comma, or text after the value.
            """,
            "detail says at which byte, counted from 0, it goes wrong, and what should be there.",
            "POST /v1/lists/groceries/items\nContent-Type: application/json\n\n{'items':['milk']}"),
        Explanation(
            .badIdempotencyKey,
            "An Idempotency-Key is one value of 1 to 255 visible ASCII characters, in double quotes or not.",
            "Send a UUID, the same one for each retry of the request.",
            "PUT /v1/lists/groceries/items/milk/star\nIdempotency-Key: "),
        Explanation(
            .badClientSequence,
            "A Client-Sequence is an integer from 1, and comes with Client, on a write that names its list.",
            "Number the writes of each client to each list 1, 2, 3; send each again with its number until it is answered.",
            "PUT /v1/lists/groceries/items/milk/star\nClient: \"tablet-8f0e\"\nClient-Sequence: x"),
        Explanation(
            .unauthenticated,
            """
            The server has tokens, and what the request asks for is not for everybody. The request has no token, or one \
            that is not known, was revoked or has expired.
            """,
            "Send the header Authorization: Bearer TOKEN. An administrator of the server makes tokens.",
            "PUT /v1/lists/groceries/items/milk/star"),
        Explanation(
            .forbidden,
            "The token is right, and lets its holder read the list, but lacks the right that the request needs.",
            "detail names the right. An administrator of the list can give it to the token, or make another token.",
            "DELETE /v1/lists/groceries\nAuthorization: Bearer lst_…"),
        Explanation(
            .notReorderable,
            "The item must keep its place: it, its section or its place at the head of a section has reorderable false.",
            "Move another item, or allow it first: updateItem or updateSection with reorderable true.",
            #"{"op":"moveItem","item":"title","before":"milk"}"#),
        Explanation(
            .foreignOrigin,
            """
            A browser sends requests for any page. This one came by a name that the server does not answer to (Host), \
            or from a page of another origin that wants to write or follow (Origin, Sec-Fetch-Site).
            """,
            """
            Ask the server by its address or as localhost, or start it with --allow-host NAME; for pages of other \
            origins start it with --allow-origin ORIGIN. Requests of apps and of curl have no Origin and need nothing.
            """,
            "PUT /v1/lists/groceries/items/milk/star\nHost: lists.example\nOrigin: https://page.example"),
        Explanation(
            .notFound,
            "The list, section or item that the path names is not there, or there is no such path.",
            """
            GET /v1/lists has the lists, GET /v1/lists/{list} its sections and items. PUT /v1/lists/{list} makes a \
            list, POST /v1/lists/{list}/items an item.
            """,
            "GET /v1/lists/grocery"),
        Explanation(
            .methodNotAllowed,
            "The path is right, but it does not have this method.",
            "Allow has the methods that there are, and detail the call that does what was probably wanted.",
            "POST /v1/lists/groceries"),
        Explanation(
            .notAcceptable,
            "The answer has no form that Accept allows.",
            "Leave Accept out, or let it allow what detail names.",
            "GET /v1/lists/groceries\nAccept: text/csv"),
        Explanation(
            .unknownItem,
            "The write names an item that the list does not have.",
            """
            Add it in the same transaction, or leave it out. A bare text in items names an item that exists; a new one \
            is an object with its content. A client with an old state sends base, which forgives items that others \
            have deleted.
            """,
            #"{"op":"starItems","items":["mlik"]}"#),
        Explanation(
            .unknownSection,
            "The write names a section that the list does not have.",
            "Append it first with appendSections, in the same transaction if you like.",
            #"{"op":"appendItems","section":"fruits","items":[{"id":"pear"}]}"#),
        Explanation(
            .noSections,
            "Items go in sections, and the list has none.",
            #"Append one first: {"op":"appendSections","sections":["main"]}, or PUT /v1/lists/{list}/sections/main."#,
            "PUT /v1/lists/empty\n\n{}\n\nPOST /v1/lists/empty/items\n\n" + #"{"items":[{"id":"milk"}]}"#),
        Explanation(
            .itemExists,
            "The list has an item with this id already, and the write may not move it: it is strict, or replaces children.",
            "Choose another id, or move the item that is there with moveItem; without strict=true it is moved for you.",
            "POST /v1/lists/groceries/items?strict=true\n\n" + #"{"items":[{"id":"milk"}]}"#),
        Explanation(
            .sectionExists,
            "A section with this id is there already.",
            "Choose another id, or change the one that is there with updateSection or moveSection.",
            #"{"op":"appendSections","sections":["fruit"]}"#),
        Explanation(
            .destinationInList,
            "The neighbour that names the place is itself one of those to be placed.",
            "Name a neighbour that stays where it is.",
            #"{"op":"insertItems","items":["a","b"],"before":"a"}"#),
        Explanation(
            .anchorElsewhere,
            "section or parent beside before or after says where the neighbour must be, and it is not there.",
            "Leave section and parent out to place relative to the neighbour wherever it is, or name where it is now.",
            #"{"op":"moveItem","item":"milk","before":"pear","section":"dairy"}"#),
        Explanation(
            .selfMove,
            "Something is to be placed before or after itself.",
            "Name another item or section as the neighbour.",
            #"{"op":"moveItem","item":"milk","before":"milk"}"#),
        Explanation(
            .cycle,
            "An item would be inside itself, or inside one of its own children or their children.",
            "Move the child out first, in an operation before this one, or choose another parent.",
            """
            {"op":"moveItem","item":"fruit","parent":"pear"}

            where pear is a child of fruit
            """),
        Explanation(
            .notATree,
            "An item names a parent that does not come before it, in the same section of the request.",
            """
            Give items depth-first: each parent before its children, in the same section. Children of an item that the \
            list has already go to it with parent beside items: {"parent":"milk","items":[{"id":"skimmed"}]}.
            """,
            "PUT /v1/lists/groceries/sections/fruit\n\n"
                + #"{"items":[{"id":"pear","parent":"green"},{"id":"green"}]}"#),
        Explanation(
            .invalidDifference,
            "The difference of a reorder does not fit the order that the section had at base.",
            """
            Compute it between the order at base, in the view that the request names, and the new one. Offsets of \
            removals count in the old order, those of insertions in the new one.
            """,
            """
            POST /v1/lists/groceries/reorders

            {"base":"k3v9-42","sections":{"fruit":{"difference":{
             "removals":[{"offset":9,"element":"pear"}],"insertions":[]}}}}
            """),
        Explanation(
            .invalidFinal,
            "The final order of a reorder does not name the items of the section: one is missing, unknown or elsewhere.",
            "Name every item that the section has at base, in the view that the request names; errors has the first that is wrong.",
            "POST /v1/lists/groceries/reorders\n\n" + #"{"base":"k3v9-42","sections":{"fruit":{"final":["pear"]}}}"#),
        Explanation(
            .staleBase,
            "The write is strict, and the list has moved on since its base. Nothing was done.",
            """
            missed has what happened since, and head is the version of the list now. Look at your edit again and send \
            it with head as base; or leave strict out.
            """,
            "POST /v1/lists/groceries/transactions?strict=true\n\n" + #"{"base":"k3v9-41","operations":[…]}"#),
        Explanation(
            .unknownBase,
            """
            The base is a version that the list does not know: it is too old or later than the list, or belongs to a \
            deleted list that had the same id.
            """,
            "Take missed, which is the whole list, as the new state; make the edit again on it if it still makes sense.",
            "POST /v1/lists/groceries/transactions\n\n" + #"{"base":"zzzz-7","operations":[…]}"#),
        Explanation(
            .nothingToUndo,
            "The transaction is undone already, or changed nothing; or a redo names one that is not undone.",
            "GET /v1/lists/{list}/transactions has what was done; name another one as transaction.",
            "POST /v1/lists/groceries/undo\n\n" + #"{"transaction":"k3v9-1"}"#),
        Explanation(
            .madeAnew,
            """
            The version that is to be restored belongs to a deleted list that had the same id: the list was deleted and \
            created again since, or its folder was restored or repaired.
            """,
            "GET /v1/lists/{list}/transactions has the versions that can be restored.",
            "POST /v1/lists/groceries/restore\n\n" + #"{"version":"a1b2-7"}"#),
        Explanation(
            .notDeleted,
            "A restore without a version brings a deleted list back, and this one is there.",
            "Name the version to go back to; GET /v1/lists/{list}/transactions lists those that are kept.",
            "POST /v1/lists/groceries/restore"),
        Explanation(
            .keyInFlight,
            "A request with the same Idempotency-Key or Client-Sequence, or with a lower number, is still being answered.",
            "Wait as long as Retry-After says and send the same request again: it gets the answer of the first one.",
            "two PUT /v1/lists/groceries/items/milk/star at once, both with\nIdempotency-Key: k1"),
        Explanation(
            .sequenceGap,
            "The number is ahead of its sequence, or the server does not know the sequence (any more).",
            "Go on with the number in expected; the rest is not in the list. Without it, look at the list and begin with 1.",
            "PUT /v1/lists/groceries/items/milk/star\nClient: \"tablet-8f0e\"\nClient-Sequence: 7"),
        Explanation(
            .sequenceRefused,
            "The write with this number was refused, and later ones have come since, so the reason is no longer kept.",
            "Nothing is to be sent again. Go on with the next number.",
            "PUT /v1/lists/groceries/items/gone/star\nClient: \"tablet-8f0e\"\nClient-Sequence: 2, after number 3"),
        Explanation(
            .tokenExists,
            "A token with this name is there already; one that has expired keeps its name until it is deleted.",
            "Choose another name, delete the token, or give it a new secret: POST /v1/tokens/{token}/rotate.",
            "POST /v1/tokens\n\n" + #"{"name":"ci","grants":[]}"#),
        Explanation(
            .listExists,
            "A list with this id is there already, and POST /v1/lists makes new ones only.",
            "Choose another id or leave it out, so that the server makes one; PUT /v1/lists/{list} replaces a list.",
            "POST /v1/lists\n\n" + #"{"id":"groceries"}"#),
        Explanation(
            .versionGone,
            "What happened since that version, or at it, is no longer kept.",
            "Read the list anew: GET /v1/lists/{list}, or changes without since.",
            "GET /v1/lists/groceries?at=k3v9-1"),
        Explanation(
            .preconditionFailed,
            "If-Match names another version than the list is at, or If-None-Match: * met a list that exists.",
            "head is the version now, and missed brings you to it. Look at your edit again and send it with the new version.",
            "PUT /v1/lists/groceries/items/milk/star\nIf-Match: \"k3v9-41\""),
        Explanation(
            .bodyTooLarge,
            "The body is longer than the server takes.",
            "Send it in parts, such as several transactions; or raise the limit that the answer names, with the option of the same name.",
            "POST /v1/lists/groceries/items with a body of 2 MB"),
        Explanation(
            .tooManyLists,
            "There are as many lists as there may be.",
            "Delete lists that nobody needs, or raise --lists-max.",
            "POST /v1/lists"),
        Explanation(
            .quotaReached,
            "The client that has made the list has made as many lists, or keeps as many items or bytes in its lists, as it may; limit says which. Whoever writes to a list, it counts for the client that has made it.",
            "Delete lists or items that nobody needs, or raise the option of the same name as the limit. What does not grow is still written.",
            "POST /v1/lists with the token of a client that has made 100,000 lists"),
        Explanation(
            .tooManyItems,
            "The list would have more items than one may have.",
            "Use several lists, or raise --items-max.",
            "POST /v1/lists/groceries/items with too many"),
        Explanation(
            .tooManySections,
            "The list would have more sections than one may have.",
            "Use several lists, or raise --sections-max.",
            #"{"op":"appendSections","sections":[…]}"#),
        Explanation(
            .tooManyTokens,
            "The server has as many tokens as it may have, or all tokens and rules together take too many bytes.",
            "Delete tokens that nobody uses, or give one token several grants.",
            "POST /v1/tokens"),
        Explanation(
            .tooManyOperations,
            "The transaction has more operations than one may have.",
            "Send several; or name many items in one operation, which counts once.",
            "POST /v1/lists/groceries/transactions with too many"),
        Explanation(
            .contentTooLarge,
            "A content, layout, header or footer has more bytes of JSON than one may have.",
            "Keep large things elsewhere, and their address in the content; or raise --content-bytes-max.",
            #"PATCH /v1/lists/groceries/items/milk with a picture in its content"#),
        Explanation(
            .transactionTooLarge,
            "The transaction brings more bytes, or goes over more rows, than one may.",
            "Send it as several transactions; or raise the limit that the answer names.",
            "POST /v1/lists/groceries/transactions with very much"),
        Explanation(
            .targetTooLong,
            "The request line is longer than it may be.",
            "Shorten the query; or raise --head-pool-bytes.",
            "GET /v1/lists/groceries?expanded=a&expanded=b… with thousands"),
        Explanation(
            .unsupportedMediaType,
            "The body came without a Content-Type, or with one that is not understood here, or with a coding such as gzip.",
            "Send Content-Type: application/json, in UTF-8 and without Content-Encoding. curl -d alone says that it is a form.",
            "curl -d '{}' http://localhost:8080/v1/lists/groceries/items"),
        Explanation(
            .expectationFailed,
            "Expect asks for something other than 100-continue.",
            "Leave Expect out.",
            "PUT /v1/lists/groceries\nExpect: magic"),
        Explanation(
            .invalid,
            "The request can be read, but breaks the schema of openapi.yaml.",
            """
            errors has every place that is wrong, up to 20: pointer is a JSON pointer into the body or the name of a \
            parameter behind ?, detail says what is wrong there, and known what may stand there instead.
            """,
            "POST /v1/lists/groceries/items\n\n" + #"{"items":[{"id":"milk","text":"Milk"}]}"#),
        Explanation(
            .invalidID,
            "The path has something that can be the id of no list, section or item.",
            """
            The id of a list is 1 to 128 of a-z, 0-9, '.', '_' and '-', the first one a letter or digit. The id of a \
            section or an item is 1 to 255 bytes of UTF-8 without control characters, percent-encoded in the path.
            """,
            "PUT /v1/lists/My%20Groceries"),
        Explanation(
            .partialSnapshot,
            "A snapshot that is not whole was sent back: applying it would delete what it does not show.",
            "Read the list without view parameters and pages, and send that; or send operations.",
            "PUT /v1/lists/groceries\n\n" + #"{"partial":true,"sections":[…]}"#),
        Explanation(
            .keyReused,
            "The Idempotency-Key or Client-Sequence came before, with another request.",
            "A retry is the same request: query, body and preconditions. Another request needs another key or number.",
            "PUT /v1/lists/groceries/items/milk/star with Idempotency-Key: k1, after the same with ?strict=true"),
        Explanation(
            .tooManyRequests,
            "Your token, or your address if you send none, has used up what it may: limit names the quota.",
            """
            Wait as many seconds as Retry-After says. RateLimit on answers says in time what is left. \
            Follow a stream rather than asking again and again. The options --client-… of the server raise the quotas.
            """,
            "60,000 requests in ten seconds"),
        Explanation(
            .tooManyConnectionsOfAddress,
            "The address of the client has all the connections that one may have.",
            "Use connections again, and close those that are not used; behind a proxy raise --connections-per-address-max.",
            "one connection too many"),
        Explanation(
            .headTooLarge,
            "The request line and the headers together are longer than they may be.",
            "Send shorter headers, cookies above all; or raise --head-pool-bytes.",
            "GET /v1/lists/groceries with 10 kB of Cookie"),
        Explanation(
            .internalError,
            "The server failed. That is a bug.",
            "Please report it with what the log says of the requestId.",
            "none is known"),
        Explanation(
            .notImplemented,
            "No resource has this method, or the Transfer-Encoding is another one than chunked.",
            "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS, and no transfer coding but chunked.",
            "FETCH /v1/lists/groceries"),
        Explanation(
            .unavailable,
            "The server cannot take writes, or it is not known whether this one is on the disk, or a list cannot be read.",
            "Retry the same request with the same Idempotency-Key. If that goes on, GET /readyz and the log say why.",
            "PUT /v1/lists/groceries/items/milk/star while the disk fails"),
        Explanation(
            .tooManyStreams,
            "As many streams follow the list as may.",
            "Try again when Retry-After says; one stream can follow many lists. Or raise --streams-per-list-max.",
            "GET /v1/lists/groceries/changes\nAccept: text/event-stream"),
        Explanation(
            .tooManyQueries,
            "As many different filters, sorts and disclosures follow the list as may.",
            "Try again when Retry-After says, or follow the whole list and select in the client. Or raise --queries-per-list-max.",
            "GET /v1/lists/groceries/changes?filter=pear\nAccept: text/event-stream"),
        Explanation(
            .tooManyConnections,
            "All connections of the server are in use.",
            "Try again when Retry-After says; or raise --connections-max.",
            "one connection too many"),
        Explanation(
            .overloaded,
            "The server has no memory left for the request, or for its answer. Nothing was done.",
            "Try again when Retry-After says; ask for pages (limit=500) of a long list. Or raise --memory-mebibytes.",
            "GET /v1/lists/groceries while hundreds of clients read long answers slowly"),
        Explanation(
            .stopping,
            "The server has been told to stop, and finishes only what it had begun. Nothing was done.",
            "Try again when Retry-After says: another server, or the next one here, may take it.",
            "GET /v1/lists while the server stops"),
        Explanation(
            .diskFull,
            "There is no room on the disk. Nothing was written; reading goes on.",
            "Make room, and send the request again with the same Idempotency-Key.",
            "PUT /v1/lists/groceries on a full disk"),
        Explanation(
            .memoryFull,
            "The server keeps lists in memory only, and they take as much as they may. Nothing was written.",
            "Delete lists for good with ?purge=true, or raise --lists-memory-mebibytes.",
            "PUT /v1/lists/groceries on a server with --memory that is full"),
    ]
}
