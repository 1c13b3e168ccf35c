import JSONValue
import Threads
import TestSupport

/// One of several clients that read and write at the same time, through all lives of the server.
struct ListWriter: Sendable {
    /// The writer's picture of a list. It is often out of date, because the others write too.
    struct Knowledge {
        var sections: [String] = []
        var items: [String] = []
        /// The newest versions that the writer has seen, the oldest first.
        var versions: [String] = []
        /// The version to which `sections` and `items` belong.
        var read: String?
    }

    /// The greatest number of tries of a write. A server that never answers it ends the test.
    private static let triesMax = 200
    /// How often a try may hear that an earlier try is not answered yet. That lasts as long as the disk takes.
    private static let waitsMax = 20_000

    let name: String
    let lists: [String]
    private var port: UInt16
    private let nemesis: Nemesis
    private let clock: HistoryClock
    var generator: SeededGenerator
    var writeCount = 0
    private var knowledge: [String: Knowledge] = [:]
    private var client: HTTPClient { HTTPClient(port: port) }

    private(set) var history = History()
    private(set) var violations: [Violation] = []

    init(name: String, lists: [String], port: UInt16, nemesis: Nemesis, clock: HistoryClock, seed: UInt64) {
        (self.name, self.lists, self.port, self.nemesis, self.clock) = (name, lists, port, nemesis, clock)
        generator = SeededGenerator(seed: seed)
    }

    /// Writes until the nemesis ends the work, then settles the last write.
    mutating func work() {
        var client = client
        while nemesis.mayWrite, violations.isEmpty { step(&client) }
    }

    mutating func violate(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, text)) }

    private mutating func step(_ client: inout HTTPClient) {
        if !history.writes.isEmpty, generator.once(in: 8) {
            // Repeats an older write or the last one. The answer to the last one may not be on the disk yet.
            let isLast = generator.once(in: 2)
            let index = isLast ? history.writes.count - 1 : generator.below(history.writes.count)
            if history.writes[index].acknowledgement != nil { attempt(index, &client) }
        }
        let list = generator.once(in: 2) ? lists[0] : generator.pick(lists)
        if knowledge[list]?.read == nil || generator.once(in: 4) { read(list, &client) }
        if generator.once(in: 16) { readChanges(list, &client) }
        guard let known = knowledge[list] else { return }
        guard nemesis.claimLargeWrite() else {
            history.writes.append(nextWrite(list, known))
            return settle(&client)
        }
        history.writes.append(largeWrite(list, known))
        settle(&client)
        nemesis.endLargeWrite()
    }

    // MARK: Reading

    /// Asks once. A lost answer is not asked for again.
    private mutating func get(_ target: String, _ client: inout HTTPClient) -> (span: Span, body: JSONValue)? {
        let start = clock.tick()
        let strikes = nemesis.strikes
        do {
            let response = try client.send("GET", target)
            let span = Span(start: start, end: clock.tick())
            guard response.status == 200 else {
                if response.status == 503, nemesis.hasStruckDisk(after: strikes) { return nil }
                violate(.unhealthy, "GET \(target) answered \(response.status)")
                return nil
            }
            return (span, try JSONValue(parsing: response.body))
        } catch {
            client = self.client
            return nil
        }
    }

    private mutating func read(_ list: String, _ client: inout HTTPClient) {
        guard let (span, snapshot) = get("/v1/lists/\(list)", &client) else { return }
        history.reads.append(Reading(list: list, span: span, answer: snapshot))
        guard let version = snapshot["version"]?.string else { return }
        let sections = snapshot["sections"]?.elements ?? []
        knowledge[list, default: Knowledge()].sections = sections.compactMap { $0["id"]?.string }
        knowledge[list]?.items = sections.flatMap { $0["items"]?.elements ?? [] }.compactMap { $0["id"]?.string }
        knowledge[list]?.read = version
        saw(version, of: list)
    }

    /// Asks for the changes since an older version, as a client that comes back does.
    private mutating func readChanges(_ list: String, _ client: inout HTTPClient) {
        guard let versions = knowledge[list]?.versions, !versions.isEmpty else { return }
        let since = generator.pick(versions)
        guard let (span, changes) = get("/v1/lists/\(list)/changes?since=\(since)", &client) else { return }
        history.reads.append(Reading(list: list, span: span, answer: changes, since: since))
    }

    private mutating func saw(_ version: String, of list: String) {
        var versions = knowledge[list]?.versions ?? []
        versions.append(version)
        knowledge[list, default: Knowledge()].versions = versions.suffix(8)
    }

    // MARK: Writing

    /// Sends the last write with its one key until an answer says whether it was done.
    private mutating func settle(_ client: inout HTTPClient) {
        let index = history.writes.count - 1
        var waits = 0
        while !nemesis.isOver {
            attempt(index, &client)
            let write = history.writes[index]
            guard write.tries.count - waits < Self.triesMax, waits < Self.waitsMax else {
                return violate(
                    .unhealthy, "\(write.key) was never settled: \(write.tries.last?.answer?.body.text ?? "")")
            }
            guard let answer = write.tries.last?.answer else { continue }
            switch (answer.status, answer.body["code"]?.string) {
            case (409, "key_in_flight"): waits += 1
            case (200, _):
                if let version = answer.body["version"]?.string { saw(version, of: write.list) }
                return
            case (404, _), (409, _), (410, _), (412, _): return
            default:
                let said = "\(answer.status) \(answer.body.text)"
                return violate(.unhealthy, "\(write.method) \(write.target) \(write.body?.text ?? ""): \(said)")
            }
        }
    }

    /// Sends a write once more, whether it was done or not.
    private mutating func attempt(_ index: Int, _ client: inout HTTPClient) {
        let write = history.writes[index]
        let start = clock.tick()
        var answer: KeyedWrite.Answer?
        do {
            let body = Array((write.body?.text ?? "").utf8)
            let response = try client.send(write.method, write.target, write.fields, body: body)
            // A server whose disk has failed does not know either whether the write is on the disk, so this answer is
            // not recorded.
            if response.status != 503 || !nemesis.mayRefuse {
                answer = KeyedWrite.Answer(
                    status: response.status, body: try JSONValue(parsing: response.body),
                    isReplay: response["Idempotency-Replayed"] == "true")
            }
        } catch {
            client = self.client
        }
        let span = Span(start: start, end: clock.tick())
        history.writes[index].tries.append(KeyedWrite.Try(span: span, answer: answer))
    }

    /// Sends old keys again after everything has been settled, and then the last write.
    ///
    /// - Parameter port: The server's own port.
    mutating func finish(port: UInt16, repeating count: Int, last: KeyedWrite?) {
        self.port = port
        var client = client
        for _ in 0..<count where !history.writes.isEmpty {
            let index = generator.below(history.writes.count)
            if history.writes[index].acknowledgement != nil { attempt(index, &client) }
        }
        guard let last else { return }
        history.writes.append(last)
        settle(&client)
    }
}
