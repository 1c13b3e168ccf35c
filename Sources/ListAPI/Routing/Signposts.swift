internal import HTTPTypes
internal import Texts

// Hints to the right call, for a path that does not exist and for a method that a resource does not have.

extension Problem {
    /// The problem of a path that does not exist.
    static func nothing(at path: ByteText, _ router: Router) -> Problem {
        Problem(.notFound, "There is nothing at this path. \(Signpost.instead(of: path, router))")
    }

    static func methodNotAllowed(_ method: HTTPRequest.Method, _ resource: Router.Resource) -> Problem {
        let allowed = resource.allowedMethods.map(\.rawValue).joined(separator: ", ")
        let instead = Signpost.instead(of: method, resource).map { " \($0)" } ?? ""
        let names = allowed.replacing(", OPTIONS", with: " and OPTIONS")
        var problem = Problem(
            .methodNotAllowed, "This resource does not support \(method.rawValue), only \(names).\(instead)")
        problem.fields[.allow] = allowed
        return problem
    }
}

/// Common mistakes of newcomers, with a sentence that names the right call.
enum Signpost {
    // MARK: Paths

    /// Patterns of paths and the hint for each. `*` stands for any segment. The first pattern that fits is used.
    private static let paths: [(path: String, sentence: String)] = [
        (
            "/v1/lists/*/sections",
            """
            POST /v1/lists/{list}/transactions with {"operations":[{"op":"appendSections","sections":["bakery"]}]} \
            makes new sections. PUT /v1/lists/{list}/sections/{section} with {} makes a section, too, or empties the one \
            with this id. GET /v1/lists/{list} has all sections.
            """
        ),
        (
            "/v1/lists/*/sections/*/items",
            """
            POST /v1/lists/{list}/items with {"section":"{section}","items":[{"id":"…"}]} adds items to a section. \
            GET /v1/lists/{list}/sections/{section} has its items.
            """
        ),
        (
            "/v1/lists/*/sections/*/items/*",
            "The path of an item does not name its section: send GET, PATCH or DELETE /v1/lists/{list}/items/{item}."
        ),
        ("/v1/lists/*/sections/*/*", "/v1/lists/{list}/sections/{section} supports GET, PUT, PATCH and DELETE."),
        ("/v1/lists/*/items/*/unstar", "DELETE /v1/lists/{list}/items/{item}/star unstars the item."),
        ("/v1/lists/*/items/*/toggle", "POST /v1/lists/{list}/items/{item}/star toggles the star."),
        (
            "/v1/lists/*/items/*/children",
            #"POST /v1/lists/{list}/items with {"parent":"{item}","items":[{"id":"…"}]} adds children."#
        ),
        ("/v1/lists/*/items/*/move", moves), ("/v1/lists/*/items/*/reorder", moves),
        ("/v1/lists/*/items/*/position", moves), ("/v1/lists/*/move", moves),
        ("/v1/lists/*/items/*/*", changesItem),
        ("/v1/lists/*/history", past), ("/v1/lists/*/versions", past), ("/v1/lists/*/log", past),
        ("/v1/lists/*/stream", live), ("/v1/lists/*/events", live), ("/v1/lists/*/live", live),
        ("/v1/lists/*/subscribe", live), ("/v1/lists/*/watch", live), ("/v1/lists/*/updates", live),
        ("/v1/lists/*/operations", edits), ("/v1/lists/*/ops", edits), ("/v1/lists/*/batch", edits),
        ("/v1/lists/*/edits", edits), ("/v1/lists/*/snapshot", whole), ("/v1/lists/*/state", whole),
        ("/v1/lists/*/starred", "GET /v1/lists/{list}?starred=true has the starred items."),
        ("/v1/lists/*/search", "GET /v1/lists/{list}?filter=pear has the items with that text."),
        ("/v1/stream", streams), ("/v1/events", streams), ("/v1/items", edited),
        ("/health", health), ("/healthcheck", health), ("/status", health), ("/ping", health), ("/live", health),
        ("/v1/health", health), ("/v1/healthz", health), ("/ready", health), ("/v1/readyz", health),
        ("/v1", contract), ("/api", contract), ("/swagger", contract), ("/openapi", contract),
        ("/openapi.json", contract), ("/swagger.json", contract), ("/v1/openapi.yaml", contract),
        (
            "/v1/lists/*/*",
            """
            Below a list there are items, items/{item}, sections/{section}, transactions, reorders, changes, undo \
            and redo.
            """
        ),
    ]

    private static let moves = """
        POST /v1/lists/{list}/transactions with \
        {"operations":[{"op":"moveItem","item":"{item}","section":"fruit","at":"first"}]} puts an item first in a section. \
        With "before":"apple" instead of "section" and "at" it goes before another item. POST /v1/lists/{list}/reorders \
        with {"sections":{"fruit":{"final":["apple","pear"]}}} sets the order of a whole section.
        """
    private static let changesItem = """
        PATCH /v1/lists/{list}/items/{item} with {"content":{…}} changes an item. Below an item there are star, expand \
        and collapse.
        """
    private static let past = "GET /v1/lists/{list}/transactions has the history, newest first."
    private static let live = """
        GET /v1/lists/{list}/changes?since=VERSION with Accept: text/event-stream is the live stream. VERSION is copied \
        whole from "version" in the answer of GET /v1/lists/{list}, such as k3v9-42.
        """
    private static let streams = """
        GET /v1/changes?list=a&list=b with Accept: text/event-stream follows the lists with the ids a and b. GET /v1/lists \
        has the ids.
        """
    private static let edits = #"POST /v1/lists/{list}/transactions with {"operations":[…]} edits a list."#
    private static let edited = "Items are in lists: POST /v1/lists/{list}/items."
    private static let whole = "GET /v1/lists/{list} is the whole list."
    private static let health = "GET /healthz tells whether the server runs, GET /readyz whether it can write."
    private static let contract = "GET /openapi.yaml describes every call; GET /v1/lists has the lists."

    static func instead(of path: ByteText, _ router: Router) -> String {
        let segments = path.split(at: "/").dropFirst().filter { !$0.isEmpty }
        guard segments.count <= 8 else { return contract }
        let plain = segments.map { "/\($0)" as ByteText }.joined()
        if plain != path, (try? router.resource(at: plain)) != nil { return "Did you mean \(plain)?" }
        let words = segments.map { $0.utf8.count <= 64 ? $0.lowercasedASCII : "" }
        // A path that is like a template but for a few letters is explained before a general pattern with `*` at its
        // end.
        let known = paths.first { fits(words, $0.path) }
        if let known, !known.path.hasSuffix("*") { return known.sentence }
        if let template = nearest(words) { return "Did you mean \(template)?" }
        return known?.sentence ?? contract
    }

    private static func fits(_ words: [ByteText], _ path: String) -> Bool {
        let pattern = path.utf8.split(separator: UInt8(ascii: "/")).map { ByteText($0) }
        return pattern.count == words.count && zip(pattern, words).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// The template that is nearest to the path, if need be with `/v1` before the path or without its first segment;
    /// nil if none is near.
    private static func nearest(_ words: [ByteText]) -> String? {
        let variants = [words, ["v1"] + words, Array(words.dropFirst())]
        let found = variants.flatMap { words in
            Endpoint.allCases.compactMap { endpoint in
                distance(words, endpoint.template).map { (endpoint.template, $0) }
            }
        }
        return found.min { $0.1 < $1.1 }?.0
    }

    private static func distance(_ words: [ByteText], _ template: String) -> Int? {
        let segments = template.utf8.split(separator: UInt8(ascii: "/")).map { ByteText($0) }
        guard !segments.isEmpty, segments.count == words.count else { return nil }
        var sum = 0
        for (word, segment) in zip(words, segments) where !segment.hasPrefix("{") {
            let letters = word.distance(to: segment)
            guard letters <= max(1, segment.utf8.count / 3) else { return nil }
            sum += letters
        }
        // A template of parameters alone would fit every path.
        return segments.allSatisfy { $0.hasPrefix("{") } ? nil : sum
    }

    // MARK: Streams

    /// A sentence that names the nearest stream, for a client that asked a resource without a stream for one.
    static func stream(instead endpoint: Endpoint) -> String {
        endpoint.template.hasPrefix("/v1/lists/{list}") ? live : streams
    }

    // MARK: Methods

    private static let reversed = """
        Send it as POST with the version of a transaction: {"transaction":"k3v9-42"}. \
        GET /v1/lists/{list}/transactions lists the transactions, newest first, with their versions.
        """

    private static let methods: [(methods: [HTTPRequest.Method], endpoint: Endpoint, sentence: String)] = [
        (
            [.put, .patch, .delete], .listLists,
            "A list has a path of its own: PUT, PATCH and DELETE /v1/lists/{list}."
        ),
        (
            [.post], .getList,
            """
            POST /v1/lists/{list}/items with {"items":[…]} adds items, and POST /v1/lists/{list}/transactions edits \
            the list. PUT /v1/lists/{list} makes a list, or replaces all of it and deletes what it leaves out.
            """
        ),
        (
            [.post], .getSection,
            """
            POST /v1/lists/{list}/items with {"section":"{section}","items":[{"id":"…"}]} adds items to a section. \
            PUT makes a section, or replaces all of it and deletes what it leaves out.
            """
        ),
        ([.get], .postItems, "GET /v1/lists/{list} has all items, GET /v1/lists/{list}/items/{item} one."),
        (
            [.put, .patch], .postItems,
            """
            POST adds items, PATCH /v1/lists/{list}/items/{item} changes one, and PUT /v1/lists/{list} replaces the \
            whole list: what it leaves out is deleted.
            """
        ),
        (
            [.delete], .postItems,
            """
            DELETE /v1/lists/{list}/items/{item} deletes one item. POST /v1/lists/{list}/transactions with \
            {"operations":[{"op":"deleteItems","items":[…]}]} deletes those with these ids; with the ids of all items it \
            keeps the sections, which deleteAllItems deletes, too. PUT /v1/lists/{list}/sections/{section} with \
            {"items":[]} empties one section, which keeps its title.
            """
        ),
        (
            [.put, .post], .getItem,
            """
            PATCH with {"content":{…}} changes an item that the list has; values that are left out stay. To replace its \
            content, POST /v1/lists/{list}/transactions with \
            {"operations":[{"op":"updateItem","item":"{item}","content":{…}}]}. To make a new item, \
            POST /v1/lists/{list}/items with {"items":[{"id":"{item}","content":{…}}]}. Each {…} is your content.
            """
        ),
        ([.get, .patch], .star, "GET /v1/lists/{list}/items/{item} says whether it is starred; PUT stars it."),
        ([.get, .put, .patch], .expand, "GET /v1/lists/{list}/items/{item} says whether it is expanded."),
        ([.delete], .expand, "POST /v1/lists/{list}/items/{item}/collapse is its opposite."),
        ([.delete], .collapse, "POST /v1/lists/{list}/items/{item}/expand is its opposite."),
        (
            [.put, .patch, .delete], .postTransaction,
            "The history cannot be changed. POST /v1/lists/{list}/undo takes a transaction back."
        ),
        ([.put, .patch], .postReorder, "Send it as POST."),
        ([.get, .put, .patch, .delete], .undo, reversed), ([.get, .put, .patch, .delete], .redo, reversed),
        ([.post, .put, .patch, .delete], .getChanges, "POST /v1/lists/{list}/transactions changes a list."),
        ([.get, .put, .patch, .delete], .installSample, "POST installs a sample; GET /v1/lists/{sample} is its list."),
    ]

    static func instead(of method: HTTPRequest.Method, _ resource: Router.Resource) -> String? {
        methods.first { $0.methods.contains(method) && resource.endpoints.contains($0.endpoint) }?.sentence
    }
}
