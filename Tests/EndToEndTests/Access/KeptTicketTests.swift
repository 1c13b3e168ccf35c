import Foundation
import JSONValue
import TestSupport
import Testing

/// A ticket is good through restarts, and on every server of a database.
@Suite struct KeptTicketTests {
    private static let target = "/v1/lists/l/changes"

    /// Makes a list, and a token of an administrator and one of a page.
    ///
    /// - Returns: The secrets.
    private static func prepare(_ client: HTTPClient) throws -> (admin: String, page: String) {
        let list = #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#
        try #require(try client.send("PUT", "/v1/lists/l", json: list).status == 201)
        let admin = try token(client, #"{"name":"admin","grants":[{"lists":["*"],"can":["administer"]}]}"#, by: "none")
        return (admin, try token(client, #"{"name":"page","grants":[{"lists":["l"],"can":["read"]}]}"#, by: admin))
    }

    private static func token(_ client: HTTPClient, _ json: String, by secret: String) throws -> String {
        let made = try client.send("POST", "/v1/tokens", [("Authorization", "Bearer \(secret)")], json: json)
        return try #require(try JSONValue(parsing: made.body)["token"]?.string, "\(made.text)")
    }

    private static func ticket(_ client: HTTPClient, _ secret: String) throws -> String {
        let made = try client.send(
            "POST", "/v1/tickets", [("Authorization", "Bearer \(secret)")], json: #"{"target":"\#(target)"}"#)
        try #require(made.status == 201, "\(made.text)")
        return try #require(made["Location"])
    }

    @Test func itIsGoodAfterAKill() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path])
        let (admin, secret) = try Self.prepare(server.client)
        let (used, fresh) = (try Self.ticket(server.client, secret), try Self.ticket(server.client, secret))
        let reset = try #require(try EventClient(port: server.port, used).next())
        for _ in 0..<2 {
            server.crash()
            server = try ServerProcess(["--data", folder.path])
            let stream = try EventClient(port: server.port, used, lastEventID: reset.id)
            #expect(stream.head.status == 200)
            #expect(try EventClient(port: server.port, fresh).next()?.name == "reset")
        }
        let revoked = try server.client.send("DELETE", "/v1/tokens/page", [("Authorization", "Bearer \(admin)")])
        #expect(revoked.status == 204)
        #expect(try EventClient(port: server.port, used).head.status == 401)
        #expect(server.stop() == 0)
    }

    @Test func itIsGoodOnEachServerOfADatabase() throws {
        let database = try PostgreSQLServer.shared
        let url = try database.url(database.newDatabase())
        let servers = try (0..<2).map { _ in try ServerProcess(["--store", url]) }
        let (admin, secret) = try Self.prepare(servers[0].client)
        let location = try Self.ticket(servers[0].client, secret)
        let fields = [("Authorization", "Bearer \(secret)")]
        // A new token is known to the others within a second.
        repeat {
            usleep(20_000)
        } while try servers[1].client.send("GET", "/v1/lists").status != 401
            || servers[1].client.send("GET", "/v1/lists", fields).status != 200
        let stream = try EventClient(port: servers[1].port, location)
        #expect(stream.head.status == 200)
        let reset = try #require(try stream.next())
        #expect(try EventClient(port: servers[0].port, location, lastEventID: reset.id).head.status == 200)
        let later = try ServerProcess(["--store", url])
        #expect(try EventClient(port: later.port, location, lastEventID: reset.id).head.status == 200)
        // The second server hears of it, and ends the stream.
        let revoked = try servers[0].client.send("DELETE", "/v1/tokens/page", [("Authorization", "Bearer \(admin)")])
        #expect(revoked.status == 204)
        let end = try #require(try stream.next())
        #expect(end.name == "bye" && end.json["reason"] == "access")
        let refused = try EventClient(port: servers[1].port, location)
        #expect(refused.head.status == 401)
    }
}
