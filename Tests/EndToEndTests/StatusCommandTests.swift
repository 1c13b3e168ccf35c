import TestSupport
import Testing
import Texts

@testable import liststate

@Suite struct StatusCommandTests {
    private static let list = #"{"title":"L","sections":[{"id":"s","items":[{"id":"a"}]}]}"#

    @Test func tellsAPersonOfAServer() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        #expect(try server.client.send("GET", "/v1/lists/none").status == 404)
        let said = try ServerProcess.run(["status"], environment: ["LISTSTATE_PORT": "\(server.port)"])
        #expect(said.exitCode == 0)
        let lines = said.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "http://127.0.0.1:\(server.port) is ready")
        #expect(lines.contains("lists      1, of which 1 in memory and 0 unreadable; 0 deleted"))
        #expect(lines.contains { $0.hasPrefix("writes     1 versions; half of the commits within ") })
        #expect(lines.contains { $0.hasPrefix("refusals   1 not_found") })
        #expect(server.stop() == 0)
        let none = try ServerProcess.run(["status", "--server", "http://127.0.0.1:\(server.port)"])
        #expect(none.exitCode == 1)
        #expect(none.errors == "liststate: http://127.0.0.1:\(server.port): Connection refused.\n")
    }

    /// A server with tokens tells strangers whether it is ready, and nothing else.
    @Test func sendsAToken() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path])
        let made = try ServerProcess.run([
            "token", "create", "--data", folder.path, "--name", "admin", "--lists", "*", "--can", "administer",
        ])
        let token = try #require(made.output.split(separator: "\n").last.map(String.init), "\(made.errors)")
        let command = ["status", "--server", "http://127.0.0.1:\(server.port)"]
        let stranger = try ServerProcess.run(command)
        #expect(stranger.exitCode == 0)
        #expect(stranger.output.contains("is ready\nThe metrics are not to be had: A token is needed"))
        #expect(try ServerProcess.run(command, environment: ["LISTSTATE_TOKEN": token]).output.contains("\nlists "))
    }

    private static let page = """
        # HELP a_seconds Times.
        a_seconds_bucket{le="0.5"} 1
        a_seconds_bucket{le="2"} 3
        a_seconds_bucket{le="+Inf"} 4
        a_total{code="x"} 2
        a_total{code="y"} 3
        a_info{version="1.2",commit="c"} 1
        nonsense
        """

    @Test func readsAPage() {
        let page = MetricsReading(Array(Self.page.utf8))
        #expect(page.samples.count == 6)
        #expect(page.sum("a_total") == 5)
        #expect(page.sum("a_total", #"code="y""#) == 3)
        #expect(page.sum("none") == 0)
        #expect(page.label("commit", of: "a_info") == "c")
        #expect(page.bound(0.25, of: "a_seconds") == 0.5)
        #expect(page.bound(0.5, of: "a_seconds") == 2)
        #expect(page.bound(1, of: "a_seconds") == .infinity)
        #expect(page.bound(0.5, of: "b_seconds") == nil)
    }

    @Test(arguments: [
        (0.000064, "0.1 ms"), (0.25, "250 ms"), (12.34, "12.3 s"), (61, "1 min 1 s"), (7_260, "2 h 1 min"),
        (270_000, "3 d 3 h"), (Double.infinity, "more than 10 s"),
    ])
    func times(_ row: (seconds: Double, text: String)) {
        #expect(StatusReport.seconds(row.seconds) == row.text)
    }
}
