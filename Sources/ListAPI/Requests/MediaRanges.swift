/// The media ranges of `Accept` (RFC 9110, section 12.5.1).
struct MediaRanges {
    private struct Range {
        var type: String
        /// In thousandths; 0 refuses the type.
        var weight: Int
    }

    private let ranges: [Range]

    /// - Parameter value: The value of the field; nil accepts everything.
    init(_ value: String?) {
        ranges = (value ?? "*/*").split(separator: ",").map { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { QualityValue.parse($0[...].utf8) }
            return Range(type: parts.first ?? "", weight: quality ?? QualityValue.most)
        }
    }

    /// Whether a representation of this type may be sent: the most specific range decides.
    func accepts(_ type: String) -> Bool { weight(of: type) > 0 }

    /// How much a representation of this type is wanted, in thousandths.
    func weight(of type: String) -> Int {
        let family = type.prefix { $0 != "/" } + "/*"
        for candidate in [type, String(family), "*/*"] {
            let matching = ranges.filter { $0.type == candidate }
            if let greatest = matching.map(\.weight).max() { return greatest }
        }
        return ranges.isEmpty ? QualityValue.most : 0
    }

    /// Whether this very type is wanted, not only one of its kind.
    func names(_ type: String) -> Bool { ranges.contains { $0.type == type && $0.weight > 0 } }
}
