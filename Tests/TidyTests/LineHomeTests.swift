import Glibc
import Testing

/// Each kind of line stands in its home, as the map says (Sources/README.md, "Which line lives where"). This holds as far
/// as the text of a line shows its kind.
@Suite struct LineHomeTests {
    /// How lines of a kind are found, and where else they may stand.
    struct Kind: Sendable, CustomTestStringConvertible {
        /// The name of the kind in the map.
        let name: String
        /// Whether the text of a line shows that the line is of this kind.
        let isShown: @Sendable (String) -> Bool
        /// Other files, or whole targets, each with the reason.
        var others: [String: String] = [:]
        /// Lines of this kind, and lines that are none.
        let lines: [String]
        let innocent: [String]

        var testDescription: String { name }
    }

    /// The kinds whose lines look like all others. The architecture and the tests of their targets hold these.
    private static let unseen: Set<String> = [
        "rule about order, identity, hierarchy", "difference between two states", "word of a layout",
        "versions, who may write now, history",
    ]
    /// `PointerTests` has the files of this kind.
    private static let pointers = "pointer, `@unchecked`"

    static let kinds: [Kind] = [
        Kind(
            name: "call of a C library other than Glibc",
            isShown: { has(["import C"], in: $0) && $0.contains(#/^\w* ?import C[A-Z]/#) },
            others: [
                "ListAPI/Resources/Assets.swift": "files in the binary",
                "ListAPI/Version.swift": "the commit in the binary",
                "liststate/SecureClient.swift": "libcurl, which knows TLS",
            ],
            lines: ["internal import CZlib", "import CSQLite"],
            innocent: ["import Code", "let title = \"import CSQLite\""]),
        Kind(
            name: "bytes on disk, sync",
            isShown: { line in
                has(statements, in: line) && line.contains("\"") || has(fileCalls, in: line)
            },
            others: [
                "ListStateClient/Store/DatabaseEditStore.swift": "edits that a client keeps, which are no lists",
                "liststate/Client/Queue/QueueFolder.swift": "the queue of a user, which is no part of a store",
                "liststate/AuditFile.swift": "a log, which is no part of a store",
                "liststate/Export.swift": "the file of an export, which is no part of a store",
            ],
            lines: ["try run(\"DELETE FROM log\")", "guard fsync(file) == 0 else { return }", "    rename(path, to)"],
            innocent: ["static let update = 1", "let method = \"DELETE\"", "catalogue.prerename(list)"]),
        Kind(
            name: "JSON names, the form of bodies",
            isShown: { line in
                has(["\\\":"], in: line) && line.contains(#/\\"[a-zA-Z]+\\":/#)
                    || has(["\": .string(", "\": .integer(", "\": .array(", "\": .object(", "\": .bool("], in: line)
            },
            others: [
                "Access/AccessBook+JSON.swift": "the access book as it is stored",
                "ListAPI/Problems": "problems, and prose with examples of bodies",
                "ListAPI/Replies/ListBodies.swift": "pages of lists",
                "ListAPI/Replies/PastTransactions.swift": "pages of history",
                "ListAPI/Live/EventText.swift": "events without a change set",
                "ListAPI/Resources": "bodies that only one resource has",
                "ListStateClient/Wire/EditBody.swift": "bodies that the client in Swift sends",
                "ListStateClient/Wire/Feed.swift": "bodies that the client in Swift sends",
                "ListModel/Values/Item.swift": "the JSON of an item is made once, when the item changes",
                "SampleLists": "contents of samples",
                "liststate/Client": "bodies that the command sends and reads, and the file of its queue",
                "liststate/AccessDesk.swift": "a line from a command to the server of its folder",
                "liststate/Export.swift": "the lines of an export, which is no body",
                "liststate/RemoteDesk.swift": "bodies that the command sends and reads",
                "liststate/Samples.swift": "a body that the command sends",
            ],
            lines: ["splicer.key(\"\\\"until\\\":\")", "[\"title\": .string(title)]"],
            innocent: ["let names: [String: Int] = [\"until\": 1]", "splicer.raw(\"\\\"\")"]),
        Kind(
            name: "status codes, headers, limits of input",
            isShown: { has(["status: .", "status = .", "HTTPResponse.Status(", "MHD_HTTP_", "Field(\""], in: $0) },
            lines: ["Response(status: .notFound, fields: [])", "Response.Field(\"Location\", path)"],
            innocent: ["let status: HTTPResponse.Status", "status.code >= 500"]),
        Kind(
            name: "defaults, environment, signals, exit code",
            isShown: { line in
                has(processCalls, in: line) || has(["SIG"], in: line) && line.contains(#/SIG[A-Z]{3}/#)
            },
            others: [
                "ListStateClient/Wire/CurlTransport.swift": "the file of the authorities that are trusted",
                "Threads/Thread.swift": "signals are for the main thread",
            ],
            lines: ["let value = getenv(name)", "exit(1)", "throw ExitCode(65)", "wait(for: SIGTERM)"],
            innocent: ["let signalled = true", "thread.exits()", "thread.onexit()"]),
        Kind(
            name: "time, randomness",
            isShown: { line in
                has(clocks, in: line) || has(draws, in: line) && !line.contains("using: &") && !line.contains("with: &")
            },
            others: [
                "ListAPI/Replies/WriteRetry.swift": "the end of a write that is decided again",
                "ListStateClient/Lists/ListCore.swift": "the rest after work that has taken long",
                "ListStateClient/Lists/RowKeeper.swift": "the time that a client takes to write its rows",
                "ListStateClient/Wire/Patience.swift": "the time between two attempts of a client",
                "ListStore/Contention.swift": "the end of the wait for a lock",
                "ListStore/Store+Contention.swift": "the end of the wait for a lock",
                "Microhttpd/Loop/Waiter.swift": "deadlines of connections",
                "PostgreSQLJournal/Commits/ListLocks.swift": "the end of the wait for a database that is away",
                "PostgreSQLJournal/Commits/Committer.swift": "the end of the wait for a database that is away",
                "PostgreSQLJournal/Epochs/Leadership.swift": "the time for which a server is believed to lead",
                "PostgreSQLJournal/Hints/Announcer.swift": "the time between two hints",
                "PostgreSQLJournal/Hints/Listener.swift": "the time between two looks at all lists",
                "Threads/Lock.swift": "a wait that ends by itself",
            ],
            lines: [
                "let now = ContinuousClock.now", "clock_gettime(CLOCK_MONOTONIC, &now)", "time(nil)",
                "let number = Int.random(in: 0..<9)", "list.shuffled()", "number: .random(in: 0..<1 << 53))",
            ],
            innocent: [
                "nodes.shuffle(with: &generator)", "Int.random(in: 0..<9, using: &generator)", "splicer.time(until)",
                "let clock: @Sendable () -> Int",
            ]),
    ]

    private static let statements = [
        "SELECT ", "INSERT ", "UPDATE ", "DELETE FROM ", "PRAGMA ", "CREATE TABLE ", "DROP TABLE ",
    ]
    private static let fileCalls = [
        "fsync(", "fdatasync(", "sync_file_range(", "pwrite(", "ftruncate(", "fallocate(", "rename(", "unlink(",
    ]
    private static let processCalls = [
        "getenv(", "setenv(", "environ", "sigaction(", "sigwait(", "signal(", "signalfd(", "pthread_sigmask(", "kill(",
        "exit(", "_exit(", "abort(", "ExitCode",
    ]
    private static let clocks = [
        "clock_gettime(", "gettimeofday(", "time(nil)", "ContinuousClock", "SuspendingClock", "Date(",
    ]
    private static let draws = [
        ".random(", ".shuffled(", ".shuffle(", ".randomElement(", "getrandom(", "arc4random",
        "SystemRandomNumberGenerator",
    ]

    /// Whether one of the marks is in the line, and is not the end of a longer name.
    private static func has(_ marks: [String], in line: String) -> Bool {
        marks.contains { mark in
            guard strstr(line, mark) != nil else { return false }
            return line.ranges(of: mark).contains { range in
                let before = line[..<range.lowerBound].last
                let isName = { (character: Character) in character.isLetter || character == "_" }
                return !(mark.first.map(isName) ?? false) || !(before.map(isName) ?? false)
            }
        }
    }

    @Test("A line of this kind stands in its home", arguments: kinds)
    func homes(of kind: Kind) throws {
        let homes = try Self.homes(of: kind.name)
        let found = SourceFile.sources.filter { !homes.contains($0.target) && $0.code.contains(where: kind.isShown) }
            .map { String($0.path.dropFirst("Sources/".count)) }
        let strays = found.filter { path in !kind.others.keys.contains { path == $0 || path.hasPrefix($0 + "/") } }
        #expect(strays == [])
        // An exception that is not used would hide the next mistake.
        for (other, _) in kind.others {
            #expect(found.contains { $0 == other || $0.hasPrefix(other + "/") }, "\(other) has none")
        }
    }

    /// Without this test, a kind whose lines are not recognized would always stand in its home.
    @Test("A line of this kind is recognized", arguments: kinds)
    func isShown(_ kind: Kind) {
        #expect(kind.lines.filter { !kind.isShown($0) } == [])
        #expect(kind.innocent.filter(kind.isShown) == [])
    }

    @Test func everyKindOfTheMapIsHere() throws {
        let here = Self.kinds.map(\.name) + Self.unseen + [Self.pointers]
        #expect(try Set(Self.rows().map { $0[0] }) == Set(here))
        #expect(here.count == Set(here).count)
    }

    /// The rows of the map's table: the kind, the home, and what it may never touch.
    private static func rows() throws -> [[String]] {
        let lines = try SourceFile.read("Sources/README.md").lines
        let start = try #require(lines.firstIndex(of: "## Which line lives where"))
        return lines[start...].drop { !$0.hasPrefix("|---") }.dropFirst().prefix { $0.hasPrefix("|") }
            .map(SourceFile.cells)
    }

    private static func homes(of kind: String) throws -> Set<String> {
        let row = try #require(rows().first { $0[0] == kind })
        return Set(row[1].split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }
}
