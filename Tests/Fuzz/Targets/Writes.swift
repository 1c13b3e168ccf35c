import HTTPTypes
import JSONValue
import ListAPI
import ListStore
import Microhttpd
import TestSupport

private let list = #"""
    {"title":"L","sections":[
      {"id":"s","title":"S","items":[{"id":"a","content":{"n":1}},{"id":"b","starred":true},{"id":"p"},
        {"id":"c","parent":"p"},{"id":"d","parent":"c"},{"id":"e","reorderable":false}]},
      {"id":"t","items":[{"id":"f"},{"id":"g"}]},{"id":"u","items":[]}]}
    """#

/// A write is refused and has changed nothing, or its changes lead from the old list to the new one.
func tryWrite(_ path: String, _ body: [UInt8]) -> Int32 {
    let api = Fuzzed.api
    _ = ask(api, "DELETE", "/v1/lists/l?purge=true", [])
    require(ask(api, "PUT", "/v1/lists/l", Array(list.utf8)).status == 201, "the list is not made")
    let before = ask(api, "GET", "/v1/lists/l", [])
    let answer = ask(api, "POST", path, body)
    let after = ask(api, "GET", "/v1/lists/l", [])
    require(after.status == 200, "the list is answered \(after.status)")
    guard answer.status < 300 else {
        require((400..<500).contains(answer.status), "the answer is \(answer.status)")
        require(after.body == before.body, "a refused write has changed the list")
        return 0
    }
    guard let (old, new) = try? (JSONValue(parsing: before.body), JSONValue(parsing: after.body)),
        let version = old["version"]?.string
    else { fatalError("the list is no JSON") }
    let changes = ask(api, "GET", "/v1/lists/l/changes?since=\(version)", [])
    require(changes.status == 200, "the changes are answered \(changes.status)")
    do {
        let replayed = try JSONList(snapshot: old).applying(JSONValue(parsing: changes.body))
        require(replayed == JSONList(snapshot: new), "the changes lead elsewhere: \(replayed)")
    } catch {
        fatalError("the changes cannot be applied: \(error)")
    }
    return 0
}

private func ask(_ api: API, _ method: String, _ target: String, _ body: [UInt8]) -> (status: Int, body: [UInt8]) {
    let parts = target.split(separator: "?").map(String.init)
    var query: [QueryItem] = []
    if parts.count == 2 {
        let sides = parts[1].split(separator: "=").map(String.init)
        query = [QueryItem(name: ByteText(sides[0]), value: ByteText(sides[1]))]
    }
    var fields = HTTPFields()
    if !body.isEmpty { fields[.contentType] = "application/json" }
    let head = RequestHead(
        method: HTTPRequest.Method(rawValue: method)!, path: ByteText(parts[0]), query: query, fields: fields)
    switch api.respond(to: Request(head: head, body: body)) {
    case .send(let response): return (response.status.code, response.body)
    case .sendPrepared(let prepared, let status): return (status.code, prepared.response.body)
    case .later, .wait, .stream: fatalError("a store in memory waits")
    }
}

private enum Fuzzed {
    static let api: API = {
        let limits = Store.Limits(
            itemsMax: 100, sectionsMax: 20, contentBytesMax: 4_096, historyVersionsMax: 10, historyBytesMax: 1 << 20,
            receiptsMax: 10, receiptAgeMax: 100)
        nonisolated(unsafe) var last = 0
        let configuration = API.Configuration(
            bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 20, operationsMax: 50, contentBytesMax: 4_096,
            streamsPerListMax: 2, queriesPerListMax: 1, heartbeatSeconds: 15, origins: .none, hosts: .any,
            requestID: { "made" },
            identifier: {
                last += 1
                return ByteText("made-\(last)")
            }, observe: nil, observesSuccesses: false)
        do {
            let store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e" })
            return API(store: store, configuration: configuration)
        } catch {
            fatalError("\(error)")
        }
    }()
}
