internal import HTTPTypes
internal import Texts

/// One method of one resource; the cases are in the order of openapi.yaml.
///
/// The table of routes is this type: `perform(_:)` of the API answers each case, and a test compares
/// methods and templates with openapi.yaml both ways.
enum Endpoint: CaseIterable, Sendable {
    case listLists, postList
    case getList, putList, patchList, deleteList
    case getSection, putSection, patchSection, deleteSection
    case postItems
    case getItem, patchItem, deleteItem
    case star, unstar, toggleStar
    case expand, collapse
    case listTransactions, postTransaction
    case postReorder
    case undo, redo, restoreList
    case getChanges, followLists, postChanges, getSubscription
    case listEmoji, listEmojiCategories
    case listSamples, installSample, stepSample
    case getHealth, getReadiness, getContract
    case listProblems, getProblem
    case getPage, getPageFile
}

extension Endpoint {
    var method: HTTPRequest.Method {
        switch self {
        case .listLists, .getList, .getSection, .getItem, .listTransactions, .getChanges, .followLists,
            .getSubscription, .listEmoji, .listEmojiCategories, .listSamples, .getHealth, .getReadiness, .getContract,
            .listProblems, .getProblem, .getPage, .getPageFile:
            .get
        case .putList, .putSection, .star: .put
        case .patchList, .patchSection, .patchItem: .patch
        case .deleteList, .deleteSection, .deleteItem, .unstar: .delete
        case .postList, .postItems, .toggleStar, .expand, .collapse, .postTransaction, .postReorder, .undo, .redo,
            .restoreList, .postChanges, .installSample, .stepSample:
            .post
        }
    }

    /// The path with its parameters in braces.
    var template: String {
        switch self {
        case .listLists, .postList: "/v1/lists"
        case .getList, .putList, .patchList, .deleteList: "/v1/lists/{list}"
        case .getSection, .putSection, .patchSection, .deleteSection: "/v1/lists/{list}/sections/{section}"
        case .postItems: "/v1/lists/{list}/items"
        case .getItem, .patchItem, .deleteItem: "/v1/lists/{list}/items/{item}"
        case .star, .unstar, .toggleStar: "/v1/lists/{list}/items/{item}/star"
        case .expand: "/v1/lists/{list}/items/{item}/expand"
        case .collapse: "/v1/lists/{list}/items/{item}/collapse"
        case .listTransactions, .postTransaction: "/v1/lists/{list}/transactions"
        case .postReorder: "/v1/lists/{list}/reorders"
        case .undo: "/v1/lists/{list}/undo"
        case .redo: "/v1/lists/{list}/redo"
        case .restoreList: "/v1/lists/{list}/restore"
        case .getChanges: "/v1/lists/{list}/changes"
        case .followLists, .postChanges: "/v1/changes"
        case .getSubscription: "/v1/changes/{subscription}"
        case .listEmoji: "/v1/emoji"
        case .listEmojiCategories: "/v1/emoji/categories"
        case .listSamples: "/v1/samples"
        case .installSample: "/v1/samples/{sample}"
        case .stepSample: "/v1/samples/{sample}/step"
        case .getHealth: "/healthz"
        case .getReadiness: "/readyz"
        case .getContract: "/openapi.yaml"
        case .listProblems: "/problems"
        case .getProblem: "/problems/{code}"
        case .getPage: "/"
        case .getPageFile: "/page/{file}"
        }
    }

    /// The query parameters that are understood.
    var parameters: [QueryParameter] {
        switch self {
        case .listLists: [.filter, .limit, .cursor, .deleted]
        case .listTransactions: [.limit, .cursor]
        case .getList: QueryParameter.viewed + [.section, .around, .before, .after, .at, .limit, .cursor]
        case .getSection: QueryParameter.viewed
        case .putList, .patchList, .putSection, .patchSection, .deleteSection, .postItems, .patchItem, .deleteItem,
            .star, .unstar, .toggleStar, .expand, .collapse, .postTransaction, .postReorder, .undo, .redo, .restoreList:
            [.view, .strict, .dryRun]
        case .getChanges:
            QueryParameter.viewed + [.section, .around, .before, .after, .previousFilter, .since, .until, .mode, .wait]
        case .followLists: QueryParameter.followed + [.list]
        case .listEmoji: [.category]
        case .installSample, .stepSample: [.view, .dryRun]
        case .postList: [.dryRun]
        case .deleteList: [.dryRun, .purge]
        case .getItem, .postChanges, .getSubscription, .listEmojiCategories, .listSamples, .getHealth, .getReadiness,
            .getContract,
            .listProblems, .getProblem, .getPage, .getPageFile:
            []
        }
    }

    /// The endpoints that answer in pages, with what these have at most.
    private static let pages: [Endpoint: (limitMax: Int, things: StaticString)] = [
        .listLists: (1_000, "lists"), .listTransactions: (1_000, "transactions"), .getList: (10_000, "rows"),
    ]

    var page: (limitMax: Int, things: StaticString)? { Self.pages[self] }

    /// What the request may carry.
    enum BodyRule {
        /// Reading has no body.
        case none
        /// `base` and `label` may come in one.
        case optional
        case required
    }

    var bodyRule: BodyRule {
        switch self {
        case .listLists, .getList, .getSection, .getItem, .listTransactions, .getChanges, .followLists,
            .getSubscription, .listEmoji,
            .listEmojiCategories, .listSamples, .getHealth, .getReadiness, .getContract,
            .listProblems, .getProblem, .getPage, .getPageFile:
            .none
        case .deleteList, .deleteSection, .deleteItem, .star, .unstar, .toggleStar, .expand, .collapse, .undo, .redo,
            .restoreList,
            .installSample, .stepSample:
            .optional
        case .postList, .putList, .patchList, .putSection, .patchSection, .postItems, .patchItem, .postTransaction,
            .postReorder, .postChanges:
            .required
        }
    }

    /// How many arrays and objects the body has around a content, a header or a layout, at most.
    var levelsAroundContent: Int {
        switch self {
        case .postList, .putList: 5  // {"sections":[{"items":[{"content":…}]}]}
        case .putSection, .postItems: 3  // {"items":[{"content":…}]}
        case .patchList, .patchSection, .patchItem: 1
        // {"operations":[{"snapshot":{"sections":[{"items":[{"content":…}]}]}}]}
        case .postTransaction: 8
        case .listLists, .getList, .deleteList, .getSection, .deleteSection, .getItem, .deleteItem, .star, .unstar,
            .toggleStar, .expand, .collapse, .listTransactions, .postReorder, .undo, .redo, .restoreList, .getChanges,
            .followLists, .postChanges, .getSubscription, .listEmoji, .listEmojiCategories, .listSamples,
            .installSample, .stepSample, .getHealth,
            .getReadiness,
            .getContract, .listProblems, .getProblem, .getPage, .getPageFile:
            0
        }
    }

    /// The media types that the answer can have, the usual one first; none where it never has a body.
    var representations: [ByteText] {
        switch self {
        case .deleteList: []
        case .getContract: [MediaType.yaml]
        case .listProblems, .getProblem, .getPage: [MediaType.html, MediaType.json]
        case .getPageFile: [MediaType.javaScript, MediaType.css, MediaType.svg]
        case .getChanges, .postChanges: [MediaType.json, MediaType.eventStream]
        case .followLists, .getSubscription: [MediaType.eventStream]
        case .listLists, .postList, .getList, .putList, .patchList, .getSection, .putSection, .patchSection,
            .deleteSection, .postItems, .getItem, .patchItem, .deleteItem, .star, .unstar, .toggleStar, .expand,
            .collapse, .listTransactions, .postTransaction, .postReorder, .undo, .redo, .restoreList, .listEmoji,
            .listEmojiCategories,
            .listSamples, .installSample, .stepSample, .getHealth, .getReadiness:
            [MediaType.json]
        }
    }

    var isWrite: Bool { bodyRule != .none }

    /// Whether the answer can be a stream of events.
    var streams: Bool { representations.contains(MediaType.eventStream) }
    /// Whether it can be nothing else.
    var onlyStreams: Bool { self == .followLists || self == .getSubscription }
}

/// A name in a query.
enum QueryParameter: String, CaseIterable, Sendable {
    case limit, cursor, view, strict, dryRun, since, until, mode, wait, list, at, category, deleted, purge
    case expanded, section, filter, field, starred, kind, `where`, sort, previousFilter
    case around, before, after

    /// What selects and orders rows, wherever there are any (CONTRACT.md section 8).
    static let viewed: [Self] = [.view, .expanded, .filter, .field, .starred, .kind, .where, .sort]

    /// The parameters of streams of many lists, besides the lists.
    static let followed: [Self] = viewed + [.section]

    /// Whether it may be given more than once.
    var isRepeatable: Bool { self == .list || self == .expanded || self == .section || self == .where }
}

enum MediaType {
    static let json: ByteText = "application/json"
    static let mergePatch: ByteText = "application/merge-patch+json"
    static let problem: ByteText = "application/problem+json"
    static let yaml: ByteText = "application/yaml"
    static let eventStream: ByteText = "text/event-stream"
    static let html: ByteText = "text/html"
    static let javaScript: ByteText = "text/javascript"
    static let css: ByteText = "text/css"
    static let svg: ByteText = "image/svg+xml"
}
