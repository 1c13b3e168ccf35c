import Foundation
import TestSupport
import Testing

/// `liststate token` and `liststate access` with `--server`.
@Suite struct RemoteCommandTests {
    private typealias Said = (exitCode: Int32, output: String, errors: String)

    /// A server with the token admin.
    private final class Scene {
        let server: ServerProcess
        let admin: String
        var url: String { "http://127.0.0.1:\(server.port)" }

        init() throws {
            server = try ServerProcess(["--memory", "--first-token", "--samples"])
            admin = try #require(server.linesBefore.first.map { String($0.suffix(47)) })
        }

        func run(_ words: [String], token: String?, url: String? = nil) throws -> Said {
            try ServerProcess.run(
                words + ["--server", url ?? self.url], environment: token.map { ["LISTSTATE_TOKEN": $0] } ?? [:])
        }

        func status(_ path: String, _ token: String?) throws -> Int {
            try server.client.send("GET", path, token.map { [("Authorization", "Bearer \($0)")] } ?? []).status
        }
    }

    @Test func tokensAreMadeAndRevokedWithTheRightsOfAToken() throws {
        let scene = try Scene()
        let create = [
            "token", "create", "--name", "ci", "--lists", "main-*", "--can", "administer", "--expires", "90d",
        ]
        let made = try scene.run(create, token: scene.admin)
        #expect(made.exitCode == 0, "\(made)")
        let ci = try #require(made.output.split(separator: "\n").last.map(String.init))
        #expect(ci.wholeMatch(of: /lst_[A-Za-z0-9]{43}/) != nil)
        #expect(try scene.status("/v1/lists/main-sub", ci) == 200)
        #expect(try scene.run(create, token: scene.admin).exitCode == 76)

        let all = try scene.run(["token", "list"], token: scene.admin)
        #expect(all.output.contains("admin: read,write,create,delete,administer on *\nci: "), "\(all)")
        #expect(all.output.contains(", until 20") && all.output.contains("\nanonymous: nothing\nany-token: nothing\n"))
        #expect(!all.output.contains("lst_"))
        // An administrator of some lists is told of what it may change, and may not give more.
        let some = try scene.run(["token", "list"], token: ci)
        #expect(some.exitCode == 0 && some.output.hasPrefix("ci: ") && !some.output.contains("anonymous"), "\(some)")
        let more = try scene.run(["token", "create", "--name", "x", "--lists", "*", "--can", "read"], token: ci)
        #expect(more.exitCode == 76 && more.errors.contains("answered 403."), "\(more)")

        let rotated = try scene.run(["token", "rotate", "ci"], token: scene.admin)
        let other = try #require(rotated.output.split(separator: "\n").last.map(String.init))
        #expect(try scene.status("/v1/lists/main-sub", ci) == 401)
        #expect(try scene.status("/v1/lists/main-sub", other) == 200)
        let access = ["access", "--to", "anonymous", "--lists", "main-sub", "--can", "read"]
        #expect(try scene.run(access, token: scene.admin).output == "anonymous: read on main-sub\n")
        #expect(try scene.status("/v1/lists/main-sub", nil) == 200)
        #expect(try scene.run(["token", "revoke", "ci"], token: scene.admin).exitCode == 0)
        #expect(try scene.status("/v1/lists/main-sub", other) == 401)
        #expect(try scene.run(["token", "revoke", "ci"], token: scene.admin).exitCode == 76)
        #expect(try scene.run(["token", "revoke", "../lists/main-sub"], token: scene.admin).exitCode == 65)
        // Other commands that ask a server send the token as well.
        let step = ["samples", "run", "wifi", "--steps", "1", "--url", scene.url]
        #expect(try ServerProcess.run(step).exitCode == 76)
        #expect(try ServerProcess.run(step, environment: ["LISTSTATE_TOKEN": scene.admin]).exitCode == 0)
    }

    @Test func refusalsSayWhatToDo() throws {
        let scene = try Scene()
        let none = try scene.run(["token", "list"], token: nil)
        #expect(none.exitCode == 76 && none.errors.contains("answered 401."), "\(none)")
        #expect(none.errors.contains("Put it into LISTSTATE_TOKEN."))
        let wrong = try scene.run(["token", "list"], token: "lst_\(String(repeating: "a", count: 43))")
        #expect(wrong.exitCode == 76 && wrong.errors.contains("is not known, was revoked"), "\(wrong)")
        for token in ["a\r\nX: y", "ä", String(repeating: "a", count: 8_193)] {
            #expect(try scene.run(["token", "list"], token: token).exitCode == 64)
        }
        // No token goes to another machine for everybody to read. Nobody is asked, so there need be no such host.
        for url in ["http://lists.invalid", "http://127.0.0.1.lists.invalid:80"] {
            let clear = try scene.run(["token", "list"], token: scene.admin, url: url)
            #expect(clear.exitCode == 64 && clear.errors.contains("Use https"), "\(clear)")
            #expect(!clear.errors.contains(scene.admin))
        }
        let both = try scene.run(["token", "list", "--data", "x"], token: scene.admin)
        #expect(both.exitCode == 64 && both.errors.contains("One of --data"))
    }

    @Test func aProxyWithTLSIsAskedIfItsCertificateIsGood() throws {
        let scene = try Scene()
        let proxy = try TLSProxy(to: scene.server.port)
        let (port, certificate) = (proxy.port, proxy.certificate)
        defer { withExtendedLifetime(proxy) {} }
        func list(_ host: String, trusting file: String?) throws -> Said {
            var environment = ["LISTSTATE_TOKEN": scene.admin]
            environment["SSL_CERT_FILE"] = file
            let words = ["token", "list", "--server", "https://\(host):\(port)"]
            return try ServerProcess.run(words, environment: environment)
        }
        let good = try list("localhost", trusting: certificate)
        #expect(good.exitCode == 0 && good.output.hasPrefix("admin: "), "\(good)")
        let made = try ServerProcess.run(
            [
                "token", "create", "--name", "b", "--lists", "b", "--can", "read", "--server",
                "https://localhost:\(port)",
            ],
            environment: ["LISTSTATE_TOKEN": scene.admin, "SSL_CERT_FILE": certificate])
        #expect(made.output.contains("lst_"), "\(made)")
        let revoked = try ServerProcess.run(
            ["token", "revoke", "b", "--server", "https://localhost:\(port)"],
            environment: ["LISTSTATE_TOKEN": scene.admin, "SSL_CERT_FILE": certificate])
        #expect(revoked.exitCode == 0, "\(revoked)")
        // Nobody vouches for the certificate; it is one of another name.
        for (host, file) in [("localhost", nil), ("127.0.0.1", certificate)] {
            let bad = try list(host, trusting: file)
            #expect(bad.exitCode == 69 && bad.errors.lowercased().contains("certificate"), "\(bad)")
        }
    }
}
