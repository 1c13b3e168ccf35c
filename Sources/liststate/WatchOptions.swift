import ArgumentParser
import Logging

/// The options for whoever watches a server: metrics, the form of logs, and traces.
struct WatchOptions: ParsableArguments {
    @Option(
        help: """
            A further address, as HOST:PORT, on which GET /metrics needs no token. Everybody who reaches it reads the \
            metrics, and nothing else.
            """)
    var metricsAddress: ListenAddress?
    @Option(help: "The form of log lines: text; or json, an object a line.")
    var logFormat = LogFormat.text
    @Option(help: "A file that gets a line for each request; SIGHUP opens it again.")
    var accessLog: String?
    @Option(help: "The collector that gets spans of requests, by OTLP over HTTP: http://127.0.0.1:4318.")
    var traces: TraceCollector?
    @Option(help: "How many of a thousand requests begin a trace, of those whose senders name none.")
    var tracesPerThousand = 10

    static let names = ["metrics-address", "log-format", "access-log", "traces", "traces-per-thousand"]

    func validate() throws {
        guard (0...1_000).contains(tracesPerThousand) else {
            throw ValidationError("--traces-per-thousand is a number from 0 to 1000, and not \(tracesPerThousand).")
        }
    }

    func openAccessLog(_ logger: Logger) throws(Failure) -> AccessLog? {
        guard let accessLog else { return nil }
        return try AccessLog(accessLog, logFormat) { logger.error("\($0)") }
    }

    func startTracer(_ logger: Logger) throws(Failure) -> Tracer? {
        guard let traces else { return nil }
        return try Tracer(traces, perThousand: tracesPerThousand, logger)
    }
}
