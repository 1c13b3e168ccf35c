import Microhttpd
import ServerMetrics

/// All metrics of the server. docs/operations.md explains them, and docker/monitoring has a dashboard and alerts.
extension MetricFamily {
    static let build = Self("liststate_build_info", .gauge, "Version and commit of the program; the value is 1.")
    static let ready = Self("liststate_ready", .gauge, "Whether the server is ready: 1, or 0.")

    static let requests = Self(
        "liststate_requests_total", .counter, "Requests that were answered, by method, route and status.")
    static let requestTimes = Self(
        "liststate_request_duration_seconds", .histogram(bounds: timeBounds),
        "Time from the first line of a request to its answer, without long polls and streams.")
    static let refusals = Self("liststate_refusals_total", .counter, "Problems that were answered, by code.")
    static let sentBytes = Self("liststate_sent_bytes_total", .counter, "Bytes of bodies and streams that were sent.")

    static let connections = Self("liststate_connections", .gauge, "Open connections.")
    static let closedUnheard = Self(
        "liststate_connections_dropped_total", .counter, "Connections that were closed unheard, for lack of room.")
    static let streams = Self("liststate_streams", .gauge, "Open event streams.")
    static let polls = Self("liststate_waiting_polls", .gauge, "Long polls that wait for a change.")
    static let lag = Self(
        "liststate_delivery_lag_seconds", .histogram(bounds: timeBounds),
        "Time from the moment a version is readable until its last follower on a loop has been sent it.")

    static let versions = Self("liststate_versions_total", .counter, "Versions that this server has made.")
    static let commits = Self(
        "liststate_commit_duration_seconds", .histogram(bounds: commitBounds),
        "Time that the storage took for a batch of writes, with its sync.")
    static let failedCommits = Self(
        "liststate_commit_failures_total", .counter, "Batches of writes that the storage did not take.")
    static let queuedEntries = Self("liststate_commit_queue_entries", .gauge, "Writes that wait for the next batch.")
    static let waitingWork = Self("liststate_worker_queue_jobs", .gauge, "Long requests that wait for a worker.")

    static let lists = Self("liststate_lists", .gauge, "Lists, in memory or not.")
    static let listsInMemory = Self("liststate_lists_in_memory", .gauge, "Lists that are in memory.")
    static let deletedLists = Self("liststate_deleted_lists", .gauge, "Deleted lists that can be restored.")
    static let unreadableLists = Self(
        "liststate_unreadable_lists", .gauge, "Lists that the server has found to be damaged.")
    static let memory = Self("liststate_memory_bytes", .gauge, "Bytes of memory by use, by an estimate.")
    static let receipts = Self("liststate_receipts", .gauge, "Answers that are kept for retries.")
    static let subscriptions = Self("liststate_subscriptions", .gauge, "Subscriptions that are kept.")
    static let sequences = Self("liststate_client_sequences", .gauge, "Sequences of clients that are kept.")

    static let lostLogLines = Self(
        "liststate_log_lines_lost_total", .counter, "Lines of the log that were lost, because nobody took them.")

    static let spans = Self(
        "liststate_spans_total", .counter, "Spans that were sent to the collector of traces, and those that were lost.")

    static let processSeconds = Self("process_cpu_seconds_total", .counter, "Processor time of the process.")
    static let processMemory = Self("process_resident_memory_bytes", .gauge, "Memory of the process.")
    static let processFiles = Self("process_open_fds", .gauge, "Open file descriptors.")
    static let processFilesMax = Self("process_max_fds", .gauge, "The most file descriptors that may be open.")
    static let processStart = Self(
        "process_start_time_seconds", .gauge, "Start of the process, in seconds since 1970.")

    /// Those that are measured through swift-metrics. All others are looked at when somebody asks.
    static let measured = [refusals, commits, failedCommits]

    /// The bounds from 64 microseconds on. Few answers take less.
    static let timeBounds = Server.Figures.Times.bounds[firstBound...].map { Double($0) / 1e6 }

    private static let firstBound = 6

    private static let commitBounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
}

extension Buckets {
    /// Times in the buckets of `MetricFamily.timeBounds`.
    init(_ times: Server.Figures.Times) {
        let first = times.counts.count - MetricFamily.timeBounds.count - 1
        let counts = [times.counts[...first].reduce(0, +)] + times.counts[(first + 1)...]
        self.init(counts: counts, sum: Double(times.microseconds) / 1e6)
    }
}
