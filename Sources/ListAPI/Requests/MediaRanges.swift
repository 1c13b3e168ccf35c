internal import Texts

/// The media ranges of `Accept` (RFC 9110, section 12.5.1).
struct MediaRanges {
    private struct Range {
        var type: ByteText
        /// The weight in thousandths; 0 refuses the type.
        var weight: Int
    }

    private let ranges: [Range]

    /// - Parameter value: The value of the field; nil accepts everything.
    init(_ value: ByteText?) {
        ranges = (value ?? "*/*").split(at: ",").filter { !$0.isEmpty }.map { range in
            let parts = range.split(at: ";").filter { !$0.isEmpty }.map(\.withoutSpaces.lowercasedASCII)
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { QualityValue.parse($0.utf8[...]) }
            return Range(type: parts.first ?? "", weight: quality ?? QualityValue.most)
        }
    }

    /// Whether a representation of this type may be sent: the most specific range decides.
    func accepts(_ type: ByteText) -> Bool { weight(of: type) > 0 }

    /// How much a representation of this type is wanted, in thousandths.
    func weight(of type: ByteText) -> Int {
        let family: ByteText = "\(type.split(at: "/")[0])/*"
        for candidate in [type, family, "*/*"] {
            let matching = ranges.filter { $0.type == candidate }
            if let greatest = matching.map(\.weight).max() { return greatest }
        }
        return ranges.isEmpty ? QualityValue.most : 0
    }

    /// Whether a range names this very type, and not only its family or `*/*`.
    func names(_ type: ByteText) -> Bool { ranges.contains { $0.type == type && $0.weight > 0 } }
}
