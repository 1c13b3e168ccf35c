import Foundation
import TestSupport
import Testing

/// An access book that is damaged, or gone, lets nobody in.
@Suite struct DamagedBookTests {
    private static func create(_ name: String, in place: [String]) throws -> (exitCode: Int32, secret: String) {
        let create = ["token", "create", "--name", name, "--lists", "*", "--can", "administer"]
        let made = try ServerProcess.run(create + place)
        return (made.exitCode, made.output.split(separator: "\n").last.map(String.init) ?? "")
    }

    private static func status(_ server: ServerProcess, _ secret: String?) throws -> Int {
        try server.client.send("GET", "/v1/lists", secret.map { [("Authorization", "Bearer \($0)")] } ?? []).status
    }

    /// A repair keeps no record that is damaged, and closes a book that may be lost.
    @Test(arguments: [["verify", "--repair", "--data", "FOLDER"], ["restore", "--repair", "--data", "OTHER", "COPY"]])
    func aRepairedFolderIsClosed(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        let data = "\(folder.path)/data"
        let server = try ServerProcess(["--data", data])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: #"{"sections":[]}"#).status == 201)
        let (code, old) = try Self.create("a-name-to-be-found", in: ["--data", data])
        #expect(code == 0)
        #expect(server.stop() == 0)

        let database = URL(filePath: "\(data)/liststate.db")
        var bytes = try Data(contentsOf: database)
        let places = bytes.ranges(of: Data("a-name-to-be-found".utf8))
        for place in places { bytes[place.lowerBound] ^= 1 }
        try #require(!places.isEmpty)
        try bytes.write(to: database)
        let refused = try #require(throws: ServerProcess.NotReady.self) { try ServerProcess(["--data", data]) }
        #expect(refused.exitCode == 65)

        let names = ["FOLDER": data, "OTHER": "\(folder.path)/other", "COPY": database.path]
        let repaired = try ServerProcess.run(command.map { names[$0] ?? $0 })
        #expect(repaired.exitCode == 72 && repaired.output.contains("Tokens may be lost: nobody may do anything"))
        let mended = command.contains("OTHER") ? "\(folder.path)/other" : data
        let closed = try ServerProcess(["--data", mended])
        #expect(try Self.status(closed, nil) == 401)
        #expect(try Self.status(closed, old) == 401)
        // The one who has the folder gives somebody rights.
        let (made, new) = try Self.create("new", in: ["--data", mended])
        #expect(made == 0)
        #expect(try Self.status(closed, new) == 200)
        #expect(try closed.client.send("GET", "/v1/lists/l", [("Authorization", "Bearer \(new)")]).status == 200)
        #expect(closed.stop() == 0)
    }

    /// Servers that run go on with the book that they know, and others do not start.
    @Test func aDamagedBookOfADatabaseIsNotTaken() throws {
        let database = try PostgreSQLServer.shared
        let name = try database.newDatabase()
        let place = ["--store", database.url(name)]
        let server = try ServerProcess(place)
        let (code, old) = try Self.create("root", in: place)
        #expect(code == 0)
        while try Self.status(server, nil) != 401 { usleep(2_000) }
        let authorization = [("Authorization", "Bearer \(old)")]
        let wanted = #"{"name":"x","grants":[{"lists":["x"],"can":["read"]}]}"#
        for (damage, status) in [
            ("UPDATE liststate.record SET value = 'x' WHERE kind = 2", 503),
            ("DELETE FROM liststate.record WHERE kind = 2", 500),
        ] {
            try database.query(damage, in: name)
            // A change looks at the book that is stored.
            #expect(try server.client.send("POST", "/v1/tokens", authorization, json: wanted).status == status)
            #expect(try Self.status(server, old) == 200)
            #expect(try Self.status(server, nil) == 401)
            guard status == 503 else { continue }
            let refused = try #require(throws: ServerProcess.NotReady.self) { try ServerProcess(place) }
            #expect(refused.said.contains("damaged"), "\(refused)")
            #expect(try Self.create("other", in: place).exitCode != 0)
        }
        // Without any book, a command makes the first one again. Servers take it over, and old tokens are none.
        let (made, new) = try Self.create("new", in: place)
        #expect(made == 0)
        while try Self.status(server, new) != 200 { usleep(2_000) }
        #expect(try Self.status(server, old) == 401)
        #expect(try Self.status(server, nil) == 401)
        #expect(server.stop() == 0)
    }
}
