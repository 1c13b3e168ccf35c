import Foundation
import JSONValue
import TestSupport
import Testing

/// A connection remembers who sends its requests, but no longer than that is so. Tested on the real binary.
@Suite struct SameConnectionTests {
    private struct Scene {
        let server: ServerProcess
        let admin: String
        /// A connection on which requests were answered with the token.
        let socket: RawSocket
        let token: String

        init(lifetimeSeconds: Int? = nil) throws {
            server = try ServerProcess(["--memory"])
            admin = try Self.token(server.client, #"{"name":"admin","grants":[{"lists":["*"],"can":["administer"]}]}"#)
            let end = lifetimeSeconds.map { #","lifetimeSeconds":\#($0)"# } ?? ""
            token = try Self.token(
                server.client, #"{"name":"one","grants":[{"lists":["l"],"can":["read","write","create"]}]\#(end)}"#,
                admin)
            socket = try RawSocket(port: server.port)
            try #require(status(of: "PUT", "/v1/lists/l", token, #"{"title":"L"}"#) == 201)
            for _ in 1...2 { try #require(status(of: "GET", "/v1/lists/l", token) == 200) }
        }

        private static func token(_ client: HTTPClient, _ json: String, _ secret: String? = nil) throws -> String {
            let fields = secret.map { [("Authorization", "Bearer \($0)")] } ?? []
            let made = try client.send("POST", "/v1/tokens", fields, json: json)
            return try #require(try JSONValue(parsing: made.body)["token"]?.string)
        }

        /// The status of the answer on the connection.
        func status(of method: String, _ path: String, _ token: String?, _ body: String = "") throws -> Int {
            let line = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            let content = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            try socket.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(line)\(content)\r\n\(body)")
            return try socket.readResponse().status
        }

        /// Asks for a change with the administrator's token, on another connection.
        func administer(_ method: String, _ path: String, _ json: String? = nil) throws {
            let fields = [("Authorization", "Bearer \(admin)")]
            let answer =
                if let json {
                    try server.client.send(method, path, fields, json: json)
                } else {
                    try server.client.send(method, path, fields)
                }
            try #require(answer.status / 100 == 2, "\(answer.text)")
        }
    }

    @Test func aRevokedTokenIsNoneAtOnce() throws {
        let scene = try Scene()
        try scene.administer("DELETE", "/v1/tokens/one")
        #expect(try scene.status(of: "GET", "/v1/lists/l", scene.token) == 401)
        #expect(try scene.status(of: "POST", "/v1/lists/l/items", scene.token, #"{"items":["a"]}"#) == 401)
        #expect(try scene.status(of: "GET", "/v1/lists/l", scene.admin) == 200)
        #expect(try scene.status(of: "GET", "/v1/lists/l", nil) == 401)
        #expect(try scene.status(of: "GET", "/v1/lists/l", scene.token) == 401)
        #expect(scene.server.stop() == 0)
    }

    @Test func anOldSecretIsNoneAtOnce() throws {
        let scene = try Scene()
        try scene.administer("POST", "/v1/tokens/one/rotate", "{}")
        #expect(try scene.status(of: "GET", "/v1/lists/l", scene.token) == 401)
        #expect(scene.server.stop() == 0)
    }

    @Test func aTokenEndsAmongItsRequests() throws {
        let scene = try Scene(lifetimeSeconds: 2)
        let end = Date().addingTimeInterval(30)
        while try scene.status(of: "GET", "/v1/lists/l", scene.token) == 200, Date() < end {}
        #expect(try scene.status(of: "GET", "/v1/lists/l", scene.token) == 401)
        #expect(scene.server.stop() == 0)
    }

    /// Another token of the same length, none at all, and one that is cut: each is somebody else.
    @Test func everyRequestIsItsSenders() throws {
        let scene = try Scene()
        for _ in 1...2 {
            #expect(try scene.status(of: "GET", "/v1/lists/m", scene.token) == 404)
            #expect(try scene.status(of: "GET", "/v1/tokens", scene.token) == 403)
            #expect(try scene.status(of: "GET", "/v1/tokens", scene.admin) == 200)
            #expect(try scene.status(of: "GET", "/v1/lists/l", scene.token) == 200)
            #expect(try scene.status(of: "GET", "/v1/lists/l", String(scene.token.dropLast())) == 401)
            #expect(try scene.status(of: "GET", "/v1/lists/l", nil) == 401)
            #expect(try scene.status(of: "DELETE", "/v1/lists/l", scene.token) == 403)
        }
        #expect(scene.server.stop() == 0)
    }
}
