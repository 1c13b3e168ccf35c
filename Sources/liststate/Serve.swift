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
    @Option(
        help: """
            Addresses of proxies that are believed when they say for whom they ask, as 192.0.2.7 or 10.0.0.0/8; may be \
            repeated. Nobody else may reach the server from them.
            """)
    var trustedProxies: [String] = []
    @Option(help: "The field in which they say so; they must all write it.")
    var proxyField = ProxyField.xForwardedFor
    @Flag(help: "Serve on an address that others reach although there are no tokens.")
    var insecure = false
    @Flag(
        help: """
            Make the token admin, which may do everything, if there is no token. One line of standard output shows it, this \
            once.
            """)
    var firstToken = false
    @Option(
        help: """
            The file for lines of JSON that say who was given rights, and who was refused. (default: audit.log in the \
            folder of --data; none with --memory and --store)
            """)
    var auditLog: String?
    @OptionGroup
    var issuer: IssuerOptions
    @Option(help: "The least level that is logged.")
    var logLevel = LogLevel.info
    @OptionGroup
    var watching: WatchOptions
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
        guard allowOrigin.allSatisfy(Self.isOrigin) else {
            throw ValidationError("--allow-origin is * or as browsers send it: https://example.org, without a path.")
        }
        guard proxyRanges.count == proxyTexts.count else {
            throw ValidationError(
                "--trusted-proxies is an address, or a network whose other bits are 0: 192.0.2.7, 10.0.0.0/8.")
        }
        guard allowHost.allSatisfy(Self.isHost) else {
            throw ValidationError("--allow-host is * or a name without scheme and port: lists.example.org.")
        }
    }

    private var proxyTexts: [ByteText] {
        trustedProxies.flatMap { ByteText($0).split(at: ",").map(\.trimmed) }
    }
    private var proxyRanges: [AddressRange] { proxyTexts.compactMap { AddressRange($0) } }

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
        let (stopSignals, hangUp) = (StopSignals(), HangUp())
        let log = try openLog()
        defer { log.flush(seconds: 1) }
        LoggingSystem.bootstrap { [watching] in watching.logFormat.handler($0, log) }
        var logger = Logger(label: "liststate")
        logger.logLevel = logLevel.level

        if let store { hideArgument(store) }
        let inherited = try ServiceManager.socket()
        let folder = memory || store != nil ? nil : data ?? "liststate-data"
        let place = store != nil ? DatabaseStore.name : folder ?? "memory only"
        let journal = try folder.map { folder throws(Failure) in try openJournal(folder, logger) }
        let database = try store.map { url throws(Failure) in try openDatabase(url, logger) }
        let budget = limits.makeMemory()
        let store = try openStore(journal, database, place, budget, logger)
        if durability == .async {
            logger.warning("Writes are answered before they are on the disk: a power failure can lose them.")
        }
        let requests = try watching.openAccessLog(logger)
        defer { requests?.flush(seconds: 1) }
        let tracer = try watching.startTracer(logger)
        defer { tracer?.stop(seconds: 1) }
        let measures = Measures(log, requests, tracer, budget)
        measures.watch(store)
        if samples { try store.installMissingSamples() }
        let audit = try openAuditLog(folder, logger)
        defer { audit?.flush(seconds: 1) }
        try startReopening(hangUp, audit, requests)
        let gate = try openGate(store, place, audit, logger)
        let desk = gate.keeper.map { keeper in
            AccessDesk(keeper: keeper, clock: currentTime) { gate.note($0, by: AccessDesk.actor) }
        }
        if firstToken { try desk?.printFirstToken() }
        try requireTokens(gate, host: inherited?.host ?? host, logger)
        let control = folder.flatMap { folder in journal.map { ControlServer(folder, $0, desk, logger) } }
        let server = try start(store, gate, inherited, budget, measures, logger)
        let metrics = try watching.metricsAddress.map { address throws(Failure) in
            try address.serveMetrics({ measures.page() }, logger)
        }
        announce(host: inherited?.host ?? host, port: server.port, place)
        ServiceManager.tell(.ready)

        stopSignals.wait()
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
        _ journal: SQLiteJournal?, _ database: PostgreSQLJournal?, _ place: String, _ budget: MemoryBudget,
        _ logger: Logger
    ) throws(Failure) -> Store {
        do {
            let retention = limits.retention(try journal?.retention())
            let store = try Store(
                journal: journal ?? database, mayMissCommits: journal?.recovery.mayMissCommits ?? false,
                limits: limits.store(retention, budget),
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

    /// Opens the audit log, if there is one.
    private func openAuditLog(_ folder: String?, _ logger: Logger) throws(Failure) -> AuditLog? {
        guard let path = auditLog ?? folder.map(AuditLog.path(in:)) else { return nil }
        return try AuditLog(path, clock: currentMilliseconds) { news in
            switch news {
            case .stuck: logger.error("\(news.sentence)")
            case .goesOn: logger.notice("\(news.sentence)")
            }
        }
    }

    private func startReopening(
        _ hangUp: HangUp?, _ audit: AuditLog?, _ requests: AccessLog?
    ) throws(Failure) {
        do throws(ThreadError) {
            try hangUp?.start {
                audit?.reopen()
                requests?.reopen()
            }
        } catch {
            throw .failed("No thread could be started: error \(error.code).", 75)
        }
    }

    /// Reads who may do what.
    private func openGate(
        _ store: Store, _ place: String, _ audit: AuditLog?, _ logger: Logger
    ) throws(Failure) -> Gate {
        let book: any BookStore = store.keepsRecords ? KeptBook(store) : BookInMemory()
        do {
            let tickets: any TicketStore = store.keepsRecords ? KeptTickets(store) : TicketsOfProcess()
            let gate = try Gate(
                book, tickets: tickets, issuer: issuer.settings(logger), clock: currentTime, random: randomNumber
            ) { event, actor in
                audit?.note(event, by: actor)
                if let sentence = event.sentence { logger.notice("\(sentence)", metadata: ["actor": "\(actor)"]) }
            }
            if let other = gate.issuer { try issuer.look(other, logger) }
            try gate.start { error in
                logger.error(
                    "The tokens cannot be read, and those that are known stay.", metadata: ["cause": "\(error)"])
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

    /// Refuses to serve everybody on an address that others reach, unless somebody wants that.
    private func requireTokens(_ gate: Gate, host: String, _ logger: Logger) throws(Failure) {
        guard gate.letsEverybodyIn, !ServerAddress.isLoopback(host) else { return }
        guard insecure else {
            throw .failed(
                """
                Everybody who reaches \(host) could read and change everything, because there are no tokens. \(tokenAdvice)\
                Give --first-token, which makes one, serve on 127.0.0.1 alone, or give --insecure.
                """, 78)
        }
        logger.warning("There are no tokens: everybody who reaches \(host) can read and change everything.")
    }

    /// The command that makes a token for this server. In memory there are only those that it makes itself.
    private var tokenAdvice: String {
        guard !memory else { return "" }
        let place = store == nil ? "--data \(Advice.word(data ?? "liststate-data"))" : "--store URL"
        return "Make one: liststate token create --name admin --lists '*' --can administer \(place). Or: "
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
        _ store: Store, _ gate: Gate, _ inherited: InheritedSocket?, _ budget: MemoryBudget, _ measures: Measures,
        _ logger: Logger
    ) throws(Failure) -> Server {
        let origins: API.Configuration.Origins =
            allowOrigin.isEmpty
            ? .none : allowOrigin.contains("*") ? .any : .these(Set(allowOrigin.map { ByteText($0) }))
        let hosts: API.Configuration.Hosts =
            allowHost.contains("*") ? .any : .these(Set(allowHost.map { ByteText($0).lowercasedASCII }))
        var served = limits.api(origins: origins, hosts: hosts, budget, measures, logger: logger)
        served.sharedCacheSeconds = sharedCacheSeconds
        served.gate = gate
        served.requestEnded = measures.requestEnded
        let api = API(store: store, configuration: served)
        let named = host.lowercased() == "localhost" ? "127.0.0.1" : host
        var configuration = limits.server(host: inherited?.host ?? named, port: inherited?.port ?? port, budget)
        configuration.inherited = inherited
        configuration.proxies = TrustedProxies(proxyRanges, proxyField.field)
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
        try? printLine("liststate listens on \(address), data in \(place); try: curl \(address)/v1/lists")
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
