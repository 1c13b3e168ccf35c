import CoreMetrics
import ServerMetrics
import Testing

@Suite struct MetricsTextTests {
    private static let requests = MetricFamily("a_requests_total", .counter, "Requests.")
    private static let times = MetricFamily("a_seconds", .histogram(bounds: [0.5, 2]), "Times.")

    private static func text(_ write: (inout MetricsText) -> Void) -> String {
        var text = MetricsText()
        write(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func hasALineForEachSeries() {
        let text = Self.text {
            $0.append(
                Self.requests,
                [(labels: [("path", "/a"), ("status", "200")], value: 3), (labels: [("path", "/b")], value: 0.25)])
        }
        #expect(
            text == """
                # HELP a_requests_total Requests.
                # TYPE a_requests_total counter
                a_requests_total{path="/a",status="200"} 3
                a_requests_total{path="/b"} 0.25

                """)
    }

    /// Prometheus reads a label up to the next quotation mark.
    @Test func labelsAreEscaped() {
        let text = Self.text { $0.append(Self.requests, [(labels: [("path", "a\"b\\c\nd")], value: 1)]) }
        #expect(text.hasSuffix(#"a_requests_total{path="a\"b\\c\nd"} 1"# + "\n"))
    }

    @Test func aMetricWithoutSeriesIsLeftOut() {
        #expect(Self.text { $0.append(Self.requests, [(labels: MetricsText.Labels, value: Double)]()) } == "")
        #expect(Self.text { $0.append(Self.times, [(labels: MetricsText.Labels, buckets: Buckets)]()) } == "")
    }

    /// Each bucket has those of all buckets before it, too.
    @Test func aHistogramCountsUpwards() {
        let text = Self.text {
            $0.append(Self.times, [(labels: [("of", "x")], buckets: Buckets(counts: [1, 2, 4], sum: 30.5))])
        }
        #expect(
            text.split(separator: "\n").dropFirst(2) == [
                #"a_seconds_bucket{of="x",le="0.5"} 1"#, #"a_seconds_bucket{of="x",le="2"} 3"#,
                #"a_seconds_bucket{of="x",le="+Inf"} 7"#, #"a_seconds_sum{of="x"} 30.5"#, #"a_seconds_count{of="x"} 7"#,
            ])
    }
}

@Suite struct MetricsRegistryTests {
    private static let lists = MetricFamily("a_lists", .gauge, "Lists.")
    private static let requests = MetricFamily("a_requests_total", .counter, "Requests.")
    private static let times = MetricFamily("a_seconds", .histogram(bounds: [0.5, 2]), "Times.")

    private static func lines(_ registry: MetricsRegistry) -> [Substring] {
        var text = MetricsText()
        registry.append(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").filter { $0.first != "#" }
    }

    @Test func keepsWhatIsMeasured() {
        let registry = MetricsRegistry([Self.lists, Self.requests, Self.times])
        let labels = [("code", "x")]
        Counter(label: "a_requests_total", dimensions: labels, factory: registry).increment(by: 2)
        Counter(label: "a_requests_total", dimensions: labels, factory: registry).increment()
        let gauge = Meter(label: "a_lists", dimensions: [], factory: registry)
        gauge.set(5)
        gauge.increment(by: 2)
        let timer = Timer(label: "a_seconds", dimensions: [], factory: registry)
        timer.recordNanoseconds(500_000_000)
        timer.recordNanoseconds(500_000_001)
        timer.recordNanoseconds(3_000_000_000)
        #expect(
            Self.lines(registry) == [
                "a_lists 7", #"a_requests_total{code="x"} 3"#, #"a_seconds_bucket{le="0.5"} 1"#,
                #"a_seconds_bucket{le="2"} 2"#, #"a_seconds_bucket{le="+Inf"} 3"#, "a_seconds_sum 4.000000001",
                "a_seconds_count 3",
            ])
    }

    /// A metric that nobody has explained is not kept, so that the number of metrics is known.
    @Test func aMetricThatIsNotInTheTableIsNotKept() {
        let registry = MetricsRegistry([Self.requests])
        Counter(label: "another", dimensions: [], factory: registry).increment()
        #expect(Self.lines(registry) == [])
    }

    /// Labels that come from outside could otherwise fill the memory.
    @Test func theNumberOfSeriesIsBounded() {
        let registry = MetricsRegistry([Self.requests])
        for number in 0..<(MetricsRegistry.seriesMax + 10) {
            Counter(label: "a_requests_total", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        #expect(Self.lines(registry).count == MetricsRegistry.seriesMax)
        Counter(label: "a_requests_total", dimensions: [("n", "0")], factory: registry).increment()
        #expect(Self.lines(registry).first == #"a_requests_total{n="0"} 2"#)
    }
}
