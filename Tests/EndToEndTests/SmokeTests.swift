import Foundation
import TestSupport
import Testing

/// The first steps of a new user, on the real binary.
@Suite struct SmokeTests {
    private let start = """
        {"title":"L","sections":[{"id":"s","items":[{"id":"a","kind":"k","content":{"n":1}},{"id":"b"}]}]}
        """

    @Test func survivesACrash() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path])
        let client = server.client

        let created = try client.send("PUT", "/v1/lists/l", json: start)
        #expect(created.status == 201)
        #expect(created["Location"] == "/v1/lists/l")
        let first = try #require(created["List-Version"])
        let read = try client.send("GET", "/v1/lists/l")
        #expect(read["ETag"] == "\"\(first)\"")
        let tag = try #require(read["ETag"])
        #expect(try client.send("GET", "/v1/lists/l", [("If-None-Match", tag)]).status == 304)
        let starred = try client.send("POST", "/v1/lists/l/items/b/star", [("Idempotency-Key", "k1")])
        #expect(starred.status == 200)
        let second = try #require(starred["List-Version"])
        #expect(second != first)
        let changes = try client.send("GET", "/v1/lists/l/changes?since=\(first)")
        #expect(changes.status == 200)
        #expect(changes.text.contains(#""reconfigured":[{"section":0,"index":1,"item":{"id":"b""#))
        let before = try client.send("GET", "/v1/lists/l")
        #expect(before["List-Version"] == second)

        server.crash()
        let again = try ServerProcess(["--data", folder.path])

        let after = try again.client.send("GET", "/v1/lists/l")
        #expect(after["List-Version"] == second)
        #expect(after.body == before.body)
        let replayed = try again.client.send("POST", "/v1/lists/l/items/b/star", [("Idempotency-Key", "\"k1\"")])
        #expect(replayed["Idempotency-Replayed"] == "true")
        #expect(replayed["List-Version"] == second)
        #expect(try again.client.send("GET", "/v1/lists/l/changes?since=\(first)").body == changes.body)
        #expect(again.stop() == 0)
    }

    /// A worker writes what is long: a long body, and a short body for a long list, whose request has begun on a loop.
    @Test func longWritesAreKept() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path])
        let items = (0..<3_000).map { #"{"id":"i\#($0)","content":{"n":\#($0)}}"# }.joined(separator: ",")
        let long = #"{"title":"L","sections":[{"id":"s","items":[\#(items)]}]}"#
        let short = #"{"title":"L","sections":[{"id":"s","items":["i7",{"id":"new","content":{}}]}]}"#
        for (key, body, status) in [("k1", long, 201), ("k2", short, 200)] {
            let first = try server.client.send("PUT", "/v1/lists/l", [("Idempotency-Key", key)], json: body)
            let again = try server.client.send("PUT", "/v1/lists/l", [("Idempotency-Key", key)], json: body)
            let other = try server.client.send("PUT", "/v1/lists/l", [("Idempotency-Key", key)], json: body + " ")
            #expect(first.status == status && again.status == status && other.status == 422, "\(other.text)")
            #expect(again["Idempotency-Replayed"] == "true" && again["List-Version"] == first["List-Version"])
        }
        let before = try server.client.send("GET", "/v1/lists/l")
        #expect(before.text.contains(#""items":[{"id":"i7","kind":"item","content":{"n":7}},{"id":"new","#))

        server.crash()
        server = try ServerProcess(["--data", folder.path])
        #expect(try server.client.send("GET", "/v1/lists/l").body == before.body)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func stopsWhenAsked(_ signal: Int32) throws {
        let server = try ServerProcess(["--memory"])
        let client = server.client
        #expect(try client.send("GET", "/readyz").status == 200)
        #expect(server.stop(signal) == 0)
    }

    /// A client that probes with odd methods must not fill the log with errors.
    @Test func oddMethodsAreNoErrors() throws {
        let server = try ServerProcess(["--memory"])
        #expect(try server.client.send("TRACE", "/healthz").status == 501)
        #expect(server.stop() == 0)
        let log = server.log
        #expect(log.contains("Stopping."))
        #expect(!log.contains(" error "))
    }

    @Test func installsMissingSamplesOnly() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path, "--samples"])
        let starred = try server.client.send("PUT", "/v1/lists/main-sub/items/none/star")
        #expect(starred.status == 404)
        let changed = try server.client.send("PATCH", "/v1/lists/main-sub", json: #"{"title":"Mine"}"#)
        let version = try #require(changed["List-Version"])
        #expect(server.stop() == 0)
        server = try ServerProcess(["--data", folder.path], environment: ["LISTSTATE_SAMPLES": "true"])
        #expect(try server.client.send("GET", "/v1/lists/main-sub")["List-Version"] == version)
    }

    @Test func anEmptyStoreHasNoLists() throws {
        let server = try ServerProcess(["--memory"])
        #expect(try server.client.send("GET", "/v1/lists").text == #"{"lists":[]}"#)
    }

    @Test func refusesWhatCannotWork() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path])
        #expect(throws: ServerProcess.NotReady.self) { try ServerProcess(["--data", folder.path]) }
        let rows: [([String], [String: String], Int32)] = [
            (["--data", folder.path], [:], 75),
            (["--memory", "--port", "\(server.port)"], [:], 69),
            (["--memory", "--insecure", "--host", "lists.test"], [:], 68),
            (["--memory", "--host", "192.0.2.1"], [:], 78),
            (["--memory", "--allow-host", "lists.test:8080"], [:], 64),
            (["--memory", "--allow-host", "http://lists.test"], [:], 64),
            (["--memory", "--data", "x"], [:], 64),
            (["--memory", "--port", "66000"], [:], 64),
            (["--memory", "--items-max", "0"], [:], 64),
            (["--memory", "--allow-origin", "https://lists.test/"], [:], 64),
            (["--memory", "--allow-origin", "lists.test"], [:], 64),
            (["--memory"], ["LISTSTATE_ALLOW_ORIGIN": "https://a.test,b.test"], 64),
            (["--memory"], ["LISTSTATE_PORT": "many"], 64),
            (["--memory"], ["LISTSTATE_SAMPLES": "perhaps"], 64),
            (["--data", "/proc/none"], [:], 74),
        ]
        for (arguments, environment, exitCode) in rows {
            let result = try ServerProcess.run(["serve"] + arguments, environment: environment)
            #expect(result.exitCode == exitCode, "\(arguments) \(environment): \(result.errors)")
            #expect(!result.errors.isEmpty)
            #expect(result.output.isEmpty)
        }
    }

    @Test func listsTheSamples() throws {
        let result = try ServerProcess.run(["samples"])
        #expect(result.exitCode == 0)
        #expect(result.output.contains("emoji-explorer  "))
        #expect(try ServerProcess.run(["--version"]).exitCode == 0)
    }
}
