import Foundation
import JSONValue
import TestSupport
import Testing

/// Requests whose end a proxy may see elsewhere than the server (request smuggling). Many hide a second request, which
/// deletes a list.
///
/// The table is `Tests/Hostile/framing.jsonl`, with one case in each line. A case has the allowed statuses of each
/// answer, in order, and whether the connection is closed after them. A part of a request is a text whose characters
/// stand for bytes, or such a text with the number of its repetitions.
@Suite struct FramingTests {
    struct Case {
        var name: String
        var request: [UInt8]
        var answers: [[Int]]
        var closes: Bool

        init(_ line: Substring) throws {
            let json = try JSONValue(parsing: Array(line.utf8))
            name = try #require(json["name"]?.string)
            request = try #require(json["request"]).elements.flatMap(Self.bytes)
            answers = try #require(json["answers"]).elements.map { $0.elements.compactMap(\.integer) }
            closes = json["closes"] == .bool(true)
        }

        private static func bytes(_ part: JSONValue) -> [UInt8] {
            let text = part.string ?? part[0]?.string ?? ""
            let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            var all: [UInt8] = []
            for _ in 0..<(part[1]?.integer ?? 1) { all += bytes }
            return all
        }
    }

    static func cases() throws -> [Case] { try table.get() }

    private static let table = Result<[Case], any Error> {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let table = try String(contentsOf: tests.appending(path: "Hostile/framing.jsonl"), encoding: .utf8)
        return try table.split(separator: "\n").map(Case.init)
    }

    @Test func theTableIsWhole() throws {
        let cases = try Self.cases()
        #expect(Set(cases.map(\.name)).count == cases.count)
        // Cases 57 and 58 are requests that never become complete; the tests of deadlines have them.
        let numbers = Set(cases.compactMap { $0.name.split(separator: " ").first.flatMap { Int($0) } })
        #expect(Set(1...61).subtracting(numbers) == [57, 58])
        #expect(cases.count >= 61 + 40)
    }

    @Test func nothingHiddenRuns() throws {
        let server = try Self.server()
        try putVictim(server)
        for row in try Self.cases() {
            let client = try RawSocket(port: server.port)
            // The server may refuse and close before the whole request is sent.
            try? client.send(row.request)
            try expectAnswers(row, client)
            try expectLife(of: server, row.name)
        }
        #expect(server.stop() == 0)
    }

    /// Each request is sent in two parts, cut at one byte after another. The second part is sent only when the server
    /// has read the first: it has answered a request of another connection in between.
    @Test func aCutChangesNothing() throws {
        let server = try Self.server()
        try putVictim(server)
        let witness = try RawSocket(port: server.port)
        for (number, row) in try Self.cases().enumerated() where row.request.count <= 160 {
            let stride = Soak.cutStride
            for cut in Swift.stride(from: 1 + number % stride, to: row.request.count, by: stride) {
                let client = try RawSocket(port: server.port)
                try client.send(Array(row.request[..<cut]))
                try witness.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try witness.readResponse().status == 200)
                try? client.send(Array(row.request[cut...]))
                try expectAnswers(row, client, "cut at \(cut)")
            }
            try expectLife(of: server, row.name)
        }
        #expect(server.stop() == 0)
    }

    /// nginx forwards no `DELETE` here, so a `DELETE` that arrives was hidden from nginx.
    @Test func nothingHiddenPassesAProxy() throws {
        let server = try Self.server()
        try putVictim(server)
        let proxy = try Proxy(
            to: server.port, setting: "if ($request_method = DELETE) { return 405; }",
            general: "client_header_timeout 1s; client_body_timeout 1s; keepalive_timeout 1s; client_max_body_size 0;")
        let clients = try Self.cases().map { row in
            let client = try RawSocket(port: proxy.port)
            try? client.send(row.request)
            return (row, client)
        }
        for (row, client) in clients {
            // The proxy closes the connection in the end, with or without an answer.
            _ = try client.readToEnd()
            try expectLife(of: server, row.name + ", or one after it")
        }
        #expect(server.stop() == 0)
    }

    /// A server with long deadlines, so that a connection ends only by an answer.
    private static func server() throws -> ServerProcess {
        try ServerProcess([
            "--memory", "--request-deadline-seconds", "3600", "--idle-timeout-seconds", "3600", "--allow-host", "*",
        ])
    }

    private func putVictim(_ server: ServerProcess) throws {
        #expect(try server.client.send("PUT", "/v1/lists/victim", json: #"{"title":"Victim"}"#).status == 201)
    }

    private func expectAnswers(_ row: Case, _ client: RawSocket, _ how: String = "") throws {
        for (number, statuses) in row.answers.enumerated() {
            let response = try? client.readResponse()
            let message = "\(row.name), answer \(number) \(how)"
            try #require(statuses.contains(response?.status ?? 0), "\(message): \(String(describing: response))")
        }
        if row.closes { #expect(try client.isClosedByServer(), "\(row.name) \(how)") }
    }

    private func expectLife(of server: ServerProcess, _ after: String) throws {
        try #require(try server.client.send("GET", "/healthz").status == 200, "\(after)")
        let victim = try server.client.send("GET", "/v1/lists/victim")
        try #require(victim.status == 200, "the hidden request ran: \(after)")
    }
}
