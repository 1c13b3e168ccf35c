import JSONValue
import TestSupport

/// One of several that write at the same time, through all lives of the server.
struct Writer: Sendable {
    /// What the writer knows of a list; often no longer true, for the others write as well.
    private struct Knowledge {
        var sections: [String] = []
        var items: [String] = []
        /// The newest versions it has seen, oldest first.
        var versions: [String] = []
        /// The version that `sections` and `items` are of.
        var read: String?
    }

    let name: String
    private var generator: SeededGenerator
    private let lists: [String]
    private var knowledge: [String: Knowledge] = [:]
    private var writeCount = 0

    /// Sent, and without an answer so far.
    private(set) var unsettled: KeyedWrite?
    /// Acknowledged writes, all of them.
    private(set) var acknowledged: [KeyedWrite] = []
    private(set) var refusals: [Int: Int] = [:]
    private(set) var replayCount = 0
    /// Snapshots that were served, for the ledger to compare.
    var reads: [(list: String, snapshot: JSONValue)] = []
    private(set) var violations: [Violation] = []

    init(name: String, lists: [String], seed: UInt64) {
        self.name = name
        self.lists = lists
        generator = SeededGenerator(seed: seed)
    }

    /// Settles what is unsettled, then writes on until the connection is lost.
    ///
    /// - Parameter onlySettles: Whether to stop once nothing is unsettled.
    mutating func work(port: UInt16, board: KillBoard, onlySettles: Bool) {
        let client = HTTPClient(port: port)
        do {
            if unsettled != nil { try settle(client, board) }
            while !onlySettles, violations.isEmpty { try step(client, board) }
        } catch {
            guard !board.isKilled else { return }
            violate(.unhealthy, "\(name) got \(error), but the server was not killed")
        }
    }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) {
        violations.append(Violation(kind: kind, text: text))
    }

    private mutating func step(_ client: HTTPClient, _ board: KillBoard) throws {
        if !acknowledged.isEmpty, generator.once(in: 8) { try repeatWrite(generator.pick(acknowledged), client) }
        let list = generator.pick(lists)
        if knowledge[list]?.read == nil || generator.once(in: 4) { try read(list, client) }
        unsettled = nextWrite(list, floor: board.newest(list))
        try settle(client, board)
    }

    private mutating func read(_ list: String, _ client: HTTPClient) throws {
        let response = try client.send("GET", "/v1/lists/\(list)")
        guard response.status == 200, let version = response["List-Version"] else {
            return violate(.unhealthy, "reading \(list) answered \(response.status)")
        }
        let snapshot = try JSONValue(parsing: response.body)
        reads.append((list, snapshot))
        let sections = snapshot["sections"]?.elements ?? []
        knowledge[list, default: Knowledge()].sections = sections.compactMap { $0["id"]?.string }
        knowledge[list]?.items = sections.flatMap { $0["items"]?.elements ?? [] }.compactMap { $0["id"]?.string }
        knowledge[list]?.read = version
        saw(version, of: list)
    }

    private mutating func saw(_ version: String, of list: String) {
        var versions = knowledge[list]?.versions ?? []
        versions.append(version)
        knowledge[list, default: Knowledge()].versions = versions.suffix(8)
    }

    /// Sends the unsettled write, with its one key, until the answer says what has become of it.
    private mutating func settle(_ client: HTTPClient, _ board: KillBoard) throws {
        while var write = unsettled {
            write.tries += 1
            unsettled = write
            let answer = try Self.send(write, client) { board.answered() }
            switch (answer.status, answer.body["code"]?.string) {
            case (200, _):
                write.answer = answer
                acknowledged.append(write)
                if answer.isReplay { replayCount += 1 }
                guard let version = WireVersion(answer.body["version"]?.string) else {
                    violate(.wrong, "\(write.key) was answered without a version")
                    break
                }
                saw(version.description, of: write.list)
                board.acknowledge(write.list, version.revision)
            case (409, "key_in_flight"):
                continue
            case (404, _), (409, _), (412, _):
                refusals[answer.status, default: 0] += 1
            default:
                violate(.unhealthy, "\(write.method) \(write.target) \(write.body ?? "") answered \(answer.body.text)")
            }
            unsettled = nil
        }
    }

    /// Sends an acknowledged write again: that must change nothing and be answered as the first time.
    mutating func repeatWrite(_ write: KeyedWrite, _ client: HTTPClient) throws {
        let again = try Self.send(write, client)
        replayCount += 1
        let isSame = ["version", "changed", "operations"].allSatisfy { again.body[$0] == write.answer?.body[$0] }
        guard again.isReplay, again.status == write.answer?.status, isSame else {
            let first = write.answer?.body.text ?? ""
            return violate(.forgotten, "\(write.key) got \(first), then \(again.status) \(again.body.text)")
        }
    }

    private static func send(
        _ write: KeyedWrite, _ client: HTTPClient, answered: () -> Void = {}
    ) throws -> KeyedWrite.Answer {
        let response = try client.send(write.method, write.target, write.fields, body: Array((write.body ?? "").utf8))
        if response.status == 200 { answered() }
        return KeyedWrite.Answer(
            status: response.status, body: try JSONValue(parsing: response.body),
            isReplay: response["Idempotency-Replayed"] == "true")
    }
}

// MARK: - What to write

extension Writer {
    private mutating func nextWrite(_ list: String, floor: Int) -> KeyedWrite {
        writeCount += 1
        let known = knowledge[list] ?? Knowledge()
        let key = "\(name)-\(writeCount)"
        let isConditional = generator.once(in: 4)
        let match = isConditional ? known.versions.last : nil
        if !known.items.isEmpty, generator.below(10) < 4 {
            let item = generator.pick(known.items)
            return KeyedWrite(
                list: list, key: key, method: "POST", target: "/v1/lists/\(list)/items/\(item)/star", body: nil,
                match: match, toggled: item, floor: floor)
        }
        let operations = (0...generator.below(3)).map { operation($0, known) }
        var members: [JSONObject.Member] = [("operations", .array(operations)), ("label", .string(key))]
        let base = isConditional ? nil : base(known)
        if let base { members.append(("base", .string(base))) }
        return KeyedWrite(
            list: list, key: key, method: "POST", target: "/v1/lists/\(list)/transactions",
            body: JSONValue.object(JSONObject(members)).text, match: match, base: base, floor: floor)
    }

    /// None, that of the last reading, or one that is likely to be stale.
    private mutating func base(_ known: Knowledge) -> String? {
        switch generator.below(3) {
        case 0: nil
        case 1: known.read
        default: known.versions.isEmpty ? nil : generator.pick(known.versions)
        }
    }

    private mutating func operation(_ index: Int, _ known: Knowledge) -> JSONValue {
        let newID: JSONValue = .string("\(name).\(writeCount).\(index)")
        let section: JSONValue = .string(known.sections.isEmpty ? "a" : generator.pick(known.sections))
        guard known.items.count >= 8 else {
            return ["op": "appendItems", "items": [newItem(newID)], "section": section]
        }
        let item: JSONValue = .string(generator.pick(known.items))
        let other: JSONValue = .string(generator.pick(known.items))
        let both: JSONValue = item == other ? [item] : [item, other]
        let isFull = known.items.count > 40
        switch generator.below(20) {
        case 0..<4: return ["op": "moveItem", "item": item, "after": other]
        case 4..<6: return ["op": "moveItem", "item": item, "before": other]
        case 6: return ["op": "moveItem", "item": item, "section": section, "at": "first"]
        case 7: return ["op": "moveItem", "item": item, "parent": other]
        case 8..<11: return ["op": "deleteItems", "items": [item]]
        case 11..<14 where isFull: return ["op": "deleteItems", "items": both]
        case 11..<14: return ["op": "insertItems", "items": [newItem(newID)], "before": other]
        case 14: return ["op": "appendItems", "items": [newItem(newID)], "parent": other]
        case 15: return ["op": "updateItem", "item": item, "content": ["n": .integer(writeCount)], "merge": true]
        case 16: return ["op": "starItems", "items": both]
        case 17: return ["op": "moveSection", "section": section, "before": "a"]
        case 18: return ["op": "updateList", "title": newID]
        default: return sections(newID, known)
        }
    }

    private func newItem(_ id: JSONValue) -> JSONValue {
        ["id": id, "kind": "k", "content": ["n": .integer(writeCount)]]
    }

    /// Inserts a section, or deletes one of those that came so.
    private mutating func sections(_ newID: JSONValue, _ known: Knowledge) -> JSONValue {
        let extra = known.sections.filter { $0.contains(".") }
        guard extra.count > 2 else {
            let section: JSONValue = ["id": newID, "title": "T", "items": [newItem(newID)]]
            return ["op": "insertSections", "sections": [section], "after": "a"]
        }
        return ["op": "deleteSections", "sections": [.string(generator.pick(extra))]]
    }
}
