import ClientState
import Foundation
import ListDiff
import ListModel
import ListStateClient
import TestSupport
import Testing
import Threads

struct Grocery: Codable, Sendable, Equatable {
    var name: String
    var count: Int?
}

/// Clients of a real server.
@MainActor @Suite(.serialized) struct LiveListTests {
    private static let groceries = """
        {"title":"Groceries","sections":[
         {"id":"fruit","items":[{"id":"apple","content":{"name":"Apple","shop":"A"}},{"id":"pear","content":{"name":"Pear"}},
          {"id":"box","content":{"name":"Box"}},{"id":"fig","parent":"box","content":{"name":"Fig"}}]},{"id":"bakery"}]}
        """

    private func shown(_ list: LiveList<Grocery>) -> [String] { list.sections.flatMap(\.items).map { "\($0)" } }

    @Test func aListIsLiveAndEditsShowAtOnce() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/groceries", Self.groceries)
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list("groceries", of: Grocery.self)
        try await until { list.status.text == "live" }
        #expect(shown(list) == ["apple", "pear", "box"] && list.properties.title == "Groceries")
        #expect(list.row("pear")?.content == Grocery(name: "Pear"))

        let edit = list.edit(label: "Mine") {
            $0.move("pear", before: "apple")
            $0["apple"]?.count = 3
            $0.star(["apple"])
            $0.expand(["box"])
        }

        #expect(shown(list) == ["pear", "apple", "box", "fig"] && list.status.pending == 1)
        #expect(list.row("apple")?.content == Grocery(name: "Apple", count: 3))
        #expect(list.row("apple")?.isStarred == true && list.row("fig")?.level == 1)
        guard case .applied = await edit.settled else { throw Unexpected() }
        #expect(try server.items(of: "groceries") == ["pear", "apple", "box", "fig"])

        // Members that the type of the content does not know are kept.
        try server.send(
            "POST", "/v1/lists/groceries/transactions",
            #"{"operations":[{"op":"updateItem","item":"apple","content":{"name":"Red"},"merge":true}]}"#)
        try await until { list.row("apple")?.content == Grocery(name: "Red", count: 3) && list.status.pending == 0 }
        let difference = ["pear", "box", "fig", "apple"].difference(from: ["pear", "apple", "box", "fig"])
        let order = try list.reorder(CollectionDifference(difference.map(Self.named))!, in: "fruit")
        #expect(shown(list) == ["pear", "box", "fig", "apple"])
        guard case .applied = await order.settled else { throw Unexpected() }
        client.close()
    }

    private static func named(_ change: CollectionDifference<String>.Change) -> CollectionDifference<ItemID>.Change {
        switch change {
        case .insert(let offset, let id, let other):
            .insert(offset: offset, element: ItemID(stringLiteral: id), associatedWith: other)
        case .remove(let offset, let id, let other):
            .remove(offset: offset, element: ItemID(stringLiteral: id), associatedWith: other)
        }
    }

    /// Edits that wait are sent together only if all or none of them are animated.
    @Test func anEditWithoutAnimationIsShownSoElsewhere() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/groceries", Self.groceries)
        let (network, other) = (BadNetwork(server.transport), BadNetwork(server.transport))
        var lists: [LiveList<Grocery>] = []
        var clients: [ListStateClient] = []
        for transport in [network, other] {
            clients.append(try await ListStateClient(transport, store: .memory))
            lists.append(try await clients.last!.list("groceries", of: Grocery.self))
        }
        for list in lists { try await until { list.status.text == "live" } }
        var heard: [Bool] = []
        lists[1].onChanges = { heard.append($0?.isAnimated ?? true) }
        network.isDown = true
        lists[0].edit { $0.star(["box"]) }
        lists[0].edit(animated: false) { $0.delete(["apple"]) }
        let last = lists[0].edit { $0.delete(["pear"]) }
        network.isDown = false
        guard case .applied = await last.settled else { throw Unexpected() }
        try await until { shown(lists[1]) == ["box"] }
        #expect(heard == [true, false, true])
        for client in clients { client.close() }
    }

    @Test func aRefusedEditIsTakenBack() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/groceries", Self.groceries)
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list("groceries", of: Grocery.self)
        try await until { list.status.text == "live" }
        let long = String(repeating: "x", count: 2_000)
        let edit = try list.edit { try $0.add(Grocery(name: long), to: .last(.section("bakery"))) }
        let next = list.edit { $0.delete(["pear"]) }
        #expect(list.sections[1].items.count == 1)
        guard case .refused(let problem) = await edit.settled else { throw Unexpected() }
        #expect(problem.code == "content_too_large" && list.sections[1].items.isEmpty)
        guard case .applied = await next.settled else { throw Unexpected() }
        #expect(try server.items(of: "groceries") == ["apple", "box", "fig"])
        client.close()
    }

    @Test("Whatever the network loses, each edit is done once and in order", arguments: UInt64(1)...3)
    func losesNothing(seed: UInt64) async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/l", #"{"sections":[{"id":"a"},{"id":"b"}]}"#)
        var added: [SectionID: [String]] = [:]
        var lists: [LiveList<Grocery>] = []
        var clients: [ListStateClient] = []
        var edits: [SentEdit] = []
        for section: SectionID in ["a", "b"] {
            let network = BadNetwork(server.transport, losses: 6, seed: seed)
            let client = try await ListStateClient(network, store: .memory)
            let list = try await client.list("l", of: Grocery.self)
            try await until { list.status.state == .live }
            for number in 0..<40 {
                edits.append(
                    try list.edit {
                        let id = try $0.add(Grocery(name: "\(number)"), to: .last(.section(section)))
                        added[section, default: []].append("\(id)")
                    })
            }
            lists.append(list)
            clients.append(client)
        }
        for edit in edits { guard case .applied = await edit.settled else { throw Unexpected() } }
        let expected = (added["a"] ?? []) + (added["b"] ?? [])
        #expect(try server.items(of: "l") == expected)
        for list in lists { try await until { shown(list) == expected && list.status.pending == 0 } }
        for client in clients { client.close() }
    }

    @Test func editsSurviveTheProcess() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/groceries", Self.groceries)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let network = BadNetwork(server.transport)
        let first = try await ListStateClient(network, store: .directory(folder))
        let list = try await first.list("groceries", of: Grocery.self)
        try await until { list.status.state == .live }
        let done = list.edit { $0.star(["apple"]) }
        _ = await done.settled
        network.isDown = true
        for id: ItemID in ["pear", "box"] { list.edit { $0.delete([id]) } }
        try await until { list.status.text == "offline, 2 pending" }
        first.close()
        // Somebody else goes on meanwhile.
        try server.send("DELETE", "/v1/lists/groceries/items/box")

        let second = try await ListStateClient(server.transport, store: .directory(folder))
        let again = try await second.list("groceries", of: Grocery.self)
        try await until { again.status.text == "live" }
        #expect(shown(again) == ["apple"])
        #expect(try server.items(of: "groceries") == ["apple"])
        second.close()
    }

    @Test func aTokenIsRenewedAndNoEditIsLost() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/groceries", Self.groceries)
        let asked = Locked(0)
        let gate = TokenGate(server.transport)
        let client = try await ListStateClient(gate, store: .memory) {
            asked.withLock { count in
                count += 1
                return "token-\(count)"
            }
        }
        let list = try await client.list("groceries", of: Grocery.self)
        try await until { list.status.text == "live" }
        gate.expect("Bearer token-2")
        let edits = ["apple", "pear"].map { id in list.edit { $0.delete([ItemID(stringLiteral: id)]) } }
        for edit in edits { guard case .applied = await edit.settled else { throw Unexpected() } }
        #expect(try server.items(of: "groceries") == ["box", "fig"])
        #expect(asked.withLock { $0 } == 2)
        client.close()
    }

    @Test func aDeletedListIsGone() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/groceries", Self.groceries)
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list("groceries", of: Grocery.self)
        try await until { list.status.text == "live" }
        try server.send("DELETE", "/v1/lists/groceries")
        try await until { list.status.text == "gone" }
        #expect(list.sections.isEmpty)
        client.close()
    }

    @Test func aDeletedListThatIsBackShowsAgain() async throws {
        let server = try ServedLists()
        for id in ["groceries", "chores"] { try server.send("PUT", "/v1/lists/\(id)", Self.groceries) }
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list("groceries", of: Grocery.self)
        // The stream goes on for another list.
        let other = try await client.list("chores", of: Grocery.self)
        try await until { list.status.text == "live" && other.status.text == "live" }
        try server.send("DELETE", "/v1/lists/groceries")
        try await until { list.status.text == "gone" }
        try server.send("POST", "/v1/lists/groceries/restore")
        try await until { list.status.text == "live" && !list.sections.isEmpty }
        #expect(other.status.text == "live")
        client.close()
    }

    struct Unexpected: Error {}
}

/// A network that lets a request pass only with a certain token.
private final class TokenGate: Transport {
    private let network: any Transport
    private let expected = Locked("Bearer token-1")

    init(_ network: any Transport) { self.network = network }

    func expect(_ field: String) { expected.withLock { $0 = field } }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        guard request.fields["Authorization"] == expected.withLock({ $0 }) else {
            return (WireHead(code: 401, fields: [:]), Array(#"{"code":"unauthenticated","status":401}"#.utf8))
        }
        return try await network.send(request)
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        try await network.open(request)
    }
}
