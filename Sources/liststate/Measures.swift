import CoreMetrics
import Glibc
import ListAPI
import ListStore
import Microhttpd
import ServerMetrics
import Threads

/// What the server measures of itself.
final class Measures: Sendable {
    private let registry = MetricsRegistry(MetricFamily.measured)
    private let refusals: [ProblemCode: Counter]
    private let commits: Timer
    private let failedCommits: Counter
    private let startTime = currentTime()
    private let log: LogStream
    private let accessLog: AccessLog?
    private let tracer: Tracer?
    private let memory: MemoryBudget
    /// The parts of the server, once they are there. They are weak because the server holds this object.
    private let parts = Locked(Parts())

    private struct Parts: Sendable {
        weak var store: Store?
        weak var api: API?
        weak var server: Server?
    }

    init(_ log: LogStream, _ accessLog: AccessLog?, _ tracer: Tracer?, _ memory: MemoryBudget) {
        self.log = log
        self.accessLog = accessLog
        self.tracer = tracer
        self.memory = memory
        let registry = registry
        refusals = Dictionary(
            uniqueKeysWithValues: ProblemCode.allCases.map { code in
                let labels = [("code", code.rawValue)]
                return (code, Counter(label: MetricFamily.refusals.name, dimensions: labels, factory: registry))
            })
        commits = Timer(label: MetricFamily.commits.name, dimensions: [], factory: registry)
        failedCommits = Counter(label: MetricFamily.failedCommits.name, dimensions: [], factory: registry)
    }

    /// Measures the batches of a store from now on.
    func watch(_ store: Store) {
        parts.withLock { $0.store = store }
        store.watchCommits(
            CommitWatch(nanoseconds: nanoseconds) { [commits, failedCommits] nanoseconds, hasFailed in
                commits.recordNanoseconds(Int64(clamping: nanoseconds))
                if hasFailed { failedCommits.increment() }
            })
    }

    func watch(_ api: API, _ server: Server) {
        parts.withLock { ($0.api, $0.server) = (api, server) }
    }

    /// Is told of each request that is over; nil if nobody wants to know.
    var requestEnded: (@Sendable (RequestLine) -> Void)? {
        guard accessLog != nil || tracer != nil else { return nil }
        return { [accessLog, tracer] line in
            accessLog?.write(line)
            tracer?.note(line)
        }
    }

    func note(_ event: API.Configuration.Event) {
        if let code = event.code { refusals[code]?.increment() }
    }

    /// All metrics, as Prometheus reads them.
    func page() -> [UInt8] {
        var text = MetricsText()
        text.append(.build, [(labels: [("version", API.version), ("commit", API.commit)], value: 1)])
        let parts = parts.withLock { $0 }
        if let figures = parts.server?.figures { append(figures, to: &text) }
        if let store = parts.store { append(store, to: &text) }
        if let api = parts.api {
            text.append(.ready, api.isReady ? 1 : 0)
            text.append(.waitingWork, api.waitingWork)
        }
        registry.append(to: &text)
        text.append(
            .memory,
            MemoryBudget.Use.allCases.map { (labels: [("use", $0.name)], value: Double(memory.bytes(of: $0))) })
        text.append(
            .lostLogLines,
            [
                (labels: [("log", "log")], value: Double(log.lostCount)),
                (labels: [("log", "access")], value: Double(accessLog?.lostCount ?? 0)),
            ])
        let spans = tracer?.counts ?? (sent: 0, lost: 0)
        text.append(
            .spans,
            [
                (labels: [("fate", "sent")], value: Double(spans.sent)),
                (labels: [("fate", "lost")], value: Double(spans.lost)),
            ])
        appendProcess(to: &text)
        return text.bytes
    }

    private func append(_ figures: Server.Figures, to text: inout MetricsText) {
        var answers: [(labels: MetricsText.Labels, value: Double)] = []
        var times: [(labels: MetricsText.Labels, buckets: Buckets)] = []
        for route in figures.routes {
            let (method, template) = API.routes[route.number] ?? ("", "none")
            let labels = [("method", method), ("route", template)]
            times.append((labels, Buckets(route.times)))
            for (status, count) in route.answers.sorted(by: { $0.key < $1.key }) {
                answers.append((labels + [("status", status == 0 ? "other" : "\(status)")], Double(count)))
            }
        }
        text.append(.requests, answers)
        text.append(.requestTimes, times)
        text.append(.sentBytes, figures.sentBytes)
        text.append(.connections, figures.connections)
        text.append(.closedUnheard, figures.closedUnheard)
        text.append(.streams, figures.streams)
        text.append(.polls, figures.polls)
        text.append(.lag, [(labels: [], buckets: Buckets(figures.lag))])
    }

    private func append(_ store: Store, to text: inout MetricsText) {
        let figures = store.figures
        text.append(.versions, figures.versions)
        text.append(.queuedEntries, figures.queuedEntries)
        text.append(.lists, figures.lists)
        text.append(.listsInMemory, figures.listsInMemory)
        text.append(.deletedLists, figures.deletedLists)
        text.append(.unreadableLists, figures.damagedLists)
        text.append(.receipts, figures.receipts)
        text.append(.subscriptions, figures.subscriptions)
        text.append(.sequences, figures.sequences)
    }

    private func appendProcess(to text: inout MetricsText) {
        text.append(.processSeconds, processorSeconds)
        text.append(.processMemory, residentBytes)
        text.append(.processFiles, openFileCount)
        text.append(.processFilesMax, Double(openFilesMax))
        text.append(.processStart, startTime)
    }
}

extension MemoryBudget.Use {
    fileprivate var name: String {
        switch self {
        case .lists: "lists"
        case .receipts: "receipts"
        case .sequences: "sequences"
        case .subscriptions: "subscriptions"
        case .connections: "connections"
        case .bodies: "bodies"
        case .work: "work"
        case .answers: "answers"
        }
    }
}
