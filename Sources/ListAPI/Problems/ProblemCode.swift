public import HTTPTypes

/// The `code` of a problem, on which a client's program may decide (docs/contract.md section 7). Each has a row in
/// `Explanation.all`.
public enum ProblemCode: String, CaseIterable, Sendable {
    // 400
    case badRequest = "bad_request"
    case badPath = "bad_path"
    case notJSON = "not_json"
    case badIdempotencyKey = "bad_idempotency_key"
    // 403
    case notReorderable = "not_reorderable"
    case foreignOrigin = "foreign_origin"
    // 404 to 406
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case notAcceptable = "not_acceptable"
    // 409
    case unknownItem = "unknown_item"
    case unknownSection = "unknown_section"
    case noSections = "no_sections"
    case itemExists = "item_exists"
    case sectionExists = "section_exists"
    case listExists = "list_exists"
    case destinationInList = "destination_in_list"
    case anchorElsewhere = "anchor_elsewhere"
    case selfMove = "self_move"
    case cycle
    case notATree = "not_a_tree"
    case invalidDifference = "invalid_difference"
    case invalidFinal = "invalid_final"
    case staleBase = "stale_base"
    case unknownBase = "unknown_base"
    case nothingToUndo = "nothing_to_undo"
    case madeAnew = "made_anew"
    case notDeleted = "not_deleted"
    case keyInFlight = "key_in_flight"
    // 410, 412, 413
    case versionGone = "version_gone"
    case preconditionFailed = "precondition_failed"
    case bodyTooLarge = "body_too_large"
    case tooManyItems = "too_many_items"
    case tooManySections = "too_many_sections"
    case tooManyOperations = "too_many_operations"
    case contentTooLarge = "content_too_large"
    case transactionTooLarge = "transaction_too_large"
    // 414, 415, 417
    case targetTooLong = "target_too_long"
    case unsupportedMediaType = "unsupported_media_type"
    case expectationFailed = "expectation_failed"
    // 422
    case invalid
    case invalidID = "invalid_id"
    case partialSnapshot = "partial_snapshot"
    case keyReused = "key_reused"
    // 429 and above
    case tooManyConnectionsOfAddress = "too_many_connections_of_address"
    case headTooLarge = "head_too_large"
    case internalError = "internal_error"
    case notImplemented = "not_implemented"
    case unavailable
    case tooManyStreams = "too_many_streams"
    case tooManyQueries = "too_many_queries"
    case tooManyConnections = "too_many_connections"
    case stopping
    case diskFull = "disk_full"

    /// The status that every problem with this code has.
    public var status: HTTPResponse.Status {
        switch self {
        case .badRequest, .badPath, .notJSON, .badIdempotencyKey: .badRequest
        case .notReorderable, .foreignOrigin: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notAcceptable: .notAcceptable
        case .unknownItem, .unknownSection, .noSections, .itemExists, .sectionExists, .destinationInList,
            .anchorElsewhere, .selfMove, .cycle, .notATree, .invalidDifference, .invalidFinal, .staleBase,
            .unknownBase, .nothingToUndo, .madeAnew, .notDeleted, .keyInFlight, .listExists:
            .conflict
        case .versionGone: .gone
        case .preconditionFailed: .preconditionFailed
        case .bodyTooLarge, .tooManyItems, .tooManySections, .tooManyOperations, .contentTooLarge, .transactionTooLarge:
            .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .unsupportedMediaType: .unsupportedMediaType
        case .expectationFailed: .expectationFailed
        case .invalid, .invalidID, .partialSnapshot, .keyReused: .unprocessableContent
        case .tooManyConnectionsOfAddress: .tooManyRequests
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .internalError: .internalServerError
        case .notImplemented: .notImplemented
        case .unavailable, .tooManyStreams, .tooManyQueries, .tooManyConnections, .stopping: .serviceUnavailable
        case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        }
    }

    /// A few words about the kind of problem, the same for every occurrence.
    public var title: String {
        switch self {
        case .badRequest: "The request is not well-formed"
        case .badPath: "The path does not decode"
        case .notJSON: "The body is not JSON"
        case .badIdempotencyKey: "The Idempotency-Key is not well-formed"
        case .notReorderable: "The item must keep its place"
        case .foreignOrigin: "The request comes from elsewhere"
        case .notFound: "No such resource"
        case .methodNotAllowed: "The resource does not have this method"
        case .notAcceptable: "The resource has no representation that the client accepts"
        case .unknownItem: "No such item in the list"
        case .unknownSection: "No such section in the list"
        case .noSections: "The list has no section to put items in"
        case .itemExists: "The item exists"
        case .sectionExists: "The section exists"
        case .listExists: "The list exists"
        case .destinationInList: "The destination is among what is to be placed"
        case .anchorElsewhere: "The anchor is elsewhere"
        case .selfMove: "Placed relative to itself"
        case .cycle: "Placed inside itself"
        case .notATree: "The order is not a tree"
        case .invalidDifference: "The difference does not fit the base"
        case .invalidFinal: "The final order does not fit the list"
        case .staleBase: "The list has moved on"
        case .unknownBase: "The base is not known"
        case .nothingToUndo: "There is nothing to take back"
        case .madeAnew: "The list was deleted and created again"
        case .notDeleted: "The list is not deleted"
        case .keyInFlight: "The first request with this key is still being answered"
        case .versionGone: "The version is no longer kept"
        case .preconditionFailed: "The precondition does not hold"
        case .bodyTooLarge: "The body is too large"
        case .tooManyItems: "Too many items"
        case .tooManySections: "Too many sections"
        case .tooManyOperations: "Too many operations"
        case .contentTooLarge: "The content of an item is too large"
        case .transactionTooLarge: "The transaction is too large"
        case .targetTooLong: "The target of the request is too long"
        case .unsupportedMediaType: "The body has a type that is not understood here"
        case .expectationFailed: "The expectation is not understood"
        case .invalid: "The request does not match its schema"
        case .invalidID: "An id in the path is malformed"
        case .partialSnapshot: "The snapshot is not whole"
        case .keyReused: "The key came with another request before"
        case .tooManyConnectionsOfAddress: "The address has too many connections"
        case .headTooLarge: "The head of the request is too large"
        case .internalError: "The server failed"
        case .notImplemented: "Not implemented"
        case .unavailable: "The server cannot take writes now"
        case .tooManyStreams: "Too many streams follow the list"
        case .tooManyQueries: "Too many different queries follow the list"
        case .tooManyConnections: "The server has too many connections"
        case .stopping: "The server is stopping"
        case .diskFull: "The disk is full"
        }
    }
}
