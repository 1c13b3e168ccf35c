import Foundation
import Testing
import Texts

@testable import ListStateClient

@Suite struct EditStoreTests {
    private static func edit(_ id: Int, _ list: String, _ number: Int) -> StoredEdit {
        StoredEdit(
            id: id, list: list, number: number, operations: Array(#"[{"op":"deleteAllItems"}]"#.utf8),
            label: id == 1 ? "é" : nil, base: id == 1 ? nil : "k3v9-4", isSent: false)
    }

    /// What a store keeps, whatever keeps it.
    private func check(_ store: any EditStore, _ again: () throws -> any EditStore) async throws {
        #expect(
            try await store.open(naming: "a") == StoredQueue(client: "a", edits: [], nextNumbers: [:]))
        try await store.put([Self.edit(2, "m", 1)], of: "m", next: 2)
        try await store.put([Self.edit(1, "l", 1)], of: "l", next: 2)
        try await store.put([Self.edit(3, "l", 2)], of: "l", next: 3)
        var sent = Self.edit(3, "l", 2)
        (sent.isSent, sent.base, sent.number) = (true, "k3v9-5", 7)
        try await store.put([sent], of: "l", next: 8)
        try await store.remove(2)
        let kept = try await again().open(naming: "b")
        #expect(kept.client == "a" && kept.edits == [Self.edit(1, "l", 1), sent])
        #expect(kept.nextNumbers == ["l": 8, "m": 2])
    }

    @Test func inMemory() async throws {
        let store = MemoryEditStore()
        try await check(store) { store }
    }

    @Test func inADirectory() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await check(DatabaseEditStore(directory: folder)) { try DatabaseEditStore(directory: folder) }
    }

    @Test(arguments: [1, 2, 3, 7, 1_000]) func eventsAreCutFromPieces(_ size: Int) {
        let text =
            ": hi\n\nid: 1\nevent: change\r\ndata: {\"a\":\ndata: 1}\n\nid: 2\n\nevent:gone\ndata:{}\n\ndata: cut"
        let bytes = Array(text.utf8)
        var reader = EventReader()
        var events: [EventReader.Event] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += reader.read(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(events.map(\.name) == ["change", "gone"])
        #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["{\"a\":\n1}", "{}"])
    }
}
