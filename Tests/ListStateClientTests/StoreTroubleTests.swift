import ClientState
import Foundation
import ListModel
import TestSupport
import Testing
import Threads

@testable import ListStateClient

/// Stores that cannot be written or read.
@MainActor @Suite(.serialized) struct StoreTroubleTests {
    private func open(
        _ server: ServedLists, _ network: BadNetwork, _ store: FailingStore
    ) async throws -> (client: ListStateClient, list: LiveList<Grocery>) {
        try server.send(
            "PUT", "/v1/lists/l", #"{"sections":[{"id":"a","items":[{"id":"apple"},{"id":"pear"},{"id":"fig"}]}]}"#)
        let client = try await ListStateClient(network, store: .other(store))
        return (client, try await client.list("l", of: Grocery.self))
    }

    private func shown(_ list: LiveList<Grocery>) -> [String] { list.sections.flatMap(\.items).map { "\($0)" } }

    @Test func anEditThatCannotBeKeptIsRefusedAndTakenBack() async throws {
        let (server, store) = (try ServedLists(), FailingStore())
        let (client, list) = try await open(server, BadNetwork(server.transport), store)
        store.isFull = true
        let edits = [list.edit { $0.delete(["apple"]) }, list.edit { $0.delete(["pear"]) }]
        #expect(shown(list) == ["fig"])
        for edit in edits {
            guard case .refused(let problem) = await edit.settled else { throw Unexpected() }
            #expect(problem.code == "not_kept" && problem.status == 0)
            #expect(await !edit.isKept)
        }
        #expect(shown(list) == ["apple", "pear", "fig"] && list.status.text == "live")
        #expect(try server.items(of: "l") == ["apple", "pear", "fig"])
        store.isFull = false
        let edit = list.edit { $0.delete(["pear"]) }
        #expect(await edit.isKept)
        guard case .applied = await edit.settled else { throw Unexpected() }
        #expect(try server.items(of: "l") == ["apple", "fig"])
        client.close()
    }

    /// An edit that is kept, but whose number cannot be: it waits, and the status says why.
    @Test func anEditIsNotSentBeforeItsNumberIsKept() async throws {
        let (server, store) = (try ServedLists(), FailingStore())
        let network = BadNetwork(server.transport)
        let (client, list) = try await open(server, network, store)
        network.isDown = true
        let first = list.edit { $0.delete(["apple"]) }
        // It is sent, so its number is kept, and the second is a write of its own.
        try await until { network.refusals(of: "POST") > 0 }
        let second = list.edit { $0.delete(["pear"]) }
        #expect(await second.isKept)
        store.isFull = true
        network.isDown = false
        guard case .applied = await first.settled else { throw Unexpected() }
        try await until { list.status.state == .unsaved }
        #expect(shown(list) == ["fig"] && list.status.pending == 1)
        #expect(try server.items(of: "l") == ["pear", "fig"])
        store.isFull = false
        guard case .applied = await second.settled else { throw Unexpected() }
        try await until { list.status.text == "live" }
        #expect(try server.items(of: "l") == ["fig"])
        try await until { store.kept == 0 }
        client.close()
    }

    @Test func aFileThatIsNoStoreIsDamaged() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DatabaseEditStore(directory: folder, looks: 0)
        _ = try await store.open()
        let edit = StoredEdit(
            id: 1, list: "l", operations: Array(repeating: 0x20, count: 50_000), label: nil, isAnimated: true,
            base: nil,
            undoes: nil, undoneVersion: nil, number: nil)
        try await store.save(StoreChange(edits: [edit], answered: [], sequences: [:]))
        await store.close()
        let file = folder.appendingPathComponent("edits.sqlite")
        let whole = try Data(contentsOf: file)
        for damaged in [Data("no store at all".utf8), whole.prefix(20_000), Data(repeating: 7, count: 5_000)] {
            try damaged.write(to: file)
            await #expect { _ = try await DatabaseEditStore(directory: folder, looks: 0).open() } throws: {
                error in
                if case EditStoreError.damaged = error { true } else { false }
            }
        }
        try whole.write(to: file)
        #expect(try await store.open().edits == [edit])
        await store.close()
    }

    @Test func aFolderThatCannotBeMadeIsTold() async throws {
        let folder = URL(fileURLWithPath: "/proc/nowhere")
        await #expect { _ = try await ListStateClient(folder, store: .directory(folder)) } throws: { error in
            if case EditStoreError.failed = error { true } else { false }
        }
    }

    struct Unexpected: Error {}
}

/// A store in memory that is full at times.
final class FailingStore: EditStore {
    struct Full: Error {}

    private let store = MemoryEditStore()
    private let state = Locked((isFull: false, kept: Set<Int>()))

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// The number of edits that are kept.
    var kept: Int { state.withLock { $0.kept.count } }

    func open() async throws -> StoredQueue { await store.open() }

    func save(_ change: StoreChange) async throws {
        guard !isFull else { throw Full() }
        await store.save(change)
        state.withLock { state in
            state.kept.formUnion(change.edits.map(\.id))
            state.kept.subtract(change.answered)
        }
    }

    func close() async {}
}
