import ClientState
import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing
import Texts

/// A change set that does not fit is refused, and the client holds what it held.
@Suite struct MismatchTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let part: ByteText
        let members: String
        var testDescription: String { "\(part): \(members)" }
    }

    /// The list is `a` with `b` below it, then `c`, in section s; section t is empty.
    static let wrong = [
        Wrong(part: "items.deleted", members: #""items":{"deleted":[{"id":"a","section":0,"index":1}]}"#),
        Wrong(part: "items.deleted", members: #""items":{"deleted":[{"id":"c","section":0,"index":3}]}"#),
        Wrong(part: "items.deleted", members: #""items":{"deleted":[{"id":"c","section":2,"index":0}]}"#),
        Wrong(
            part: "items.deleted",
            members: #""items":{"deleted":[{"id":"c","section":0,"index":2},{"id":"c","section":0,"index":2}]}"#),
        // b would have no parent.
        Wrong(part: "items", members: #""items":{"deleted":[{"id":"a","section":0,"index":0}]}"#),
        Wrong(
            part: "items.deleted",
            members: #"""
                "sections":{"deleted":[{"id":"s","index":0}]},"items":{"deleted":[{"id":"c","section":0,"index":2}]}
                """#),
        Wrong(
            part: "items.moved",
            members: #""items":{"moved":[{"id":"b","from":{"section":0,"index":2},"to":{"section":0,"index":0}}]}"#),
        Wrong(
            part: "items.moved",
            members: #""items":{"moved":[{"id":"c","from":{"section":0,"index":2},"to":{"section":2,"index":0}}]}"#),
        // b would stand before its parent.
        Wrong(
            part: "items",
            members: #""items":{"moved":[{"id":"b","from":{"section":0,"index":1},"to":{"section":0,"index":0}}]}"#),
        Wrong(part: "items", members: #""items":{"inserted":[{"section":0,"index":5,"item":{"id":"n"}}]}"#),
        Wrong(part: "items", members: #""items":{"inserted":[{"section":0,"index":0,"item":{"id":"a"}}]}"#),
        Wrong(
            part: "items", members: #""items":{"inserted":[{"section":0,"index":0,"item":{"id":"n","parent":"q"}}]}"#),
        // n would tear b off its parent.
        Wrong(part: "items", members: #""items":{"inserted":[{"section":0,"index":1,"item":{"id":"n"}}]}"#),
        Wrong(
            part: "items",
            members: #"""
                "items":{"inserted":[{"section":1,"index":0,"item":{"id":"n"}},{"section":1,"index":0,"item":{"id":"m"}}]}
                """#),
        Wrong(
            part: "items.reconfigured",
            members: #""items":{"reconfigured":[{"section":0,"index":1,"item":{"id":"c"}}]}"#),
        Wrong(
            part: "items.reconfigured",
            members: #""items":{"reconfigured":[{"section":0,"index":9,"item":{"id":"c"}}]}"#),
        Wrong(part: "items.reloaded", members: #""items":{"reloaded":[{"section":0,"index":2,"item":{"id":"q"}}]}"#),
        Wrong(part: "sections.deleted", members: #""sections":{"deleted":[{"id":"t","index":0}]}"#),
        Wrong(part: "sections.moved", members: #""sections":{"moved":[{"id":"t","from":2,"to":0}]}"#),
        Wrong(part: "sections", members: #""sections":{"moved":[{"id":"t","from":1,"to":7}]}"#),
        Wrong(
            part: "sections.inserted",
            members: #""sections":{"inserted":[{"index":0,"section":{"id":"t","items":[]}}]}"#),
        Wrong(
            part: "sections.reconfigured", members: #""sections":{"reconfigured":[{"index":1,"section":{"id":"s"}}]}"#),
        Wrong(
            part: "sections.reloaded",
            members: #""sections":{"reloaded":[{"index":0,"section":{"id":"s","items":[]}}]}"#),
        Wrong(part: "counts", members: #""items":{"deleted":[{"id":"c","section":0,"index":2}]}"#),
    ]

    @Test("A change set that does not fit is refused", arguments: wrong)
    func refuses(_ wrong: Wrong) throws {
        var client = try Self.client()
        _ = client.show(PendingEdit(id: 1, operations: [.moveItem("c", .first(.section("t")))]))
        let (image, version) = (ListImage(client.state), client.version)
        let body = """
            {"list":"l","from":"e-1","to":"e-2","counts":{"sections":2,"items":3,"visibleItems":3},\(wrong.members)}
            """

        #expect { _ = try client.take(Catchup(answer: Array(body.utf8))) } throws: {
            ($0 as? Mismatch)?.part == wrong.part
        }
        #expect(ListImage(client.state) == image)
        #expect(client.version == version)
    }

    @Test func aChangeSetFromAnotherVersionIsRefused() throws {
        var client = try Self.client()
        let body = #"{"list":"l","from":"e-2","to":"e-3","counts":{"sections":2,"items":3,"visibleItems":3}}"#
        #expect { _ = try client.take(Catchup(answer: Array(body.utf8))) } throws: { ($0 as? Mismatch)?.part == "from" }
    }

    private static func client() throws -> LocalList {
        let snapshot = #"""
            {"list":"l","to":"e-1","reset":true,"snapshot":{"id":"l","version":"e-1","title":"",
             "sections":[{"id":"s","items":[{"id":"a","expanded":true},{"id":"b","parent":"a"},{"id":"c"}]},{"id":"t"}]}}
            """#
        var client = LocalList(view: .items)
        _ = try client.take(Catchup(answer: Array(snapshot.utf8)))
        return client
    }

    /// Whatever comes, the client holds a forest: the new state, or the one that it had.
    @Test("A damaged change set makes no damaged state", arguments: ReplayProperties.histories)
    func damaged(_ history: ReplayProperties.History) throws {
        var lists = RandomLists(seed: history.seed, itemIDs: Int(history.seed % 24) + 2, bias: history.bias)
        var server = ServerDouble(lists.list())
        var client = LocalList(view: .items)
        _ = try client.take(Catchup(answer: server.changes(since: nil)))
        for step in 0..<40 {
            guard (try? server.write([lists.operation(on: server.state)])) != nil else { continue }
            let body = server.changes(since: client.version)
            let image = ListImage(client.state)
            var copy = client
            do {
                _ = try copy.take(Catchup(answer: Self.damaged(body, &lists.random)))
            } catch {
                try #require(ListImage(copy.state) == image, "step \(step): \(error)")
            }
            try #require(ListImage(copy.state).flaw == nil, "step \(step)")
            _ = try client.take(Catchup(answer: body))
        }
    }

    /// Of several change sets that come together all count, or none.
    @Test("A damaged change set spoils those that come with it", arguments: ReplayProperties.histories)
    func together(_ history: ReplayProperties.History) throws {
        var lists = RandomLists(seed: history.seed, itemIDs: Int(history.seed % 24) + 2, bias: history.bias)
        var server = ServerDouble(lists.list())
        var client = LocalList(view: .items)
        _ = try client.take(Catchup(answer: server.changes(since: nil)))
        _ = client.show(PendingEdit(id: 1, operations: [lists.operation(on: client.state)]))
        for step in 0..<20 {
            var (bodies, since): ([[UInt8]], Version?) = ([], client.version)
            for _ in 0..<3 {
                _ = try? server.write([lists.operation(on: server.state)])
                bodies.append(server.changes(since: since))
                since = server.version
            }
            let (image, version) = (ListImage(client.state), client.version)
            var (copy, told) = (client, try bodies.map { try Catchup(answer: $0) })
            if let damaged = try? Catchup(answer: Self.damaged(bodies[2], &lists.random)) {
                told[2] = damaged
                do { _ = try copy.take(told) } catch {
                    try #require(ListImage(copy.state) == image && copy.version == version, "step \(step): \(error)")
                    _ = try copy.take(bodies.map { try Catchup(answer: $0) })
                    try #require(copy.version == server.version)
                }
                try #require(ListImage(copy.state).flaw == nil, "step \(step)")
            }
            _ = try client.take(bodies.map { try Catchup(answer: $0) })
        }
    }

    /// Another digit in the place of one.
    private static func damaged(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let digits = body.indices.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(body[$0]) }
        var damaged = body
        damaged[digits[random.below(digits.count)]] = UInt8(ascii: "0") + UInt8(random.below(5))
        return damaged
    }
}
