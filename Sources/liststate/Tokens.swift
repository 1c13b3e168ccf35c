import Access
import ArgumentParser
import JSONValue
import ListStore
import PostgreSQLJournal
import SQLiteJournal
import Texts

/// The store whose tokens a command works on.
struct AccessPlace: ParsableArguments {
    @OptionGroup var place: FolderOption
    @Option(
        help: "The PostgreSQL database, instead of a folder: postgres://USER@HOST/DATABASE. (default: LISTSTATE_STORE)")
    var store: String?
    @Option(
        help: """
            The server that does the work, with the rights of the token in LISTSTATE_TOKEN: https://lists.example.org, or \
            http:// and an address of this machine.
            """, transform: ServerAddress.option)
    var server: ServerAddress?
    @Option(
        help: """
            The audit log that gets a line, unless a server does the work. (default: LISTSTATE_AUDIT_LOG, else audit.log in \
            the folder; none with --store)
            """)
    var auditLog: String?

    /// Does the work in this process, or asks the server that has the folder open.
    func perform(_ request: AccessRequest) throws {
        for line in try answer(request) { try printLine("\(line)") }
    }

    private func answer(_ request: AccessRequest) throws -> [ByteText] {
        if let server {
            guard place.data == nil, store == nil else { throw ValidationError("One of --data, --store and --server.") }
            return try RemoteDesk(server: server).perform(request)
        }
        if let url = try store ?? Environment.value(Environment.variable("store")), place.data == nil {
            guard DatabaseStore.isURL(url) else {
                throw ValidationError("--store is a URL: postgres://USER@HOST/DATABASE.")
            }
            if store != nil { hideArgument(url) }
            let journal = try DatabaseStore.open(url, allowsUnsafe: true) { _ in }
            defer { journal.close() }
            return try work(request, journal, DatabaseStore.name, log: nil)
        }
        let journal: SQLiteJournal
        do throws(JournalError) {
            journal = try SQLiteJournal(
                directory: place.folder, durability: .sync, opener: .command, patience: Maintenance.patience)
        } catch .locked {
            return try askServer(request)
        } catch {
            throw Failure.journal(error, folder: place.folder)
        }
        defer { journal.close() }
        // Nothing can be read of a journal before it is opened. The receipts are of no use here.
        try journal.open(receipt: { _ in }, receiptsMax: 0, since: .max)
        return try work(request, journal, place.folder, log: AuditLog.path(in: place.folder))
    }

    /// - Parameter log: The audit log if nobody has said another one; nil for none.
    private func work(
        _ request: AccessRequest, _ journal: any Journal, _ name: String, log standard: String?
    ) throws -> [ByteText] {
        let log = try auditLog ?? Environment.value(Environment.variable("audit-log")) ?? standard
        let keeper: AccessKeeper
        do {
            keeper = try AccessKeeper(KeptBook(journal), isClosed: false, clock: currentTime) {}
        } catch let error as AccessError {
            throw Failure.failed(error.sentence, 76)
        } catch let error as BookStoreError {
            throw Failure.failed("The tokens in \(name) cannot be read: \(error.cause)", 74)
        }
        return try AccessDesk(keeper: keeper, clock: currentTime) { note($0, in: log) }.perform(request)
    }

    /// What has been done is done, also if the audit log cannot be told.
    private func note(_ event: AccessEvent, in path: String?) {
        guard let path, let complaint = AuditLog.write(event, by: AccessDesk.actor, to: path) else { return }
        writeToStandardError(Array("liststate: \(complaint)\n".utf8))
    }

    private func askServer(_ request: AccessRequest) throws -> [ByteText] {
        var lines: [ByteText] = []
        var (isDone, text) = (false, "The server has ended without an answer.")
        let isAnswered = ControlServer.ask(
            place.folder, ["access ", ByteText(decoding: request.json.bytes)].joined()
        ) { line in
            let words = line.split(separator: " ", maxSplits: 1)
            let rest = words.count > 1 ? words[1] : ""
            switch words.first {
            case "line": lines.append(ByteText(String(rest)))
            case "done": isDone = true
            case "error": text = String(rest)
            default: break
            }
        }
        guard isAnswered else {
            throw Failure.failed("Another process has \(place.folder) open and answers no questions.", 75)
        }
        guard isDone else { throw Failure.failed(text, 65) }
        return lines
    }
}

/// Lists and rights, in pairs: `--lists 'team-a-*' --can read,write`.
struct GrantOptions: ParsableArguments {
    @Option(help: "The lists, with commas between; * stands for any characters. May be repeated, each with its --can.")
    var lists: [String] = []
    @Option(help: "The rights on these lists, with commas between: read, write, create, delete, administer.")
    var can: [String] = []

    func grants() throws -> Grants {
        guard lists.count == can.count else {
            throw ValidationError("Each --lists needs its own --can: --lists 'team-a-*' --can read,write.")
        }
        let grants = try zip(lists, can).map { lists, can in
            let patterns = try lists.split(separator: ",").map { text in
                guard let pattern = ListPattern(ByteText(String(text))) else {
                    throw ValidationError("--lists has \(text), and ids of lists have a-z, 0-9, '.', '_', '-' or *.")
                }
                return pattern
            }
            let names = can.split(separator: ",").map { ByteText(String($0)) }
            guard let rights = Rights(names: names) else {
                throw ValidationError("--can is one or more of read, write, create, delete, administer.")
            }
            guard let grant = Grant(patterns, rights) else {
                throw ValidationError("--lists names 1 to \(Grant.patternsMax) lists.")
            }
            return grant
        }
        guard let all = Grants(grants) else {
            throw ValidationError("There are at most \(Grants.grantsMax) pairs of --lists and --can.")
        }
        return all
    }
}

/// A time from now on: `90d`, `12h`, `30m`.
struct Lifetime: ExpressibleByArgument {
    let seconds: Int

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    private static let secondsMax = 315_360_000

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.units[$0] }), let count = Int(argument.dropLast()), count > 0,
            count <= Self.secondsMax / unit
        else { return nil }
        seconds = count * unit
    }
}

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes, lists, rotates and revokes tokens; also while a server serves them.",
        subcommands: [Create.self, List.self, Rotate.self, Revoke.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token, and prints it this once, alone on the last line.")

        @OptionGroup var place: AccessPlace
        @Option(help: "The name, which is also the actor in the history of lists.") var name: String
        @OptionGroup var grants: GrantOptions
        @Option(help: "The time after which it is none: 90d, 12h, 30m. Without it the token has no end.")
        var expires: Lifetime?

        func run() throws {
            guard AccessBook.isName(ByteText(name)) else {
                throw ValidationError(
                    "--name has 1 to 64 characters of a-z, 0-9, '.', '_' and '-', and is not anonymous.")
            }
            let grants = try grants.grants()
            guard !grants.isEmpty else { throw ValidationError("--lists and --can say what the token is for.") }
            try place.perform(.create(name: ByteText(name), grants, lifetimeSeconds: expires?.seconds))
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the tokens and what they are for.")

        @OptionGroup var place: AccessPlace

        func run() throws { try place.perform(.list) }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a token a new secret, and prints it this once, alone on the last line.")

        @OptionGroup var place: AccessPlace
        @Argument(help: "The name of the token.") var name: String
        @Option(help: "The time after which the new secret is none. Without it the token keeps its end.")
        var expires: Lifetime?

        func run() throws {
            try place.perform(.rotate(name: ByteText(name), lifetimeSeconds: expires?.seconds))
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a token. Its streams end within a second.")

        @OptionGroup var place: AccessPlace
        @Argument(help: "The name of the token.") var name: String

        func run() throws { try place.perform(.revoke(name: ByteText(name))) }
    }
}

struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Says what those may do who are not named: anonymous, and any-token.",
        discussion: "Without --lists and --can the group may do nothing.")

    @OptionGroup var place: AccessPlace
    @Option(help: "anonymous: whoever sends no token. any-token: whoever sends one, besides its own rights.")
    var to: String
    @OptionGroup var grants: GrantOptions

    func run() throws {
        guard let group = AccessBook.Group(rawValue: to) else {
            throw ValidationError("--to is anonymous or any-token.")
        }
        try place.perform(.allow(group, try grants.grants()))
    }
}
