import Foundation
import JSONValue
import Threads
import TestSupport
import Testing

/// Several clients write, and many follow: they are cut off, pause and come back at random. In the end each follower
/// must have seen everything exactly once.
///
/// `LISTSTATE_SOAK_SUBSCRIBERS` is the number of runs, each with a list of its own. `LISTSTATE_SUBSCRIBER_SEED` repeats
/// the choices, but not the order of threads.
@Suite struct SubscriberTests {
    @Test(arguments: [["--memory"], ["--data"]]) func everyoneEndsAtTheHead(_ storage: [String]) throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LISTSTATE_SUBSCRIBER_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 53)
        let folder = try TemporaryFolder()
        let place = storage == ["--data"] ? [folder.path] : []
        // Few versions are kept, so that a client that is away for long has to start over.
        let server = try ServerProcess(storage + place + ["--history-versions-max", "40", "--loops", "2"])
        var random = SeededGenerator(seed: seed)
        var sum = Witness.Tally()
        for run in 0..<Soak.subscriberRuns {
            let audience = Audience(port: server.port, list: "run-\(run)", seed: random.next())
            let (faults, tally) = try audience.run()
            sum.add(tally)
            #expect(faults.isEmpty, "LISTSTATE_SUBSCRIBER_SEED=\(seed), run \(run): \(faults.prefix(3))")
            guard faults.isEmpty else { break }
        }
        print("subscribers, \(storage[0]): \(Soak.subscriberRuns) runs, \(sum)")
        // Without these numbers the runs would not have tested the cases that they are for. A few runs may lack some
        // cases.
        #expect(sum.changes > Soak.subscriberRuns)
        if Soak.subscriberRuns >= 100 {
            #expect(sum.netChanges > 0 && sum.resets > 0 && sum.returns > 0 && sum.bareIDs > 0)
        }
        #expect(server.stop() == 0)
    }
}

/// A list with its writers and followers.
private struct Audience {
    let port: UInt16
    let list: String
    private var random: SeededGenerator

    static let transactionsOfAWriter = 40
    /// A client that sees this title has seen everything.
    static let lastTitle = "The end"

    init(port: UInt16, list: String, seed: UInt64) {
        self.port = port
        self.list = list
        random = SeededGenerator(seed: seed)
    }

    /// - Returns: The errors of all followers, and counts of what they saw.
    func run() throws -> (faults: [String], tally: Witness.Tally) {
        let client = HTTPClient(port: port)
        let created = try client.send("PUT", "/v1/lists/\(list)", json: RandomWrite.start)
        guard created.status == 201 else { return (["no list: \(created.text)"], Witness.Tally()) }
        let progress = Locked((written: 0, writing: 3))
        let outcomes = Locked<[(faults: [String], tally: Witness.Tally)]>([])
        var random = random
        var threads: [Foundation.Thread] = []
        for _ in 0..<3 {
            let seed = random.next()
            threads.append(
                Foundation.Thread { [self] in
                    let faults = RandomWrite.writer(port, list, seed, transactions: Self.transactionsOfAWriter) {
                        progress.change { $0.written += 1 }
                    }
                    progress.change { $0.writing -= 1 }
                    outcomes.change { $0.append((faults, Witness.Tally())) }
                })
        }
        for number in 0..<6 {
            let query = RandomQuery(number, &random)
            let seed = random.next()
            threads.append(
                Foundation.Thread { [self] in
                    var witness = Witness(port: port, list: list, query, polls: number % 3 == 2, seed: seed)
                    let faults = witness.look(progress)
                    let tally = witness.tally
                    outcomes.change { $0.append((faults, tally)) }
                })
        }
        for thread in threads { thread.start() }
        progress.wait(until: { $0.writing == 0 }) { _ in }
        let last = try client.send("PATCH", "/v1/lists/\(list)", json: #"{"title":"\#(Self.lastTitle)"}"#)
        guard last.status == 200 else { return (["no end: \(last.text)"], Witness.Tally()) }
        let count = threads.count
        return outcomes.wait(until: { $0.count == count }) { outcomes in
            var sum = Witness.Tally()
            for outcome in outcomes { sum.add(outcome.tally) }
            return (outcomes.flatMap(\.faults), sum)
        }
    }
}

/// A client that follows a list and knows only the changes.
private struct Witness {
    struct Tally: CustomStringConvertible {
        var changes = 0
        /// The number of changes that span several versions.
        var netChanges = 0
        var resets = 0
        var bareIDs = 0
        /// How often a client came back.
        var returns = 0

        mutating func add(_ other: Tally) {
            changes += other.changes
            netChanges += other.netChanges
            resets += other.resets
            bareIDs += other.bareIDs
            returns += other.returns
        }

        var description: String {
            "\(changes) changes, \(netChanges) of them of many versions, \(resets) resets, \(bareIDs) bare ids, "
                + "\(returns) returns"
        }
    }

    let port: UInt16
    let list: String
    private var query: RandomQuery
    /// The filter of the rows that the client has.
    private var shownFilter: String?
    /// Whether the client uses long polls instead of a stream.
    let polls: Bool
    private var random: SeededGenerator
    private(set) var tally = Tally()
    private var image: JSONList?
    /// The version at which the next change must begin, and from which a new stream goes on.
    private var resumePoint = ""

    init(port: UInt16, list: String, _ query: RandomQuery, polls: Bool, seed: UInt64) {
        self.port = port
        self.list = list
        self.query = query
        shownFilter = query.filter
        self.polls = polls
        random = SeededGenerator(seed: seed)
    }

    private struct Fault: Error {
        let text: String
    }

    /// Follows the list until it has seen everything.
    ///
    /// - Returns: The errors.
    mutating func look(_ progress: Locked<(written: Int, writing: Int)>) -> [String] {
        do {
            while try !isAtEnd() {
                polls ? try poll() : try follow(progress)
            }
            return []
        } catch let fault as Fault {
            return ["\(query.text)\(polls ? ", polling" : ""): \(fault.text)"]
        } catch {
            return ["\(query.text): \(error)"]
        }
    }

    /// Whether nothing more will come. Then the client's rows must be equal to the list's.
    private mutating func isAtEnd() throws -> Bool {
        guard image?.properties["title"]?.string == Audience.lastTitle, shownFilter == query.filter else {
            return false
        }
        let answer = try HTTPClient(port: port).send("GET", "/v1/lists/\(list)?\(query.text)")
        guard answer.status == 200 || !looksElsewhere(answer.status) else { return false }
        let snapshot = try JSONValue(parsing: answer.body)
        guard snapshot["version"]?.string == resumePoint, image == JSONList(snapshot: snapshot) else {
            throw Fault(text: "at \(resumePoint) it has \(String(describing: image)), not \(snapshot.text)")
        }
        return true
    }

    /// Takes another anchor if the list and its history do not know the old one any more.
    private mutating func looksElsewhere(_ status: Int) -> Bool {
        guard status == 404, query.mayLoseAnchor else { return false }
        query.takeLastingAnchor()
        (image, resumePoint, shownFilter) = (nil, "", query.filter)
        return true
    }

    /// Sometimes changes the filter. The next request must then name the previous filter.
    private mutating func changesFilter() -> Bool {
        if image != nil, query.filter != nil, random.once(in: 3) { query.filter = RandomQuery.filter(&random) }
        return shownFilter != query.filter
    }

    private var previousFilter: String {
        shownFilter == query.filter ? "" : "&previousFilter=\(shownFilter ?? "")"
    }

    // MARK: A stream

    /// Follows a stream for a while, then leaves it.
    private mutating func follow(_ progress: Locked<(written: Int, writing: Int)>) throws {
        let byQuery = changesFilter() || random.once(in: 3) && !resumePoint.isEmpty
        let target =
            "/v1/lists/\(list)/changes?\(query.text)" + (byQuery ? "&since=\(resumePoint)\(previousFilter)" : "")
        let stream = try EventClient(port: port, target, lastEventID: byQuery ? "" : resumePoint)
        guard !looksElsewhere(stream.head.status) else { return }
        guard stream.head.status == 200 else { throw Fault(text: stream.head.statusLine) }
        tally.returns += 1
        let followed = query
        for _ in 0..<random.below(30) {
            if random.once(in: 8) { pause(progress) }
            if try isAtEnd() || query != followed { return }
            guard let event = try stream.next() else { throw Fault(text: "the stream ends") }
            try take(event)
        }
        // Events that are under way are lost, and have to come again.
        stream.close(byReset: random.once(in: 2))
        if random.once(in: 2) { pause(progress) }
    }

    /// Reads nothing until the writers have written something.
    private mutating func pause(_ progress: Locked<(written: Int, writing: Int)>) {
        let until = progress.withLock { $0.written } + random.below(60)
        progress.wait(until: { $0.written >= until || $0.writing == 0 }) { _ in }
    }

    private mutating func take(_ event: EventClient.Event) throws {
        switch event.name {
        case nil:
            tally.bareIDs += 1
            guard event.data == nil else { throw Fault(text: "an event without a name: \(event)") }
            resumePoint = event.id
        case "reset": try apply(event.json)
        case "change":
            let old = image
            try apply(event.json)
            guard image != old else { throw Fault(text: "a change that changes nothing: \(event)") }
        default: throw Fault(text: "an unexpected event: \(event)")
        }
        guard event.id == resumePoint else { throw Fault(text: "\(event.id) is not \(resumePoint)") }
        shownFilter = query.filter
    }

    // MARK: Long polls

    private mutating func poll() throws {
        if !resumePoint.isEmpty { tally.returns += 1 }
        _ = changesFilter()
        let since = resumePoint.isEmpty ? "" : "&since=\(resumePoint)\(previousFilter)"
        let answer = try HTTPClient(port: port)
            .send("GET", "/v1/lists/\(list)/changes?\(query.text)&wait=1" + since)
        guard !looksElsewhere(answer.status) else { return }
        guard answer.status == 200 else { throw Fault(text: answer.text) }
        try apply(JSONValue(parsing: answer.body))
        shownFilter = query.filter
    }

    // MARK: Changes

    private mutating func apply(_ change: JSONValue) throws {
        let to = change["to"]?.string ?? ""
        if change["reset"] == true {
            tally.resets += 1
            image = JSONList(snapshot: change["snapshot"] ?? .null)
        } else {
            tally.changes += 1
            let from = change["from"]?.string ?? ""
            guard from == resumePoint, let image else {
                throw Fault(text: "a change from \(from) at \(resumePoint)")
            }
            let (old, new) = (Self.revision(from), Self.revision(to))
            guard new >= old else { throw Fault(text: "a change from \(from) to \(to)") }
            if new > old + 1 { tally.netChanges += 1 }
            do {
                self.image = try image.applying(change)
            } catch {
                throw Fault(text: "\(error): \(change.text) on \(image)")
            }
        }
        resumePoint = to
    }

    private static func revision(_ version: String) -> Int { Int(version.split(separator: "-").last ?? "") ?? -1 }
}

/// A random view and query of a follower (docs/contract.md section 8).
private struct RandomQuery: Equatable {
    /// The value of the parameter `filter`; nil to leave it out.
    var filter: String?
    private var others: [String]
    private var anchor: String?
    private var before = 0
    private var after = 0

    /// - Parameter number: Followers 0 and 1 of each list see all rows.
    init(_ number: Int, _ random: inout SeededGenerator) {
        others = ["view=\(number % 2 == 0 ? "items" : "visible")"]
        guard number > 1 else { return }
        if number % 2 == 1, random.once(in: 2) {
            others += ["expanded="] + (0..<random.below(6)).map { _ in "expanded=i\(random.below(12))" }
        }
        if random.once(in: 4) { others += ["section=a", "section=d"] }
        if random.once(in: 2) { filter = Self.filter(&random) }
        if random.once(in: 2) { others.append("field=name") }
        if random.once(in: 4) { others.append("starred=true") }
        if random.once(in: 6) { others.append("kind=cell") }
        if random.once(in: 3) { others.append("sort=" + random.pick(["content.n", "-content.n", "content.name"])) }
        if random.once(in: 3) {
            (anchor, before, after) = (random.pick(["w", "i\(random.below(12))"]), random.below(4), random.below(5))
        }
    }

    static func filter(_ random: inout SeededGenerator) -> String { random.pick(["", "m", "MO", "%C3%A9", "e", "x"]) }

    var text: String {
        let window = anchor.map { ["around=\($0)", "before=\(before)", "after=\(after)"] } ?? []
        return (others + (filter.map { ["filter=\($0)"] } ?? []) + window).joined(separator: "&")
    }

    var mayLoseAnchor: Bool { anchor != nil && anchor != "w" }

    mutating func takeLastingAnchor() { anchor = "w" }
}

/// Random transactions over a few ids. The list refuses many of them.
private enum RandomWrite {
    static let start = #"""
        {"sections":[
          {"id":"a","items":[{"id":"w"},{"id":"i0"},{"id":"i1"},{"id":"i2"},{"id":"i3","parent":"i2"}]},
          {"id":"b","items":[{"id":"i4"},{"id":"i5"}]},
          {"id":"c"}]}
        """#

    /// - Returns: The answers that the server should not have given.
    static func writer(
        _ port: UInt16, _ list: String, _ seed: UInt64, transactions: Int, _ didWrite: () -> Void
    ) -> [String] {
        var random = SeededGenerator(seed: seed)
        let client = HTTPClient(port: port)
        for _ in 0..<transactions {
            let operations = (0...random.below(3)).map { _ in operation(&random) }.joined(separator: ",")
            let body = #"{"label":"r","operations":[\#(operations)]}"#
            do {
                let answer = try client.send("POST", "/v1/lists/\(list)/transactions", json: body)
                guard answer.status == 200 || answer.status == 409 else { return ["\(body): \(answer.text)"] }
            } catch {
                return ["\(error)"]
            }
            didWrite()
        }
        return []
    }

    private static func content(_ random: inout SeededGenerator) -> String {
        #"{"n":\#(random.below(5)),"name":"\#(random.pick(["Mo", "mx", "e", "\u{E9}", "e\u{301}"]))","text":"x"}"#
    }

    private static func operation(_ random: inout SeededGenerator) -> String {
        let item = "i\(random.below(12))"
        let other = "i\(random.below(12))"
        let section = random.pick(["a", "b", "c", "d"])
        let side = random.pick(["before", "after"])
        return switch random.below(14) {
        case 0...2: #"{"op":"moveItem","item":"\#(item)","\#(side)":"\#(other)"}"#
        case 3: #"{"op":"moveItem","item":"\#(item)","parent":"\#(other)","at":"first"}"#
        case 4: #"{"op":"appendItems","items":[{"id":"\#(item)"}],"section":"\#(section)"}"#
        case 5: #"{"op":"insertItems","items":[{"id":"\#(item)"}],"\#(side)":"\#(other)"}"#
        case 6: #"{"op":"deleteItems","items":["\#(item)"]}"#
        case 7: #"{"op":"starItems","items":["\#(item)"]}"#
        case 8: #"{"op":"expandItems","items":["\#(item)"]}"#
        case 9: #"{"op":"collapseItems","items":["\#(item)"]}"#
        case 10:
            #"{"op":"updateItem","item":"\#(item)","kind":"\#(random.pick(["cell", "item"]))","content":\#(content(&random))}"#
        case 11: #"{"op":"moveSection","section":"\#(section)","\#(side)":"a"}"#
        case 12: #"{"op":"appendSections","sections":[{"id":"d"}]}"#
        default: #"{"op":"deleteSections","sections":["\#(section == "a" ? "d" : section)"]}"#
        }
    }
}
