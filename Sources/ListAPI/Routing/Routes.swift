internal import Access
internal import HTTPTypes
internal import ListModel
internal import Microhttpd
internal import Texts

/// A row of the table of routes: all that is known of an endpoint before a request arrives.
struct Route: Sendable {
    /// The method of `API` that answers, not yet bound to an instance.
    typealias Perform = @Sendable (API) -> (Call) throws(Problem) -> Answer

    /// The greatest `limit`, the name of the things that it counts, and how many of them a page has without a `limit`.
    typealias Paging = (limitMax: Int, things: StaticString, usual: StaticString)

    let endpoint: Endpoint
    let method: HTTPRequest.Method
    /// The path with its parameters in braces.
    let template: String
    let parameters: [QueryParameter]
    /// Nil for an endpoint that only reads: its requests have no body.
    let body: Body?
    let representations: [ByteText]
    let page: Paging?
    /// Nil for a write, which is compared with the storage when it is written or refused.
    let reads: Reading?
    let rule: Rule
    let perform: Perform

    /// The body of a write. A body that may be left out can still carry `base` and `label`.
    struct Body: Sendable {
        /// An example for a client that has sent no body, or one that cannot be read.
        let example: StaticString
        /// The greatest number of arrays and objects that can enclose a content, a header or a layout.
        let levelsAroundContent: Int

        static let plain = Self(example: "{}", levelsAroundContent: 0)

        static func such(as example: StaticString, levels: Int = 0) -> Self {
            Self(example: example, levelsAroundContent: levels)
        }
    }

    /// The part of the storage that a read tells of. It is compared with the storage first, if others write to that.
    enum Reading: Sendable {
        /// None: the answer is the same whatever anybody writes, or is about this server alone.
        case nothing
        /// The list that the path names.
        case list
        /// A page of all lists.
        case page
        /// The lists that the query, the body or a subscription names.
        case lists(@Sendable (API) -> (Call) throws(Problem) -> [ListID])
    }

    private init(
        _ endpoint: Endpoint, _ method: HTTPRequest.Method, _ template: String, _ rule: Rule,
        _ perform: @escaping Perform, _ parameters: [QueryParameter] = [], reads: Reading? = nil, body: Body? = nil,
        answers representations: [ByteText] = [MediaType.json], page: Paging? = nil
    ) {
        self.endpoint = endpoint
        self.method = method
        self.template = template
        self.parameters = parameters
        self.body = body
        self.representations = representations
        self.page = page
        self.reads = reads
        self.rule = rule
        self.perform = perform
    }
}

extension Route {
    /// A row for each endpoint, in the order of its cases, which is that of openapi.yaml.
    static let all: [Route] = [
        Route(
            .listLists, .get, lists, .narrowed, API.listLists, [.filter, .limit, .cursor, .deleted], reads: .page,
            page: (1_000, "lists", "100")),
        Route(.postList, .post, lists, .newList, API.postList, [.dryRun], body: .such(as: newList, levels: 5)),
        Route(
            .getList, .get, list, .list(.read), API.getList,
            QueryParameter.viewed + [.section, .around, .row, .before, .after, .at, .limit, .cursor], reads: .list,
            page: (10_000, "rows", "all of them")),
        Route(.putList, .put, list, .put, API.putList, written, body: .such(as: wholeList, levels: 5)),
        Route(.patchList, .patch, list, .list(.write), API.patchList, written, body: .such(as: newTitle, levels: 1)),
        Route(
            .deleteList, .delete, list, .list(.delete), API.deleteList, [.dryRun, .purge], body: .plain, answers: []),
        Route(.getSection, .get, section, .list(.read), API.getSection, QueryParameter.viewed, reads: .list),
        Route(
            .putSection, .put, section, .list(.write), API.putSection, written,
            body: .such(as: #"{"items":["pear","apple"]}"#, levels: 3)),
        Route(
            .patchSection, .patch, section, .list(.write), API.patchSection, written,
            body: .such(as: newTitle, levels: 1)),
        Route(.deleteSection, .delete, section, .list(.write), API.deleteSection, written, body: .plain),
        Route(
            .postItems, .post, items, .list(.write), API.postItems, written,
            body: .such(as: #"{"items":[{"id":"bread"}]}"#, levels: 3)),
        Route(.getItem, .get, item, .list(.read), API.getItem, reads: .list),
        Route(
            .patchItem, .patch, item, .list(.write), API.patchItem, written,
            body: .such(as: #"{"content":{"done":true}}"#, levels: 1)),
        Route(.deleteItem, .delete, item, .list(.write), API.deleteItem, written, body: .plain),
        Route(.star, .put, item + "/star", .list(.write), API.star, written, body: .plain),
        Route(.unstar, .delete, item + "/star", .list(.write), API.unstar, written, body: .plain),
        Route(.toggleStar, .post, item + "/star", .list(.write), API.toggleStar, written, body: .plain),
        Route(.expand, .post, item + "/expand", .list(.write), API.expand, written, body: .plain),
        Route(.collapse, .post, item + "/collapse", .list(.write), API.collapse, written, body: .plain),
        Route(
            .listTransactions, .get, list + "/transactions", .list(.read), API.listTransactions, [.limit, .cursor],
            reads: .list,
            page: (1_000, "transactions", "100")),
        Route(
            .postTransaction, .post, list + "/transactions", .list(.write), API.postTransaction, written,
            body: .such(as: #"{"operations":[{"op":"starItems","items":["milk"]}]}"#, levels: 8)),
        Route(
            .postReorder, .post, list + "/reorders", .list(.write), API.postReorder, written,
            body: .such(as: #"{"sections":{"fruit":{"final":["apple","pear"]}}}"#)),
        Route(.undo, .post, list + "/undo", .list(.write), API.undo, written, body: .such(as: aTransaction)),
        Route(.redo, .post, list + "/redo", .list(.write), API.redo, written, body: .such(as: aTransaction)),
        Route(
            .restoreList, .post, list + "/restore", .list(.write), API.restoreList, written,
            body: .such(as: #"{"version":"k3v9-42"}"#)
        ),
        Route(
            .getChanges, .get, list + "/changes", .list(.read), API.getChanges,
            QueryParameter.viewed + [
                .section, .around, .before, .after, .previousFilter, .since, .until, .mode, .wait, .ticket,
            ], reads: .list, answers: jsonOrStream),
        Route(
            .followLists, .get, "/v1/changes", .narrowed, API.followLists, QueryParameter.followed + [.list, .ticket],
            reads: .lists(API.listsOfQuery), answers: [MediaType.eventStream]),
        Route(
            .postChanges, .post, "/v1/changes", .narrowed, API.postChanges, reads: .lists(API.listsOfBody),
            body: .such(as: #"{"lists":[{"list":"groceries","since":"k3v9-42"}]}"#), answers: jsonOrStream),
        Route(
            .getSubscription, .get, "/v1/changes/{subscription}", .narrowed, API.getSubscription, [.ticket],
            reads: .lists(API.listsOfSubscription), answers: [MediaType.eventStream]),
        Route(.listEmoji, .get, "/v1/emoji", .open, API.listEmoji, [.category], reads: .nothing),
        Route(.listEmojiCategories, .get, "/v1/emoji/categories", .open, API.listEmojiCategories, reads: .nothing),
        Route(.listSamples, .get, "/v1/samples", .open, API.listSamples, reads: .nothing),
        Route(.installSample, .post, sample, .put, API.installSample, [.view, .dryRun], body: .such(as: aSeed)),
        Route(
            .stepSample, .post, sample + "/step", .list(.write), API.stepSample, [.view, .dryRun],
            body: .such(as: aSeed)),
        Route(.listTokens, .get, tokens, .administer, API.listTokens, reads: .nothing),
        Route(
            .postToken, .post, tokens, .administer, API.postToken,
            body: .such(as: #"{"name":"ci","grants":[{"lists":["team-a-*"],"can":["read","write"]}]}"#)),
        Route(.getToken, .get, token, .administer, API.getToken, reads: .nothing),
        Route(.deleteToken, .delete, token, .administer, API.deleteToken, body: .plain, answers: []),
        Route(
            .rotateToken, .post, token + "/rotate", .administer, API.rotateToken,
            body: .such(as: #"{"lifetimeSeconds":7776000}"#)),
        Route(.getAccess, .get, "/v1/access", .administerAll, API.getAccess, reads: .nothing),
        Route(
            .putAccess, .put, "/v1/access/{group}", .administerAll, API.putAccess,
            body: .such(as: #"{"grants":[{"lists":["public-*"],"can":["read"]}]}"#)),
        Route(
            .postTicket, .post, "/v1/tickets", .token, API.postTicket,
            body: .such(as: #"{"target":"/v1/lists/groceries/changes"}"#)),
        Route(.getHealth, .get, "/healthz", .open, API.getHealth, reads: .nothing),
        Route(.getReadiness, .get, "/readyz", .open, API.getReadiness, reads: .nothing),
        Route(
            .getMetrics, .get, "/metrics", .administerAll, API.getMetrics, reads: .nothing, answers: [MediaType.text]),
        Route(.getContract, .get, "/openapi.yaml", .open, API.getContract, reads: .nothing, answers: [MediaType.yaml]),
        Route(.getReference, .get, "/docs", .open, API.getReference, reads: .nothing, answers: [MediaType.html]),
        Route(.listProblems, .get, "/problems", .open, API.listProblems, reads: .nothing, answers: pageOrJSON),
        Route(.getProblem, .get, "/problems/{code}", .open, API.getProblem, reads: .nothing, answers: pageOrJSON),
        Route(.getPage, .get, "/", .open, API.getPage, reads: .nothing, answers: pageOrJSON),
        Route(
            .getPageFile, .get, "/page/{file}", .open, API.getPageFile, reads: .nothing,
            answers: [MediaType.javaScript, MediaType.css, MediaType.svg]),
        Route(
            .getClient, .get, "/client.js", .open, API.getClient, reads: .nothing, answers: [MediaType.javaScript]),
        Route(
            .getClientTypes, .get, "/client.d.ts", .open, API.getClientTypes, reads: .nothing,
            answers: [MediaType.text]),
    ]

    // MARK: Values that several rows share

    private static let lists = "/v1/lists"
    private static let list = lists + "/{list}"
    private static let section = list + "/sections/{section}"
    private static let items = list + "/items"
    private static let item = items + "/{item}"
    private static let tokens = "/v1/tokens"
    private static let token = tokens + "/{token}"
    private static let sample = "/v1/samples/{sample}"

    private static let written: [QueryParameter] = [.view, .strict, .dryRun]

    private static let newList: StaticString = #"{"title":"Groceries","sections":[{"id":"fruit"}]}"#
    private static let wholeList: StaticString = #"{"sections":[{"id":"fruit","items":["pear","apple"]}]}"#
    private static let newTitle: StaticString = #"{"title":"Fruit"}"#
    private static let aTransaction: StaticString = #"{"transaction":"k3v9-42"}"#
    private static let aSeed: StaticString = #"{"seed":7}"#

    private static let jsonOrStream = [MediaType.json, MediaType.eventStream]
    private static let pageOrJSON = [MediaType.html, MediaType.json]
}
