internal import HTTPTypes
internal import Texts

/// One method of one resource; the cases are in the order of openapi.yaml.
///
/// `Route.all` has a row for each with all that the server knows of it. A test compares both with openapi.yaml.
enum Endpoint: Int, CaseIterable, Sendable {
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
    case listTokens, postToken, getToken, deleteToken, rotateToken
    case getAccess, putAccess
    case postTicket
    case getHealth, getReadiness, getMetrics, getContract, getReference
    case listProblems, getProblem
    case getPage, getPageFile, getClient, getClientTypes
}

extension Endpoint {
    var route: Route { Route.all[rawValue] }

    var method: HTTPRequest.Method { route.method }
    /// The path with its parameters in braces.
    var template: String { route.template }
    /// The query parameters that are understood.
    var parameters: [QueryParameter] { route.parameters }
    /// The media types that the answer can have, the usual one first; empty if the answer never has a body.
    var representations: [ByteText] { route.representations }
    var isWrite: Bool { route.body != nil }
    /// Whether a request writes to one list.
    var writesList: Bool {
        switch rule {
        case .list, .put, .newList: isWrite
        case .open, .narrowed, .token, .administer, .administerAll: false
        }
    }
    /// An example of a body, for a client that has sent none.
    var exampleBody: StaticString { (route.body ?? .plain).example }
    /// The greatest number of arrays and objects that can enclose a content, a header or a layout in the body.
    var levelsAroundContent: Int { (route.body ?? .plain).levelsAroundContent }
    /// Whether the answer can be a stream of events.
    var streams: Bool { representations.contains(MediaType.eventStream) }
    /// Whether the answer is always a stream of events.
    var onlyStreams: Bool { streams && representations.count == 1 }
    /// Whether the body is a whole list.
    var takesList: Bool { self == .putList || self == .postList }
    /// The part of the storage that a read tells of; nil for a write.
    var reads: Route.Reading? { route.reads }
    /// The rights that a caller needs.
    var rule: Route.Rule { route.rule }
    /// How the answer is divided into pages; nil if it is not.
    var page: Route.Paging? { route.page }

    /// The methods of all resources together.
    static let allMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
}

/// A name in a query.
enum QueryParameter: String, CaseIterable, Sendable {
    case limit, cursor, view, strict, dryRun, since, until, mode, wait, list, at, category, deleted, purge
    case expanded, section, filter, field, starred, kind, `where`, sort, previousFilter
    case around, row, before, after
    case ticket

    /// The parameters of a view: they select and order rows (docs/contract.md section 8).
    static let viewed: [Self] = [.view, .expanded, .filter, .field, .starred, .kind, .where, .sort]

    /// The parameters of streams of many lists, besides the lists.
    static let followed: [Self] = viewed + [.section]

    /// Whether a request may have the parameter more than once.
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
    static let text: ByteText = "text/plain"
}
