import ArgumentParser
import Glibc
import Texts

/// Asks a server how it is, and says it to a person.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says how a server is: whether it is ready, and what it does. Exits with 1 if it is not ready.",
        discussion: """
            It asks /readyz and /metrics. A server with tokens tells the second only to those that administer all lists: \
            put such a token into LISTSTATE_TOKEN.
            """)

    @Option(help: "The server. (default: http://127.0.0.1 and LISTSTATE_PORT, else 8080)")
    var server: ServerAddress?

    func run() throws(Failure) {
        let port = getenv("LISTSTATE_PORT").flatMap { UInt16(String(cString: $0)) }
        let local = ServerAddress(host: "127.0.0.1", port: port ?? ServerAddress.standard.port, isSecure: false)
        let address = server ?? local
        let credentials = try address.credentials(Environment.token())
        let readiness = try ask("/readyz", address)
        let isReady = readiness.status == 200
        printLine("\(address) is \(isReady ? "ready" : "not ready: \(readiness.detail)")")
        let metrics = try ask("/metrics", address, credentials)
        if metrics.status == 200 {
            for line in StatusReport(MetricsReading(metrics.body), now: Double(currentTime())).lines { printLine(line) }
        } else {
            printLine("The metrics are not to be had: \(metrics.detail)")
        }
        guard isReady else { throw .failed("\(address) is not ready.", 1) }
    }

    private func ask(
        _ path: String, _ address: ServerAddress, _ fields: [(name: String, value: String)] = []
    ) throws(Failure) -> HTTPClient.Answer {
        do throws(HTTPClient.Fault) {
            return try HTTPClient(address: address, patience: 5).send("GET", path, fields: fields)
        } catch {
            throw .failed(Failure.client(error, address).message, 1)
        }
    }
}

/// The values of a page of metrics.
struct MetricsReading {
    /// One line of the page.
    struct Sample {
        let name: ByteText
        /// The labels as they stand between the braces; empty if there are none.
        let labels: ByteText
        let value: Double
    }

    let samples: [Sample]

    init(_ page: [UInt8]) {
        samples = ByteText(decoding: page).split(at: "\n").compactMap { line in
            guard !line.isEmpty, !line.hasPrefix("#"), let space = line.utf8.lastIndex(of: UInt8(ascii: " ")),
                let value = Double(ByteText(line.utf8.suffix(from: line.utf8.index(after: space))).string)
            else { return nil }
            let parts = ByteText(line.utf8.prefix(upTo: space)).split(at: "{", splitsMax: 1)
            let labels = parts.count == 2 ? ByteText(parts[1].utf8.dropLast()) : ""
            return Sample(name: parts[0], labels: labels, value: value)
        }
    }

    /// The sum over all series of a metric that have a label.
    ///
    /// - Parameter label: Such as `use="lists"`; nil for all series.
    func sum(_ name: ByteText, _ label: ByteText? = nil) -> Double {
        samples.filter { sample in
            sample.name == name && label.map { sample.labels.split(at: ",").contains($0) } ?? true
        }.reduce(0) { $0 + $1.value }
    }

    /// The value of a label of the first series of a metric; nil if there is none.
    func label(_ label: ByteText, of name: ByteText) -> ByteText? {
        let labels = samples.first { $0.name == name }?.labels.split(at: ",") ?? []
        return labels.first { $0.hasPrefix("\(label)=" as ByteText) }
            .map { ByteText($0.utf8.dropFirst(label.utf8.count + 2).dropLast()) }
    }

    /// The least bound of a histogram, over all of its series, that so many of its values do not exceed.
    ///
    /// - Parameter part: From 0 to 1.
    /// - Returns: Nil without values; infinity if they exceed all bounds.
    func bound(_ part: Double, of name: ByteText) -> Double? {
        var counts: [Double: Double] = [:]
        for sample in samples where sample.name == "\(name)_bucket" as ByteText {
            guard let bound = sample.labels.split(at: ",").first(where: { $0.hasPrefix("le=") }) else { continue }
            let text = ByteText(bound.utf8.dropFirst(4).dropLast())
            counts[text == "+Inf" ? .infinity : Double(text.string) ?? .infinity, default: 0] += sample.value
        }
        guard let all = counts[.infinity], all > 0 else { return nil }
        return counts.sorted { $0.key < $1.key }.first { $0.value >= part * all }?.key
    }
}

/// The lines that tell a person of a server.
struct StatusReport {
    let lines: [String]

    /// - Parameter now: Seconds since 1970.
    init(_ metrics: MetricsReading, now: Double) {
        func count(_ name: ByteText, _ label: ByteText? = nil) -> String { Self.number(metrics.sum(name, label)) }
        func time(_ part: Double, _ name: ByteText) -> String? { metrics.bound(part, of: name).map(Self.seconds) }

        let build: ByteText = "liststate_build_info"
        let version = metrics.label("version", of: build) ?? "unknown"
        let commit = metrics.label("commit", of: build) ?? "unknown"
        let uptime = max(0, now - metrics.sum("process_start_time_seconds"))
        let failures = metrics.samples.filter { sample in
            sample.name == "liststate_requests_total"
                && sample.labels.split(at: ",").contains { $0.hasPrefix("status=\"5") }
        }.reduce(0) { $0 + $1.value }

        var requests = "\(count("liststate_requests_total")), of which \(Self.number(failures)) failed"
        let duration: ByteText = "liststate_request_duration_seconds"
        if let half = time(0.5, duration), let most = time(0.99, duration) {
            requests += "; half within \(half), 99 % within \(most)"
        }
        var writes = "\(count("liststate_versions_total")) versions"
        let commits: ByteText = "liststate_commit_duration_seconds"
        if let half = time(0.5, commits), let most = time(0.99, commits) {
            writes += "; half of the commits within \(half), 99 % within \(most)"
        }
        writes += "; \(count("liststate_commit_queue_entries")) wait"
        var followers = "\(count("liststate_streams")) streams, \(count("liststate_waiting_polls")) long polls"
        if let most = time(0.99, "liststate_delivery_lag_seconds") { followers += "; 99 % of the news within \(most)" }
        let memory: ByteText = "liststate_memory_bytes"
        lines = [
            "version    \(version), commit \(commit), up \(Self.seconds(uptime))",
            "lists      \(count("liststate_lists")), of which \(count("liststate_lists_in_memory")) in memory and "
                + "\(count("liststate_unreadable_lists")) unreadable; \(count("liststate_deleted_lists")) deleted",
            "requests   \(requests)",
            "refusals   \(Self.refusals(metrics))",
            "writes     \(writes)",
            "followers  \(followers)",
            "memory     \(Self.bytes(metrics.sum("process_resident_memory_bytes"))): lists "
                + "\(Self.bytes(metrics.sum(memory, "use=\"lists\""))), answers for retries "
                + "\(Self.bytes(metrics.sum(memory, "use=\"receipts\"")))",
            "files      \(count("process_open_fds")) of \(count("process_max_fds")); "
                + "\(count("liststate_connections")) connections",
        ]
    }

    /// The codes of the most common problems.
    private static func refusals(_ metrics: MetricsReading) -> String {
        let counts = metrics.samples.filter { $0.name == "liststate_refusals_total" && $0.value > 0 }
            .sorted { $0.value > $1.value }
        let shown = counts.prefix(3).map { "\(number($0.value)) \(ByteText($0.labels.utf8.dropFirst(6).dropLast()))" }
        guard !shown.isEmpty else { return "none" }
        let rest = counts.dropFirst(3).reduce(0) { $0 + $1.value }
        return (shown + (rest > 0 ? ["\(number(rest)) others"] : [])).joined(separator: ", ")
    }

    static func number(_ value: Double) -> String { Int(exactly: value.rounded()).map { "\($0)" } ?? "many" }

    /// Two parts at most: `3 d 4 h`, `12 s`, `0.3 ms`.
    static func seconds(_ value: Double) -> String {
        guard value.isFinite else { return "more than 10 s" }
        let whole = Int(value)
        switch value {
        case ..<0.001: return "\((value * 1e4).rounded() / 10) ms"
        case ..<1: return "\(Int((value * 1_000).rounded())) ms"
        case ..<60: return "\((value * 10).rounded() / 10) s"
        case ..<3_600: return "\(whole / 60) min \(whole % 60) s"
        case ..<86_400: return "\(whole / 3_600) h \(whole / 60 % 60) min"
        default: return "\(whole / 86_400) d \(whole / 3_600 % 24) h"
        }
    }

    static func bytes(_ value: Double) -> String {
        value < 1_048_576 ? "\(Int(value / 1_024)) KiB" : "\(Int(value / 1_048_576)) MiB"
    }
}
