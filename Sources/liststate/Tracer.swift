import ArgumentParser
import HTTPTypes
import JSONValue
import ListAPI
import Logging
import Microhttpd
import Texts
import Threads

/// The place to which spans are sent, such as `http://127.0.0.1:4318`.
struct TraceCollector: ExpressibleByArgument, CustomStringConvertible {
    let address: ServerAddress
    let path: String

    /// Nil for anything but `http`, a host, perhaps a port, and perhaps a path of visible ASCII.
    init?(argument: String) {
        let start = argument.index(argument.startIndex, offsetBy: "http://".count, limitedBy: argument.endIndex)
        guard let start else { return nil }
        let slash = argument[start...].firstIndex(of: "/") ?? argument.endIndex
        guard let address = ServerAddress(argument: String(argument[..<slash])) else { return nil }
        let path = argument[slash...]
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.address = address
        self.path = path.isEmpty || path == "/" ? "/v1/traces" : String(path)
    }

    var description: String { "\(address)\(path)" }
}

/// Sends spans of requests to a collector, by OTLP over HTTP with JSON.
///
/// No request waits for the collector. Spans wait in memory, and those beyond a bound are lost and counted.
final class Tracer: Sendable {
    /// A request that is over, at its place in a trace.
    struct Span: Sendable {
        let line: RequestLine
        let trace: ByteText
        let id: ByteText
        /// The span of the sender; nil if the trace begins here.
        let parent: ByteText?
        /// Nanoseconds since 1970.
        let end: UInt64
    }

    private struct State: Sendable {
        var spans: [Span] = []
        var sentCount = 0
        var lostCount = 0
        var isStopping = false
        var hasEnded = false
    }

    private let state = Locked(State())
    private let perThousand: Int

    /// How many spans wait at most.
    private static let spansMax = 4_096
    /// How many spans one request to the collector has at most.
    private static let sentMax = 512
    /// For how long spans wait for others.
    private static let gatheringMilliseconds = 1_000

    /// - Parameters:
    ///   - perThousand: How many of a thousand requests begin a trace, of those whose senders name none.
    ///   - logger: Is told once when the collector begins not to take spans.
    init(_ collector: TraceCollector, perThousand: Int, _ logger: Logger) throws(Failure) {
        self.perThousand = perThousand
        do throws(ThreadError) {
            try Thread { [state] in
                let client = HTTPClient(address: collector.address, patience: 5)
                var isWell = true
                while let spans = Self.next(of: state) {
                    let answer = try? client.send("POST", collector.path, json: Self.body(spans).bytes)
                    let isTaken = answer.map { (200..<300).contains($0.status) } ?? false
                    state.withLock { state in
                        if isTaken { state.sentCount += spans.count } else { state.lostCount += spans.count }
                    }
                    if isWell, !isTaken {
                        let reason = answer.map { "it answered \($0.status)" } ?? "it cannot be reached"
                        logger.warning("\(collector) takes no spans, which are lost: \(reason).")
                    }
                    isWell = isTaken
                }
                state.change { $0.hasEnded = true }
            }.detach()
        } catch {
            throw .failed("No thread could be started: error \(error.code).", 75)
        }
    }

    /// The spans that were sent, and those that were lost.
    var counts: (sent: Int, lost: Int) { state.withLock { ($0.sentCount, $0.lostCount) } }

    /// Sends the span of a request, if its sender records the trace or chance picks it.
    func note(_ line: RequestLine) {
        let sent = line.traceparent.flatMap { TraceParent($0) }
        guard sent?.isSampled ?? (Int.random(in: 0..<1_000) < perThousand) else { return }
        let trace: ByteText =
            sent?.trace ?? "\(Self.hex(.random(in: .min ... .max)))\(Self.hex(.random(in: 1 ... .max)))"
        let span = Span(
            line: line, trace: trace, id: Self.hex(.random(in: 1 ... .max)), parent: sent?.span,
            end: currentMilliseconds() * 1_000_000)
        let isFirst = state.withLock { state in
            guard state.spans.count < Self.spansMax else {
                state.lostCount += 1
                return false
            }
            state.spans.append(span)
            return state.spans.count == 1
        }
        if isFirst { state.wakeAll() }
    }

    /// Sends what waits. Does not wait longer than some seconds for that.
    func stop(seconds: Int) {
        state.change { $0.isStopping = true }
        state.wait(until: { $0.hasEnded }, seconds: seconds) { _ in }
    }

    /// The next spans to send. Nil once the tracer stops and none is left.
    private static func next(of state: Locked<State>) -> [Span]? {
        state.wait(until: { !$0.spans.isEmpty || $0.isStopping }) { _ in }
        // Others come soon, and one request is enough for all of them.
        return state.wait(
            until: { $0.spans.count >= sentMax || $0.isStopping }, milliseconds: gatheringMilliseconds
        ) { state in
            let taken = Array(state.spans.prefix(sentMax))
            state.spans.removeFirst(taken.count)
            return taken.isEmpty && state.isStopping ? nil : taken
        }
    }

    private static func hex(_ number: UInt64) -> ByteText {
        let digits = String(number, radix: 16)
        return ByteText(String(repeating: "0", count: 16 - digits.utf8.count) + digits)
    }
}

// MARK: - The form of spans (opentelemetry-proto, trace.proto; OTLP, "JSON Protobuf Encoding")

extension Tracer {
    static func body(_ spans: [Span]) -> JSONValue {
        let resource = object([
            ("attributes", attributes([("service.name", "liststate"), ("service.version", version)]))
        ])
        let scope = object([
            ("scope", object([("name", .string("liststate"))])), ("spans", .array(spans.map(\.json))),
        ])
        let all = object([("resource", resource), ("scopeSpans", .array([scope]))])
        return object([("resourceSpans", .array([all]))])
    }

    private static let version = ByteText(API.version)

    fileprivate static func object(_ members: [JSONObject.Member]) -> JSONValue { .object(JSONObject(members)) }

    /// Attributes that are texts. Those that are not there are left out.
    fileprivate static func attributes(_ pairs: [(name: ByteText, value: ByteText?)]) -> JSONValue {
        .array(
            pairs.compactMap { name, value in
                value.map { attribute(name, object([("stringValue", .string($0))])) }
            })
    }

    fileprivate static func attribute(_ name: ByteText, _ value: JSONValue) -> JSONValue {
        object([("key", .string(name)), ("value", value)])
    }
}

extension Tracer.Span {
    /// The kind of a span that answers a request.
    private static let serverKind = 2
    /// The status of a span whose request the server has failed.
    private static let failed = 2

    fileprivate var json: JSONValue {
        let start = end - min(end, line.microseconds * 1_000)
        let texts = Tracer.attributes([
            ("http.request.method", ByteText(line.method.rawValue)), ("http.route", line.route.map { ByteText($0) }),
            ("url.path", line.path), ("client.address", line.client.map(\.text)),
            ("error.type", line.code.map { ByteText($0.rawValue) }), ("enduser.id", line.actor),
            ("liststate.list", line.list), ("liststate.version", line.version), ("liststate.request", line.id),
        ])
        let status = line.status.map { status in
            // A whole number is a text in this form.
            let code = Tracer.object([("intValue", .string(ByteText("\(status.code)")))])
            return Tracer.attribute("http.response.status_code", code)
        }
        guard case .array(let attributes) = texts else { return .null }
        let name = "\(line.method.rawValue)\(line.route.map { " \($0)" } ?? "")"
        let isFailed = line.status.map { $0.code >= 500 } ?? false
        let members: [JSONObject.Member?] = [
            ("traceId", .string(trace)), ("spanId", .string(id)), parent.map { ("parentSpanId", .string($0)) },
            ("name", .string(ByteText(name))), ("kind", .integer(Self.serverKind)),
            ("startTimeUnixNano", .string(ByteText("\(start)"))), ("endTimeUnixNano", .string(ByteText("\(end)"))),
            ("attributes", .array(attributes + (status.map { [$0] } ?? []))),
            isFailed ? ("status", Tracer.object([("code", .integer(Self.failed))])) : nil,
        ]
        return Tracer.object(members.compactMap { $0 })
    }
}
