import Foundation
import JSONValue
import TestSupport
import Testing
import Texts

@testable import liststate

/// The file with a line for each request.
@Suite struct AccessLogTests {
    private static let list = #"{"title":"L","sections":[{"id":"s","items":[{"id":"a"}]}]}"#

    /// Waits until a file has so many lines.
    private static func lines(of path: String, _ count: Int) throws -> [String] {
        while true {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(separator: "\n").map(String.init)
            if lines.count >= count, text.last == "\n" { return lines }
            usleep(1_000)
        }
    }

    private static func objects(_ lines: [String]) throws -> [[String: Any]] {
        try lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func hasALineForEachRequest() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/access.log"
        let server = try ServerProcess(["--memory", "--access-log", path, "--log-format", "json"])
        let client = server.client
        let put = try client.send("PUT", "/v1/lists/l", [("X-Request-Id", "mine")], json: Self.list)
        let read = try client.send("GET", "/v1/lists/l")
        let none = try client.send("GET", "/v1/lists/none")
        _ = try client.send("HEAD", "/v1/lists/l?view=visible")
        _ = try client.send("GET", "/no%20where\u{22}")

        let lines = try Self.objects(try Self.lines(of: path, 5))
        #expect(lines.map { $0["status"] as? Int } == [201, 200, 404, 200, 404])
        #expect(lines.map { $0["method"] as? String } == ["PUT", "GET", "GET", "HEAD", "GET"])
        #expect(lines.map { $0["list"] as? String } == ["l", "l", "none", "l", nil])
        #expect(
            lines.map { $0["request"] as? String } == [
                "mine", nil, none["X-Request-Id"], nil, lines[4]["request"] as? String,
            ])
        #expect(lines[4]["request"] != nil)
        #expect(lines.map { $0["version"] as? String }.prefix(3) == [put["List-Version"], put["List-Version"], nil])
        #expect(lines.map { $0["bytes"] as? Int }.prefix(4) == [put.body.count, read.body.count, none.body.count, 0])
        #expect(lines.map { $0["code"] as? String } == [nil, nil, "not_found", nil, "not_found"])
        #expect(lines.map { $0["actor"] as? String }.prefix(4) == ["anonymous", "anonymous", "anonymous", "anonymous"])
        #expect(lines.allSatisfy { $0["client"] as? String == "127.0.0.1" })
        #expect(lines.allSatisfy { ($0["microseconds"] as? Int ?? 0) > 0 })
        #expect(server.stop() == 0)
    }

    /// The client is the one for whom a trusted proxy asks. Answers with a note of its quotas are of the same route.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func namesTheClientBehindAProxy() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/access.log"
        let server = try ServerProcess([
            "--memory", "--access-log", path, "--log-format", "json", "--trusted-proxies", "127.0.0.1",
            "--client-requests-per-minute", "10",
        ])
        let client = server.client
        #expect(try client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        var (reads, notes) = (0, 0)
        while true {
            let answer = try client.send("GET", "/v1/lists/l", [("X-Forwarded-For", "192.0.2.7")])
            guard answer.status == 200 else {
                #expect(answer.status == 429)
                break
            }
            reads += 1
            if answer["RateLimit"] != nil { notes += 1 }
        }
        #expect(notes > 0)
        let lines = try Self.objects(try Self.lines(of: path, reads + 2)).dropFirst()
        #expect(lines.allSatisfy { $0["client"] as? String == "192.0.2.7" })
        #expect(lines.last?["code"] as? String == "too_many_requests")
        let page = try client.send("GET", "/metrics").text
        #expect(
            page.contains(
                "liststate_requests_total{method=\"GET\",route=\"/v1/lists/{list}\",status=\"200\"} \(reads)\n"))
    }

    /// No endpoint gets a request that a quota refuses. It counts to its route all the same, and its line has the actor.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aRefusalByAQuotaHasItsRouteAndItsActor() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/access.log"
        let server = try ServerProcess([
            "--memory", "--first-token", "--access-log", path, "--log-format", "json",
            "--client-requests-per-minute", "3",
        ])
        let client = server.client
        let admin = [("Authorization", "Bearer \(try #require(server.linesBefore.first?.suffix(47)))")]
        let made = try client.send(
            "POST", "/v1/tokens", admin, json: #"{"name":"ops","grants":[{"lists":["*"],"can":["administer"]}]}"#)
        let ops = try #require(try JSONValue(parsing: made.body)["token"]?.string)
        let long = #"{"title":"\#(String(repeating: "x", count: 20_000))"}"#
        let statuses = try [
            client.send("GET", "/v1/lists/none", admin), client.send("GET", "/v1/lists/none", admin),
            client.send("GET", "/v1/lists/none", admin), client.send("PATCH", "/v1/lists/none", admin, json: long),
        ].map(\.status)
        #expect(statuses == [404, 404, 429, 429])
        let lines = try Self.objects(try Self.lines(of: path, 5))
        #expect(lines.map { $0["actor"] as? String } == Array(repeating: "admin", count: 5))
        let page = try client.send("GET", "/metrics", [("Authorization", "Bearer \(ops)")]).text
        for method in ["GET", "PATCH"] {
            let count = #"liststate_requests_total{method="\#(method)",route="/v1/lists/{list}",status="429"} 1"#
            #expect(page.contains(count), "\(method)")
        }
    }

    /// A stream has its line when it ends, with all that was sent.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aStreamHasItsLineWhenItEnds() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/access.log"
        let server = try ServerProcess(["--memory", "--access-log", path])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        let stream = try RawSocket(port: server.port)
        try stream.send("GET /v1/lists/l/changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        #expect(server.stop() == 0)
        let lines = try Self.lines(of: path, 2)
        let bytes = try #require(lines[1].firstMatch(of: #/ status=200 code=- bytes=(\d+) /#).flatMap { Int($0.1) })
        #expect(bytes > 100)
    }

    /// The log is moved away while the server goes on, as logrotate does.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func isOpenedAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/access.log"
        let server = try ServerProcess(["--memory", "--access-log", path])
        #expect(try server.client.send("GET", "/v1/lists").status == 200)
        _ = try Self.lines(of: path, 1)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        #expect(try server.client.send("GET", "/v1/lists").status == 200)
        _ = try Self.lines(of: path + ".1", 2)
        kill(server.processIdentifier, SIGHUP)
        while !FileManager.default.fileExists(atPath: path) { usleep(1_000) }
        #expect(try server.client.send("GET", "/v1/lists").status == 200)
        #expect(try Self.lines(of: path, 1).count == 1)
        #expect(try Self.lines(of: path + ".1", 2).count == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode.map { $0 & 0o007 } == 0, "others cannot read who asked for what")
        #expect(server.stop() == 0)
    }

    /// The server goes on with the file that it has.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aFileThatCannotBeOpenedAgainIsToldOf() throws {
        let folder = try TemporaryFolder()
        let inner = folder.path + "/logs"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let path = inner + "/access.log"
        let server = try ServerProcess(["--memory", "--access-log", path])
        try FileManager.default.moveItem(atPath: inner, toPath: inner + ".1")
        kill(server.processIdentifier, SIGHUP)
        while !server.log.contains("cannot be opened again") { usleep(1_000) }
        #expect(try server.client.send("GET", "/v1/lists").status == 200)
        #expect(try Self.lines(of: inner + ".1/access.log", 1).count == 1)
        #expect(server.stop() == 0)
    }

    @Test func aFileThatCannotBeOpenedEndsTheStart() throws {
        let answer = try ServerProcess.run(["serve", "--memory", "--port", "0", "--access-log", "/nowhere/access.log"])
        #expect(answer.exitCode == 66)
        #expect(answer.errors.contains("/nowhere/access.log: No such file or directory."))
    }

    /// Nobody writes a line of somebody else, or a second one.
    @Test func aTextLineIsOneLine() {
        let line = AccessLog.text([
            ("path", .string("/a b\n\"c\" time=9\u{7F}é")), ("none", .null), ("bytes", .integer(7)),
        ])
        #expect(
            String(decoding: line, as: UTF8.self) == "path=/a%20b%0A%22c%22%20time=9%7F%C3%A9 none=- bytes=7\n")
    }

    @Test func aJSONLineIsOneLine() {
        let line = AccessLog.json([("path", .string("/a\n\"")), ("none", .null), ("bytes", .integer(7))])
        #expect(String(decoding: line, as: UTF8.self) == #"{"path":"/a\n\"","bytes":7}"# + "\n")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_826_554_007, "2000-02-29T12:15:54.007Z"),
        (1_795_715_469_999, "2026-11-26T17:51:09.999Z"),
    ])
    func times(_ row: (milliseconds: UInt64, text: String)) {
        #expect(Timestamp.text(milliseconds: row.milliseconds).string == row.text)
    }

    /// Every line of the log is an object, from the first to the last.
    @Test func theLogCanBeJSONToo() throws {
        let server = try ServerProcess(["--memory", "--log-format", "json", "--log-level", "debug"])
        #expect(try server.client.send("GET", "/v1/lists/none", [("X-Request-Id", "a\"b")]).status == 404)
        #expect(server.stop() == 0)
        let lines = try Self.objects(server.log.split(separator: "\n").map(String.init))
        let refusal = try #require(lines.first { $0["code"] as? String == "not_found" })
        #expect(refusal["request"] as? String == "a\"b")
        #expect(refusal["level"] as? String == "debug")
        #expect(refusal["message"] as? String == "GET /v1/lists/none 404")
        #expect(lines.last?["message"] as? String == "Stopping.")
    }
}

/// `traceparent`, as anybody can send it.
@Suite struct TraceParentTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test(arguments: [
        ("00-\(trace)-\(span)-01", true), ("00-\(trace)-\(span)-00", false), ("01-\(trace)-\(span)-03-x", true),
    ])
    func isRead(_ row: (text: String, isSampled: Bool)) throws {
        let parent = try #require(TraceParent(ByteText(row.text)))
        #expect(parent.trace.string == Self.trace && parent.span.string == Self.span)
        #expect(parent.isSampled == row.isSampled)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(span)", "ff-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-x", "0-\(trace)-\(span)-01",
        "00-\(trace.uppercased())-\(span)-01", "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)-0g",
        "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace.dropLast())é-\(span)-01",
    ])
    func isRefused(_ text: String) {
        #expect(TraceParent(ByteText(text)) == nil)
    }
}
