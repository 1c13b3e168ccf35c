import Foundation
import TestSupport
import Testing

/// The places that `liststate migrate` refuses, and the lists that it passes over.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct MigrateRefusalTests {
    private let folder: TemporaryFolder
    private let database: PostgreSQLServer

    init() throws { (folder, database) = (try TemporaryFolder(), try PostgreSQLServer.shared) }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func migrate(_ from: String, _ to: String, code: Int32) throws -> String {
        let result = try ServerProcess.run(["migrate", "--from", from, "--to", to])
        #expect(result.exitCode == code, "\(result)")
        return result.output + result.errors
    }

    /// A folder with some lists, which no server has open.
    private func makeLists(_ name: String, _ lists: [String]) throws {
        let server = try ServerProcess(["--data", path(name)])
        for list in lists {
            let body = #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#
            try #require(try server.client.send("PUT", "/v1/lists/\(list)", json: body).status == 201)
        }
        #expect(server.stop() == 0)
    }

    /// Whether a database has tables.
    private func hasTables(_ name: String) throws -> Bool {
        try database.query("SELECT count(*) FROM pg_namespace WHERE nspname = 'liststate'", in: name) != "0"
    }

    @Test func aFolderThatAServerServesIsRefused() throws {
        let name = try database.newDatabase()
        let server = try ServerProcess(["--data", path("a")])
        #expect(try migrate(path("a"), database.url(name), code: 75).contains("server (process"))
        #expect(try !hasTables(name))
        try makeLists("b", ["l"])
        _ = try migrate(path("b"), database.url(name), code: 0)
        #expect(try migrate(database.url(name), path("a"), code: 75).contains("server (process"))
        #expect(server.stop() == 0)
    }

    @Test func placesThatAreNoneAreRefused() throws {
        let name = try database.newDatabase()
        let url = database.url(name)
        try makeLists("a", ["l"])
        for (from, to) in [(path("a"), path("b")), (url, url)] { _ = try migrate(from, to, code: 64) }
        #expect(try migrate(path("none"), url, code: 74).contains("is not there"))
        #expect(try migrate(url, path("b"), code: 74).contains("no server has kept lists"))
        #expect(try !hasTables(name))
        #expect(!FileManager.default.fileExists(atPath: path("none")))
        let nowhere = "postgres://me:secret-word@/lists?host=/nowhere"
        for said in [try migrate(path("a"), nowhere, code: 74), try migrate(nowhere, path("b"), code: 74)] {
            #expect(said.contains("/nowhere") && !said.contains("secret-word"))
        }
        try database.query("ALTER DATABASE \(name) SET synchronous_commit = off")
        #expect(try migrate(path("a"), url, code: 78).contains("synchronous_commit"))
        let allowed = try ServerProcess.run(["migrate", "--from", path("a"), "--to", url, "--allow-unsafe-store"])
        #expect(allowed.exitCode == 0 && allowed.errors.contains("synchronous_commit"))
    }

    @Test func aTargetWithOtherListsOfTheSameNamesIsRefused() throws {
        let name = try database.newDatabase()
        try makeLists("a", ["k", "l"])
        try makeLists("b", ["l", "m"])
        _ = try migrate(path("b"), database.url(name), code: 0)
        let said = try migrate(path("a"), database.url(name), code: 73)
        #expect(said.contains("are others: l.") && said.contains("Nothing was changed"))
        #expect(try database.query("SELECT name FROM liststate.list ORDER BY name", in: name) == "l\nm")
        #expect(try migrate(database.url(name), path("a"), code: 73).contains("are others: l."))
    }

    @Test func aFolderWhoseListsNeedNewEpochsIsRefusedUntilTheyHaveThem() throws {
        let name = try database.newDatabase()
        try makeLists("a", ["l"])
        try FileManager.default.copyItem(atPath: path("a"), toPath: path("b"))
        #expect(try migrate(path("b"), database.url(name), code: 65).contains("need new epochs"))
        #expect(try !hasTables(name))
        #expect(try ServerProcess(["--data", path("b")]).stop() == 0)
        _ = try migrate(path("b"), database.url(name), code: 0)
    }

    @Test func aDamagedListIsNamedAndTheOthersGoOver() throws {
        let name = try database.newDatabase()
        try makeLists("a", ["k", "l", "m"])
        _ = try migrate(path("a"), database.url(name), code: 0)
        try database.query(
            "UPDATE liststate.log SET crc = crc + 1 WHERE list = (SELECT id FROM liststate.list WHERE name = 'l')",
            in: name)
        let said = try migrate(database.url(name), path("b"), code: 72)
        #expect(said.contains("has 2 lists") && said.contains("did not go over") && said.contains(": l."))
        #expect(try ServerProcess.run(["verify", "--data", path("b")]).output.contains("is whole: 2 lists"))
    }
}
