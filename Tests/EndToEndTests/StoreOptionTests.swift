import Foundation
import TestSupport
import Testing
import Threads

/// `liststate serve --store`: servers over one PostgreSQL database.
@Suite struct StoreOptionTests {
    private static let password = "secret-word"

    @Test func itRefusesUntilTheDatabaseIsBackAndRecoversByItself() throws {
        let database = try PostgreSQLServer()
        try database.query("CREATE ROLE locked LOGIN PASSWORD '\(Self.password)'")
        try database.query("CREATE DATABASE lists OWNER locked")
        let url = database.url("lists", user: "locked", password: Self.password)
        let server = try ServerProcess(["--store", url, "--log-level", "debug"])
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s"}]}"#).status == 201)
        #expect(try client.send("GET", "/readyz").status == 200)
        #expect(try client.send("GET", "/v1/lists/l").status == 200)
        let command = try String(contentsOfFile: "/proc/\(server.processIdentifier)/cmdline", encoding: .utf8)
        #expect(command.contains("--store") && !command.contains(Self.password) && !command.contains("locked"))

        try database.crash()
        let refused = try client.send("POST", "/v1/lists/l/items", json: #"{"items":[{"id":"a"}]}"#)
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
        try Self.wait(for: 503, client)
        #expect(try client.send("GET", "/healthz").status == 200)
        #expect(try client.send("GET", "/v1/lists/l").status == 503)
        let fromMemory = try client.send("GET", "/v1/lists/l", [("Cache-Control", "max-stale")])
        #expect(fromMemory.status == 200)
        #expect(fromMemory["Age"] != nil)
        let item = try client.send("GET", "/v1/lists/l/items/a", [("Cache-Control", "max-stale")])
        #expect(item.status == 404)

        try database.start()
        try Self.wait(for: 200, client)
        let added = try client.send("POST", "/v1/lists/l/items", json: #"{"items":[{"id":"b"}]}"#)
        #expect(added.status == 200)
        #expect(server.stop() == 0)
        #expect(!server.log.contains(Self.password))
    }

    @Test func settingsThatLoseWritesAreRefusedUnlessAllowed() throws {
        let database = try PostgreSQLServer.shared
        let name = try database.newDatabase()
        try database.query("ALTER DATABASE \(name) SET synchronous_commit = off")
        let refused = try ServerProcess.run(["serve", "--port", "0", "--store", database.url(name)])
        #expect(refused.exitCode == 78)
        #expect(refused.errors.contains("synchronous_commit"))
        let server = try ServerProcess(["--store", database.url(name), "--allow-unsafe-store"])
        #expect(server.stop() == 0)
        #expect(server.log.contains("synchronous_commit"))
    }

    @Test func aStandbyMayBeRequired() throws {
        let database = try PostgreSQLServer()
        let refused = try ServerProcess.run(["serve", "--port", "0", "--store", database.url(), "--require-standby"])
        #expect(refused.exitCode == 78)
        #expect(refused.errors.contains("synchronous_standby_names"))
        // One commit after another waits for no standby, because the role does not want to.
        try database.query("CREATE ROLE hasty SUPERUSER LOGIN")
        try database.query("ALTER ROLE hasty SET synchronous_commit = local")
        try database.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try database.query("SELECT pg_reload_conf()")
        let local = try ServerProcess.run([
            "serve", "--port", "0", "--store", database.url(user: "hasty"), "--require-standby", "--allow-unsafe-store",
        ])
        #expect(local.exitCode == 78)
        #expect(try ServerProcess.run(["serve", "--memory", "--require-standby"]).exitCode == 64)
    }

    @Test func tablesOfALaterFormatAreRefused() throws {
        let database = try PostgreSQLServer.shared
        let name = try database.newDatabase()
        #expect(try ServerProcess(["--store", database.url(name)]).stop() == 0)
        try database.query("UPDATE liststate.cluster SET format = format + 1", in: name)
        let refused = try ServerProcess.run(["serve", "--port", "0", "--store", database.url(name)])
        #expect(refused.exitCode == 76)
        #expect(refused.errors.contains("A newer program wrote it"))
    }

    @Test func whatCannotBeOpenedIsSaidWithoutThePassword() throws {
        let nowhere = try ServerProcess.run([
            "serve", "--port", "0", "--store", "postgres://me:\(Self.password)@/lists?host=/nowhere",
        ])
        #expect(nowhere.exitCode == 74)
        #expect(nowhere.errors.contains("/nowhere") && !nowhere.errors.contains(Self.password))
        let wrong = [["--memory", "--store", "postgres://a/b"], ["--store", "mysql://a/b"]]
        for arguments in wrong + [["--durability", "async", "--store", "postgres://a/b"]] {
            #expect(try ServerProcess.run(["serve", "--port", "0"] + arguments).exitCode == 64)
        }
    }

    /// Both make the same lists, and each list is made once.
    @Test func serversWithSamplesMayStartAtTheSameTime() throws {
        let database = try PostgreSQLServer.shared
        let name = try database.newDatabase()
        let url = database.url(name)
        let exitCodes = Locked<[Int32]>([])
        let threads = try (0..<3).map { _ in
            try Threads.Thread {
                let code = (try? ServerProcess(["--store", url, "--samples"]))?.stop() ?? -1
                exitCodes.withLock { $0.append(code) }
            }
        }
        for thread in threads { thread.join() }
        #expect(exitCodes.withLock { $0 } == [0, 0, 0])
        let lists = try database.query(
            "SELECT count(*), count(DISTINCT name), max(stage) FROM liststate.list", in: name)
        let count = lists.split(separator: "|").first ?? ""
        #expect(lists == "\(count)|\(count)|0" && count != "0")
    }

    /// The main job of README.md on one server, while another one has the same database.
    @Test func theReadmeHoldsAndBothServersHaveTheSame() throws {
        let database = try PostgreSQLServer.shared
        let url = try database.url(database.newDatabase())
        let servers = try [ServerProcess(["--store", url, "--samples"]), ServerProcess(["--store", url])]
        let folder = try TemporaryFolder()
        try ReadmeTests.check("README.md", on: servers[0].port, in: folder.path)
        let ids = try servers.map { try Self.ids($0.client.send("GET", "/v1/lists?limit=1000").body) }
        #expect(ids[0] == ids[1])
        try #require(ids[0].count > 3)
        for id in ids[0] {
            // The other server is told, or looks by itself, within a second or so.
            var bodies: [[UInt8]] = []
            while bodies.isEmpty || bodies[0] != bodies[1] {
                bodies = try servers.map { try $0.client.send("GET", "/v1/lists/\(id)").body }
            }
        }
        for server in servers { #expect(server.stop() == 0) }
    }

    /// Each answer writes a line to the log, which nobody reads meanwhile, so they must not be very many.
    private static func wait(for status: Int, _ client: HTTPClient) throws {
        while try client.send("GET", "/readyz").status != status { usleep(50_000) }
    }

    private static func ids(_ body: [UInt8]) throws -> [String] {
        let page = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let lists = page?["lists"] as? [[String: Any]] ?? []
        return lists.compactMap { $0["id"] as? String }
    }
}
