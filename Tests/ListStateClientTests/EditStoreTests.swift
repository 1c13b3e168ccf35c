import Foundation
import Testing
import Texts

@testable import ListStateClient

@Suite struct EditStoreTests {
    private static func edit(_ id: Int, _ list: String) -> StoredEdit {
        StoredEdit(
            id: id, list: list, operations: Array(#"[{"op":"deleteAllItems"}]"#.utf8), label: id == 1 ? "é" : nil,
            isAnimated: id != 1, base: id == 1 ? nil : "k3v9-4", undoes: id == 2 ? 1 : nil, undoneVersion: nil,
            number: nil)
    }

    private static func change(_ edits: [StoredEdit], answered: [Int] = [], _ list: String, next: Int) -> StoreChange {
        StoreChange(
            edits: edits, answered: answered, sequences: [list: StoredSequence(client: "c-\(list)", next: next)])
    }

    /// What a store keeps, whatever keeps it.
    private func check(_ store: any EditStore, again: any EditStore) async throws {
        #expect(try await store.open() == StoredQueue(edits: [], sequences: [:]))
        try await store.save(Self.change([Self.edit(2, "m")], "m", next: 1))
        try await store.save(Self.change([Self.edit(3, "l"), Self.edit(1, "l")], "l", next: 2))
        var sent = Self.edit(3, "l")
        (sent.base, sent.number, sent.undoneVersion) = ("k3v9-5", 7, "k3v9-6")
        try await store.save(Self.change([sent], answered: [2, 77], "l", next: 8))
        await store.close()
        let kept = try await again.open()
        #expect(kept.edits == [Self.edit(1, "l"), sent])
        #expect(
            kept.sequences == [
                "l": StoredSequence(client: "c-l", next: 8), "m": StoredSequence(client: "c-m", next: 1),
            ])
        await again.close()
    }

    @Test func inMemory() async throws {
        let store = MemoryEditStore()
        try await check(store, again: store)
    }

    @Test func inADirectory() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await check(DatabaseEditStore(directory: folder), again: DatabaseEditStore(directory: folder))
    }

    /// A change is kept as a whole, or nothing of it.
    @Test func aClosedStoreKeepsNothing() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DatabaseEditStore(directory: folder)
        _ = try await store.open()
        await store.close()
        await #expect(throws: EditStoreError.self) {
            try await store.save(Self.change([Self.edit(1, "l")], "l", next: 2))
        }
        #expect(try await store.open().edits == [])
        await store.close()
    }

    /// A server may say anything.
    @Test(arguments: [0, 5, 1e300, .infinity, .nan, -7]) func aServerMayAskForAnHour(_ wanted: Double) {
        var patience = Patience()
        let pause = patience.next(wanted: wanted)
        #expect((0.05...4_500).contains(pause) && (wanted != 5 || pause > 3))
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
        #expect(events.map(\.name) == ["change", "", "gone"] && events.map(\.id) == ["1", "2", ""])
        #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["{\"a\":\n1}", "", "{}"])
    }
}
