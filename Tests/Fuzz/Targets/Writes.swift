import HTTPTypes
import JSONValue
import ListAPI
import ListStore
import Microhttpd
import TestSupport
import Texts
import Threads

/// A write is refused and has changed nothing, or the changes since each earlier version lead to the new list.
///
/// The list has the versions e-1 to e-3, so that a base may be older than the list.
///
/// - Returns: Whether the write was taken.
func tryWrite(_ method: String, _ target: String, _ body: [UInt8]) throws -> Bool {
    let server = try SmallServer()
    var earlier: [[UInt8]] = []
    for (method, target, body) in history {
        let status = try server.ask(method, target, Array(body.utf8)).status
        try require((200..<300).contains(status), "\(method) \(target) is answered \(status)")
        earlier.append(try server.list())
    }
    let answer = try server.ask(method, target, body)
    let after = try server.list()
    guard answer.status < 300 else {
        try require((400..<500).contains(answer.status), "the answer is \(answer.status)")
        try require(after == earlier.last, "a refused write has changed the list")
        return false
    }
    let new = JSONList(snapshot: try JSONValue(parsing: after))
    for bytes in earlier {
        let old = try JSONValue(parsing: bytes)
        let version = old["version"]?.string ?? ""
        let changes = try server.ask("GET", "/v1/lists/l/changes?since=\(version)", [])
        try require(changes.status == 200, "the changes since \(version) are answered \(changes.status)")
        let replayed = try JSONList(snapshot: old).applying(JSONValue(parsing: changes.body))
        try require(replayed == new, "the changes since \(version) lead to \(replayed)")
    }
    return true
}

/// The writes that make the list.
private let history = [
    (
        "PUT", "/v1/lists/l",
        #"""
        {"title":"L","sections":[
          {"id":"s","title":"S","items":[{"id":"a","content":{"n":1}},{"id":"b","starred":true},{"id":"p"},
            {"id":"c","parent":"p"},{"id":"d","parent":"c"},{"id":"e","reorderable":false}]},
          {"id":"t","items":[{"id":"f"},{"id":"g"}]},{"id":"u","items":[]}]}
        """#
    ),
    (
        "POST", "/v1/lists/l/transactions",
        #"{"operations":[{"op":"moveItem","item":"g","before":"b"},{"op":"expandItems","items":["p"]}]}"#
    ),
    (
        "POST", "/v1/lists/l/transactions",
        #"{"operations":[{"op":"appendItems","section":"s","items":[{"id":"h"}]},{"op":"deleteItems","items":["f"]}]}"#
    ),
]

/// A server with one list in memory, without a network.
private struct SmallServer {
    private let api: API

    init() throws {
        let limits = Store.Limits(
            itemsMax: 100, sectionsMax: 20, contentBytesMax: 4_096, historyVersionsMax: 10, historyBytesMax: 1 << 20,
            receiptsMax: 10, receiptAgeMax: 100)
        let made = Locked(0)
        let configuration = API.Configuration(
            bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 20, operationsMax: 50, contentBytesMax: 4_096,
            streamsPerListMax: 2, queriesPerListMax: 1, heartbeatSeconds: 15, origins: .none, hosts: .any,
            requestID: { "made" },
            identifier: {
                made.withLock { made in
                    made += 1
                    return ByteText("made-\(made)")
                }
            }, observe: nil, observesSuccesses: false)
        let store = try Store(
            journal: nil, limits: limits, intents: API.intentCoding(bytesMax: 65_536), clock: { 0 }, token: { "e" })
        api = API(store: store, configuration: configuration)
    }

    func list() throws -> [UInt8] {
        let answer = try ask("GET", "/v1/lists/l", [])
        try require(answer.status == 200, "the list is answered \(answer.status)")
        return answer.body
    }

    func ask(_ method: String, _ target: String, _ body: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        let parts = target.split(separator: "?").map(String.init)
        let query = parts.dropFirst().map { item in
            let sides = item.split(separator: "=").map(String.init)
            return QueryItem(name: ByteText(sides[0]), value: ByteText(sides[1]))
        }
        var fields = HTTPFields()
        if !body.isEmpty { fields[.contentType] = "application/json" }
        let head = RequestHead(
            method: HTTPRequest.Method(rawValue: method)!, path: ByteText(parts[0]), query: query, fields: fields)
        switch api.respond(to: Request(head: head, body: body)) {
        case .send(let response): return (response.status.code, response.body)
        case .sendPrepared(let prepared, let status): return (status.code, prepared.response.body)
        case .later, .wait, .stream: throw BrokenRule(description: "a store in memory waits")
        }
    }
}
