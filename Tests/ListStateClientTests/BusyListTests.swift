import Foundation
import ListModel
import ListStateClient
import TestSupport
import Testing

/// A client with many pending edits, on a list that others change all the time.
@MainActor @Suite struct BusyListTests {
    @Test func takesTogetherWhatComesWhileItRests() async throws {
        let server = try ServedLists()
        for name in ["busy", "other"] {
            try server.send("PUT", "/v1/lists/\(name)", #"{"sections":[{"id":"a","items":[{"id":"x"},{"id":"y"}]}]}"#)
        }
        let mayWrite = Flag()
        let client = try await ListStateClient(HeldNetwork(server.transport, until: mayWrite), store: .memory)
        let list = try await client.list("busy", of: Grocery.self)
        try await until { list.status.text == "live" }
        var edits: [SentEdit] = []
        for number in 0..<1_500 {
            edits.append(list.edit { $0.perform(.setStarred(["x"], number.isMultiple(of: 2))) })
        }
        var toldCount = 0
        list.onChanges = { _ in toldCount += 1 }

        for number in 0..<100 {
            try server.send(
                "POST", "/v1/lists/busy/transactions",
                #"{"operations":[{"op":"updateItem","item":"y","content":{"name":"\#(number)"}}]}"#)
            // A new stream begins at the version that is held, which may be behind what was told.
            if number == 50 { _ = try await client.list("other", of: Grocery.self) }
            await Task.yield()
        }

        try await until { list.row("y")?.content == Grocery(name: "99") }
        #expect(toldCount > 0 && toldCount < 100)
        #expect(list.row("x")?.isStarred == false && list.status.pending == 1_500)
        mayWrite.raise()
        for edit in edits {
            guard case .applied = await edit.settled else { throw Unexpected() }
        }
        try await until { list.status.pending == 0 && list.status.text == "live" }
        client.close()
    }

    private struct Unexpected: Error {}
}

/// A network whose writes wait until they may go.
private struct HeldNetwork: Transport {
    private let network: any Transport
    private let mayWrite: Flag

    init(_ network: any Transport, until mayWrite: Flag) { (self.network, self.mayWrite) = (network, mayWrite) }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        if request.method == "POST" { try await mayWrite.raised() }
        return try await network.send(request)
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        try await network.open(request)
    }
}
