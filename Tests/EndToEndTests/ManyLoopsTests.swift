import Foundation
import Threads
import TestSupport
import Testing

/// Random requests of every kind, from eight clients to a server with four loops. The store is written in one run and
/// loaded from the disk in another. No answer may be a failure of the server. Under the thread sanitizer this test
/// shows data races.
///
/// `LISTSTATE_SOAK_REQUESTS` is the number of requests of each client. `LISTSTATE_LOOPS_SEED` repeats their choices.
@Suite struct ManyLoopsTests {
    @Test func loopsShareNothingByChance() throws {
        let folder = try TemporaryFolder()
        let options = [
            "--data", folder.path, "--samples", "--loops", "4", "--history-versions-max", "20", "--receipts-max", "50",
        ]
        var random = SeededGenerator(
            seed: Soak.number("LISTSTATE_LOOPS_SEED").map { UInt64($0) } ?? .random(in: 0..<1 << 53))
        for _ in 0..<2 {
            let server = try ServerProcess(options)
            let port = server.port
            let outcomes = Locked<[Visitor.Outcome]>([])
            for number in 0..<8 {
                let seed = random.next()
                Foundation.Thread {
                    var visitor = Visitor(number, port: port, seed: seed)
                    let outcome = visitor.run(requests: Soak.requests)
                    outcomes.change { $0.append(outcome) }
                }.start()
            }
            let faults = outcomes.wait(until: { $0.count == 8 }) { $0.flatMap(\.faults) }
            #expect(faults.isEmpty, "\(faults.prefix(3))")
            // Each client's requests succeeded in part; otherwise nothing was tested.
            #expect(outcomes.change { $0.allSatisfy { $0.done > 0 } })
            #expect(server.stop() == 0)
        }
    }
}

/// A client that sends random requests and follows a few lists meanwhile.
private struct Visitor {
    struct Outcome: Sendable {
        var done = 0
        var faults: [String] = []
    }

    private let name: String
    private let port: UInt16
    private let client: HTTPClient
    private var random: SeededGenerator
    private var writeCount = 0
    private var streams: [RawSocket] = []

    init(_ number: Int, port: UInt16, seed: UInt64) {
        name = "visitor-\(number)"
        self.port = port
        client = HTTPClient(port: port)
        random = SeededGenerator(seed: seed)
    }

    mutating func run(requests: Int) -> Outcome {
        var outcome = Outcome()
        for _ in 0..<requests {
            do {
                if random.once(in: 12) { try follow() }
                let (method, target, body) = nextRequest()
                let answer = try client.send(method, target, fields(method), body: Array(body.utf8))
                if (200..<300).contains(answer.status) { outcome.done += 1 }
                if answer.status >= 500 { outcome.faults.append("\(method) \(target) \(body): \(answer.text)") }
            } catch {
                outcome.faults.append("\(error)")
            }
        }
        return outcome
    }

    /// Opens an event stream and closes an older one.
    private mutating func follow() throws {
        let socket = try RawSocket(port: port)
        let lists = (0..<random.below(3)).map { _ in "&list=\(list())" }.joined()
        let target = lists.isEmpty ? "/v1/lists/\(list())/changes?\(view())" : "/v1/changes?list=\(list())\(lists)"
        try socket.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        streams.append(socket)
        if streams.count > 3 { streams.remove(at: random.below(3)).close() }
    }

    private mutating func fields(_ method: String) -> [(String, String)] {
        var fields = [("Content-Type", "application/json")]
        writeCount += 1
        if method != "GET", random.once(in: 2) {
            // Sometimes the key is that of the previous write, whose answer is then repeated or refused.
            fields.append(("Idempotency-Key", "\(name)-\(writeCount - (random.once(in: 4) ? 1 : 0))"))
        }
        if random.once(in: 3) { fields.append(("Accept-Encoding", "gzip")) }
        if random.once(in: 5) { fields.append(("Prefer", "return=minimal")) }
        return fields
    }

    private mutating func list() -> String {
        random.once(in: 6) ? "emoji-explorer" : "shared-\(random.below(4))"
    }

    private mutating func item() -> String { "i\(random.below(60))" }

    private mutating func view() -> String {
        random.pick([
            "", "view=rendered", "filter=1", "starred=true", "sort=-text", "kind=row", "limit=7", "section=s0",
        ])
    }

    private mutating func snapshot() -> String {
        let sections = (0...random.below(3)).map { section in
            let items = (0..<10).map { #"{"id":"i\#(section * 10 + $0)","kind":"row","content":{"text":"\#($0)"}}"# }
            return #"{"id":"s\#(section)","items":[\#(items.joined(separator: ","))]}"#
        }
        return #"{"sections":[\#(sections.joined(separator: ","))]}"#
    }

    private mutating func operation() -> String {
        switch random.below(7) {
        case 0: #"{"op":"deleteItems","items":["\#(item())"]}"#
        case 1: #"{"op":"moveItem","item":"\#(item())","before":"\#(item())"}"#
        case 2: #"{"op":"updateItem","item":"\#(item())","content":{"text":"\#(random.below(99))"}}"#
        case 3: #"{"op":"starItems","items":["\#(item())"]}"#
        case 4: #"{"op":"moveSection","section":"s0","after":"s1"}"#
        case 5: #"{"op":"deleteSections","sections":["s\#(random.below(4))"]}"#
        default: #"{"op":"appendItems","items":[{"id":"\#(item())","kind":"row"}],"section":"s\#(random.below(4))"}"#
        }
    }

    private mutating func nextRequest() -> (method: String, target: String, body: String) {
        let list = "/v1/lists/\(list())"
        switch random.below(20) {
        case 0: return ("PUT", list, snapshot())
        case 1: return ("DELETE", list, "")
        case 2, 3, 4:
            let operations = (0...random.below(4)).map { _ in operation() }.joined(separator: ",")
            return ("POST", "\(list)/transactions", #"{"operations":[\#(operations)]}"#)
        case 5, 6: return ("POST", "\(list)/items/\(item())/star", "")
        case 7: return ("POST", "\(list)/undo", "{}")
        case 8: return ("POST", "\(list)/redo", "{}")
        case 9: return ("POST", "\(list)/reorders", #"{"sections":{"s0":{"final":["\#(item())","\#(item())"]}}}"#)
        case 10: return ("PUT", "\(list)/sections/s0", #"{"items":[{"id":"\#(item())","kind":"row"}]}"#)
        case 11: return ("GET", "\(list)/transactions", "")
        case 12: return ("GET", "\(list)/items/\(item())", "")
        case 13: return ("GET", "/v1/lists", "")
        case 14: return ("GET", "/readyz", "")
        case 15: return ("POST", "/v1/samples/\(random.pick(["wifi", "insertion-sort"]))/step", "{}")
        case 16: return ("GET", "\(list)/changes?since=\(version(of: list))&\(view())", "")
        default: return ("GET", "\(list)?\(view())", "")
        }
    }

    /// The present version of a list.
    private func version(of list: String) -> String {
        (try? client.send("GET", "\(list)?limit=1"))?["List-Version"] ?? "none-1"
    }
}
