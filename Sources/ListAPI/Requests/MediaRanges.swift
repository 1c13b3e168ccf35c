/// The media ranges of `Accept` (RFC 9110, section 12.5.1).
struct MediaRanges {
    private struct Range {
        var type: String
        var isRefused: Bool
    }

    private let ranges: [Range]

    /// - Parameter value: The value of the field; nil accepts everything.
    init(_ value: String?) {
        ranges = (value ?? "*/*").split(separator: ",").map { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return Range(type: parts.first ?? "", isRefused: quality.flatMap { Double($0) } == 0)
        }
    }

    /// Whether a representation of this type may be sent: the most specific range decides.
    func accepts(_ type: String) -> Bool {
        let family = type.prefix { $0 != "/" } + "/*"
        for candidate in [type, String(family), "*/*"] {
            let matching = ranges.filter { $0.type == candidate }
            guard matching.isEmpty else { return matching.contains { !$0.isRefused } }
        }
        return ranges.isEmpty
    }
}
