import Foundation
import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListStateClient

/// Processes that are killed with edits in the queue. Each is a child of this one.
@MainActor @Suite(.serialized) struct KilledTests {
    private static let editsOfARun = 60

    @Test func eachKeptEditIsDoneOnceAndInOrder() async throws {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/l", #"{"sections":[{"id":"a"}]}"#)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (port, path) = (Int(server.port), folder.path)
        await #expect(processExitsWith: .signal(SIGKILL)) { [port = port as Int, path = path as String] in
            try await KilledTests.edit(port, path, run: 0, losses: 0)
        }
        await #expect(processExitsWith: .signal(SIGKILL)) { [port = port as Int, path = path as String] in
            try await KilledTests.edit(port, path, run: 1, losses: 4)
        }
        // Nothing comes through.
        await #expect(processExitsWith: .signal(SIGKILL)) { [port = port as Int, path = path as String] in
            try await KilledTests.edit(port, path, run: 2, losses: 1)
        }
        let client = try await ListStateClient(server.transport, store: .directory(folder))
        let list = try await client.list("l", of: Grocery.self)
        try await until { list.status.text == "live" }
        client.close()

        let kept = try String(contentsOf: folder.appendingPathComponent("kept"), encoding: .utf8).split(separator: "\n")
        let items = try server.items(of: "l")
        for run in 0..<3 {
            let done = items.filter { $0.hasPrefix("\(run)-") }
            #expect(done == (0..<done.count).map { "\(run)-\($0)" })
            let keptCount = kept.count { $0.hasPrefix("\(run)-") }
            #expect(keptCount >= 20 && keptCount <= done.count)
        }
        #expect(items == items.sorted { $0.prefix(1) < $1.prefix(1) })
        // What was done twice would show here.
        let count = try server.operationCount(of: "l")
        #expect(count == items.count)
    }

    /// Edits a list until so many edits are kept that it is time to be killed.
    private static func edit(_ port: Int, _ path: String, run: Int, losses: Int) async throws {
        let folder = URL(fileURLWithPath: path)
        let network = BadNetwork(
            CurlTransport(URL(string: "http://127.0.0.1:\(port)")!)!, losses: losses, seed: UInt64(run))
        let client = try await ListStateClient(network, store: .directory(folder))
        let list = try await client.list("l", of: Grocery.self)
        let kept = fopen(folder.appendingPathComponent("kept").path, "a")
        var keptCount = 0
        for number in 0..<editsOfARun {
            let content = JSONText(unchecked: Array(#"{"name":"x"}"#.utf8))
            // Some are sent together, and some have names of their own.
            let edit = list.edit(label: number < 40 ? nil : "\(number)") { edit in
                edit.perform(.appendItems([item("\(run)-\(number)", content)], .section("a")))
            }
            Task {
                guard await edit.isKept else { return }
                fputs("\(run)-\(number)\n", kept)
                fflush(kept)
                keptCount += 1
                if keptCount == 25 + 10 * run { kill(getpid(), SIGKILL) }
            }
            if number > 30 { await Task.yield() }
        }
        try await Task.sleep(for: .seconds(60))
    }

    private static func item(_ id: String, _ content: JSONText) -> NewItem {
        var value = ItemChanges()
        value.content = .replace(content)
        return NewItem(ItemID(stringLiteral: id), value: value)
    }

    @Test func oneProcessHasTheStoreOpen() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DatabaseEditStore(directory: folder, looks: 0)
        _ = try await store.open()
        let path = folder.path
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            do {
                _ = try await DatabaseEditStore(directory: URL(fileURLWithPath: path), looks: 0).open()
            } catch EditStoreError.inUse {
                exit(7)
            }
        }
        await store.close()
        await #expect(processExitsWith: .success) { [path = path as String] in
            _ = try await DatabaseEditStore(directory: URL(fileURLWithPath: path), looks: 0).open()
        }
        // The lock of a process ends with it.
        _ = try await store.open()
        await store.close()
    }
}
