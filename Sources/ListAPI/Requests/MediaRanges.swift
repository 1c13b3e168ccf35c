/// The media ranges of `Accept` (RFC 9110, section 12.5.1).
struct MediaRanges {
    private struct Range {
        var type: String
        /// From 0, which refuses the type, to 1.
        var weight: Double
    }

    private let ranges: [Range]

    /// - Parameter value: The value of the field; nil accepts everything.
    init(_ value: String?) {
        ranges = (value ?? "*/*").split(separator: ",").map { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return Range(type: parts.first ?? "", weight: quality.flatMap { Double($0) } ?? 1)
        }
    }

    /// Whether a representation of this type may be sent: the most specific range decides.
    func accepts(_ type: String) -> Bool { weight(of: type) > 0 }

    /// How much a representation of this type is wanted.
    func weight(of type: String) -> Double {
        let family = type.prefix { $0 != "/" } + "/*"
        for candidate in [type, String(family), "*/*"] {
            let matching = ranges.filter { $0.type == candidate }
            if let greatest = matching.map(\.weight).max() { return greatest }
        }
        return ranges.isEmpty ? 1 : 0
    }

    /// Whether this very type is wanted, not only one of its kind.
    func names(_ type: String) -> Bool { ranges.contains { $0.type == type && $0.weight > 0 } }
}
