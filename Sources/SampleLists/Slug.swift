import ListModel
import Texts

/// Names the items of one section: `<section>.<slug>`. A slug that occurs again gets `-2`, `-3` and so on.
struct ItemNamer {
    private let section: ByteText
    private var used: Set<ByteText> = []

    init(section: ByteText) {
        self.section = section
    }

    /// The id of the next item, made from its title. An item without a title is named after the text that it shows.
    mutating func name(for text: ByteText) -> ItemID {
        let slug = slug(of: text)
        var candidate = slug
        var count = 1
        while !used.insert(candidate).inserted {
            count += 1
            candidate = "\(slug)-\(count)"
        }
        return ItemID(unchecked: "\(section).\(candidate)")
    }
}

/// A text as a part of an id: in lower case, each run of characters outside `[a-z0-9]` replaced by `-`, without `-` at
/// the ends.
///
/// If nothing is left, as of an emoji, the slug is the Unicode scalars of the text in hexadecimal: 😀 is `1f600`, ❤️ is
/// `2764-fe0f`.
func slug(of text: ByteText) -> ByteText {
    let words = text.string.lowercased().unicodeScalars.split { !isKept($0) }.map { ByteText(String($0)) }
    guard words.isEmpty else { return words.joined(separator: "-") }
    return codePoints(of: text)
}

/// The Unicode scalars of a text in hexadecimal, such as `2764-fe0f`.
func codePoints(of text: ByteText) -> ByteText {
    text.string.unicodeScalars.map { ByteText(String($0.value, radix: 16)) }.joined(separator: "-")
}

private func isKept(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
}
