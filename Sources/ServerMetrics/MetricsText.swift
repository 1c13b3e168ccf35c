/// Metrics as Prometheus reads them ("Text-based format", version 0.0.4).
///
///     # HELP liststate_requests_total Requests that were answered.
///     # TYPE liststate_requests_total counter
///     liststate_requests_total{method="GET",route="/v1/lists"} 7
public struct MetricsText {
    public typealias Labels = [(name: String, value: String)]

    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Appends a metric with one series that has no labels.
    public mutating func append(_ family: MetricFamily, _ value: Double) { append(family, [([], value)]) }

    public mutating func append(_ family: MetricFamily, _ value: Int) { append(family, Double(value)) }

    /// Appends a metric with all of its series. Without a series it is left out.
    public mutating func append(_ family: MetricFamily, _ series: [(labels: Labels, value: Double)]) {
        guard !series.isEmpty else { return }
        begin(family)
        for one in series { line(family.name, one.labels, one.value) }
    }

    /// Appends a histogram with all of its series. Without a series it is left out.
    public mutating func append(_ family: MetricFamily, _ series: [(labels: Labels, buckets: Buckets)]) {
        guard case .histogram(let bounds) = family.kind, !series.isEmpty else { return }
        begin(family)
        for (labels, buckets) in series {
            var count = 0
            for (index, inBucket) in buckets.counts.enumerated() {
                count += inBucket
                let bound = index < bounds.count ? Self.text(bounds[index]) : "+Inf"
                line(family.name + "_bucket", labels + [("le", bound)], Double(count))
            }
            line(family.name + "_sum", labels, buckets.sum)
            line(family.name + "_count", labels, Double(count))
        }
    }

    private mutating func begin(_ family: MetricFamily) {
        bytes += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.word)\n".utf8
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: Double) {
        bytes += name.utf8
        if !labels.isEmpty {
            for (index, label) in labels.enumerated() {
                bytes += "\(index == 0 ? "{" : ",")\(label.name)=\"".utf8
                for byte in label.value.utf8 { append(escaped: byte) }
                bytes += "\"".utf8
            }
            bytes += "}".utf8
        }
        bytes += " \(Self.text(value))\n".utf8
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += "\\n".utf8
        default: bytes.append(byte)
        }
    }

    /// A whole number without a point, which is shorter.
    private static func text(_ value: Double) -> String {
        guard let whole = Int(exactly: value) else { return "\(value)" }
        return "\(whole)"
    }
}
