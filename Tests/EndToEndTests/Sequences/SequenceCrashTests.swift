import Foundation
import JSONValue
import TestSupport
import Testing
import Threads

/// What clients with numbers find after crashes, on other servers, and after a restore from an older copy.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct SequenceCrashTests {
    /// A queue of one client, which is sent in order. A number whose answer did not come is sent again.
    private final class Queue {
        private let name: String
        private(set) var next = 1
        let all: Int

        init(_ name: String, _ all: Int) { (self.name, self.all) = (name, all) }

        func item(_ number: Int) -> String { "\(name)-\(number)" }

        /// Sends what is left, until all is answered or the server has gone.
        func drain(_ client: HTTPClient, wrong: Locked<[String]>) {
            while next <= all {
                let body = SequenceScene.append(item(next))
                guard
                    let answer = try? SequenceScene.send(
                        next, "POST", "/v1/lists/l/items", body, client: name, over: client)
                else { return }
                switch answer.status {
                case 200, 204: next += 1
                case 503: continue
                default:
                    wrong.withLock { $0.append("\(name) \(next): \(answer.text)") }
                    return
                }
            }
        }
    }

    @Test(arguments: ServedEngine.lasting) func nothingIsLostOrDoubledByKills(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", #"{"sections":[{"id":"s"}]}"#, client: "maker").status == 201)
        let (wrong, rounds) = (Locked<[String]>([]), 5)
        let queues = (0..<4).map { Locked(UncheckedQueue(Queue("c\($0)", 150))) }
        for round in 0...rounds {
            let port = scene.server.port
            let threads = try queues.map { queue in
                try Threads.Thread { queue.withLock { $0.queue.drain(HTTPClient(port: port), wrong: wrong) } }
            }
            // The server is killed once some writes have come, wherever the others are.
            if round < rounds {
                while try scene.items().count < (round + 1) * 90, wrong.withLock({ $0.isEmpty }) {}
                scene.server.crash()
            }
            for thread in threads { thread.join() }
            if round < rounds { try scene.crash() }
        }
        #expect(wrong.withLock { $0 } == [])
        let items = try scene.items()
        for queue in queues {
            queue.withLock { one in
                let queue = one.queue
                #expect(queue.next == queue.all + 1)
                let own = items.filter { $0.hasPrefix(queue.item(0).dropLast(1)) }
                #expect(own == (1...queue.all).map { queue.item($0) })
            }
        }
    }

    /// - Safety: `@unchecked` is sound because a queue is reached under a lock only.
    private struct UncheckedQueue: @unchecked Sendable {
        let queue: Queue
        init(_ queue: Queue) { self.queue = queue }
    }

    /// After a restore from a copy, the client learns which of its writes are not there.
    @Test func aRestoreTellsWhatIsLost() throws {
        let scene = try SequenceScene(.folder)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", #"{"sections":[{"id":"s"}]}"#).status == 201)
        for number in 2...4 {
            #expect(
                try scene.send(number, "POST", "/v1/lists/l/items", SequenceScene.append("i\(number)")).status == 200)
        }
        let copy = scene.path + "/copy"
        #expect(try ServerProcess.run(["backup", "--data", scene.path + "/data", copy]).exitCode == 0)
        for number in 5...7 {
            #expect(
                try scene.send(number, "POST", "/v1/lists/l/items", SequenceScene.append("i\(number)")).status == 200)
        }
        #expect(try scene.send(1, "PUT", "/v1/lists/m", #"{"sections":[{"id":"s"}]}"#).status == 201)
        #expect(scene.server.stop() == 0)
        let restored = scene.path + "/restored"
        #expect(try ServerProcess.run(["restore", "--data", restored, copy]).exitCode == 0)
        let server = try ServerProcess(["--data", restored])
        func send(_ number: Int, _ item: String, _ path: String = "/v1/lists/l/items") throws -> String {
            try SequenceScene.send(number, "POST", path, SequenceScene.append(item), over: server.client).short
        }
        // Its answer was kept, and is that of an epoch that is over.
        #expect(try send(4, "i4") == "200 uses 4 again")
        #expect(try send(8, "i8") == "409 sequence_gap expects 5")
        for number in 5...8 { #expect(try send(number, "i\(number)") == "200 uses \(number)") }
        #expect(try send(2, "x", "/v1/lists/m/items") == "409 sequence_gap")
        let text = try server.client.send("GET", "/v1/lists/l").text
        for number in 2...8 { #expect(text.split(separator: "\"i\(number)\"").count == 2, "i\(number)") }
        #expect(server.stop() == 0)
    }

    /// Sequences move with the lists, to a database and back.
    @Test func theyMoveWithAMigration() throws {
        let scene = try SequenceScene(.folder)
        #expect(try scene.send(1, "PUT", "/v1/lists/l", #"{"sections":[{"id":"s"}]}"#).status == 201)
        #expect(try scene.send(2, "POST", "/v1/lists/l/items", SequenceScene.append("i2")).status == 200)
        #expect(try scene.send(3, "POST", "/v1/lists/l/items/none/star").status == 404)
        #expect(scene.server.stop() == 0)
        let database = try PostgreSQLServer.shared
        let (url, folder) = (try database.url(database.newDatabase()), scene.path + "/back")
        #expect(try ServerProcess.run(["migrate", "--from", scene.path + "/data", "--to", url]).exitCode == 0)
        #expect(try ServerProcess.run(["migrate", "--from", url, "--to", folder]).exitCode == 0)
        for place in [["--store", url], ["--data", folder]] {
            let server = try ServerProcess(place)
            func send(_ number: Int, _ path: String, _ body: String = "") throws -> String {
                try SequenceScene.send(number, "POST", path, body, over: server.client).short
            }
            #expect(try send(5, "/v1/lists/l/items/i2/star") == "409 sequence_gap expects 4", "\(place)")
            #expect(try send(3, "/v1/lists/l/items/none/star") == "404 not_found uses 3 again", "\(place)")
            #expect(try send(2, "/v1/lists/l/items", SequenceScene.append("i2")) == "204 uses 2 again", "\(place)")
            #expect(try send(4, "/v1/lists/l/items/i2/star") == "200 uses 4", "\(place)")
            #expect(server.stop() == 0)
        }
    }

    /// A client that has no answer from one server asks the other one.
    @Test func numbersAreKnownToEveryServer() throws {
        let scene = try SequenceScene(.postgreSQL)
        let other = try scene.another()
        let clients = [scene.server.client, other.client]
        func send(_ number: Int, to server: Int, _ body: String? = nil) throws -> String {
            try SequenceScene.send(
                number, "POST", "/v1/lists/l/items", body ?? SequenceScene.append("i\(number)"), over: clients[server]
            ).short
        }
        #expect(try scene.send(1, "PUT", "/v1/lists/l", #"{"sections":[{"id":"s"}]}"#).status == 201)
        for number in 2...21 {
            let (first, second) = (number % 2, (number + 1) % 2)
            #expect(try send(number, to: first) == "200 uses \(number)")
            #expect(try send(number, to: second) == "200 uses \(number) again")
            #expect(try send(number - 1, to: second) == "204 uses \(number - 1) again")
        }
        #expect(try send(22, to: 0, #"{"items":[1]}"#) == "422 invalid uses 22")
        #expect(try send(22, to: 1, #"{"items":[1]}"#) == "422 invalid uses 22 again")
        #expect(try send(22, to: 1) == "422 key_reused")
        #expect(try send(24, to: 1) == "409 sequence_gap expects 23")
        #expect(try send(23, to: 1, #"{"items":[{"id":"x"}],"after":"gone"}"#) == "409 unknown_item uses 23")
        // A server that begins knows what the others have kept.
        let third = try scene.another()
        #expect(
            try SequenceScene.send(
                24, "POST", "/v1/lists/l/items", SequenceScene.append("i24"), over: third.client
            ).short == "200 uses 24")
        #expect(try send(25, to: 0) == "200 uses 25")
        #expect(try send(25, to: 1) == "200 uses 25 again")
        #expect(try scene.items() == ((2...21).map { "i\($0)" } + ["i24", "i25"]))
        #expect(other.stop() == 0 && third.stop() == 0)
    }

    /// One number that is sent to two servers at once is done once.
    @Test func aNumberIsDoneOnceByTwoServers() throws {
        let scene = try SequenceScene(.postgreSQL)
        let other = try scene.another()
        #expect(try scene.send(1, "PUT", "/v1/lists/l", #"{"sections":[{"id":"s"}]}"#).status == 201)
        let ports = [scene.server.port, other.port]
        let wrong = Locked<[String]>([])
        for number in 2...60 {
            let threads = try ports.map { port in
                try Threads.Thread {
                    // A server may be asked while the other one is at it.
                    for _ in 0..<100 {
                        let answer = try? SequenceScene.send(
                            number, "POST", "/v1/lists/l/transactions",
                            #"{"operations":[{"op":"appendItems","items":[{"content":{"n":\#(number)}}]}]}"#,
                            over: HTTPClient(port: port))
                        if answer?.status == 200 { return }
                        guard answer?.status == 503 || answer?.status == 409 else { break }
                    }
                    wrong.withLock { $0.append("\(number)") }
                }
            }
            for thread in threads { thread.join() }
        }
        #expect(wrong.withLock { $0 } == [])
        #expect(try scene.items().count == 59)
        #expect(other.stop() == 0)
    }

    /// A damaged record is logged and goes, and its client can begin anew.
    @Test func aDamagedRecordBlocksNobodyForGood() throws {
        let database = try PostgreSQLServer.shared
        let name = try database.newDatabase()
        let server = try ServerProcess(["--store", database.url(name)])
        func send(_ number: Int, _ method: String = "PUT", _ path: String = "/items/a/star") throws -> String {
            let body = method == "POST" ? SequenceScene.append("a") : ""
            return try SequenceScene.send(number, method, "/v1/lists/l\(path)", body, over: server.client).short
        }
        let list = #"{"sections":[{"id":"s"}]}"#
        #expect(try SequenceScene.send(1, "PUT", "/v1/lists/l", list, over: server.client).short == "201 uses 1")
        #expect(try send(2, "POST", "/items") == "200 uses 2")
        _ = try database.query("UPDATE liststate.record SET crc = crc + 1 WHERE kind = 4", in: name)
        #expect(try send(3) == "503 unavailable")
        #expect(try send(3) == "409 sequence_gap")
        #expect(try send(1) == "200 uses 1" && send(2) == "200 uses 2" && send(1) == "204 uses 1 again")
        #expect(server.stop() == 0)
        #expect(server.log.contains("A record of the kind 4 is damaged"))
    }

    /// A sequence that nobody uses goes, and so does the one that was used longest ago if there are too many.
    @Test(arguments: ServedEngine.allCases) func theyAreBounded(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine, ["--client-sequences-max", "8"])
        #expect(
            try scene.client.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#).status
                == 201)
        func star(_ number: Int, _ client: Int) throws -> String {
            try scene.send(number, "POST", "/v1/lists/l/items/a/star", client: "c\(client)").short
        }
        for client in 0..<20 { #expect(try star(1, client) == "200 uses 1") }
        #expect(try star(2, 12) == "200 uses 2")
        #expect(try star(2, 0) == "409 sequence_gap")
        if engine != .memory {
            try scene.restart()
            #expect(try star(2, 12) == "200 uses 2 again")
            #expect(try star(2, 3) == "409 sequence_gap")
        }
        #expect(try star(2, 19) == "200 uses 2")
        // Refusals make room, too.
        for client in 20..<40 {
            let refused = try scene.send(1, "POST", "/v1/lists/l/items/gone/star", client: "c\(client)")
            #expect(refused.short == "404 not_found uses 1")
        }
        #expect(try star(3, 19) == "409 sequence_gap" && star(2, 39) == "200 uses 2")
    }
}
