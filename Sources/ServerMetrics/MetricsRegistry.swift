public import CoreMetrics
internal import Threads

/// Keeps what is measured through swift-metrics, and writes it as text.
///
/// Only metrics of a table are kept. So the number of metrics is known, and each has a help. A metric has at most
/// `seriesMax` series: what is measured of further ones is dropped.
public final class MetricsRegistry: MetricsFactory {
    private let families: [MetricFamily]
    private let series = Locked<[String: [Series]]>([:])

    /// How many different labels a metric may have.
    public static let seriesMax = 128

    /// - Parameter families: The metrics that are kept, in the order in which they are written.
    public init(_ families: [MetricFamily]) { self.families = families }

    /// Appends all metrics of which something was measured.
    public func append(to text: inout MetricsText) {
        let all = series.withLock { $0 }
        for family in families {
            let values = (all[family.name] ?? []).map { (labels: $0.labels, value: $0.value) }
            switch family.kind {
            case .counter, .gauge: text.append(family, values.map { ($0.labels, $0.value.sum) })
            case .histogram: text.append(family, values.map { ($0.labels, $0.value) })
            }
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        found(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        found(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        found(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        found(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        found(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    // A series stays, because what was counted stays true.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// The series with these labels, made if there is room for it; nil if there is none, or no such metric.
    private func found(_ name: String, _ labels: [(String, String)]) -> Series? {
        guard let family = families.first(where: { $0.name == name }) else { return nil }
        return series.withLock { all in
            let known = all[name] ?? []
            if let one = known.first(where: { $0.has(labels) }) { return one }
            guard known.count < Self.seriesMax else { return nil }
            let made = Series(family, labels.map { ($0.0, $0.1) })
            all[name] = known + [made]
            return made
        }
    }
}

/// One series of a metric. A number is kept as the sum of buckets that are not asked for.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    let labels: MetricsText.Labels
    private let bounds: [Double]
    private let buckets: Locked<Buckets>

    init(_ family: MetricFamily, _ labels: MetricsText.Labels) {
        self.labels = labels
        bounds = if case .histogram(let bounds) = family.kind { bounds } else { [] }
        buckets = Locked(Buckets(bounds: bounds))
    }

    var value: Buckets { buckets.withLock { $0 } }

    func has(_ other: [(String, String)]) -> Bool {
        labels.count == other.count && zip(labels, other).allSatisfy { $0.name == $1.0 && $0.value == $1.1 }
    }

    private func add(_ value: Double) { buckets.withLock { $0.add(value, bounds) } }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { buckets.withLock { $0 = Buckets(counts: $0.counts, sum: value) } }
    func record(_ value: Int64) { add(Double(value)) }
    func record(_ value: Double) { add(value) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
    func reset() { buckets.withLock { $0 = Buckets(bounds: bounds) } }
}
