/// A metric: a name, a kind and a help, which all of its series share.
public struct MetricFamily: Sendable {
    public enum Kind: Sendable, Equatable {
        /// A number that only grows. Its name ends with `_total`.
        case counter
        /// A number that goes up and down.
        case gauge
        /// How many values were at most as great as each of these bounds, which grow.
        case histogram(bounds: [Double])
    }

    public let name: String
    public let kind: Kind
    /// One sentence without line feeds and backslashes.
    public let help: String

    public init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

extension MetricFamily.Kind {
    var word: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}

/// The values of a histogram that have been counted.
public struct Buckets: Sendable {
    /// How many values were in each bucket alone: one for each bound, and one for all greater values.
    public private(set) var counts: [Int]
    public private(set) var sum: Double

    /// - Parameter counts: As the property.
    public init(counts: [Int], sum: Double) {
        self.counts = counts
        self.sum = sum
    }

    init(bounds: [Double]) { self.init(counts: Array(repeating: 0, count: bounds.count + 1), sum: 0) }

    mutating func add(_ value: Double, _ bounds: [Double]) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
