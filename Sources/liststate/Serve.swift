import Access
import ArgumentParser
import ListAPI
import ListStore
import Logging
import Microhttpd
import PostgreSQLJournal
import SQLiteJournal
import Texts
import Threads

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves lists until it is told to stop.",
        discussion: "Every option is also an environment variable: --port is LISTSTATE_PORT.")

    @Option(help: "The address to listen on, in numbers, or localhost.")
    var host = "127.0.0.1"
    @Option(help: "The port to listen on; 0 picks a free one.")
    var port: UInt16 = 8080
    @Option(help: "The folder that keeps the lists. (default: liststate-data)")
    var data: String?
    @Flag(help: "Keep the lists in memory only.")
    var memory = false
    @Option(
        help: """
            The PostgreSQL database that keeps the lists, as postgres://USER@HOST/DATABASE. Any number of servers may \
            share it. A password belongs in a password file, or in LISTSTATE_STORE.
            """)
    var store: String?
    @Flag(help: "Serve although the settings of the database can lose answered writes. The log names them.")
    var allowUnsafeStore = false
    @Flag(help: "Refuse to start unless each commit of the database waits for a standby.")
    var requireStandby = false
    @Option(
        help: """
            When a write is answered: sync, once it is on the disk; async, before, so that a power failure can lose \
            answered writes.
            """)
    var durability = DurabilityOption.sync
    @Flag(help: "Install the samples that are missing.")
    var samples = false
    @Option(help: "An origin whose pages may read, write and follow, or *; may be repeated.")
    var allowOrigin: [String] = []
    @Option(
        help: """
            A name, besides addresses and localhost, under which this server is asked, or *; may be repeated. Other \
            names are refused, because any page can lead a name of its own here.
            """)
    var allowHost: [String] = []
    @Option(
        help: """
            Seconds for which caches that several clients share may answer reads of lists without asking again; 0 for none.
            """)
    var sharedCacheSeconds = 0
    @Flag(help: "Serve on an address that others reach although there are no tokens.")
    var insecure = false
    @Option(
        help: """
            A further address, as HOST:PORT, on which GET /metrics needs no token. Everybody who reaches it reads the \
            metrics, and nothing else.
            """)
    var metricsAddress: ListenAddress?
    @Option(help: "The least level that is logged.")
    var logLevel = LogLevel.info
    @Option(help: "The form of log lines: text; or json, an object a line.")
    var logFormat = LogFormat.text
    @Option(help: "A file that gets a line for each request; SIGHUP opens it again.")
    var accessLog: String?
    @Option(help: "The collector that gets spans of requests, by OTLP over HTTP: http://127.0.0.1:4318.")
    var traces: TraceCollector?
    @Option(help: "How many of a thousand requests begin a trace, of those whose senders name none.")
    var tracesPerThousand = 10
    @OptionGroup
    var limits: LimitOptions

    func validate() throws {
        guard [memory, data != nil, store != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("One of --data, --memory and --store.")
        }
        guard store.map(DatabaseStore.isURL) ?? true else {
            throw ValidationError("--store is a URL: postgres://USER@HOST/DATABASE.")
        }
        guard store != nil || !requireStandby else {
            throw ValidationError("--require-standby is for --store.")
        }
        guard store == nil || durability == .sync else {
            throw ValidationError("--durability async is for a folder. A database has its own settings.")
        }
        guard Self.sharedCacheSecondsAllowed.contains(sharedCacheSeconds) else {
            throw ValidationError("--shared-cache-seconds is a number from 0 to 86400, and not \(sharedCacheSeconds).")
        }
        guard (0...1_000).contains(tracesPerThousand) else {
            throw ValidationError("--traces-per-thousand is a number from 0 to 1000, and not \(tracesPerThousand).")
        }
        guard allowOrigin.allSatisfy(Self.isOrigin) else {
            throw ValidationError("--allow-origin is * or as browsers send it: https://example.org, without a path.")
        }
        guard allowHost.allSatisfy(Self.isHost) else {
            throw ValidationError("--allow-host is * or a name without scheme and port: lists.example.org.")
        }
    }

    private static let sharedCacheSecondsAllowed = 0...86_400

    /// Whether the text can be the host in `Host`, without a port, or is `*`.
    private static func isHost(_ text: String) -> Bool {
        guard text != "*" else { return true }
        return (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether a browser can send the text as `Origin` (RFC 6454, section 6.2), or the text is `*`.
    private static func isOrigin(_ text: String) -> Bool {
        guard text != "*" else { return true }
        guard let separator = text.firstRange(of: "://") else { return false }
        let (scheme, host) = (text[..<separator.lowerBound], text[separator.upperBound...])
        let isLower = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !(0x41...0x5A).contains($0) }
        return isLower && !scheme.isEmpty && !host.isEmpty && !host.contains { "/,?#@*".contains($0) }
    }

    func run() throws(Failure) {
        boundFreeMemory(loops: limits.loopCount)
        var stopSignals = StopSignals()
        if accessLog != nil { stopSignals.addHangUp() }
        let log = try openLog()
        defer { log.flush(seconds: 1) }
        LoggingSystem.bootstrap { [logFormat] in logFormat.handler($0, log) }
        var logger = Logger(label: "liststate")
        logger.logLevel = logLevel.level

        if let store { hideArgument(store) }
        let inherited = try ServiceManager.socket()
        let folder = memory || store != nil ? nil : data ?? "liststate-data"
        let place = store != nil ? DatabaseStore.name : folder ?? "memory only"
        let journal = try folder.map { folder throws(Failure) in try openJournal(folder, logger) }
        let database = try store.map { url throws(Failure) in try openDatabase(url, logger) }
        let store = try openStore(journal, database, place, logger)
        if durability == .async {
            logger.warning("Writes are answered before they are on the disk: a power failure can lose them.")
        }
        let requests = try accessLog.map { path throws(Failure) in
            try AccessLog(path, logFormat) { [logger] in logger.error("\($0)") }
        }
        defer { requests?.flush(seconds: 1) }
        let tracer = try traces.map { collector throws(Failure) in
            try Tracer(collector, perThousand: tracesPerThousand, logger)
        }
        defer { tracer?.stop(seconds: 1) }
        let measures = Measures(log, requests, tracer)
        measures.watch(store)
        if samples { try store.installMissingSamples() }
        giveFreeMemoryBack()
        let gate = try openGate(store, place, host: inherited?.host ?? host, logger)
        let desk = gate.keeper.map { keeper in
            AccessDesk(keeper: keeper, clock: currentTime) { gate.note($0, by: AccessDesk.actor) }
        }
        let control = folder.flatMap { folder in journal.map { ControlServer(folder, $0, desk, logger) } }
        let server = try start(store, gate, inherited, measures, logger)
        let metrics = try metricsAddress.map { address throws(Failure) in
            try address.serveMetrics({ measures.page() }, logger)
        }
        announce(host: inherited?.host ?? host, port: server.port, place)
        ServiceManager.tell(.ready)

        stopSignals.wait { requests?.reopen() }
        ServiceManager.tell(.stopping)
        logger.info("Stopping.")
        let end = ContinuousClock.now + .seconds(limits.drainGraceSeconds)
        let deadline = StopDeadline(graceSeconds: limits.drainGraceSeconds, server, logger, log)
        control?.stop()
        server.stop(graceSeconds: limits.drainGraceSeconds)
        metrics?.stop(graceSeconds: 0)
        gate.stop()
        control?.waitUntilTidy(until: end)
        store.stop()
        deadline.isMet()
    }

    private func openLog() throws(Failure) -> LogStream {
        do throws(ThreadError) { return try LogStream(writeToStandardError) } catch {
            throw .failed("No thread could be started: error \(error.code).", 75)
        }
    }

    private func openStore(
        _ journal: SQLiteJournal?, _ database: PostgreSQLJournal?, _ place: String, _ logger: Logger
    ) throws(Failure) -> Store {
        do {
            let retention = limits.retention(try journal?.retention())
            let store = try Store(
                journal: journal ?? database, mayMissCommits: journal?.recovery.mayMissCommits ?? false,
                limits: limits.store(retention),
                compaction: limits.compaction, intents: API.intentCoding(bytesMax: limits.intentBytesMax),
                clock: currentTime, uptime: uptime, milliseconds: uptimeMilliseconds, token: randomToken,
                noteDamage: { list in
                    logger.error("The list \(list.id) cannot be read.", metadata: ["cause": "\(list.error)"])
                })
            try journal.map { try remember(retention, in: $0) }
            return store
        } catch let error as JournalError {
            throw .journal(error, folder: place)
        } catch {
            throw .store(error, folder: place)
        }
    }

    /// Reads who may do what.
    private func openGate(
        _ store: Store, _ place: String, host: String, _ logger: Logger
    ) throws(Failure) -> Gate {
        let isLoopback = Self.isLoopback(host)
        let book: any BookStore = store.keepsRecords ? KeptBook(store) : BookInMemory()
        do {
            let gate = try Gate(book, clock: currentTime, random: randomNumber) { event, actor in
                logger.notice("\(event.sentence)", metadata: ["actor": "\(actor)"])
            }
            try gate.start { error in
                logger.error(
                    "The tokens cannot be read, and those that are known stay.", metadata: ["cause": "\(error)"])
            }
            guard insecure || !gate.letsEverybodyIn || isLoopback else {
                throw Failure.failed(
                    """
                    Everybody who reaches \(host) could read and change everything, because there are no tokens. Make one: \
                    liststate token create --name admin --lists '*' --can administer. Or serve on 127.0.0.1 alone, or give \
                    --insecure.
                    """, 78)
            }
            if gate.letsEverybodyIn, !isLoopback {
                logger.warning("There are no tokens: everybody who reaches \(host) can read and change everything.")
            }
            return gate
        } catch let error as Failure {
            throw error
        } catch AccessError.unreadable {
            throw .failed(
                "The tokens in \(place) cannot be read by this program. A newer program may have written them.", 76)
        } catch {
            throw .failed("The tokens in \(place) cannot be read: \(error)", 74)
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// Opens the database, unless its settings can lose answered writes and nobody has allowed that.
    private func openDatabase(_ url: String, _ logger: Logger) throws(Failure) -> PostgreSQLJournal {
        let journal = try DatabaseStore.open(url, allowsUnsafe: allowUnsafeStore) { logger.warning("\($0)") }
        if journal.mayMissCommits {
            logger.notice(
                """
                Answered writes may be missing, because the database was restored, or is on a standby that may have lacked \
                some: every list goes on in a new epoch.
                """)
        }
        guard journal.hasStandby || !requireStandby else {
            throw .failed("The database waits for no standby: its synchronous_standby_names is empty.", 78)
        }
        return journal
    }

    /// Stores the retention in the folder. A full disk is no reason not to serve.
    private func remember(_ retention: Retention, in journal: SQLiteJournal) throws(JournalError) {
        do throws(JournalError) { try journal.keep(retention) } catch {
            guard error == .full else { throw error }
        }
    }

    private func openJournal(_ folder: String, _ logger: Logger) throws(Failure) -> SQLiteJournal {
        do throws(JournalError) {
            let journal = try SQLiteJournal(
                directory: folder, durability: durability.journal, opener: .server, patience: Maintenance.patience)
            if let doubt = journal.recovery.doubt {
                logger.notice("Answered writes may be missing (\(doubt.text)): every list goes on in a new epoch.")
            }
            let dropped = journal.recovery.bytesDropped
            if dropped > 0 { logger.notice("Dropped \(dropped) bytes of a commit that was never acknowledged.") }
            return journal
        } catch {
            throw .journal(error, folder: folder)
        }
    }

    private func start(
        _ store: Store, _ gate: Gate, _ inherited: InheritedSocket?, _ measures: Measures, _ logger: Logger
    ) throws(Failure) -> Server {
        let origins: API.Configuration.Origins =
            allowOrigin.isEmpty
            ? .none : allowOrigin.contains("*") ? .any : .these(Set(allowOrigin.map { ByteText($0) }))
        let hosts: API.Configuration.Hosts =
            allowHost.contains("*") ? .any : .these(Set(allowHost.map { ByteText($0).lowercasedASCII }))
        var served = limits.api(origins: origins, hosts: hosts, logger: logger, measures: measures)
        served.sharedCacheSeconds = sharedCacheSeconds
        served.gate = gate
        served.requestEnded = measures.requestEnded
        let api = API(store: store, configuration: served)
        let named = host.lowercased() == "localhost" ? "127.0.0.1" : host
        var configuration = limits.server(host: inherited?.host ?? named, port: inherited?.port ?? port)
        configuration.inherited = inherited
        configuration.fitDescriptors(logger)
        do throws(ServerError) {
            let server = try Server(configuration, handler: api)
            measures.watch(api, server)
            return server
        } catch {
            throw .server(error)
        }
    }

    /// Prints one line. It also tells the process that started this one that the server is ready.
    private func announce(host: String, port: UInt16, _ place: String) {
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        printLine("liststate listens on \(address), data in \(place); try: curl \(address)/v1/lists")
    }
}

extension SQLiteJournal.Doubt {
    fileprivate var text: String {
        switch self {
        case .noMark: "there is no file acknowledged that can be read"
        case .copy: "the folder is a copy of another one"
        case .notSettled: "after a restore, a repair, or a crash with --durability async"
        }
    }
}

/// `SQLiteJournal.Durability` as an option.
enum DurabilityOption: String, CaseIterable, ExpressibleByArgument {
    case sync, async

    var journal: SQLiteJournal.Durability {
        switch self {
        case .sync: .sync
        case .async: .async
        }
    }
}

/// `Logger.Level` as an option. A type of our own, because both the protocol and `Logger.Level` belong to others.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    /// The level of the same name.
    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
