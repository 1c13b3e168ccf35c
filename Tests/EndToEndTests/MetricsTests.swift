import Foundation
import TestSupport
import Testing

/// The metrics of the real server, as a monitoring system gets them.
@Suite struct MetricsTests {
    private static let list = #"{"title":"L","sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]}]}"#

    /// A page of metrics.
    fileprivate struct Page {
        let text: String
        /// The values by name with labels, as they stand in the page.
        let values: [String: Double]

        init(_ text: String) {
            self.text = text
            values = text.split(separator: "\n").filter { $0.first != "#" }.reduce(into: [:]) { values, line in
                guard let space = line.lastIndex(of: " ") else { return }
                values[String(line[..<space])] = Double(line[line.index(after: space)...])
            }
        }

        subscript(name: String) -> Double? { values[name] }

        init(of client: HTTPClient, _ fields: [(String, String)] = []) throws {
            self.init(try client.send("GET", "/metrics", fields).text)
        }
    }

    /// Asks until the page has it: an answer is counted a moment after its client has it.
    private static func page(of client: HTTPClient, until condition: (Page) -> Bool) throws -> Page {
        while true {
            let page = try Page(of: client)
            if condition(page) { return page }
        }
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func tellWhatHasHappened() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path])
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        let stream = try RawSocket(port: server.port)
        try stream.send("GET /v1/lists/l/changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        _ = try Self.page(of: client) { $0["liststate_streams"] == 1 }
        for _ in 0..<3 {
            #expect(
                try client.send("POST", "/v1/lists/l/items/a/star", [("Idempotency-Key", UUID().uuidString)]).status
                    == 200)
        }
        #expect(try client.send("GET", "/v1/lists/none").status == 404)
        #expect(try client.send("GET", "/nothing").status == 404)

        let page = try Self.page(of: client) {
            $0[#"liststate_request_duration_seconds_count{method="",route="none"}"#] == 1
                && $0["liststate_delivery_lag_seconds_count", default: 0] > 0
        }
        let star = #"{method="POST",route="/v1/lists/{list}/items/{item}/star""#
        #expect(page["liststate_requests_total\(star),status=\"200\"}"] == 3)
        #expect(page["liststate_request_duration_seconds_count\(star)}"] == 3)
        #expect(
            page[#"liststate_requests_total{method="GET",route="/v1/lists/{list}",status="404"}"#] == 1)
        #expect(page[#"liststate_refusals_total{code="not_found"}"#] == 2)
        #expect(page[#"liststate_refusals_total{code="disk_full"}"#] == 0)
        #expect(page["liststate_versions_total"] == 4)
        #expect(page["liststate_lists"] == 1)
        #expect(page["liststate_lists_in_memory"] == 1)
        #expect(page["liststate_receipts"] == 3)
        #expect(page["liststate_ready"] == 1)
        #expect(page["liststate_commit_failures_total"] == 0)
        // A write waits for its batch, and the answer to a write that waits takes at least as long.
        #expect((1...4).contains(page["liststate_commit_duration_seconds_count", default: 0]))
        #expect(
            page["liststate_request_duration_seconds_sum\(star)}", default: 0]
                + page[#"liststate_request_duration_seconds_sum{method="PUT",route="/v1/lists/{list}"}"#, default: 0]
                > page["liststate_commit_duration_seconds_sum", default: 0])
        #expect(page["process_resident_memory_bytes", default: 0] > 1_000_000)
        #expect(page["process_open_fds", default: 0] > 3)

        stream.close()
        _ = try Self.page(of: client) { $0["liststate_streams"] == 0 }
        #expect(server.stop() == 0)
    }

    /// Each use of the memory budget is there, and grows with what the server keeps.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func tellWhatMemoryIsFor() throws {
        let server = try ServerProcess(["--memory"])
        let uses = ["lists", "receipts", "sequences", "subscriptions", "connections", "bodies", "work", "answers"]
        let before = try Page(of: server.client)
        for use in uses { #expect(before["liststate_memory_bytes{use=\"\(use)\"}"] != nil, "\(use)") }
        #expect(before[#"liststate_memory_bytes{use="lists"}"#] == 0)

        let text = String(repeating: "a", count: 10_000)
        let items = (0..<60).map { #"{"id":"i\#($0)","content":{"text":"\#(text)"}}"# }.joined(separator: ",")
        let list = #"{"title":"L","sections":[{"id":"s","items":[\#(items)]}]}"#
        #expect(try server.client.send("PUT", "/v1/lists/l", json: list).status == 201)
        let after = try Self.page(of: server.client) {
            $0[#"liststate_memory_bytes{use="lists"}"#, default: 0] >= 600_000
        }
        #expect(after[#"liststate_memory_bytes{use="receipts"}"#] == 0)
    }

    /// The tool of Prometheus finds no fault in names, kinds, helps and lines.
    @Test func prometheusTakesThem() throws {
        let server = try ServerProcess(["--memory"])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        let page = try Page(of: server.client)
        let (exitCode, said) = try Self.promtool(["check", "metrics"], input: page.text)
        #expect(exitCode == 0)
        #expect(said == "")
    }

    /// With tokens, strangers read the metrics only at an address of their own.
    @Test func tokensAreNotAskedForAtAnAddressOfTheirOwn() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path, "--metrics-address", "127.0.0.1:0"])
        let made = try ServerProcess.run([
            "token", "create", "--data", folder.path, "--name", "admin", "--lists", "*", "--can", "administer",
        ])
        let token = try #require(made.output.split(separator: "\n").last.map(String.init), "\(made.errors)")
        #expect(try server.client.send("GET", "/metrics").status == 401)
        #expect(try server.client.send("GET", "/metrics", [("Authorization", "Bearer \(token)")]).status == 200)
        let port = try #require(server.log.firstMatch(of: /127\.0\.0\.1:(\d+)\/metrics/).flatMap { UInt16($0.1) })
        let listener = HTTPClient(port: port)
        let answer = try listener.send("GET", "/metrics")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(Page(answer.text)[#"liststate_refusals_total{code="unauthenticated"}"#] == 1)
        #expect(try listener.send("GET", "/v1/lists").status == 404)
        #expect(server.stop() == 0)
    }

    @Test(arguments: ["9100", "localhost", "::1:9100", "127.0.0.1:70000", ":9100", ""])
    func anAddressThatIsNoneIsRefused(_ address: String) throws {
        #expect(try ServerProcess.run(["serve", "--memory", "--metrics-address", address]).exitCode == 64)
    }

    @Test func anAddressInUseIsRefused() throws {
        let server = try ServerProcess(["--memory"])
        let other = try ServerProcess.run([
            "serve", "--memory", "--port", "0", "--metrics-address", "127.0.0.1:\(server.port)",
        ])
        #expect(other.exitCode == 69)
        #expect(other.errors.contains("--metrics-address 127.0.0.1:\(server.port): "))
    }

    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Runs Prometheus' own tool.
    static func promtool(_ arguments: [String], input: String) throws -> (exitCode: Int32, said: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["promtool"] + arguments
        // `make test` unpacks it here. It may be installed as well.
        let unpacked = top.appending(path: ".build-prometheus/usr/bin").path
        process.environment = ["PATH": "\(unpacked):/usr/local/bin:/usr/bin:/bin"]
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = output
        try process.runAlone()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }
}

extension MetricsTests.Page {
    fileprivate subscript(name: String, default value: Double) -> Double { values[name] ?? value }
}
