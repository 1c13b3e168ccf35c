import HTTPTypes
import JSONValue
import ListStore
import Threads
import Microhttpd
import TestSupport

@testable import ListAPI
@testable import ListWire

/// An API with a store in memory. Requests reach it without a network.
struct Harness {
    let api: API

    /// - Parameters:
    ///   - lists: The ids of the first lists, each in the state `start` and at version `e<n>-1`.
    ///   - textBytesMax: The limit of bodies and contents; nil for low limits that a test can exceed.
    init(
        lists: [String] = ["l"], keepingIntents intentBytesMax: Int = 65_536, textBytesMax: Int? = nil,
        transactionBytesMax: Int = .max, keepsDeletedLists: Bool = false,
        origins: API.Configuration.Origins = .none, hosts: API.Configuration.Hosts = .these([]),
        sharedCacheSeconds: Int = 0, observe: (@Sendable (API.Configuration.Event) -> Void)? = nil
    ) throws {
        let counter = Locked(0)
        let next: @Sendable () -> Int = {
            counter.withLock { count in
                count += 1
                return count
            }
        }
        let limits = Store.Limits(
            itemsMax: 20, sectionsMax: 6, contentBytesMax: 65_536, historyVersionsMax: 10, historyBytesMax: 1 << 20,
            receiptsMax: 10, receiptAgeMax: 100, transactionBytesMax: transactionBytesMax,
            deleted: keepsDeletedLists ? .init(listsMax: 10, bytesMax: .max, ageMax: 86_400) : nil)
        let store = try Store(
            journal: nil, limits: limits, intents: API.intentCoding(bytesMax: intentBytesMax), clock: { 0 },
            token: { "e\(next())" })
        var configuration = API.Configuration(
            bodyBytesMax: textBytesMax ?? 2_000, listBodyBytesMax: textBytesMax ?? 4_000, operationsMax: 3,
            contentBytesMax: textBytesMax ?? 100, streamsPerListMax: 2, queriesPerListMax: 1, heartbeatSeconds: 15,
            origins: origins, hosts: hosts,
            requestID: { "made" }, identifier: Self.identifier(), observe: observe, observesSuccesses: true)
        configuration.spread = { _ in 1 }
        configuration.sharedCacheSeconds = sharedCacheSeconds
        api = API(store: store, configuration: configuration)
        for list in lists {
            let reply = try ask("PUT", "/v1/lists/\(list)", Self.json, Self.start)
            guard reply.status == 201 else { throw Failed(reply: reply) }
        }
    }

    /// A harness with the lists of a journal.
    init(over journal: any Journal, _ gate: Gate = .open) throws {
        let limits = Store.Limits(
            itemsMax: 20, sectionsMax: 6, contentBytesMax: 65_536, historyVersionsMax: 10, historyBytesMax: 1 << 20,
            receiptsMax: 10,
            receiptAgeMax: 100)
        var configuration = API.Configuration(
            bodyBytesMax: 2_000, listBodyBytesMax: 4_000, operationsMax: 3, contentBytesMax: 100,
            streamsPerListMax: 2, queriesPerListMax: 1, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
            requestID: { "made" }, identifier: Self.identifier(), observe: nil, observesSuccesses: false)
        configuration.gate = gate
        api = API(
            store: try Store(journal: journal, limits: limits, clock: { 0 }, token: { "e" }),
            configuration: configuration)
    }

    /// Makes the ids `00000000-0000-7000-8000-000000000001` and so on.
    static func identifier() -> @Sendable () -> ByteText {
        let maker = IdentifierMaker(milliseconds: { 0 }, random: { 0 })
        return { maker.next() }
    }

    struct Failed: Error {
        let reply: Reply
    }

    static let json = ["Content-Type": "application/json"]

    /// Two sections; `p` is a collapsed parent of `c`.
    static let start = """
        {"title":"L","sections":[
          {"id":"s","items":[{"id":"a","kind":"k","content":{"n":1}},{"id":"b"},{"id":"p"},{"id":"c","parent":"p"}]},
          {"id":"t","title":"T"}]}
        """

    /// - Parameter fields: A field with several lines has line feeds between their values.
    func ask(_ method: String, _ target: String, _ fields: [String: String] = [:], _ body: String = "") throws -> Reply
    {
        let head = Self.head(method, target, fields)
        if case .refuse(let response) = api.admit(head) {
            return Reply(status: response.status.code, response: response)
        }
        switch api.respond(to: Request(head: head, body: Array(body.utf8))) {
        case .send(let response): return Reply(status: response.status.code, response: response)
        case .sendPrepared(let prepared, let status): return Reply(status: status.code, response: prepared.response)
        case .later, .wait, .stream: throw Waits()
        }
    }

    static func head(
        _ method: String, _ target: String, _ fields: [String: String], _ client: ClientAddress? = nil,
        _ visitor: (any Visitor)? = nil
    ) -> RequestHead {
        let method = HTTPRequest.Method(rawValue: method)!
        // The target is split as bytes. Splitting a `String` compares by canonical equivalence, which takes seconds for
        // long runs of marks.
        let parts = Self.parts(target, at: "?", splitsMax: 1)
        let query = Self.parts(parts.count == 2 ? parts[1] : "", at: "&").map { item in
            let pair = ByteText(item).split(at: "=", splitsMax: 1)
            return QueryItem(name: pair[0], value: pair.count == 2 ? pair[1] : nil)
        }
        var sent = HTTPFields()
        for (name, value) in fields {
            for line in Self.parts(value, at: "\n", keepsEmpty: true) {
                sent.append(HTTPField(name: HTTPField.Name(name)!, value: line))
            }
        }
        return RequestHead(
            method: method, path: ByteText(parts[0]), query: query, fields: sent, client: client, visitor: visitor)
    }

    private static func parts(
        _ text: String, at separator: Unicode.Scalar, splitsMax: Int = .max, keepsEmpty: Bool = false
    ) -> [String] {
        let separator = UInt8(ascii: separator)
        return text.utf8.split(separator: separator, maxSplits: splitsMax, omittingEmptySubsequences: !keepsEmpty)
            .map { String(Substring($0)) }
    }

    /// Thrown if an answer is not there at once. A store in memory has nothing to wait for.
    struct Waits: Error {}
}

/// The answer to a request.
struct Reply {
    let status: Int
    let response: Response

    var text: String { String(decoding: response.body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue(parsing: response.body)) ?? .null }
    var code: String? { json["code"]?.string }

    subscript(field: String) -> String? { response.fields[HTTPField.Name(field)!] }
}
