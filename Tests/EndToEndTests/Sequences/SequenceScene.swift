import Foundation
import JSONValue
import TestSupport
import Testing

/// The ways in which a server keeps its lists.
enum ServedEngine: String, CaseIterable, Sendable {
    case memory, folder, postgreSQL

    /// Those whose servers may be killed.
    static let lasting: [ServedEngine] = [.folder, .postgreSQL]
}

/// A server that can be started again over what it has kept, and a client that numbers its writes.
final class SequenceScene {
    private let folder: TemporaryFolder
    private let place: [String]
    private(set) var server: ServerProcess

    init(_ engine: ServedEngine, _ options: [String] = []) throws {
        folder = try TemporaryFolder()
        switch engine {
        case .memory: place = ["--memory"] + options
        case .folder: place = ["--data", folder.path + "/data"] + options
        case .postgreSQL:
            let database = try PostgreSQLServer.shared
            place = ["--store", try database.url(database.newDatabase())] + options
        }
        server = try ServerProcess(place)
    }

    var client: HTTPClient { server.client }
    var path: String { folder.path }

    /// Another server over the same data.
    func another() throws -> ServerProcess { try ServerProcess(place) }

    func crash() throws {
        server.crash()
        server = try ServerProcess(place)
    }

    /// - Parameter more: Further options, for this start only.
    func restart(_ more: [String] = []) throws {
        #expect(server.stop() == 0)
        server = try ServerProcess(place + more)
    }

    /// Sends a numbered write. The body is sent as JSON if it is not empty.
    func send(
        _ number: Int, _ method: String, _ path: String, _ body: String = "", client: String = "one",
        fields: [(String, String)] = []
    ) throws -> RawResponse {
        try Self.send(number, method, path, body, client: client, fields: fields, over: server.client)
    }

    static func send(
        _ number: Int, _ method: String, _ path: String, _ body: String = "", client: String = "one",
        fields: [(String, String)] = [], over connection: HTTPClient
    ) throws -> RawResponse {
        let fields = [("Client", "\"\(client)\""), ("Client-Sequence", "\(number)")] + fields
        return body.isEmpty
            ? try connection.send(method, path, fields) : try connection.send(method, path, fields, json: body)
    }

    static func append(_ item: String) -> String { #"{"items":[{"id":"\#(item)"}]}"# }

    /// The ids of the items of a list, in its order.
    func items(_ list: String = "l") throws -> [String] {
        let body = try JSONValue(parsing: server.client.send("GET", "/v1/lists/\(list)").body)
        return (body["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }.compactMap {
            $0["id"]?.string.map { "\($0)" }
        }
    }
}

extension RawResponse {
    /// The answer in short: its status, the code of a problem, the number that is used up, and whether it is a replay.
    var short: String {
        let json = try? JSONValue(parsing: body)
        let code = json?["code"]?.string.map { " \($0)" } ?? ""
        let expected = json?["expected"]?.integer.map { " expects \($0)" } ?? ""
        let used = self["Client-Sequence"].map { " uses \($0)" } ?? ""
        return "\(status)\(code)\(expected)\(used)\(self["Idempotency-Replayed"] == "true" ? " again" : "")"
    }
}
