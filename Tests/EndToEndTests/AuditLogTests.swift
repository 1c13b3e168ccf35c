import Access
import Foundation
import Glibc
import JSONValue
import TestSupport
import Testing
import Texts
import Threads

@testable import liststate

/// The audit log, alone and of a server.
@Suite struct AuditLogTests {
    private static let made = AccessEvent.tokenMade("ci", .none, expires: nil)
    private static let refused = AccessEvent.refused(
        AccessEvent.RefusedRequest(method: "PUT", path: "/v1/lists/a", status: 403, address: "192.0.2.1"))

    /// The lines of a file; a line that is no JSON is null.
    private static func lines(_ path: String) -> [JSONValue] {
        let text = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
        return text.split(separator: UInt8(ascii: "\n")).map { (try? JSONValue(parsing: Array($0))) ?? .null }
    }

    private static func events(_ path: String) -> [String] { lines(path).map { $0["event"]?.string ?? "?" } }

    /// Waits until a file has a number of lines. The time only ends a wait for a line that never comes.
    private static func wait(for count: Int, in path: String) -> [String] {
        let end = ContinuousClock.now + .seconds(60)
        while lines(path).count < count, ContinuousClock.now < end { usleep(2_000) }
        return events(path)
    }

    // MARK: The log alone

    @Test func linesSayWhatHasHappened() throws {
        let pattern = try #require(ListPattern("team-*"))
        let grants = try #require(Grant([pattern], .write).flatMap { Grants([$0]) })
        let shown = #"[{"lists":["team-*"],"can":["read","write"]}]"#
        let rows: [(AccessEvent, String)] = [
            (
                .tokenMade("ci", grants, expires: 1_769_860_800),
                #""event":"tokenMade","token":"ci","grants":\#(shown),"expires":"2026-01-31T12:00:00.000Z""#
            ),
            (.tokenRotated("ci"), #""event":"tokenRotated","token":"ci""#),
            (.tokenRevoked("ci"), #""event":"tokenRevoked","token":"ci""#),
            (.groupChanged(.anyToken, grants), #""event":"groupChanged","group":"any-token","grants":\#(shown)"#),
            (
                Self.refused,
                #""event":"refused","method":"PUT","path":"/v1/lists/a","status":403,"address":"192.0.2.1""#
            ),
        ]
        for (event, members) in rows {
            let line = ByteText(decoding: AuditLog.line(event, by: "ada", at: 1_769_860_800_250))
            #expect(line.string == #"{"time":"2026-01-31T12:00:00.250Z",\#(members),"actor":"ada"}"# + "\n")
        }
    }

    @Test func noLineHasMuchOfAPathOrASecret() {
        let secret = String(repeating: "s", count: 43)
        let rows: [(path: String, shown: String)] = [
            ("/v1/tokens/lst_\(secret)", "/v1/tokens/lst_…"), ("/v1/lists/a/ltk_\(secret)", "/v1/lists/a/ltk_…"),
            ("/v1/tokens/%6C%73t%5f\(secret)/rotate", "/v1/tokens/%6C%73t%5f…"), ("/eyJ\(secret).e30.s", "/eyJ…"),
            ("/v1/lists/a%2FeyJ\(secret)", "/v1/lists/a%2FeyJ…"), ("/v1/lists/keyJoy/%6", "/v1/lists/keyJoy/%6"),
            (String(repeating: "x", count: 5_000), String(repeating: "x", count: 256)),
        ]
        for (path, shown) in rows {
            let request = AccessEvent.RefusedRequest(method: "GET", path: ByteText(path), status: 401, address: nil)
            #expect(request.path.string == shown)
        }
    }

    @Test func moreRefusalsThanALineCanBeAreCounted() throws {
        let folder = try TemporaryFolder()
        let path = AuditLog.path(in: folder.path)
        let now = Locked<UInt64>(5_000)
        let log = try AuditLog(path, clock: { now.withLock { $0 } }) { _ in }
        for _ in 0..<10_000 { log.note(Self.refused, by: "anonymous") }
        // A change of rights has its line all the same.
        log.note(Self.made, by: "ada")
        now.withLock { $0 = 6_000 }
        log.note(Self.refused, by: "anonymous")
        log.flush(seconds: 10)
        let max = AuditLog.refusalsPerSecondMax
        #expect(
            Self.events(path)
                == Array(repeating: "refused", count: max) + ["tokenMade", "refusedMore", "refused"])
        #expect(Self.lines(path)[max + 1]["count"] == .integer(10_000 - max))
        #expect(Self.lines(path)[max + 1]["time"] == "1970-01-01T00:00:05.000Z")
    }

    @Test func aCountIsToldAlsoIfNothingElseComes() throws {
        let folder = try TemporaryFolder()
        let path = AuditLog.path(in: folder.path)
        let log = try AuditLog(path, clock: currentMilliseconds) { _ in }
        let max = AuditLog.refusalsPerSecondMax
        for _ in 0..<3 * max { log.note(Self.refused, by: "anonymous") }
        while !Self.events(path).contains("refusedMore") { usleep(2_000) }
        let count = Self.lines(path).compactMap { $0["count"] }.first
        #expect(Self.events(path).filter { $0 == "refused" }.count >= max)
        #expect(count != nil && count != 0)
    }

    @Test func aDiskThatTakesNothingHoldsNobodyUp() throws {
        let folder = try TemporaryFolder()
        let path = AuditLog.path(in: folder.path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        let news = Locked<[Int32]>([])
        let log = try AuditLog(path, clock: currentMilliseconds) { event in
            news.change { news in
                switch event {
                case .stuck(let number): news.append(number)
                case .goesOn: news.append(0)
                }
            }
        }
        log.note(Self.made, by: "first")
        news.wait(until: { $0 == [ENOSPC] }) { _ in }
        // More than memory takes.
        for _ in 0..<20_000 { log.note(Self.made, by: "ada") }
        try FileManager.default.removeItem(atPath: path)
        log.reopen()
        news.wait(until: { $0 == [ENOSPC, 0] }) { _ in }
        log.flush(seconds: 10)
        let lines = Self.lines(path)
        #expect(lines.first?["actor"] == "first")
        #expect(lines.last?["event"] == "lost")
        guard case .number(let lost)? = lines.last?["count"], let lost = lost.integer else {
            return #expect(Bool(false))
        }
        #expect(lines.count - 2 + lost == 20_000)
        #expect(lost > 0)
    }

    @Test func requestsThatAreRefusedLeaveRoomForChanges() throws {
        let folder = try TemporaryFolder()
        let path = AuditLog.path(in: folder.path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        let (now, isStuck) = (Locked<UInt64>(0), Locked(false))
        let log = try AuditLog(path, clock: { now.withLock { $0 } }) { _ in isStuck.change { $0 = true } }
        log.note(Self.made, by: "first")
        isStuck.wait(until: { $0 }) { _ in }
        for second in 0..<1_000 {
            now.withLock { $0 = UInt64(second) * 1_000 }
            for _ in 0..<AuditLog.refusalsPerSecondMax { log.note(Self.refused, by: "anonymous") }
        }
        log.note(Self.made, by: "last")
        try FileManager.default.removeItem(atPath: path)
        log.reopen()
        log.flush(seconds: 10)
        #expect(Self.events(path).suffix(2) == ["tokenMade", "lost"])
        #expect(Self.events(path).contains("refused"))
    }

    // MARK: The file

    @Test func aLongFileGetsAnotherNameAndTheOldestGoes() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/log"
        var file = AuditFile(path, bytesMax: 40)
        // Each file has four lines of ten bytes.
        for number in 100..<200 {
            let (rest, error) = file.append(Array("line \(number)-\n".utf8), isDurable: false)
            #expect(rest.isEmpty && error == 0)
        }
        let names = [path] + (1..<AuditFile.filesMax).map { "\(path).\($0)" }
        let found = try names.reversed().map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        #expect(found == (168..<200).map { "line \($0)-\n" }.joined())
        #expect(!FileManager.default.fileExists(atPath: "\(path).\(AuditFile.filesMax)"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aLineThatSomebodyHasNotEndedStaysAlone() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/log"
        try "whole\nhal".write(toFile: path, atomically: false, encoding: .utf8)
        var file = AuditFile(path, bytesMax: AuditFile.bytesMax)
        #expect(file.append(Array("next\n".utf8), isDurable: true).rest.isEmpty)
        #expect(file.append(Array("last\n".utf8), isDurable: true).rest.isEmpty)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole\nhal\nnext\nlast\n")
    }

    /// A file may have as many bytes as a limit allows, and then takes a part of a line.
    @Test func aLineOfWhichAPartWasWrittenIsWrittenAgain() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/fifo"
        try #require(mkfifo(path, 0o600) == 0)
        let reading = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reading) }
        var file = AuditFile(path, bytesMax: AuditFile.bytesMax)
        #expect(file.open() == 0)
        // A pipe takes 65,536 bytes: 5 lines of 13,107 bytes, and the first byte of the next one.
        let line = Array(repeating: UInt8(ascii: "x"), count: 13_106) + [UInt8(ascii: "\n")]
        let (rest, error) = file.append(Array((0..<6).map { _ in line }.joined()), isDurable: false)
        #expect(error == EAGAIN)
        #expect(rest == line)
        var buffer = [UInt8](repeating: 0, count: 70_000)
        #expect(read(reading, &buffer, buffer.count) == 65_536)
        #expect(file.append(rest, isDurable: false).rest.isEmpty)
        let count = read(reading, &buffer, buffer.count)
        #expect(Array(buffer[..<max(count, 0)]) == [UInt8(ascii: "\n")] + line)
    }

    // MARK: The log of a server

    @Test func aServerTellsOfChangesAndRefusals() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path, "--first-token"])
        let path = AuditLog.path(in: folder.path)
        let admin = try #require(server.linesBefore.first?.suffix(47).description)
        let client = server.client
        func ask(_ method: String, _ target: String, _ token: String?, _ json: String? = nil) throws -> RawResponse {
            let fields = token.map { [("Authorization", "Bearer \($0)")] } ?? []
            guard let json else { return try client.send(method, target, fields) }
            return try client.send(method, target, fields, json: json)
        }
        let wanted = #"{"name":"ci","grants":[{"lists":["team-*"],"can":["write"]}]}"#
        let made = try ask("POST", "/v1/tokens", admin, wanted)
        #expect(made.status == 201)
        let ci = try #require(try JSONValue(parsing: made.body)["token"]?.string)
        let rows: [(String, String, String?, String?, Int)] = [
            ("GET", "/v1/lists?filter=x", nil, nil, 401),
            ("GET", "/v1/lists/other?at=secret", ci, nil, 404),
            ("PUT", "/v1/lists/team-a", ci, #"{"title":"A"}"#, 403),
            ("POST", "/v1/tokens", ci, wanted, 403),
            ("GET", "/v1/lists/team-a", "lst_\(String(repeating: "z", count: 43))", nil, 401),
            // A list that is not there is no refusal.
            ("GET", "/v1/lists/team-a", ci, nil, 404),
            ("PUT", "/v1/access/anonymous", admin, #"{"grants":[{"lists":["open"],"can":["read"]}]}"#, 200),
            // Nobody makes a token that a line could take for the one who runs commands.
            ("POST", "/v1/tokens", admin, #"{"name":"@command","grants":[]}"#, 422),
            ("POST", "/v1/tokens/ci/rotate", admin, "{}", 200),
            ("DELETE", "/v1/tokens/ci", admin, nil, 204),
        ]
        for (method, target, token, json, status) in rows {
            let answer = try ask(method, target, token, json)
            #expect(answer.status == status, "\(method) \(target): \(answer.text)")
        }
        #expect(try ServerProcess.run(["token", "rotate", "admin", "--data", folder.path]).exitCode == 0)
        let events = Self.wait(for: 11, in: path)
        #expect(
            events == [
                "tokenMade", "tokenMade", "refused", "refused", "refused", "refused", "refused", "groupChanged",
                "tokenRotated", "tokenRevoked", "tokenRotated",
            ])
        let lines = Self.lines(path)
        #expect(
            lines.map { $0["actor"]?.string } == [
                "@command", "admin", "anonymous", "ci", "ci", "ci", "anonymous", "admin", "admin", "admin", "@command",
            ])
        #expect(lines[2]["path"] == "/v1/lists" && lines[3]["path"] == "/v1/lists/other")
        #expect(lines[4]["status"] == 403 && lines[4]["address"] == "127.0.0.1")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("lst_") && !text.contains("secret") && !text.contains("zzz"))
        #expect(server.stop() == 0)

        // While no server runs, the command itself writes.
        #expect(try ServerProcess.run(["token", "revoke", "admin", "--data", folder.path]).exitCode == 0)
        #expect(Self.events(path).last == "tokenRevoked" && Self.lines(path).count == 12)
    }

    /// A long body of a stranger is refused before it is read.
    @Test func aRefusalAtTheDoorIsThere() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/audit"
        let server = try ServerProcess(["--memory", "--first-token", "--audit-log", path])
        let long = #"{"title":"\#(String(repeating: "x", count: 20_000))"}"#
        let guess = [("Authorization", "Bearer lst_\(String(repeating: "z", count: 43))")]
        for fields in [[], guess] {
            #expect(try server.client.send("PATCH", "/v1/lists/a", fields, json: long).status == 401)
        }
        #expect(Self.wait(for: 3, in: path) == ["tokenMade", "refused", "refused"])
        for line in Self.lines(path).dropFirst() {
            #expect(line["method"] == "PATCH" && line["path"] == "/v1/lists/a" && line["status"] == 401)
            #expect(line["actor"] == "anonymous" && line["address"] == "127.0.0.1")
        }
        #expect(server.stop() == 0)
    }

    @Test func aFileThatIsPutAsideIsFollowedByANewOne() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/audit"
        let server = try ServerProcess(["--memory", "--first-token", "--audit-log", path])
        #expect(try server.client.send("GET", "/v1/lists").status == 401)
        #expect(Self.wait(for: 2, in: path) == ["tokenMade", "refused"])
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).old")
        kill(server.processIdentifier, SIGHUP)
        while !FileManager.default.fileExists(atPath: path) { usleep(2_000) }
        #expect(try server.client.send("GET", "/v1/lists").status == 401)
        #expect(Self.wait(for: 1, in: path) == ["refused"])
        #expect(Self.lines("\(path).old").count == 2)
        #expect(server.stop() == 0)
    }

    /// A database has no folder for it.
    @Test func aCommandOnADatabaseWritesWhereItIsTold() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/audit"
        let database = try PostgreSQLServer.shared
        let place = try ["--store", database.url(database.newDatabase())]
        let create = ["token", "create", "--name", "a", "--lists", "*", "--can", "read"] + place
        #expect(try ServerProcess.run(create + ["--audit-log", path]).exitCode == 0)
        let revoke = ["token", "revoke", "a"] + place
        #expect(try ServerProcess.run(revoke, environment: ["LISTSTATE_AUDIT_LOG": path]).exitCode == 0)
        #expect(Self.events(path) == ["tokenMade", "tokenRevoked"])
        // What is done is done, also if nobody can be told.
        let full = try ServerProcess.run(create, environment: ["LISTSTATE_AUDIT_LOG": "/dev/full"])
        #expect(full.exitCode == 0 && full.output.contains("lst_"), "\(full)")
        #expect(full.errors.contains("/dev/full has no line of this: No space left on device."), "\(full)")
    }

    @Test func aServerServesWithoutRoomForItsAuditLog() throws {
        let server = try ServerProcess(["--memory", "--first-token", "--audit-log", "/dev/full"])
        for _ in 0..<100 { #expect(try server.client.send("GET", "/v1/lists").status == 401) }
        #expect(server.stop() == 0)
        #expect(server.log.components(separatedBy: "The audit log takes no lines: No space left on device.").count == 2)
        let refused = try ServerProcess.run(["serve", "--memory", "--port", "0", "--audit-log", "/nowhere/audit"])
        #expect(refused.exitCode == 73)
        #expect(refused.errors.contains("/nowhere/audit cannot be opened: No such file or directory."))
    }
}
