import Foundation
import JSONValue
import Threads
import TestSupport
import Testing

/// Streams of every kind of view, of one list and of many, while the server is killed several times. Each event must
/// begin at the id of the one before, and no stream may start over.
///
/// `LISTSTATE_SOAK_CHAIN_SECONDS` is the duration. The server is killed every twelve seconds.
@Suite struct StreamChainTests {
    private static let lists = ["list-0", "list-1"]
    private static let views = [
        "", "view=visible", "filter=1", "starred=true", "starred=false", "where=content.n:1", "sort=-content.n",
        "section=s", "around=anchor&before=2&after=2", "view=visible&sort=content.n&filter=2",
    ]

    @Test func eachEventBeginsAtTheIdBefore() throws {
        let seconds = Soak.chainSeconds
        let deaths = max(2, seconds / 12)
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path])
        let port = server.port
        for list in Self.lists {
            try #require(try server.client.send("PUT", "/v1/lists/\(list)", json: ChainWriter.start).status == 201)
        }
        let stage = Locked(Stage())
        let threads =
            Self.followers(port, stage)
            + Self.lists.map { list in
                Foundation.Thread { ChainWriter(port: port, list: list, seed: .random(in: 0..<1 << 53)).write(stage) }
            }
        for thread in threads { thread.start() }
        for death in 1...deaths {
            let end = Date.now.addingTimeInterval(Double(seconds) / Double(deaths))
            // By now every follower has seen an event of this life of the server.
            stage.wait(until: { $0.written >= death * 40 && $0.seen >= death * 40 || !$0.faults.isEmpty }) { _ in }
            while Date.now < end { usleep(50_000) }
            server.crash()
            server = try ServerProcess(["--data", folder.path, "--port", "\(port)"])
        }
        stage.change { $0.isEnding = true }
        stage.wait(until: { $0.writing == 0 || !$0.faults.isEmpty }) { _ in }
        for list in Self.lists {
            let last = try server.client.send(
                "PATCH", "/v1/lists/\(list)", json: #"{"title":"\#(ChainWriter.lastTitle)"}"#)
            try #require(last.status == 200)
        }
        stage.wait(until: { $0.following == 0 || !$0.faults.isEmpty }) { _ in }
        stage.withLock { stage in
            print("chains: \(deaths) deaths, \(stage.written) writes, \(stage.seen) events, \(stage.returns) returns")
            #expect(stage.faults.isEmpty, "\(stage.faults.prefix(3))")
        }
        #expect(server.stop() == 0)
    }

    struct Stage {
        var written = 0
        var seen = 0
        var returns = 0
        var writing = 2
        var following = 0
        var isEnding = false
        var faults: [String] = []
    }

    private static func followers(_ port: UInt16, _ stage: Locked<Stage>) -> [Foundation.Thread] {
        var followers: [ChainFollower] = []
        for view in views {
            let path = "/v1/lists/\(lists[0])/changes?\(view)"
            followers.append(ChainFollower(port: port, .address(path), lists: [lists[0]], view: view))
        }
        for view in ["", "view=visible&starred=true"] {
            let path = "/v1/changes?\(lists.map { "list=\($0)" }.joined(separator: "&"))&\(view)"
            followers.append(ChainFollower(port: port, .address(path), lists: lists, view: view))
        }
        let body = #"{"lists":[{"list":"list-0"},{"list":"list-1"}],"filter":"1"}"#
        followers.append(ChainFollower(port: port, .posting(body), lists: lists, view: "filter=1"))
        stage.change { [count = followers.count] in $0.following = count }
        return followers.map { follower in Foundation.Thread { follower.follow(stage) } }
    }
}

/// Writes to a list at random. It waits while there is no server.
private struct ChainWriter {
    static let lastTitle = "The end"
    static let start =
        #"{"sections":[{"id":"s","items":[{"id":"anchor"},"#
        + (0..<12).map { #"{"id":"i\#($0)","content":{"n":\#($0 % 3)}}"# }.joined(separator: ",")
        + #"]},{"id":"t"}]}"#

    let port: UInt16
    let list: String
    private let random: Locked<SeededGenerator>

    init(port: UInt16, list: String, seed: UInt64) {
        (self.port, self.list, random) = (port, list, Locked(SeededGenerator(seed: seed)))
    }

    func write(_ stage: Locked<StreamChainTests.Stage>) {
        var client = HTTPClient(port: port)
        while !stage.withLock({ $0.isEnding || !$0.faults.isEmpty }) {
            let operation = random.withLock { Self.operation(&$0) }
            do {
                let answer = try client.send(
                    "POST", "/v1/lists/\(list)/transactions", json: #"{"operations":[\#(operation)]}"#)
                if answer.status == 200 {
                    stage.change { $0.written += 1 }
                } else if answer.status != 409, answer.status != 503 {
                    stage.change { $0.faults.append("\(operation): \(answer.text)") }
                }
            } catch {
                // The server has been killed and will be started again.
                usleep(20_000)
                client = HTTPClient(port: port)
            }
            usleep(2_000)
        }
        stage.change { $0.writing -= 1 }
    }

    private static func operation(_ random: inout SeededGenerator) -> String {
        func item() -> String { "i\(Int.random(in: 0..<12, using: &random))" }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return #"{"op":"starItems","items":["\#(item())"]}"#
        case 1: return #"{"op":"unstarItems","items":["\#(item())"]}"#
        case 2: return #"{"op":"moveItem","item":"\#(item())","before":"\#(item())"}"#
        case 3: return #"{"op":"moveItem","item":"\#(item())","parent":"\#(item())"}"#
        case 4: return #"{"op":"expandItems","items":["\#(item())"]}"#
        case 5: return #"{"op":"deleteItems","items":["\#(item())"]}"#
        case 6:
            let section = ["s", "t"].randomElement(using: &random) ?? "s"
            return #"{"op":"appendItems","section":"\#(section)","items":[{"id":"\#(item())","content":{"n":1}}]}"#
        default:
            let number = Int.random(in: 0..<4, using: &random)
            return #"{"op":"updateItem","item":"\#(item())","content":{"n":\#(number)}}"#
        }
    }
}

/// Follows lists by their events alone, and comes back with the last id whenever the connection is lost.
private struct ChainFollower {
    enum Way {
        case address(String)
        /// Posts this body of a subscription.
        case posting(String)
    }

    let port: UInt16
    let way: Way
    let lists: [String]
    let view: String

    init(port: UInt16, _ way: Way, lists: [String], view: String) {
        (self.port, self.way, self.lists, self.view) = (port, way, lists, view)
    }

    private struct Fault: Error { let text: String }

    fileprivate struct Held {
        /// The version of each list to which the last id leads.
        var versions: [String: String] = [:]
        var images: [String: JSONList] = [:]
        var lastID = ""
    }

    func follow(_ stage: Locked<StreamChainTests.Stage>) {
        do {
            try followToTheEnd(stage)
        } catch let fault as Fault {
            stage.change { $0.faults.append("\(way) \(view): \(fault.text)") }
        } catch {
            stage.change { $0.faults.append("\(way) \(view): \(error)") }
        }
        stage.change { $0.following -= 1 }
    }

    private func followToTheEnd(_ stage: Locked<StreamChainTests.Stage>) throws {
        let address = try address()
        var held = Held()
        while !isAtEnd(held) {
            guard stage.withLock({ $0.faults.isEmpty }) else { return }
            guard let stream = try? EventClient(port: port, address, lastEventID: held.lastID) else {
                usleep(20_000)
                continue
            }
            stage.change { $0.returns += 1 }
            guard stream.head.status == 200 else { throw Fault(text: "\(stream.head.status)") }
            while !isAtEnd(held), let event = try? stream.next() {
                try take(event, &held)
                stage.change { $0.seen += 1 }
            }
        }
        for list in lists {
            let answer = try HTTPClient(port: port).send("GET", "/v1/lists/\(list)?\(view)")
            let snapshot = try JSONValue(parsing: answer.body)
            guard held.images[list] == JSONList(snapshot: snapshot) else {
                throw Fault(text: "it has \(String(describing: held.images[list])), not \(snapshot.text)")
            }
        }
    }

    /// The address of the stream.
    private func address() throws -> String {
        switch way {
        case .address(let path): return path
        case .posting(let body):
            let answer = try HTTPClient(port: port).send(
                "POST", "/v1/changes", [("Content-Type", "application/json"), ("Prefer", "respond-async")],
                body: Array(body.utf8))
            guard let location = answer["Location"] else { throw Fault(text: answer.text) }
            return location
        }
    }

    private func isAtEnd(_ held: Held) -> Bool {
        lists.allSatisfy { held.images[$0]?.properties["title"]?.string == ChainWriter.lastTitle }
    }

    private func take(_ event: EventClient.Event, _ held: inout Held) throws {
        defer { held.lastID = event.id }
        let data = event.json
        guard let list = data["list"]?.string ?? (event.data == nil && lists.count == 1 ? lists[0] : nil) else {
            // An id without an event, on a stream of many lists: the lists that its vector names move on. Only the
            // server can read a token.
            return held.moveOn(toVector: event.id)
        }
        switch event.name {
        case nil: held.versions[list] = event.id
        case "reset":
            guard held.images[list] == nil else { throw Fault(text: "a reset at \(event.id)") }
            held.images[list] = try JSONList(snapshot: .null).applying(data)
            held.versions[list] = data["to"]?.string
        case "change":
            guard let image = held.images[list], let before = held.versions[list] else {
                throw Fault(text: "a change before the reset")
            }
            if case .posting = way {
                // The ids of a subscription are tokens, so only the order can be checked: no change is told twice.
                guard Self.revision(data["from"]) >= Self.revision(.string(ByteText(before))) else {
                    throw Fault(text: "from \(data["from"]?.text ?? "") after \(before)")
                }
            } else if data["from"]?.string != before {
                throw Fault(text: "from \(data["from"]?.text ?? "") after \(before), id \(event.id)")
            }
            held.images[list] = try image.applying(data)
            held.versions[list] = data["to"]?.string
        default: break  // The server stops.
        }
    }

    private static func revision(_ version: JSONValue?) -> Int {
        version?.string?.split(separator: "-").last.flatMap { Int($0) } ?? -1
    }
}

extension ChainFollower.Held {
    fileprivate mutating func moveOn(toVector id: String) {
        for part in id.split(separator: ",") {
            let halves = part.split(separator: "@")
            if halves.count == 2 { versions[String(halves[0])] = String(halves[1]) }
        }
    }
}
