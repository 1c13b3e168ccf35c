internal import Texts

/// The characters of a text from outside, which Swift may compare: none has a long run of combining marks.
///
/// Swift puts each run of marks in canonical order when it compares characters, in time that is quadratic in the run.
/// In runs of at most 30 that is a constant for each scalar.
struct CharacterReader {
    /// How many combining marks may follow each other.
    static let runMax = 30

    /// What is put behind as many: a mark that nobody sees and that others are not sorted past.
    private static let joiner: Unicode.Scalar = "\u{34F}"
    /// No scalar below is a mark.
    private static let firstMark: Unicode.Scalar = "\u{300}"

    private let text: ByteText

    init(_ text: ByteText) { self.text = text }

    /// The characters in lower case.
    ///
    /// Source: the stream-safe text process, Unicode Standard Annex #15 section 13, over scalars as they are written.
    var lowercased: String {
        let lowercased = text.string.lowercased()
        var result = String.UnicodeScalarView()
        result.reserveCapacity(lowercased.utf8.count)
        var run = 0
        for scalar in lowercased.unicodeScalars {
            run = Self.isMark(scalar) ? run + 1 : 0
            if run > Self.runMax {
                result.append(Self.joiner)
                run = 1
            }
            result.append(scalar)
        }
        return String(result)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar >= firstMark && scalar.properties.canonicalCombiningClass != .notReordered
    }
}
