import ClientState
import Foundation
import ListModel
import ListStateClient
import TestSupport
import Testing
import Texts
import Threads

/// What becomes of edits, and who hears of it.
@MainActor @Suite(.serialized) struct OutcomeTests {
    private static let list =
        #"{"sections":[{"id":"a","items":[{"id":"apple"},{"id":"pear"},{"id":"fig"}]},{"id":"b"}]}"#

    private func shown(_ list: LiveList<Grocery>) -> [String] { list.sections.flatMap(\.items).map { "\($0)" } }

    @Test func whatWasRefusedOrDroppedIsToldAfterARestart() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/l", Self.list)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let network = BadNetwork(server.transport)
        let first = try await ListStateClient(network, store: .directory(folder))
        let list = try await first.list("l", of: Grocery.self)
        network.isDown = true
        let long = String(repeating: "x", count: 2_000)
        let edits = [
            list.edit(label: "dropped") { $0.delete(["pear"]) },
            try list.edit(label: "refused") { try $0.add(Grocery(name: long), to: .last(.section("b"))) },
            list.edit(label: "adjusted") { $0.star(["apple", "pear"]) },
            list.edit(label: "applied") { $0.delete(["fig"]) },
        ]
        for edit in edits { #expect(await edit.isKept) }
        first.close()
        for edit in edits { guard case .unanswered = await edit.settled else { throw Unexpected() } }
        try server.send("DELETE", "/v1/lists/l/items/pear")

        let told = Locked<[String]>([])
        let second = try await ListStateClient(
            server.transport, store: .directory(folder),
            onRefused: { edit, outcome in
                let word =
                    switch outcome {
                    case .dropped(let outcomes): outcomes.map { "\($0.reason ?? "")" }.joined()
                    case .refused(let problem): "\(problem.code)"
                    case .applied, .adjusted, .unanswered: "?"
                    }
                told.withLock { $0.append("\(edit.list) \(edit.label ?? "") \(edit.operations.count) \(word)") }
            })
        let again = try await second.list("l", of: Grocery.self)
        try await until { again.status.text == "live" }
        #expect(told.withLock { $0 } == ["l dropped 1 item_deleted", "l refused 1 content_too_large"])
        #expect(shown(again) == ["apple"] && again.row("apple")?.isStarred == true)
        second.close()
        // Nobody is told a second time.
        let third = try await ListStateClient(
            server.transport, store: .directory(folder),
            onRefused: { edit, _ in
                told.withLock { $0.append("\(edit.label ?? "") again") }
            })
        let last = try await third.list("l", of: Grocery.self)
        try await until { last.status.text == "live" }
        #expect(told.withLock { $0.count } == 2)
        third.close()
    }

    /// An undo takes back the own newest edit, and no other.
    @Test func undoTakesBackTheNewestEdit() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/l", Self.list)
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list("l", of: Grocery.self)
        _ = await list.edit(label: "Mine") { $0.move("fig", before: "apple") }.settled
        let star = #"{"operations":[{"op":"starItems","items":["pear"]}]}"#
        try server.send("POST", "/v1/lists/l/transactions", star)
        // Nothing has changed, so there is nothing to take back.
        _ = await list.edit { $0.star(["fig"], false) }.settled
        // The undo is made before its edit has an answer.
        list.edit { $0.star(["apple"]) }
        let undos = [list.undo(), list.undo()]
        #expect(list.status.pending == 3)
        for undo in undos { guard case .applied = await undo.settled else { throw Unexpected() } }
        guard case .refused(let problem) = await list.undo().settled else { throw Unexpected() }
        #expect(problem.code == "nothing_to_undo")
        try await until { shown(list) == ["apple", "pear", "fig"] && list.row("apple")?.isStarred == false }
        #expect(list.status.text == "live")

        let history = try await list.history(limit: 4)
        #expect(history.map(\.isUndone) == [false, false, true, false])
        #expect(history[0].undoes != nil && history[1].undoes == history[2].version)
        #expect(list.row("pear")?.isStarred == true)
        let mine = try #require(try await list.history().first { $0.label == "Mine" })
        #expect(mine.isUndone && mine.actor == "anonymous")
        #expect(String(decoding: mine.operations, as: UTF8.self).contains("moveItem"))
        let past = try await list.at(mine.version)
        #expect(past.version == mine.version)
        #expect(past.sections.map { $0.rows.map { "\($0.item.id)" } } == [["fig", "apple", "pear"], []])
        // A transaction of somebody else, by its version.
        guard case .applied = await list.undo(history[3].version).settled else { throw Unexpected() }
        try await until { list.row("pear")?.isStarred == false }
        await #expect(throws: ServerProblem.self) { _ = try await list.at(Version(epoch: "nowhere", revision: 1)) }
        list.close()
        guard case .refused(let problem) = await list.undo().settled else { throw Unexpected() }
        #expect(problem.code == "closed" && list.status.text == "closed")
        client.close()
    }

    @Test("A long queue goes in few writes, in order", arguments: [1_000, 99])
    func aLongQueueGoesInFewWrites(operationsMax: Int) async throws {
        let server = try ServedLists(operationsMax: operationsMax)
        try server.send("PUT", "/v1/lists/l", Self.list)
        let network = LateNetwork(server.transport, delay: .zero)
        let client = try await ListStateClient(network, store: .memory)
        let list = try await client.list("l", of: Grocery.self)
        var expected: [String] = []
        var edits: [SentEdit] = []
        for number in 0..<1_000 {
            edits.append(
                try list.edit { edit in
                    // One of those that are sent together is refused, and the others are done all the same.
                    let name = number == 700 ? String(repeating: "x", count: 2_000) : "\(number)"
                    let id = try edit.add(Grocery(name: name), to: .last(.section("b")))
                    if number != 700 { expected.append("\(id)") }
                })
        }
        var applied = 0
        for edit in edits { if case .applied = await edit.settled { applied += 1 } }
        #expect(applied == 999)
        #expect(try server.items(of: "l").suffix(999) == expected[...])
        // 968 edits in writes of 250 or, after two that were too large, of 62; one more for what was refused; and 32.
        // There is one more where the bases of edits differ, because some of them were sent in vain.
        #expect(network.writes <= (operationsMax == 1_000 ? 4 + 1 + 32 : 2 + 16 + 1 + 32) + 2)
        try await until { list.status.text == "live" && shown(list).count == 1_002 }
        client.close()
    }

    /// A server without a folder was started anew: its list has another epoch, and it knows no sequence. The client has
    /// heard of its last edits by the stream or only by their answers.
    @Test(arguments: [false, true])
    func aServerThatHasForgottenTheClientIsGoneOnWith(isStreamLate: Bool) async throws {
        let (old, new) = (try ServedLists(epochs: "old"), try ServedLists(epochs: "new"))
        for server in [old, new] { try server.send("PUT", "/v1/lists/l", Self.list) }
        let network = OtherNetwork(old.transport, isStreamLate: isStreamLate)
        let client = try await ListStateClient(network, store: .memory)
        let list = try await client.list("l", of: Grocery.self)
        for id: ItemID in ["apple", "pear"] {
            guard case .applied = await list.edit({ $0.delete([id]) }).settled else { throw Unexpected() }
        }
        network.go(to: new.transport)
        guard case .dropped = await list.edit({ $0.star(["nowhere"]) }).settled else { throw Unexpected() }
        guard case .applied = await list.edit({ $0.delete(["fig"]) }).settled else { throw Unexpected() }
        #expect(try new.items(of: "l") == ["apple", "pear"])
        client.close()
    }

    @Test func aStreamHasSoManyLists() async throws {
        let server = try ServedLists()
        let client = try await ListStateClient(server.transport, store: .memory)
        var lists: [LiveList<Grocery>] = []
        for number in 0..<100 { lists.append(try await client.list("l\(number)", of: Grocery.self)) }
        await #expect(throws: ListError.tooManyLists) { _ = try await client.list("l", of: Grocery.self) }
        lists[7].close()
        try server.send("PUT", "/v1/lists/l", Self.list)
        #expect(try await client.list("l", of: Grocery.self).status.text == "live")
        client.close()
    }

    @Test func aListThatCannotBeHadNowComesLater() async throws {
        let server = try ServedLists()
        let network = BadNetwork(server.transport)
        network.isDown = true
        let client = try await ListStateClient(network, store: .memory)
        let list = try await client.list("l", of: Grocery.self)
        #expect(list.status.text == "offline" && list.sections.isEmpty)
        network.isDown = false
        // There is no list that the client may read.
        try await until { list.status.text == "gone" }
        try server.send("PUT", "/v1/lists/l", Self.list)
        let another = try await client.list("l", of: Grocery.self)
        #expect(list.status.text == "live" && another.status.text == "live")
        #expect(shown(list) == ["apple", "pear", "fig"] && shown(another) == shown(list))
        await #expect(throws: ListError.noListID("No Name")) { _ = try await client.list("No Name", of: Grocery.self) }
        client.close()
        await #expect(throws: ListError.closed) { _ = try await client.list("l", of: Grocery.self) }
        guard case .refused(let problem) = await list.edit({ $0.star(["fig"]) }).settled else { throw Unexpected() }
        #expect(problem.code == "closed" && list.row("fig")?.isStarred == false)
    }

    struct Unexpected: Error {}
}

/// A network that leads to another server after a while, to which each request goes that begins then.
private final class OtherNetwork: Transport {
    private let network: Locked<any Transport>
    /// Whether a stream tells what it begins with, and then nothing.
    private let isStreamLate: Bool

    init(_ network: any Transport, isStreamLate: Bool) {
        (self.network, self.isStreamLate) = (Locked(network), isStreamLate)
    }

    func go(to other: any Transport) { network.withLock { $0 = other } }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        try await network.withLock { $0 }.send(request)
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        let (head, body) = try await network.withLock { $0 }.open(request)
        guard isStreamLate else { return (head, body) }
        let (kept, pieces) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        Task {
            var text: [UInt8] = []
            for try await piece in body {
                guard !text.contains("event: reset".utf8) else { continue }
                text += piece
                pieces.yield(piece)
            }
        }
        return (head, kept)
    }
}
