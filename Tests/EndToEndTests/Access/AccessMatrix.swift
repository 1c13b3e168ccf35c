import JSONValue
import TestSupport

/// Asks a server for every operation of openapi.yaml in the name of every kind of caller, and compares with the
/// expectations that follow from `x-rights`.
struct AccessMatrix {
    /// An operation with what its path and body name.
    struct Row: Sendable, CustomStringConvertible {
        let operation: OpenAPIOperation
        let needs: Need
        /// Whether the list of the path is there.
        let listExists: Bool
        let isStream: Bool
        let description: String
    }

    /// A kind of caller, with its rights on the lists of the rows.
    struct Caller: Sendable, CustomStringConvertible {
        let description: String
        /// The grants of its token; nil for one that sends no token.
        var grants: String?
        var rights: Set<String> = []
        var administersAll = false
        /// Whether its token is right.
        var isKnown = true
    }

    enum Expectation: String, Sendable {
        /// The answer is that to the administrator of all lists.
        case allowed
        case unauthenticated
        /// The answer is that for a list that is not there.
        case hidden
        case forbidden
    }

    let document: OpenAPIDocument
    let client: HTTPClient
    let rows: [Row]
    /// The secret of the administrator of all lists.
    private let admin: String
    private var secrets: [String: String] = [:]
    private var counter = 0
    /// The status that the administrator gets, for each row.
    private var references: [String: Int] = [:]

    struct Malformed: Error {
        let what: String
    }

    init(_ document: OpenAPIDocument, _ client: HTTPClient) throws {
        self.document = document
        self.client = client
        rows = try Self.rows(document)
        let made = try client.send(
            "POST", "/v1/tokens", json: #"{"name":"root","grants":[{"lists":["*"],"can":["administer"]}]}"#)
        admin = try Self.secret(made)
        try ask("POST", "/v1/tokens", #"{"name":"target","grants":[{"lists":["m-*"],"can":["read"]}]}"#)
    }

    private static func secret(_ made: RawResponse) throws -> String {
        guard made.status == 201, let text = try JSONValue(parsing: made.body)["token"]?.string else {
            throw Malformed(what: made.text)
        }
        return text
    }

    // MARK: The rows

    private static func rows(_ document: OpenAPIDocument) throws -> [Row] {
        try document.operations.flatMap { operation in
            guard let need = Need(rawValue: operation.rights) else {
                throw Malformed(what: "\(operation) has the rights \(operation.rights)")
            }
            let types = operation.responses.flatMap(\.content).map(\.type)
            var rows = [Row(operation: operation, needs: need, listExists: true, isStream: false, "")]
            if need == .writeOrCreate {
                rows.append(Row(operation: operation, needs: need, listExists: false, isStream: false, " of no list"))
            }
            guard types.contains("text/event-stream") else { return rows }
            let stream = Row(operation: operation, needs: need, listExists: true, isStream: true, " as a stream")
            return types.contains("application/json") ? rows + [stream] : [stream]
        }
    }

    // MARK: The requests

    /// Sends a request in the name of the administrator.
    @discardableResult
    func ask(_ method: String, _ target: String, _ json: String? = nil) throws -> RawResponse {
        let fields = [("Authorization", "Bearer \(admin)")]
        guard let json else { return try client.send(method, target, fields) }
        return try client.send(method, target, fields, json: json)
    }

    /// Makes a token for a caller. The first caller after this is known.
    mutating func admit(_ caller: Caller, lifetimeSeconds: Int? = nil) throws {
        guard let grants = caller.grants else { return }
        let lifetime = lifetimeSeconds.map { #","lifetimeSeconds":\#($0)"# } ?? ""
        let name = caller.description.replacing(" ", with: "-")
        let made = try ask("POST", "/v1/tokens", #"{"name":"\#(name)","grants":\#(grants)\#(lifetime)}"#)
        secrets[caller.description] = try Self.secret(made)
    }

    func revoke(_ caller: Caller) throws {
        try ask("DELETE", "/v1/tokens/\(caller.description.replacing(" ", with: "-"))")
    }

    /// Sets the rights of those who are not named.
    func set(_ group: String, _ grants: String) throws {
        let answer = try ask("PUT", "/v1/access/\(group)", #"{"grants":\#(grants)}"#)
        guard answer.status == 200 else { throw Malformed(what: answer.text) }
    }

    /// Whether the server knows the secret of a caller.
    func knows(_ caller: Caller) throws -> Bool {
        try client.send("GET", "/v1/lists", authorization(of: caller)).status == 200
    }

    func authorization(of caller: Caller) -> [(String, String)] {
        guard caller.grants != nil else { return [] }
        return [("Authorization", "Bearer \(secrets[caller.description] ?? "lst_of_nobody")")]
    }

    /// Compares the answer to a caller with the expectation.
    ///
    /// - Returns: What differs; nil if nothing does.
    mutating func fault(_ row: Row, _ caller: Caller) throws -> String? {
        let expected = row.needs.expectation(for: caller, row)
        let reference = try reference(for: row)
        let (status, text) = try answer(row, authorization(of: caller), try prepared(row))
        let place = "\(row) by \(caller)"
        let hasNoBody = row.isStream || row.operation.method == "HEAD"
        if !caller.rights.contains("read"), text.contains(Self.title) { return "\(place) shows the list: \(text)" }
        let code = (try? JSONValue(parsing: Array(text.utf8)))?["code"]?.string
        switch expected {
        case .allowed where status == reference && code != "forbidden": return nil
        case .unauthenticated where status == 401: return nil
        case .hidden where status == 404 && (hasNoBody || code == "not_found"): return try told(row, caller, text)
        case .forbidden where status == 403 && (hasNoBody || code == "forbidden"): return nil
        default: return "\(place) is \(status) \(text.prefix(200)), expected: \(expected), \(reference)"
        }
    }

    mutating func reference(for row: Row) throws -> Int {
        if let known = references[row.description] { return known }
        let (status, text) = try answer(row, [("Authorization", "Bearer \(admin)")], try prepared(row))
        guard status < 500, ![401, 403, 404].contains(status) else {
            throw Malformed(what: "\(row) by the administrator is \(status) \(text)")
        }
        references[row.description] = status
        return status
    }

    /// A list that a caller may not see answers as one that is not there.
    private func told(_ row: Row, _ caller: Caller, _ text: String) throws -> String? {
        guard row.operation.template.contains("{list}"), row.listExists, !row.isStream else { return nil }
        let there = Names(list: Self.list, version: "k1-1", subscription: "", new: "")
        let absent = Names(list: "m-2", version: "k1-1", subscription: "", new: "")
        let fields = authorization(of: caller) + [("X-Request-Id", "same")]
        let bodies = try [there, absent].map { names in
            try answer(row, fields, names).text.replacing(names.list, with: "LIST")
        }
        return bodies[0] == bodies[1] ? nil : "\(row) tells \(caller) whether the list is there: \(bodies)"
    }

    func answer(
        _ row: Row, _ fields: [(String, String)], _ names: Names, at target: String? = nil
    ) throws -> (status: Int, text: String) {
        let (operation, target) = (row.operation, target ?? names.target(of: row))
        let body = names.body(of: operation)
        if row.isStream {
            let stream = try EventClient(port: client.port, target, fields, posting: body.map { Array($0.utf8) })
            guard stream.head.status == 200 else { return (stream.head.status, "") }
            let first = try stream.next()
            return (200, first?.data ?? "")
        }
        // The answer would otherwise have to be a stream.
        let fields = fields + (operation.id == "postChanges" ? [("Prefer", "respond-async")] : [])
        let answer =
            try body.map { try client.send(operation.method, target, fields, json: $0) }
            ?? client.send(operation.method, target, fields)
        return (answer.status, answer.text)
    }
}

// MARK: - What the rows are about

extension AccessMatrix {
    static let list = "m-1"
    static let title = "Nobody else may read this"
    private static let samples = ["installSample": "main-sub", "stepSample": "insertion-sort"]

    /// The names in the path and in the body of a request.
    struct Names {
        var list: String
        var version: String
        var subscription: String
        /// A name that nothing has.
        var new: String

        func target(of row: Row) -> String {
            let operation = row.operation
            let values = [
                "list": list, "section": "fruit", "item": "apple", "sample": samples[operation.id] ?? "main-sub",
                "subscription": subscription, "token": "target", "group": "any-token", "code": "cycle",
                "file": "main.js",
            ]
            let path = values.reduce(operation.template) { $0.replacing("{\($1.key)}", with: $1.value) }
            switch operation.id {
            // A stream from the head would have no first event.
            case "getChanges": return row.isStream ? path : "\(path)?since=\(version)"
            case "followLists": return "\(path)?list=\(list)"
            default: return path
            }
        }

        func body(of operation: OpenAPIOperation) -> String? {
            switch operation.id {
            case "createList": return #"{"id":"m-new"}"#
            case "putList": return #"{"sections":[]}"#
            case "undo", "redo": return #"{"transaction":"\#(version)"}"#
            case "restoreList": return #"{"version":"\#(version)"}"#
            case "postChanges": return #"{"lists":[{"list":"\#(list)"}]}"#
            case "createToken": return #"{"name":"\#(new)","grants":[{"lists":["m-*"],"can":["read"]}]}"#
            case "createTicket": return #"{"target":"/v1/lists/\#(list)/changes"}"#
            case "setAccess": return #"{"grants":[]}"#
            default: return operation.requestContent.first?.examples.members.first?.value.text
            }
        }
    }

    /// Makes what a row is about, as it was for each caller before.
    mutating func prepared(_ row: Row) throws -> Names {
        counter += 1
        let sample = Self.samples[row.operation.id]
        let place = sample.map { "/v1/samples/\($0)" } ?? "/v1/lists/\(Self.list)"
        try ask("DELETE", "/v1/lists/m-new?purge=true")
        try ask("DELETE", "/v1/lists/\(sample ?? Self.list)?purge=true")
        var version = "k1-1"
        if row.listExists {
            let made = try sample == nil ? ask("PUT", place, Self.content) : ask("POST", place)
            guard made.status / 100 == 2, let text = made["List-Version"] else { throw Malformed(what: made.text) }
            version = text
        }
        if row.operation.template.contains("{token}") {
            try ask("POST", "/v1/tokens", #"{"name":"target","grants":[{"lists":["m-*"],"can":["read"]}]}"#)
        }
        var subscription = ""
        if row.operation.template.contains("{subscription}") {
            let kept = try client.send(
                "POST", "/v1/changes", [("Authorization", "Bearer \(admin)"), ("Prefer", "respond-async")],
                json: #"{"lists":[{"list":"\#(Self.list)"}]}"#)
            guard let place = kept["Location"] else { throw Malformed(what: kept.text) }
            subscription = String(place.split(separator: "/").last ?? "")
        }
        return Names(list: Self.list, version: version, subscription: subscription, new: "made-\(counter)")
    }

    private static let content =
        #"{"title":"\#(title)","sections":[{"id":"fruit","title":"\#(title)","items":[{"id":"apple"},{"id":"pear"}]}]}"#
}

extension AccessMatrix.Row {
    fileprivate init(
        operation: OpenAPIOperation, needs: AccessMatrix.Need, listExists: Bool, isStream: Bool, _ kind: String
    ) {
        self.init(
            operation: operation, needs: needs, listExists: listExists, isStream: isStream,
            description: operation.id + kind)
    }
}

extension AccessMatrix {
    /// `x-rights` of an operation.
    enum Need: String, Sendable {
        case nothing = "none"
        case narrowed, token, read, write, create, delete, administer
        case writeOrCreate = "write-or-create"
        case administerAll = "administer-all"

        fileprivate func expectation(for caller: Caller, _ row: Row) -> Expectation {
            guard self != .nothing else { return .allowed }
            guard caller.isKnown else { return .unauthenticated }
            let isAnonymous = caller.grants == nil
            switch self {
            case .nothing: return .allowed
            // It names one list, and keeps nothing for whoever may read none.
            case .narrowed where row.operation.id == "postChanges": return on("read", caller)
            case .narrowed: return isAnonymous && caller.rights.isEmpty ? .unauthenticated : .allowed
            // The operation is about reading a list, and whoever has no token needs no right to be refused.
            case .token: return isAnonymous ? .unauthenticated : on("read", caller)
            case .administer where caller.rights.contains("administer"): return .allowed
            case .administerAll where caller.administersAll: return .allowed
            case .administer, .administerAll: return isAnonymous ? .unauthenticated : .forbidden
            case .writeOrCreate: return on(row.listExists ? "write" : "create", caller)
            case .read, .write, .create, .delete: return on(rawValue, caller)
            }
        }

        private func on(_ right: String, _ caller: Caller) -> Expectation {
            if caller.rights.contains(right) || caller.rights.contains("administer") { return .allowed }
            if caller.grants == nil { return .unauthenticated }
            return caller.rights.isEmpty ? .hidden : .forbidden
        }
    }
}
