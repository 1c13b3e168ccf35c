import ClientState
import ListDiff
import ListModel
import ListWire
import TestSupport
import Testing

/// A client that replays what the server answers has the server's state, whatever was done and however often it asks.
@Suite struct ReplayProperties {
    struct History: Sendable, CustomTestStringConvertible {
        let seed: UInt64
        let bias: Bias
        var testDescription: String { "seed \(seed), \(bias)" }
    }

    static let histories = Bias.allCases.flatMap { bias in (1...20).map { History(seed: $0, bias: bias) } }

    @Test("The client has the server's state", arguments: histories)
    func replays(_ history: History) throws {
        var lists = RandomLists(seed: history.seed, itemIDs: Int(history.seed % 24) + 2, bias: history.bias)
        var server = ServerDouble(lists.list())
        var client = LocalList(view: .items)
        _ = try client.take(Catchup(answer: server.changes(since: nil)))
        for step in 0..<40 {
            let operation = lists.operation(on: server.state)
            guard (try? server.write([operation])) != nil, !lists.random.once(in: 3) else { continue }
            let old = Rows(of: client.state, view: .items)

            let shown = try client.take(Catchup(answer: server.changes(since: client.version)))

            let isSame = ListImage(client.state) == ListImage(server.state)
            try #require(isSame, "step \(step): \(operation)")
            try #require(client.version == server.version)
            guard case .changes(let changes) = shown else { throw Everything() }
            try #require(old.applying(changes, view: .items) == Rows(of: client.state, view: .items), "step \(step)")
        }
    }

    struct Everything: Error {}

    @Test("A snapshot is read as it was written", arguments: UInt64(1)...50)
    func snapshots(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 30, bias: .everything)
        let server = ServerDouble(lists.list())

        let read = try ListSnapshot(answer: server.snapshot.body)

        #expect(ListImage(read.state) == ListImage(server.state))
        #expect(read.version == server.version && read.id == ServerDouble.id)
    }
}
