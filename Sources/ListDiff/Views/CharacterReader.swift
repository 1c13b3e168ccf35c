internal import Texts

/// Reads the characters of a text from outside. None of them has a long run of combining marks, so Swift may compare
/// them.
///
/// Swift puts each run of marks in canonical order when it compares characters, in time that is quadratic in the run.
/// With runs of at most 30 this costs a constant for each scalar.
struct CharacterReader {
    /// How many combining marks may follow each other.
    static let runMax = 30

    /// The combining grapheme joiner, which cuts a run that is too long. It is invisible, and canonical ordering moves
    /// no mark past it.
    private static let joiner: Unicode.Scalar = "\u{34F}"
    /// No scalar below this one is a combining mark.
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
