import JSONValue
import Microhttpd
import TestSupport
import Testing
import Threads

@testable import ListAPI
@testable import ListWire

/// Samples that the server moves by itself while somebody follows them. The test says when a time has come.
@Suite struct MovingSampleTests {
    /// Keeps the work of samples until its time.
    private final class Times: Sendable {
        private let jobs = Locked<[(pause: Int, work: @Sendable () -> Int?)]>([])

        var repeating: API.Configuration.Repeating {
            { [self] pause, work in
                jobs.withLock { $0.append((pause, work)) }
                return true
            }
        }

        /// The milliseconds for which work waits.
        var pauses: [Int] { jobs.withLock { $0.map(\.pause).sorted() } }

        /// Does the work that waits for so many milliseconds, once.
        func pass(_ milliseconds: Int) {
            let due = jobs.withLock { jobs in
                defer { jobs.removeAll { $0.pause == milliseconds } }
                return jobs.filter { $0.pause == milliseconds }
            }
            for job in due {
                guard let next = job.work() else { continue }
                jobs.withLock { $0.append((next, job.work)) }
            }
        }
    }

    private let times = Times()
    private let harness: Harness

    init() throws {
        harness = try Harness(itemsMax: 1_000, repeating: times.repeating)
        for sample in ["wifi", "insertion-sort"] {
            try #require(try harness.ask("POST", "/v1/samples/\(sample)").status == 200)
        }
    }

    /// Does `body` while somebody follows.
    private func following(
        _ target: String, _ accepted: String = "text/event-stream", _ body: () throws -> Void
    ) throws {
        let head = Harness.head("GET", target, ["Accept": accepted])
        let answer = harness.api.respond(to: Request(head: head, body: []))
        defer { withExtendedLifetime(answer) {} }
        try body()
    }

    private func head(_ list: String) throws -> String? { try harness.ask("GET", "/v1/lists/\(list)")["List-Version"] }

    private func turn(_ isOn: Bool) throws {
        let body = #"{"content":{"enabled":\#(isOn)}}"#
        #expect(try harness.ask("PATCH", "/v1/lists/wifi/items/config.wi-fi", Harness.json, body).status == 200)
    }

    @Test func nothingWaitsWhileNobodyLooks() throws {
        try turn(false)
        _ = try harness.ask("POST", "/v1/samples/wifi/step")
        _ = try harness.ask("GET", "/v1/lists/wifi/changes?since=e1-1")
        #expect(times.pauses == [])
    }

    @Test(arguments: [
        ("/v1/lists/wifi/changes", "text/event-stream"),
        ("/v1/changes?list=wifi&list=insertion-sort", "text/event-stream"),
        ("/v1/lists/wifi/changes?since=e1-1&wait=50", "application/json"),
    ])
    func itScansWhileSomebodyLooks(target: String, accepted: String) throws {
        try following(target, accepted) { () throws in
            #expect(times.pauses == [0, 2_000])
            times.pass(0)
            #expect(try head("wifi") == "e1-1", "The switch was not turned.")
            for revision in 2...5 {
                times.pass(2_000)
                #expect(try head("wifi") == "e1-\(revision)")
                times.pass(0)
            }
            #expect(times.pauses == [2_000])
            let told = try harness.ask("GET", "/v1/lists/wifi/transactions?limit=1").json["transactions"]?[0]
            #expect(told?["label"]?.string == "Step of the server")
        }
    }

    @Test func itIsStillWhenTheLastFollowerHasGone() throws {
        try following("/v1/lists/wifi/changes") { () throws in
            try following("/v1/lists/wifi/changes") { times.pass(0) }
            #expect(times.pauses == [2_000], "Two followers are no two clocks.")
            times.pass(2_000)
            #expect(try head("wifi") == "e1-2")
        }
        times.pass(0)
        times.pass(2_000)
        #expect(try head("wifi") == "e1-2")
        #expect(times.pauses == [])
        // The next follower sets it going again.
        try following("/v1/lists/wifi/changes") { () throws in
            times.pass(2_000)
            #expect(try head("wifi") == "e1-3")
        }
    }

    @Test func itFollowsItsSwitchAtOnce() throws {
        try following("/v1/lists/wifi/changes") { () throws in
            times.pass(0)
            try turn(false)
            times.pass(0)
            #expect(try harness.rows("wifi") == "config:config.wi-fi")
            times.pass(0)
            times.pass(2_000)
            #expect(times.pauses == [], "With the switch off there is nothing to scan.")
            try turn(true)
            times.pass(0)
            #expect(try harness.rows("wifi").split(separator: ",").count == 18)
            let version = try head("wifi")
            times.pass(0)
            #expect(try head("wifi") == version)
            times.pass(2_000)
            #expect(try head("wifi") != version)
        }
    }

    @Test func aSwitchThatWasTurnedUnseenIsFollowedLater() throws {
        try turn(false)
        try following("/v1/lists/wifi/changes") { () throws in
            times.pass(0)
            #expect(try harness.rows("wifi") == "config:config.wi-fi")
        }
    }

    /// Anybody may call a list `wifi`.
    @Test(arguments: [
        #"{"sections":[{"id":"config"},{"id":"networks","items":["networks.courage"]}]}"#,
        #"{"sections":[{"id":"config","items":[{"id":"config.wi-fi","kind":"toggle","content":{"enabled":false}}]},{"id":"networks"}]}"#,
    ])
    func aListOfSomebodyElseIsLeftAlone(list: String) throws {
        try #require(try harness.put("/v1/lists/wifi", list).status == 200)
        let version = try head("wifi")
        try following("/v1/lists/wifi/changes") { () throws in
            times.pass(0)
            times.pass(2_000)
            #expect(try head("wifi") == version)
            #expect(times.pauses == [])
        }
    }

    @Test func twoServersOfOneStoreMoveItAsOneDoes() throws {
        let (journal, clocks) = (MemoryJournal(), [Times(), Times()])
        let nodes = try zip(["e", "f"], clocks).map {
            try ServerNode($0, over: journal, repeating: $1.repeating)
        }
        #expect(try nodes[0].client.send("POST", "/v1/samples/wifi").status == 200)
        let streams = try nodes.map { try EventClient(port: $0.server.port, "/v1/lists/wifi/changes") }
        for stream in streams { #expect(try stream.next()?.name == "reset") }
        /// The revision at both.
        func revision() throws -> Int {
            let versions: [String] = try nodes.map { try $0.client.send("GET", "/v1/lists/wifi")["List-Version"] ?? "" }
            #expect(versions[0] == versions[1])
            return Int(versions[0].split(separator: "-").last ?? "") ?? 0
        }
        func areTold() throws { for stream in streams { #expect(try stream.next()?.name == "change") } }
        // No server knows at its first step how many there are.
        for clock in clocks {
            clock.pass(2_000)
            try areTold()
        }
        let start = try revision()
        for step in 1...4 {
            for clock in clocks { clock.pass(2_000) }
            try areTold()
            #expect(try revision() == start + step)
        }
    }

    // MARK: Insertion sort

    private let step = "/v1/samples/insertion-sort/step"

    @Test func itRunsUntilItIsSorted() throws {
        try following("/v1/lists/insertion-sort/changes") { () throws in
            #expect(times.pauses == [], "It moves only when it is told to.")
            let reply = try harness.post(step, #"{"run":true}"#)
            #expect(reply.json["changed"] == true)
            var ticks = 0
            while times.pauses == [125] {
                times.pass(125)
                ticks += 1
                try #require(ticks < 100)
            }
            #expect(times.pauses == [] && ticks > 5)
            #expect(try harness.post(step, "").json["changed"] == false)
            #expect(try harness.post(step, #"{"run":true}"#).json["changed"] == false)
            times.pass(125)
            #expect(times.pauses == [])
        }
    }

    @Test func itCanBeStopped() throws {
        try following("/v1/lists/insertion-sort/changes") { () throws in
            _ = try harness.post(step, #"{"run":true}"#)
            times.pass(125)
            #expect(try head("insertion-sort") == "e1-3")
            #expect(try harness.post(step, #"{"run":false}"#).json["changed"] == false)
            times.pass(125)
            #expect(times.pauses == [])
            #expect(try head("insertion-sort") == "e1-3")
        }
    }

    @Test func itWaitsForSomebodyWhoLooks() throws {
        _ = try harness.post(step, #"{"run":true}"#)
        #expect(times.pauses == [])
        try following("/v1/lists/insertion-sort/changes") { () throws in
            times.pass(125)
            #expect(try head("insertion-sort") == "e1-3")
        }
        times.pass(125)
        #expect(times.pauses == [])
        #expect(try head("insertion-sort") == "e1-3")
    }

    @Test(arguments: [
        ("/v1/samples/insertion-sort/step?dryRun=true", #"{"run":true}"#, 200),
        ("/v1/samples/insertion-sort/step", #"{"run":true,"base":"e9-1"}"#, 409),
        ("/v1/samples/insertion-sort/step", #"{"run":1}"#, 422), ("/v1/samples/wifi/step", #"{"run":1}"#, 422),
        ("/v1/samples/insertion-sort", #"{"run":true}"#, 422),
    ])
    func whatIsNotDoneRunsNothing(target: String, body: String, status: Int) throws {
        try following("/v1/lists/insertion-sort/changes") { () throws in
            #expect(try harness.post(target, body).status == status)
            #expect(times.pauses == [])
        }
    }

    @Test func aRetryRunsNothingAgain() throws {
        try following("/v1/lists/insertion-sort/changes") { () throws in
            let first = try harness.post(step, #"{"run":true}"#, ["Idempotency-Key": "k"])
            _ = try harness.post(step, #"{"run":false}"#)
            times.pass(125)
            #expect(try harness.post(step, #"{"run":true}"#, ["Idempotency-Key": "k"]).text == first.text)
            #expect(times.pauses == [])
        }
    }
}
