import ArgumentParser
import HTTPTypes
import ListAPI
import ListStore
import Logging
import Microhttpd
import SQLiteJournal
import Threads

/// One option for each limit. The unit is in the option's name (docs/contract.md section 12).
struct LimitOptions: ParsableArguments {
    @Option(help: "Bytes of a body.")
    var bodyBytesMax = 1_048_576
    @Option(help: "Bytes of the body of PUT of a list, and of POST of a new one.")
    var listBodyBytesMax = 67_108_864
    @Option(help: "Operations in a transaction.")
    var operationsMax = 10_000
    @Option(help: "Items in a list.")
    var itemsMax = 2_000_000
    @Option(help: "Sections in a list.")
    var sectionsMax = 10_000
    @Option(help: "Bytes of the content of an item, and of each layout, header and footer.")
    var contentBytesMax = 65_536
    @Option(help: "Bytes of the values and ids that a transaction brings; stored ones that it removes do not count.")
    var transactionBytesMax = 134_217_728
    @Option(
        help:
            "Rows that the operations of a transaction go over, beyond 16 times those that are there and that they bring."
    )
    var transactionRowsMax = 1_000_000
    @Option(help: "Versions of a list that are kept. (default: 10000 in a new folder, else as it was served last)")
    var historyVersionsMax: Int?
    @Option(
        help: """
            Bytes of memory for the kept versions of one list. (default: 67108864 in a new folder, else as it was \
            served last)
            """)
    var historyBytesMax: Int?
    @Option(
        help: """
            Seconds for which a version is kept once another has taken its place; 0 keeps it whatever its age. \
            (default: 0 in a new folder, else as it was served last)
            """)
    var historyAgeSeconds: Int?
    @Option(help: "Versions beyond the kept ones that a list may have on disk before a snapshot takes their place.")
    var compactionVersions = 4_096
    @Option(help: "Mebibytes of such versions before a snapshot takes their place.")
    var compactionMebibytes = 8
    @Option(help: "Bytes of the operations of a transaction up to which history keeps them whole.")
    var intentBytesMax = 65_536
    @Option(
        help: """
            Answers that are kept for retries, of 268435456 bytes together; the disk has up to 4096 more. \
            (default: 1000000 in a new folder, else as it was served last)
            """)
    var receiptsMax: Int?
    @Option(
        help: """
            Seconds for which answers are kept for retries. (default: 86400 in a new folder, else as it was served last)
            """)
    var receiptAgeSeconds: Int?
    @Option(help: "Days for which a deleted list can be restored; 0 deletes at once and for good.")
    var deletedDays = 7
    @Option(help: "Deleted lists that are kept; the oldest go first.")
    var deletedListsMax = 1_000
    @Option(help: "Mebibytes that all deleted lists take; the newest is kept whatever its size.")
    var deletedMebibytesMax = 1_024
    @Option(help: "Lists; deleted ones do not count.")
    var listsMax = 1_000_000
    @Option(
        help: """
            Mebibytes of memory that lists, receipts, connections, bodies and unsent answers take together, by an \
            estimate; 0 is three quarters of those of the machine or container. Beyond them requests are answered 503.
            """)
    var memoryMebibytes = 0
    @Option(
        help: """
            Mebibytes of these that all lists take; 0 is two thirds of --memory-mebibytes. Once they take more, those \
            that nobody uses leave memory, or, without a folder, writes are refused.
            """)
    var listsMemoryMebibytes = 0
    @Option(help: "Open connections; one too many is answered 503.")
    var connectionsMax = 16_384
    @Option(help: "Those of one address; one too many is answered 429. (default: 16384 on loopback, otherwise 256)")
    var connectionsPerAddressMax: Int?
    @Option(help: "Requests of a client in a minute; 0 for no limit. One too many is answered 429.")
    var clientRequestsPerMinute = 60_000
    @Option(help: "Writes of a client in a minute; 0 for no limit.")
    var clientWritesPerMinute = 30_000
    @Option(help: "Mebibytes of the bodies of a client's requests and answers in a minute; 0 for no limit.")
    var clientMebibytesPerMinute = 4_096
    @Option(help: "Streams and long polls of a client that are open at a time; 0 for no limit.")
    var clientStreamsMax = 4_096
    @Option(help: "Lists that a token has made and not deleted; 0 for no limit. One too many is answered 413.")
    var clientListsMax = 100_000
    @Option(help: "Items of all lists that a token has made; 0 for no limit.")
    var clientItemsMax = 20_000_000
    @Option(help: "Mebibytes of the contents and texts of all lists that a token has made; 0 for no limit.")
    var clientStoredMebibytesMax = 16_384
    @Option(help: "Wrong tokens and tickets of an address in a minute; 0 for no limit. Tokens that were right go on.")
    var wrongTokensPerMinute = 600
    @Option(
        help: """
            Bytes of the head of a request; each connection takes this and 2048 more. Authorization may have as many \
            besides.
            """)
    var headPoolBytes = 8_192
    @Option(help: "Streams that follow one list.")
    var streamsPerListMax = 16_384
    @Option(
        help: "Different filters, sorts and disclosures by which one list is followed; each keeps 8 bytes for a row.")
    var queriesPerListMax = 100
    @Option(help: "Subscriptions that are kept; the one that was used longest ago goes first.")
    var subscriptionsMax = 10_000
    @Option(help: "Days for which a subscription is kept that nobody uses.")
    var subscriptionDays = 7
    @Option(
        help: "Sequences of clients that are kept, one for each client and list; the one used longest ago goes first.")
    var clientSequencesMax = 100_000
    @Option(help: "Days for which a sequence of a client is kept that is not used.")
    var clientAgeDays = 90
    @Option(help: "Seconds without an event after which a stream says that it is alive.")
    var heartbeatSeconds = 15
    @Option(help: "Seconds in which a whole request must arrive.")
    var requestDeadlineSeconds = 10
    @Option(help: "Seconds for which a connection may be idle.")
    var idleTimeoutSeconds = 60
    @Option(
        help: """
            Bytes a second that a client must read while there is something to read, over --idle-timeout-seconds; 0 for \
            any.
            """)
    var readBytesPerSecondMin = 1_024
    @Option(help: "Seconds that requests in flight have to finish when the server stops.")
    var drainGraceSeconds = 10
    @Option(help: "Threads that serve connections; 0 picks one for every two cores.")
    var loops = 0

    func validate() throws {
        for limit in Self.all {
            guard let value = limit.value(self), !limit.range.contains(value) else { continue }
            throw ValidationError(
                """
                --\(limit.name) is a number from \(limit.range.lowerBound) to \(limit.range.upperBound), and not \
                \(value).
                """)
        }
        guard memoryMebibytes == 0 || listsMemoryMebibytes <= memoryMebibytes else {
            throw ValidationError("--lists-memory-mebibytes is a part of --memory-mebibytes, and not more.")
        }
    }

    /// The options, each with the range that is allowed.
    static let all: [(name: String, range: ClosedRange<Int>, value: @Sendable (LimitOptions) -> Int?)] = [
        ("body-bytes-max", bodies, { $0.bodyBytesMax }), ("list-body-bytes-max", bodies, { $0.listBodyBytesMax }),
        ("operations-max", counts, { $0.operationsMax }), ("items-max", counts, { $0.itemsMax }),
        ("sections-max", counts, { $0.sectionsMax }), ("content-bytes-max", counts, { $0.contentBytesMax }),
        ("transaction-bytes-max", counts, { $0.transactionBytesMax }),
        ("transaction-rows-max", counts, { $0.transactionRowsMax }),
        ("history-versions-max", counts, { $0.historyVersionsMax }),
        ("history-bytes-max", counts, { $0.historyBytesMax }),
        ("history-age-seconds", 0...most, { $0.historyAgeSeconds }),
        ("compaction-versions", counts, { $0.compactionVersions }),
        ("compaction-mebibytes", 1...1 << 20, { $0.compactionMebibytes }),
        ("intent-bytes-max", counts, { $0.intentBytesMax }), ("receipts-max", counts, { $0.receiptsMax }),
        ("receipt-age-seconds", counts, { $0.receiptAgeSeconds }), ("deleted-days", 0...36_500, { $0.deletedDays }),
        ("deleted-lists-max", counts, { $0.deletedListsMax }),
        ("deleted-mebibytes-max", 1...1 << 20, { $0.deletedMebibytesMax }),
        ("lists-max", counts, { $0.listsMax }), ("memory-mebibytes", 0...1 << 30, { $0.memoryMebibytes }),
        ("lists-memory-mebibytes", 0...1 << 30, { $0.listsMemoryMebibytes }),
        ("connections-max", counts, { $0.connectionsMax }),
        ("connections-per-address-max", counts, { $0.connectionsPerAddressMax }),
        ("client-requests-per-minute", 0...most, { $0.clientRequestsPerMinute }),
        ("client-writes-per-minute", 0...most, { $0.clientWritesPerMinute }),
        // A byte of more would cost less than the smallest time that is counted.
        ("client-mebibytes-per-minute", 0...1 << 18, { $0.clientMebibytesPerMinute }),
        ("client-streams-max", 0...most, { $0.clientStreamsMax }),
        ("client-lists-max", 0...most, { $0.clientListsMax }), ("client-items-max", 0...most, { $0.clientItemsMax }),
        ("client-stored-mebibytes-max", 0...1 << 30, { $0.clientStoredMebibytesMax }),
        ("wrong-tokens-per-minute", 0...most, { $0.wrongTokensPerMinute }),
        ("head-pool-bytes", 4_096...1_048_576, { $0.headPoolBytes }),
        ("streams-per-list-max", counts, { $0.streamsPerListMax }),
        ("queries-per-list-max", counts, { $0.queriesPerListMax }),
        ("subscriptions-max", 1...1 << 20, { $0.subscriptionsMax }),
        ("subscription-days", 1...3_650, { $0.subscriptionDays }),
        ("client-sequences-max", 1...1 << 24, { $0.clientSequencesMax }),
        ("client-age-days", 1...36_500, { $0.clientAgeDays }),
        ("heartbeat-seconds", counts, { $0.heartbeatSeconds }),
        ("request-deadline-seconds", counts, { $0.requestDeadlineSeconds }),
        ("idle-timeout-seconds", counts, { $0.idleTimeoutSeconds }),
        ("read-bytes-per-second-min", 0...most, { $0.readBytesPerSecondMin }),
        ("drain-grace-seconds", 0...3_600, { $0.drainGraceSeconds }), ("loops", 0...64, { $0.loops }),
    ]

    private static let most = 1 << 40
    private static let counts = 1...most
    /// The reader of JSON keeps places in a body in 32 bits.
    private static let bodies = 1...1 << 32 - 1
}

extension LimitOptions {
    /// The bytes that the process may take for what it serves. The rest is for the program, its threads and its caches.
    private var memoryBytesMax: Int { memoryMebibytes == 0 ? memoryBytes / 4 * 3 : memoryMebibytes << 20 }

    func makeMemory() -> MemoryBudget { MemoryBudget(bytesMax: memoryBytesMax) }

    /// The longest body that leaves room for others: it counts four times.
    private func fitting(_ bodyBytes: Int) -> Int { min(bodyBytes, max(memoryBytesMax / 8, 64 << 10)) }

    /// 0 stands for no limit.
    private static func limit(_ count: Int) -> Int { count == 0 ? .max : count }

    func store(_ retention: Retention, _ memory: MemoryBudget) -> Store.Limits {
        var limits = Store.Limits(
            itemsMax: itemsMax, sectionsMax: sectionsMax, contentBytesMax: contentBytesMax,
            historyVersionsMax: retention.historyVersionsMax, historyBytesMax: retention.historyBytesMax,
            historyAgeMax: retention.historyAgeMax, receiptsMax: retention.receiptsMax,
            receiptAgeMax: retention.receiptAgeMax, transactionBytesMax: transactionBytesMax,
            transactionRowsMax: transactionRowsMax,
            deleted: Store.Limits.Deleted(
                listsMax: deletedListsMax, bytesMax: deletedMebibytesMax << 20, ageMax: deletedDays * 86_400))
        limits.memory = memory
        limits.listsMax = listsMax
        limits.holdingMax = Holding(
            lists: Self.limit(clientListsMax), items: Self.limit(clientItemsMax),
            bytes: Self.limit(clientStoredMebibytesMax << 20))
        limits.listsMemoryBytesMax =
            listsMemoryMebibytes == 0 ? memoryBytesMax / 3 * 2 : min(listsMemoryMebibytes << 20, memoryBytesMax)
        limits.receiptBytesMax = min(limits.receiptBytesMax, memoryBytesMax / 8)
        limits.subscriptions.bytesMax = min(limits.subscriptions.bytesMax, memoryBytesMax / 16)
        limits.subscriptions.countMax = subscriptionsMax
        limits.subscriptions.ageMax = subscriptionDays * 86_400
        var sequences = ClientSequences.Limits()
        sequences.bytesMax = min(sequences.bytesMax, memoryBytesMax / 16)
        (sequences.countMax, sequences.ageMax) = (clientSequencesMax, clientAgeDays * 86_400)
        limits.sequences = sequences
        return limits
    }

    /// The retention: the value of the command line, or else that of the folder, or else the default of a new folder.
    func retention(_ kept: Retention?) -> Retention {
        Retention(
            receiptsMax: receiptsMax ?? kept?.receiptsMax ?? 1_000_000,
            receiptAgeMax: receiptAgeSeconds ?? kept?.receiptAgeMax ?? 86_400,
            historyVersionsMax: historyVersionsMax ?? kept?.historyVersionsMax ?? 10_000,
            historyBytesMax: historyBytesMax ?? kept?.historyBytesMax ?? 67_108_864,
            historyAgeMax: historyAgeSeconds.map { $0 == 0 ? nil : $0 } ?? kept?.historyAgeMax)
    }

    private var quotas: Quotas.Limits {
        Quotas.Limits(
            requestsPerMinute: clientRequestsPerMinute, writesPerMinute: clientWritesPerMinute,
            bytesPerMinute: clientMebibytesPerMinute << 20, streamsMax: clientStreamsMax,
            wrongTokensPerMinute: wrongTokensPerMinute, refusalMilliseconds: 1_000)
    }

    var compaction: Store.Compaction { Store.Compaction(rows: compactionVersions, bytes: compactionMebibytes << 20) }

    var loopCount: Int { loops == 0 ? min(max(coreCount / 2, 1), 8) : loops }

    func server(host: String, port: UInt16, _ memory: MemoryBudget) -> Server.Configuration {
        let isLoopback = host == "::1" || host.hasPrefix("127.")
        var configuration = Server.Configuration(
            host: host, port: port, loopCount: loopCount,
            connectionsMax: connectionsMax,
            connectionsPerAddressMax: connectionsPerAddressMax ?? (isLoopback ? 16_384 : 256),
            headPoolBytes: headPoolBytes, requestDeadlineSeconds: requestDeadlineSeconds,
            idleTimeoutSeconds: idleTimeoutSeconds, listenBacklog: 1_024)
        configuration.memory = memory
        configuration.readBytesPerSecondMin = readBytesPerSecondMin
        return configuration
    }

    func api(
        origins: API.Configuration.Origins, hosts: API.Configuration.Hosts, _ memory: MemoryBudget,
        _ measures: Measures, logger: Logger
    ) -> API.Configuration {
        let names = RequestNames()
        let identifiers = IdentifierMaker(
            milliseconds: currentMilliseconds, random: { UInt64.random(in: .min ... .max) })
        var configuration = API.Configuration(
            bodyBytesMax: fitting(bodyBytesMax), listBodyBytesMax: fitting(listBodyBytesMax),
            operationsMax: operationsMax, contentBytesMax: contentBytesMax, streamsPerListMax: streamsPerListMax,
            queriesPerListMax: queriesPerListMax, heartbeatSeconds: heartbeatSeconds, origins: origins,
            hosts: hosts,
            requestID: { names.next() }, identifier: { identifiers.next() },
            observe: { event in
                measures.note(event)
                logger.note(event)
            }, observesSuccesses: logger.logLevel <= .debug)
        configuration.memory = memory
        configuration.workers = min(max(coreCount, 2), 4)
        configuration.metrics = { measures.page() }
        configuration.quotas = Quotas(quotas, milliseconds: roughMilliseconds)
        configuration.repeating = repeatOnThread
        configuration.spread = { Int.random(in: 0..<max($0, 1)) }
        return configuration
    }
}

extension Logger {
    /// Logs a request. Only failures of the server are errors. The rest is for debugging: successes, mistakes of
    /// clients and expected refusals. Such a refusal is of an unknown method or coding, of one connection too many, for
    /// want of memory, or of a request during the stop.
    fileprivate func note(_ event: API.Configuration.Event) {
        let isExpected = [.notImplemented, .tooManyConnections, .overloaded, .stopping].contains(event.code)
        let isFailure = event.status.code >= 500 && !isExpected
        let level: Logger.Level = isFailure ? .error : .debug
        guard level >= logLevel else { return }
        log(
            level: level, "\(event.method?.rawValue ?? "-") \(event.path) \(event.status.code)",
            metadata: [
                "request": "\(event.requestID)", "code": "\(event.code?.rawValue ?? "-")",
                "cause": "\(event.cause ?? "-")",
            ])
    }
}
