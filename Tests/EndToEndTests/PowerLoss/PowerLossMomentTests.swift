import Foundation
import JSONValue
import TestSupport
import Testing

/// The power fails at a certain moment: between two calls of a start, within a checkpoint, or within a backup.
///
/// `strace` kills the server in a call that changes a file, and the power fails at once. Data that was not synchronized
/// may be on the disk or not. So the rounds take turns: in one it is lost, in the next a part of it is kept.
@Suite(.serialized, .enabled(if: Soak.number("LISTSTATE_POWER_ROUNDS") != nil))
struct PowerLossMomentTests {
    private static let start = #"{"sections":[{"id":"s","items":[{"id":"a","kind":"k"}]}]}"#
    private static let star = "/v1/lists/l/items/a/star"

    private let neighbour: ServerProcess
    private var generator: SeededGenerator

    init() throws {
        try #require(LoopDisk.isPossible)
        neighbour = try ServerProcess(["--memory"])
        let seed = Soak.number("LISTSTATE_POWER_SEED").map { UInt64($0) } ?? .random(in: 0..<1 << 53)
        generator = SeededGenerator(seed: seed)
    }

    /// The arguments of a server that ends as soon as it has opened its folder, because its port is in use.
    private static func serve(_ data: String, _ neighbour: ServerProcess) -> [String] {
        ["serve", "--port", "\(neighbour.port)", "--data", data]
    }

    /// Cuts the power and mounts the disk again. It has all data that was synchronized, and in half of the cases some
    /// more.
    private static func fail(_ disk: LoopDisk, _ generator: inout SeededGenerator) throws {
        if generator.once(in: 2) { disk.writeBackSome(&generator) }
        try disk.cutPower()
        try disk.restart()
    }

    // MARK: A start

    @Test("A first start under which the power failed can be repeated")
    mutating func firstStart() throws {
        var generator = generator
        try StartKillTests.killEverywhere(
            ["mkdir", "openat", "pwrite64", "fsync", "fdatasync", "rename", "unlink"]
        ) { isKilled in
            let disk = try LoopDisk(commitSeconds: 60)
            let data = disk.path + "/data"
            let wasKilled = try isKilled(data, Self.serve(data, neighbour))
            try Self.fail(disk, &generator)
            let again = try ServerProcess.run(Self.serve(data, neighbour))
            #expect(again.exitCode == StartKillTests.portIsTaken, "\(again.errors)")
            return wasKilled
        }
    }

    /// After a crash with `--durability async` the start writes new epochs, and then settles the doubt.
    @Test("A start under which the power failed can be repeated, with everything there", arguments: [true, false])
    mutating func laterStart(_ waits: Bool) throws {
        var generator = generator
        let calls = ["openat", "pwrite64"] + (waits ? [] : ["fdatasync", "fsync", "unlink"])
        try StartKillTests.killEverywhere(calls) { isKilled in
            let disk = try LoopDisk(commitSeconds: 60)
            let data = disk.path + "/data"
            // The folder is made anew for each run, because the server notices that a folder is a copy.
            let server = try ServerProcess(["--data", data, "--durability", waits ? "sync" : "async"])
            #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
            let starred = try server.client.send("POST", Self.star, [("Idempotency-Key", "k")])
            server.crash()
            let old = try #require(WireVersion(starred["List-Version"]))
            try disk.restart()
            let wasKilled = try isKilled(data, Self.serve(data, neighbour))
            try Self.fail(disk, &generator)
            let again = try ServerProcess(["--data", data])
            let version = try WireVersion(again.client.send("GET", "/v1/lists/l")["List-Version"])
            #expect(version?.revision == old.revision && (version?.epoch == old.epoch) == waits, "\(old)")
            let repeated = try again.client.send("POST", Self.star, [("Idempotency-Key", "k")])
            #expect(repeated["Idempotency-Replayed"] == "true" && repeated["List-Version"] == starred["List-Version"])
            return wasKilled
        }
    }

    // MARK: A checkpoint

    /// Only a checkpoint writes to the database file itself.
    @Test("Nothing is lost when the power fails in a checkpoint", arguments: ["pwrite64", "fdatasync"])
    mutating func checkpoint(_ call: String) throws {
        let rounds = call == "pwrite64" ? 6 : 2
        for round in 1...rounds {
            let disk = try LoopDisk(commitSeconds: 60)
            let data = disk.path + "/data"
            #expect(try ServerProcess(["--data", data]).stop() == 0)
            let number = call == "pwrite64" ? 1 + generator.below(400) : round
            let server = try ServerProcess(
                ["--data", data], under: Self.killing(in: call, number, [data + "/liststate.db"]))
            #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
            let last = try #require(Self.writeUntilEnd(server.client))
            #expect(server.waitUntilEnd() == SIGKILL)
            try Self.fail(disk, &generator)
            let again = try ServerProcess(["--data", data])
            let list = try JSONValue(parsing: again.client.send("GET", "/v1/lists/l").body)
            let found = try #require(WireVersion(list["version"]?.string))
            // The write without an answer may be there.
            #expect(found.epoch == last.epoch && (last.revision...last.revision + 1).contains(found.revision))
            let content = list["sections"]?.elements.first?["items"]?.elements.first?["content"]
            #expect(content?["n"] == .integer(found.revision))
        }
    }

    /// - Returns: The last acknowledged version; nil if the server does not end.
    private static func writeUntilEnd(_ client: HTTPClient) -> WireVersion? {
        let text = String(repeating: "x", count: 20_000)
        var last = WireVersion(epoch: "", revision: 1)
        // These are many times the writes after which a checkpoint is due.
        for _ in 0..<5_000 {
            let patch = #"{"content":{"n":\#(last.revision + 1),"text":"\#(text)"}}"#
            let answer = try? client.send("PATCH", "/v1/lists/l/items/a", json: patch)
            guard let version = answer.flatMap({ WireVersion($0["List-Version"]) }) else { return last }
            last = version
        }
        return nil
    }

    private static func killing(in call: String, _ number: Int, _ paths: [String]) -> [String] {
        ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):signal=SIGKILL:when=\(number)"]
            + paths.flatMap { ["-P", $0] }
    }

    // MARK: A backup

    /// The call on the copy in which the server is killed, and its numbers from 1. A backup of the samples writes ten
    /// times.
    struct Moment {
        let call: String
        let numbers: ClosedRange<Int>
    }

    static let moments: [Moment?] = [
        Moment(call: "pwrite64", numbers: 1...1), Moment(call: "pwrite64", numbers: 2...4),
        Moment(call: "pwrite64", numbers: 5...8), Moment(call: "fsync", numbers: 1...1),
        Moment(call: "rename", numbers: 1...1), nil,
    ]

    @Test("A backup under which the power failed is whole or not there", arguments: moments)
    mutating func backup(_ moment: Moment?) throws {
        let disk = try LoopDisk(commitSeconds: 60)
        let (data, copy) = (disk.path + "/data", disk.path + "/copy")
        let tracer = moment.map { moment in
            let number = moment.numbers.lowerBound + generator.below(moment.numbers.count)
            return Self.killing(in: moment.call, number, [copy, copy + ".new"])
        }
        let server = try ServerProcess(["--data", data, "--samples"], under: tracer ?? [])
        #expect(try server.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        let starred = try server.client.send("POST", Self.star)
        let made = try ServerProcess.run(["backup", "--data", data, copy])
        #expect((made.exitCode == 0) == (moment == nil), "\(made.errors)")
        server.crash()
        try Self.fail(disk, &generator)
        let again = try ServerProcess(["--data", data])
        #expect(try again.client.send("GET", "/v1/lists/l")["List-Version"] == starred["List-Version"])
        let isThere = FileManager.default.fileExists(atPath: copy)
        #expect(isThere || moment != nil)
        if !isThere { #expect(try ServerProcess.run(["backup", "--data", data, copy]).exitCode == 0) }
        let verified = try ServerProcess.run(["verify", copy])
        #expect(verified.exitCode == 0, "\(verified.errors)")

        let restored = disk.path + "/restored"
        #expect(try ServerProcess.run(["restore", "--data", restored, copy]).exitCode == 0)
        #expect(again.stop() == 0)
        try Self.fail(disk, &generator)
        let another = try ServerProcess(["--data", restored])
        let version = try WireVersion(another.client.send("GET", "/v1/lists/l")["List-Version"])
        // The list is in a new epoch, whatever failed.
        #expect(version?.revision == 2 && version?.description != starred["List-Version"])
    }
}
