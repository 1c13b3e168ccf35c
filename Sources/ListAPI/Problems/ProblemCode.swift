public import HTTPTypes

/// The `code` of a problem, on which a client's program may decide (docs/contract.md section 7). Each has a row in
/// `Explanation.all`.
public enum ProblemCode: String, CaseIterable, Sendable {
    // 400
    case badRequest = "bad_request"
    case badPath = "bad_path"
    case notJSON = "not_json"
    case badIdempotencyKey = "bad_idempotency_key"
    case badClientSequence = "bad_client_sequence"
    // 401 and 403
    case unauthenticated
    case forbidden
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
    case tokenExists = "token_exists"
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
    case sequenceGap = "sequence_gap"
    case sequenceRefused = "sequence_refused"
    // 410, 412, 413
    case versionGone = "version_gone"
    case preconditionFailed = "precondition_failed"
    case bodyTooLarge = "body_too_large"
    case tooManyLists = "too_many_lists"
    case quotaReached = "quota_reached"
    case tooManyItems = "too_many_items"
    case tooManySections = "too_many_sections"
    case tooManyTokens = "too_many_tokens"
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
    case tooManyRequests = "too_many_requests"
    case tooManyConnectionsOfAddress = "too_many_connections_of_address"
    case headTooLarge = "head_too_large"
    case internalError = "internal_error"
    case notImplemented = "not_implemented"
    case unavailable
    case tooManyStreams = "too_many_streams"
    case tooManyQueries = "too_many_queries"
    case tooManyConnections = "too_many_connections"
    case overloaded
    case stopping
    case diskFull = "disk_full"
    case memoryFull = "memory_full"

    /// The status that every problem with this code has.
    public var status: HTTPResponse.Status { row.status }
    /// A few words about the kind of problem, the same for every occurrence.
    public var title: String { row.title }

    private static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")

    private var row: (status: HTTPResponse.Status, title: String) {
        switch self {
        case .badRequest: (.badRequest, "The request is not well-formed")
        case .badPath: (.badRequest, "The path does not decode")
        case .notJSON: (.badRequest, "The body is not JSON")
        case .badIdempotencyKey: (.badRequest, "The Idempotency-Key is not well-formed")
        case .badClientSequence: (.badRequest, "The Client-Sequence is not well-formed")
        case .unauthenticated: (.unauthorized, "A token is needed")
        case .forbidden: (.forbidden, "The token lacks a right")
        case .notReorderable: (.forbidden, "The item must keep its place")
        case .foreignOrigin: (.forbidden, "The request comes from elsewhere")
        case .notFound: (.notFound, "No such resource")
        case .methodNotAllowed: (.methodNotAllowed, "The resource does not have this method")
        case .notAcceptable: (.notAcceptable, "The resource has no representation that the client accepts")
        case .unknownItem: (.conflict, "No such item in the list")
        case .unknownSection: (.conflict, "No such section in the list")
        case .noSections: (.conflict, "The list has no section to put items in")
        case .itemExists: (.conflict, "The item exists")
        case .sectionExists: (.conflict, "The section exists")
        case .tokenExists: (.conflict, "The token exists")
        case .listExists: (.conflict, "The list exists")
        case .destinationInList: (.conflict, "The destination is among what is to be placed")
        case .anchorElsewhere: (.conflict, "The anchor is elsewhere")
        case .selfMove: (.conflict, "Placed relative to itself")
        case .cycle: (.conflict, "Placed inside itself")
        case .notATree: (.conflict, "The order is not a tree")
        case .invalidDifference: (.conflict, "The difference does not fit the base")
        case .invalidFinal: (.conflict, "The final order does not fit the list")
        case .staleBase: (.conflict, "The list has moved on")
        case .unknownBase: (.conflict, "The base is not known")
        case .nothingToUndo: (.conflict, "There is nothing to take back")
        case .madeAnew: (.conflict, "The list was deleted and created again")
        case .notDeleted: (.conflict, "The list is not deleted")
        case .keyInFlight: (.conflict, "The first request with this key or number is still being answered")
        case .sequenceGap: (.conflict, "The sequence of the client goes on with another number")
        case .sequenceRefused: (.conflict, "The write with this number was refused")
        case .versionGone: (.gone, "The version is no longer kept")
        case .preconditionFailed: (.preconditionFailed, "The precondition does not hold")
        case .bodyTooLarge: (.contentTooLarge, "The body is too large")
        case .tooManyLists: (.contentTooLarge, "Too many lists")
        case .quotaReached: (.contentTooLarge, "A client keeps as much as it may")
        case .tooManyItems: (.contentTooLarge, "Too many items")
        case .tooManySections: (.contentTooLarge, "Too many sections")
        case .tooManyTokens: (.contentTooLarge, "Too many tokens")
        case .tooManyOperations: (.contentTooLarge, "Too many operations")
        case .contentTooLarge: (.contentTooLarge, "The content of an item is too large")
        case .transactionTooLarge: (.contentTooLarge, "The transaction is too large")
        case .targetTooLong: (.uriTooLong, "The target of the request is too long")
        case .unsupportedMediaType: (.unsupportedMediaType, "The body has a type that is not understood here")
        case .expectationFailed: (.expectationFailed, "The expectation is not understood")
        case .invalid: (.unprocessableContent, "The request does not match its schema")
        case .invalidID: (.unprocessableContent, "An id in the path is malformed")
        case .partialSnapshot: (.unprocessableContent, "The snapshot is not whole")
        case .keyReused: (.unprocessableContent, "The key or number came with another request before")
        case .tooManyRequests: (.tooManyRequests, "A quota of the client is used up")
        case .tooManyConnectionsOfAddress: (.tooManyRequests, "The address has too many connections")
        case .headTooLarge: (.requestHeaderFieldsTooLarge, "The head of the request is too large")
        case .internalError: (.internalServerError, "The server failed")
        case .notImplemented: (.notImplemented, "Not implemented")
        case .unavailable: (.serviceUnavailable, "The server cannot do this now")
        case .tooManyStreams: (.serviceUnavailable, "Too many streams follow the list")
        case .tooManyQueries: (.serviceUnavailable, "Too many different queries follow the list")
        case .tooManyConnections: (.serviceUnavailable, "The server has too many connections")
        case .overloaded: (.serviceUnavailable, "The server has no memory left for this")
        case .stopping: (.serviceUnavailable, "The server is stopping")
        case .diskFull: (Self.insufficientStorage, "The disk is full")
        case .memoryFull: (Self.insufficientStorage, "The memory for lists is full")
        }
    }
}
