import JSONValue
import TestSupport

/// Creates lists, changes them and deletes some, through all lives of the server. Every answer must stay true.
///
/// No other client writes to these lists, so the founder knows the version of each.
struct ListFounder: Sendable {
    private enum Fate {
        case there(WireVersion)
        case deleted
    }

    /// The greatest number of tries of a request. A server that never answers it ends the test.
    private static let triesMax = 200
    private static let start = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#

    private var port: UInt16
    private let nemesis: Nemesis
    private var generator: SeededGenerator
    private var fates: [(list: String, fate: Fate)] = []
    private var client: HTTPClient { HTTPClient(port: port) }

    private(set) var acknowledged = 0
    private(set) var violations: [Violation] = []

    init(port: UInt16, nemesis: Nemesis, seed: UInt64) {
        (self.port, self.nemesis) = (port, nemesis)
        generator = SeededGenerator(seed: seed)
    }

    /// Writes until the nemesis ends the work.
    mutating func work() {
        var client = client
        while nemesis.mayWrite, violations.isEmpty {
            found(&client)
            if let known = fates.indices.randomElement(using: &generator) { look(at: known, &client) }
        }
    }

    /// Reads all lists again, from the server's own port.
    mutating func finish(port: UInt16) {
        self.port = port
        var client = client
        for index in fates.indices { look(at: index, &client) }
    }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, text)) }

    private mutating func found(_ client: inout HTTPClient) {
        let list = "f\(fates.count)"
        let target = "/v1/lists/\(list)"
        guard let made = settle("PUT", target, Self.start, &client) else { return }
        guard [200, 201].contains(made.status), let first = made.version, first.revision == 1 else {
            return violate(.unhealthy, "PUT \(list): \(made.status), \(made.text)")
        }
        fates.append((list, .there(first)))
        for revision in 2..<2 + generator.below(4) {
            let content = #"{"content":{"n":\#(revision)}}"#
            guard let changed = settle("PATCH", target + "/items/i", content, &client) else { return forget() }
            let version = WireVersion(epoch: first.epoch, revision: revision)
            guard changed.status == 200, changed.version == version else {
                return violate(.lost, "\(list) was to become \(version): \(changed.status), \(changed.text)")
            }
            fates[fates.count - 1].fate = .there(version)
        }
        guard generator.once(in: 2) else { return }
        guard let deleted = settle("DELETE", target, nil, &client) else { return forget() }
        guard deleted.status == 204 || (deleted.status == 404 && deleted.wasTriedBefore) else {
            return violate(.lost, "DELETE \(list): \(deleted.status), \(deleted.text)")
        }
        fates[fates.count - 1].fate = .deleted
    }

    /// Drops the last list, whose state is not known any more.
    private mutating func forget() { fates.removeLast() }

    private mutating func look(at index: Int, _ client: inout HTTPClient) {
        let (list, fate) = fates[index]
        guard let found = settle("GET", "/v1/lists/\(list)", nil, &client) else { return }
        switch fate {
        case .there(let version):
            guard found.status != 200 || found.version != version else { return }
            violate(.lost, "\(list) was at \(version): \(found.status), \(found.text)")
        case .deleted:
            guard found.status != 404 else { return }
            violate(.lost, "\(list) was deleted: \(found.status), \(found.text)")
        }
    }

    private struct Answer {
        let status: Int
        let version: WireVersion?
        let text: String
        let wasTriedBefore: Bool
    }

    /// Sends a request until there is an answer. Each of these requests has the same effect if it is done twice.
    private mutating func settle(
        _ method: String, _ target: String, _ json: String?, _ client: inout HTTPClient
    ) -> Answer? {
        for count in 0..<Self.triesMax where !nemesis.isOver {
            let fields = json == nil ? [] : [("Content-Type", "application/json")]
            guard let answer = try? client.send(method, target, fields, body: Array((json ?? "").utf8)) else {
                client = self.client
                continue
            }
            guard answer.status != 503 || !nemesis.mayRefuse else { continue }
            if method != "GET" { acknowledged += 1 }
            return Answer(
                status: answer.status, version: WireVersion(answer["List-Version"]), text: answer.text,
                wasTriedBefore: count > 0)
        }
        if !nemesis.isOver { violate(.unhealthy, "\(method) \(target) was never settled") }
        return nil
    }
}
