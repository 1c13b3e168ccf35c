import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// `serve --first-token`, and what a server without tokens refuses.
@Suite struct FirstTokenTests {
    /// The token in a line that a server or a command has printed.
    private static func token(in line: String) -> String? {
        line.firstMatch(of: /lst_[A-Za-z0-9]{43}$/).map { String($0.0) }
    }

    private static func fields(_ token: String?) -> [(String, String)] {
        token.map { [("Authorization", "Bearer \($0)")] } ?? []
    }

    @Test func aServerThatOthersReachTakesATokenOrAWord() throws {
        let open = ["serve", "--memory", "--port", "0", "--host", "0.0.0.0"]
        let refused = try ServerProcess.run(open)
        #expect(refused.exitCode == 78)
        #expect(refused.errors.contains("--first-token") && refused.output.isEmpty, "\(refused)")
        // Nobody can make a token for what is in memory only.
        #expect(!refused.errors.contains("token create"), "\(refused)")
        let folder = try TemporaryFolder()
        let kept = try ServerProcess.run(["serve", "--data", folder.path, "--port", "0", "--host", "::"])
        let command = "liststate token create --name admin --lists '*' --can administer --data \(folder.path)."
        #expect(kept.exitCode == 78 && kept.errors.contains(command), "\(kept)")
        let warned = try ServerProcess(["--memory", "--host", "0.0.0.0", "--insecure"])
        #expect(warned.linesBefore.isEmpty)
        #expect(try warned.client.send("GET", "/v1/lists").status == 200)
        #expect(warned.stop() == 0)
        #expect(warned.log.contains("There are no tokens"))

        let server = try ServerProcess(["--memory", "--host", "0.0.0.0", "--first-token"])
        let token = try #require(server.linesBefore.first.flatMap(Self.token))
        #expect(server.linesBefore.count == 1)
        let rows: [(String?, String, Int)] = [
            (nil, "/v1/lists", 401), ("lst_\(String(repeating: "a", count: 43))", "/v1/lists", 401),
            (token, "/v1/lists", 200), (token, "/v1/tokens", 200), (nil, "/healthz", 200), (nil, "/readyz", 200),
        ]
        for (sent, path, status) in rows {
            #expect(try server.client.send("GET", path, Self.fields(sent)).status == status, "\(path)")
        }
        #expect(try ServerProcess.run(["health", "--port", "\(server.port)"]).exitCode == 0)
        #expect(server.stop() == 0)
        #expect(!server.log.contains(token))
    }

    @Test func aFolderGetsOneToken() throws {
        let folder = try TemporaryFolder()
        let (first, line) = try start(folder)
        let token = try #require(line.flatMap(Self.token))
        #expect(first.stop() == 0)
        let (second, none) = try start(folder)
        #expect(none == nil)
        #expect(try second.client.send("GET", "/v1/lists", Self.fields(token)).status == 200)
        // Nobody can lock all others out for good by revoking the last token, and nobody gets in meanwhile.
        #expect(try ServerProcess.run(["token", "revoke", "admin", "--data", folder.path]).exitCode == 0)
        #expect(try second.client.send("GET", "/v1/lists", Self.fields(token)).status == 401)
        #expect(try second.client.send("GET", "/v1/lists").status == 401)
        #expect(second.stop() == 0)
        let (third, another) = try start(folder)
        #expect(another.flatMap(Self.token) != nil && another != line)
        #expect(third.stop() == 0)
        // The variable is the option.
        let variable = try ServerProcess(["--memory"], environment: ["LISTSTATE_FIRST_TOKEN": "true"])
        #expect(variable.linesBefore.count == 1)
    }

    /// A token that a command has made before the first start counts.
    @Test func aFolderWithATokenGetsNone() throws {
        let folder = try TemporaryFolder()
        let place = ["--data", folder.path]
        let create = ["token", "create", "--name", "ada", "--lists", "*", "--can", "administer"] + place
        let made = try ServerProcess.run(create)
        #expect(made.exitCode == 0, "\(made)")
        let listed = try ServerProcess.run(["token", "list"] + place)
        #expect(listed.output.hasPrefix("ada: read,write,create,delete,administer on *\n"), "\(listed)")
        let (server, line) = try start(folder)
        #expect(line == nil)
        let token = made.output.split(separator: "\n").last.map(String.init)
        #expect(try server.client.send("GET", "/v1/lists", Self.fields(token)).status == 200)
        #expect(server.stop() == 0)
        // The most patterns of one grant, each as long as it may be.
        let patterns = (0..<64).map { "\($0)" + String(repeating: "x", count: 120) }.joined(separator: ",")
        let many = ["token", "create", "--name", "many", "--lists", patterns, "--can", "read"] + place
        #expect(try ServerProcess.run(many).exitCode == 0)
        let (again, _) = try start(folder)
        let more = many.map { $0 == "many" ? "more" : $0 }
        let answer = try ServerProcess.run(more)
        #expect(answer.exitCode == 0, "\(answer)")
        #expect(try ServerProcess.run(["token", "list"] + place).output.contains("more: read on 0x"))
        #expect(again.stop() == 0)
        #expect(try ServerProcess.run(["token", "rotate", "ada"] + place).exitCode == 0)
        #expect(try ServerProcess.run(["token", "revoke", "ada"] + place).exitCode == 0)
    }

    private func start(_ folder: TemporaryFolder) throws -> (ServerProcess, String?) {
        let server = try ServerProcess(["--data", folder.path, "--first-token"])
        return (server, server.linesBefore.first)
    }

    @Test func ofThreeServersThatStartTogetherOneMakesIt() throws {
        let database = try PostgreSQLServer.shared
        for _ in 0..<3 {
            let url = try database.url(database.newDatabase())
            let servers = Locked<[ServerProcess]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                let server = try? ServerProcess(["--store", url, "--first-token"])
                servers.withLock { $0 += server.map { [$0] } ?? [] }
            }
            let started = servers.withLock { $0 }
            #expect(started.count == 3)
            let lines = started.flatMap(\.linesBefore)
            #expect(lines.count == 1, "\(lines)")
            let token = try #require(lines.first.flatMap(Self.token))
            for server in started {
                // Each server looks at the stored tokens by itself.
                while try server.client.send("GET", "/v1/lists", Self.fields(token)).status != 200 { usleep(10_000) }
                #expect(try server.client.send("GET", "/v1/lists").status == 401)
                #expect(server.stop() == 0)
            }
        }
    }
}
