import Foundation
import JSONValue
import TestSupport
import Testing

/// `liststate serve --jwks`: tokens of another issuer.
@Suite struct OtherIssuerTests {
    private static let list = #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#
    private static let grants = #""liststate":[{"lists":["team-*"],"can":["write","create"]}]"#

    private static func header(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(token)")] }

    private static func claims(_ rights: String, seconds: Int = 600) -> String {
        "\(OtherIssuer.expiring(in: seconds)),\(rights)"
    }

    @Test(arguments: [
        grants, #""liststate":"liststate:write,create:team-*""#,
        #""liststate":"openid liststate:create:team-* profile liststate:write:nothing,team-*""#,
        #""liststate":["openid","liststate:write,create:team-*"]"#,
    ])
    func aTokenHasTheRightsOfItsClaim(_ rights: String) throws {
        let issuer = try OtherIssuer()
        let server = try ServerProcess(["--memory"] + issuer.options)
        let client = server.client
        // A server that trusts an issuer has tokens, even if none is its own.
        #expect(try client.send("GET", "/v1/lists").status == 401)
        let token = try issuer.token(Self.claims(rights))
        for _ in 0..<2 {
            #expect(try client.send("PUT", "/v1/lists/team-a", Self.header(token), json: Self.list).status / 100 == 2)
        }
        #expect(try client.send("PUT", "/v1/lists/other", Self.header(token), json: Self.list).status == 404)
        #expect(try client.send("DELETE", "/v1/lists/team-a", Self.header(token)).status == 403)
        #expect(try client.send("GET", "/v1/tokens", Self.header(token)).status == 403)
        try #require(try client.send("POST", "/v1/lists/team-a/items/a/star", Self.header(token)).status == 200)
        let history = try client.send("GET", "/v1/lists/team-a/transactions", Self.header(token))
        let actor = try JSONValue(parsing: history.body)["transactions"]?[0]?["actor"]?.string
        #expect(actor == "ada@https://id.example")
        let reader = try issuer.token(Self.claims(#""scope":"liststate:administer:*""#))
        #expect(try client.send("GET", "/v1/lists/team-a", Self.header(reader)).status == 404)
        #expect(server.stop() == 0)
    }

    /// Members of a token, and a part of the reason why it is refused.
    private static let refusals: [(claims: String, reason: String)] = [
        ("\(OtherIssuer.expiring(in: -1)),\(grants)", "has expired"),
        ("\(OtherIssuer.expiring(in: 600)),\"nbf\":99999999999,\(grants)", "not valid yet"),
        ("\(OtherIssuer.expiring(in: 600)),\"aud\":\"others\",\(grants)", "another audience"),
        ("\(OtherIssuer.expiring(in: 600)),\"iss\":\"https://other.example\",\(grants)", "another issuer"),
        ("\(OtherIssuer.expiring(in: 600)),\"sub\":\"\",\(grants)", "subject"),
        (grants, "cannot be read"),
        ("\(OtherIssuer.expiring(in: 600)),\"liststate\":{}", "names its rights"),
        ("\(OtherIssuer.expiring(in: 600)),\"liststate\":\"liststate:write\"", "names its rights"),
        ("\(OtherIssuer.expiring(in: 600)),\"liststate\":[{\"lists\":[\"A\"],\"can\":[\"read\"]}]", "names its rights"),
        ("\(OtherIssuer.expiring(in: 600)),\"liststate\":[{\"lists\":[\"a\"],\"can\":[\"own\"]}]", "names its rights"),
        (
            "\(OtherIssuer.expiring(in: 600)),\"liststate\":[{\"lists\":[\"a\"],\"can\":[\"read\"],\"until\":1}]",
            "names its rights"
        ),
    ]

    @Test func wrongTokensAreRefused() throws {
        let issuer = try OtherIssuer()
        let server = try ServerProcess(["--memory", "--wrong-tokens-per-minute", "1000"] + issuer.options)
        let other = try OtherIssuer()
        let good = try issuer.token(Self.claims(Self.grants))
        let parts = good.split(separator: ".").map(String.init)
        var rows = try Self.refusals.map { (token: try issuer.token($0.claims), reason: $0.reason) }
        rows += [
            (try other.token(Self.claims(Self.grants)), "signature is wrong"),
            ("\(parts[0]).\(parts[1]).", "signature is wrong"), ("\(parts[0]).\(parts[1])", "cannot be read"),
            (try issuer.token(Self.claims(Self.grants), header: #"{"alg":"none"}"#), "algorithm"),
            (try issuer.token(Self.claims(Self.grants), header: #"{"alg":"HS256"}"#), "algorithm"),
            (try issuer.token(Self.claims(Self.grants), header: #"{"alg":"EdDSA","kid":"two"}"#), "does not publish"),
            (good + String(repeating: "A", count: 7_000), "signature is wrong"),
            (good + "=", "cannot be read"), (good + ".", "cannot be read"),
        ]
        for row in rows {
            let answer = try server.client.send("PUT", "/v1/lists/team-a", Self.header(row.token), json: Self.list)
            #expect(answer.status == 401)
            #expect(answer["WWW-Authenticate"]?.contains("invalid_token") == true)
            #expect(answer.text.contains(row.reason), "\(row.reason): \(answer.text)")
        }
        #expect(try server.client.send("GET", "/v1/lists/team-a", Self.header(good)).status == 404)
        #expect(server.stop() == 0)
        #expect(!server.log.contains(parts[2]))
    }

    @Test func onlyWrongTokensAreCounted() throws {
        let issuer = try OtherIssuer()
        let server = try ServerProcess(["--memory", "--wrong-tokens-per-minute", "3"] + issuer.options)
        for number in 0..<6 {
            let token = try issuer.token(Self.claims(Self.grants), subject: "user-\(number)")
            #expect(try server.client.send("GET", "/v1/lists", Self.header(token)).status == 200)
        }
        let statuses = try (0..<5).map { number in
            try server.client.send("GET", "/v1/lists", Self.header("a.b.c\(number)")).status
        }
        #expect(statuses.first == 401 && statuses.last == 429, "\(statuses)")
        #expect(server.stop() == 0)
    }

    /// A long body is refused before it is read if its sender is nobody. A token that nobody has looked at yet may be
    /// somebody's.
    @Test func aNewTokenMayComeWithALongBody() throws {
        let issuer = try OtherIssuer()
        let server = try ServerProcess(["--memory", "--wrong-tokens-per-minute", "2"] + issuer.options)
        let text = String(repeating: "x", count: 20_000)
        let long = #"{"sections":[{"id":"s","items":[{"id":"a","kind":"k","content":{"text":"\#(text)"}}]}]}"#
        for number in 0..<4 {
            let token = try issuer.token(Self.claims(Self.grants), subject: "user-\(number)")
            let made = try server.client.send("PUT", "/v1/lists/team-\(number)", Self.header(token), json: long)
            #expect(made.status == 201, "\(made.text)")
        }
        let wrong = try (0..<3).map { number in
            try server.client.send("PUT", "/v1/lists/team-a", Self.header("a.b.c\(number)"), json: long).status
        }
        #expect(wrong == [401, 401, 429])
        #expect(server.stop() == 0)
    }

    /// `/readyz` names damaged lists to an administrator also if nobody has looked at its token before.
    @Test func readinessLooksAtANewToken() throws {
        let issuer = try OtherIssuer()
        let database = try PostgreSQLServer.shared
        let name = try database.newDatabase()
        let place = ["--store", database.url(name)] + issuer.options
        let rights = Self.claims(#""liststate":"liststate:administer:*""#)
        let maker = try ServerProcess(place)
        let root = try issuer.token(rights, subject: "root")
        try #require(try maker.client.send("PUT", "/v1/lists/l", Self.header(root), json: Self.list).status == 201)
        #expect(maker.stop() == 0)
        try database.query("UPDATE liststate.log SET crc = 1", in: name)
        let server = try ServerProcess(place)
        #expect(try server.client.send("GET", "/v1/lists/l", Self.header(root)).status == 503)
        for (subject, claims, text) in [
            ("ada", rights, #""unreadable":["l"]"#), ("bob", Self.claims(Self.grants), #""unreadableCount":1"#),
            ("cy", "\(OtherIssuer.expiring(in: -1)),\(Self.grants)", #""unreadableCount":1"#),
        ] {
            let token = try issuer.token(claims, subject: subject)
            let ready = try server.client.send("GET", "/readyz", Self.header(token))
            #expect(ready.status == 200 && ready.text.contains(text), "\(subject): \(ready.text)")
        }
        #expect(server.stop() == 0)
    }

    @Test(arguments: [false, true])
    func aStreamEndsWithItsToken(hasTicket: Bool) throws {
        let issuer = try OtherIssuer()
        // No heartbeat asks whether the right is still there.
        let server = try ServerProcess(["--memory", "--heartbeat-seconds", "600"] + issuer.options)
        let token = try issuer.token(Self.claims(Self.grants, seconds: 3))
        let end = Date().timeIntervalSince1970.rounded(.down) + 3
        try #require(
            try server.client.send("PUT", "/v1/lists/team-a", Self.header(token), json: Self.list).status == 201)
        var (target, fields) = ("/v1/lists/team-a/changes", Self.header(token))
        if hasTicket {
            let made = try server.client.send(
                "POST", "/v1/tickets", fields, json: #"{"target":"/v1/lists/team-a/changes"}"#)
            (target, fields) = (try #require(made["Location"]), [])
        }
        let stream = try EventClient(port: server.port, target, fields)
        #expect(try stream.next()?.name == "reset")
        let bye = try #require(try stream.next())
        let late = Date().timeIntervalSince1970 - end
        #expect(bye.name == "bye" && bye.json["reason"] == "access")
        #expect((-1.0...2.0).contains(late), "\(late) s after exp")
        #expect(try EventClient(port: server.port, target, fields).head.status == 401)
        #expect(server.stop() == 0)
    }

    @Test func aStreamEndsWithTheKeyOfItsToken() throws {
        let issuer = try OtherIssuer()
        let server = try ServerProcess(["--memory", "--heartbeat-seconds", "600"] + issuer.options)
        let token = try issuer.token(Self.claims(Self.grants))
        try #require(
            try server.client.send("PUT", "/v1/lists/team-a", Self.header(token), json: Self.list).status == 201)
        let stream = try EventClient(port: server.port, "/v1/lists/team-a/changes", Self.header(token))
        #expect(try stream.next()?.name == "reset")
        // A connection on which the token was right.
        let socket = try RawSocket(port: server.port)
        func status() throws -> Int {
            try socket.send("GET /v1/lists HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
            return try socket.readResponse().status
        }
        for _ in 1...2 { #expect(try status() == 200) }
        try issuer.makeKey()
        let bye = try #require(try stream.next())
        #expect(bye.name == "bye" && bye.json["reason"] == "access")
        #expect(try status() == 401)
        #expect(try server.client.send("GET", "/v1/lists", Self.header(token)).status == 401)
        let another = try issuer.token(Self.claims(Self.grants))
        #expect(try server.client.send("GET", "/v1/lists", Self.header(another)).status == 200)
        #expect(server.stop() == 0)
    }

    @Test func anAdministratorOfTheIssuerMakesTokens() throws {
        let issuer = try OtherIssuer()
        let server = try ServerProcess(["--memory"] + issuer.options)
        let admin = try issuer.token(Self.claims(#""liststate":"liststate:administer:team-*""#))
        let rows: [(lists: String, status: Int)] = [("team-a", 201), ("*", 403)]
        for (index, row) in rows.enumerated() {
            let made = try server.client.send(
                "POST", "/v1/tokens", Self.header(admin),
                json: #"{"name":"t\#(index)","grants":[{"lists":["\#(row.lists)"],"can":["read"]}]}"#)
            #expect(made.status == row.status, "\(made.text)")
        }
        #expect(server.stop() == 0)
    }

    private static let words = ["--jwt-issuer", "a", "--jwt-audience", "b"]

    /// Options, and the exit code.
    private static let mistakes: [(options: [String], code: Int32)] = [
        (["--jwks", "/nowhere"], 64), (words, 64), (["--jwks", "/nowhere"] + words, 78),
        (["--jwks", "http://id.example/keys"] + words, 64), (["--jwks", "ftp://id.example/keys"] + words, 64),
        (["--jwks", "/dev/null"] + words, 78), (["--jwks", "/nowhere", "--jwt-claim", "sub"] + words, 64),
        (["--jwks", "/nowhere", "--jwks-seconds", "0"] + words, 64),
        (["--jwks", "/nowhere", "--jwt-issuer", "a b", "--jwt-audience", "b"], 64),
    ]

    @Test func wrongOptionsAreTold() throws {
        for mistake in Self.mistakes {
            let result = try ServerProcess.run(["serve", "--memory", "--port", "0"] + mistake.options)
            #expect(result.exitCode == mistake.code, "\(mistake.options): \(result.errors)")
        }
    }

    @Test func anIssuerThatIsAwayIsWaitedFor() throws {
        let server = try ServerProcess(
            ["--memory", "--jwks", "http://127.0.0.1:1/keys", "--jwks-seconds", "1"] + Self.words)
        #expect(try server.client.send("GET", "/v1/lists").status == 401)
        #expect(server.stop() == 0)
        #expect(server.log.contains("keys of the issuer cannot be read"))
    }
}
