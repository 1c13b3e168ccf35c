import Foundation
import ListModel
import TestSupport
import Testing
import Texts

@testable import ListStateClient

/// Rows that survive the process, so that a list shows before the server answers.
@MainActor @Suite(.serialized) struct KeptRowsTests {
    private static let rows = """
        {"title":"T","sections":[{"id":"a","items":[{"id":"apple","content":{"name":"A"}},{"id":"pear","content":{"name":"P"}},
         {"id":"fig","parent":"pear","content":{"name":"F"}}]}]}
        """

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var files: RowFiles { RowFiles(directory: folder.appendingPathComponent("rows")) }

    private func shown(_ list: LiveList<Grocery>) -> [String] { list.sections.flatMap(\.items).map { "\($0)" } }

    private func open(_ network: some Transport) async throws -> (client: ListStateClient, list: LiveList<Grocery>) {
        let client = try await ListStateClient(network, store: .directory(folder))
        return (client, try await client.list("l", of: Grocery.self))
    }

    /// Rows of version 1 are kept, with an edit on top that the server has not seen.
    private func madeOffline(_ server: ServedLists) async throws {
        try server.send("PUT", "/v1/lists/l", Self.rows)
        let network = BadNetwork(server.transport)
        let (client, list) = try await open(network)
        try await until { list.status.text == "live" }
        network.isDown = true
        #expect(await list.edit { $0.move("pear", before: "apple") }.isKept)
        client.close()
        try await until { files.rows(of: list.id) != nil }
    }

    @Test func aClientThatStartsWithoutANetworkShowsThemWithItsEdits() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServedLists()
        try await madeOffline(server)
        let network = BadNetwork(server.transport)
        network.isDown = true
        let (client, list) = try await open(network)
        #expect(shown(list) == ["pear", "apple"] && list.properties.title == "T")
        #expect(list.row("apple")?.content == Grocery(name: "A"))
        try await until { list.status.text == "offline, 1 pending" }
        list.edit { $0.expand(["pear"]) }
        #expect(shown(list) == ["pear", "fig", "apple"])
        try server.send(
            "POST", "/v1/lists/l/transactions", #"{"operations":[{"op":"deleteItems","items":["apple"]}]}"#)
        var told: [ChangeSet?] = []
        list.onChanges = { told.append($0) }
        network.isDown = false
        try await until { list.status.text == "live" && shown(list) == ["pear", "fig"] }
        #expect(try server.items(of: "l") == ["pear", "fig"])
        // The server tells what has changed, and not all of it again.
        #expect(!told.contains { $0 == nil })
        client.close()
    }

    @Test func theyAreWrittenWhileTheClientIsOpen() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/l", Self.rows)
        let (client, list) = try await open(server.transport)
        try await until { files.rows(of: list.id) != nil }
        list.edit { $0.delete(["apple"]) }
        try await until {
            files.rows(of: list.id).map { !String(decoding: $0, as: UTF8.self).contains("apple") } ?? false
        }
        try server.send("DELETE", "/v1/lists/l")
        try await until { files.rows(of: list.id) == nil }
        client.close()
    }

    @Test("Whatever is kept, the server's rows win", arguments: ["other", "cut", "foreign", "none"])
    func theServerWins(kept: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServedLists()
        try await madeOffline(server)
        let list = ListID("l")!
        let rows = try #require(files.rows(of: list))
        switch kept {
        case "other":
            // A list of the same id with a history of its own.
            try server.send("DELETE", "/v1/lists/l")
            try server.send("PUT", "/v1/lists/l", Self.rows)
        case "cut": files.keep(Array(rows.dropLast(9)), of: list)
        case "foreign":
            let text = String(decoding: rows, as: UTF8.self)
            files.keep(Array(text.replacingOccurrences(of: #""id":"l""#, with: #""id":"k""#).utf8), of: list)
        default: files.keep(nil, of: list)
        }
        let (client, live) = try await open(server.transport)
        try await until { live.status.text == "live" }
        #expect(shown(live) == ["pear", "apple"])
        #expect(try server.items(of: "l") == ["pear", "fig", "apple"])
        client.close()
    }

    @Test func theOldestGoAndLongOnesAreNotKept() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ids = (0...RowFiles.listsMax).map { ListID(ByteText("l\($0)"))! }
        for (number, list) in ids.enumerated() {
            files.keep([1], of: list)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(number))],
                ofItemAtPath: files.directory.appendingPathComponent("\(list).json").path)
        }
        files.keep([2], of: ids[1])
        #expect(files.rows(of: ids[0]) == nil && files.rows(of: ids[1]) == [2] && files.rows(of: ids[2]) == [1])
        files.keep([3], of: ListID("new")!)
        #expect(files.rows(of: ids[2]) == nil && files.rows(of: ids[3]) == [1])
        files.keep(Array(repeating: 0, count: RowFiles.bytesMax + 1), of: ids[1])
        #expect(files.rows(of: ids[1]) == nil)
    }
}
