public import ListModel
public import Texts

/// Selects the items that have a text in a string of their content.
///
/// Case does not matter (the simple mapping to lower case of Unicode). Texts are compared by characters: canonically
/// equivalent texts match, and a letter does not match the same letter with an accent. Nothing is trimmed.
///
/// Canonical equivalence holds for runs of at most `CharacterReader.runMax` combining marks. Longer runs are cut there,
/// in the sought text and in the items, so that a search takes time that is linear in both.
public struct TextFilter: Sendable, Hashable {
    /// The place in the content to search; nil searches all strings.
    public let field: ContentPath?
    /// The characters of the sought text, in lower case.
    private let wanted: SoughtRun<Character>
    /// The sought text as bytes, for a search in ASCII; nil if the text must be compared by characters.
    private let wantedBytes: SoughtRun<UInt8>?

    /// Nil for an empty text, which every item matches.
    public init?(_ text: ByteText, in field: ContentPath? = nil) {
        guard !text.isEmpty else { return nil }
        self.field = field
        wanted = SoughtRun(Array(CharacterReader(text).lowercased))
        // CR LF is one character, so a text with either of them is compared by characters.
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D && $0 != 0x0A }
        wantedBytes = isPlain ? SoughtRun(text.utf8.map(Self.lowercased)) : nil
    }

    /// Whether an item with this content is selected.
    func matches(_ content: JSONText) -> Bool { content.hasString(at: field, where: isFound) }

    /// Whether a text contains the sought one. `field` is ignored.
    public func matches(_ text: ByteText) -> Bool {
        guard let wantedBytes, text.isASCII else { return isFound(byCharacterIn: text) }
        var search = SoughtRun.Search(wantedBytes)
        return text.utf8.contains { search.isAtEnd(after: Self.lowercased($0)) }
    }

    private func isFound(byCharacterIn text: ByteText) -> Bool {
        var search = SoughtRun.Search(wanted)
        return CharacterReader(text).lowercased.contains { search.isAtEnd(after: $0) }
    }

    private func isFound(in string: Span<UInt8>) -> Bool {
        if let wantedBytes, Self.isPlain(string) {
            var search = SoughtRun.Search(wantedBytes)
            for index in string.indices where search.isAtEnd(after: Self.lowercased(string[index])) { return true }
            return false
        }
        return isFound(byCharacterIn: JSONText.string(escaped: string))
    }

    /// Whether a string is ASCII without escapes, so that its bytes are its characters.
    private static func isPlain(_ string: Span<UInt8>) -> Bool {
        for index in string.indices where string[index] >= 0x80 || string[index] == UInt8(ascii: "\\") { return false }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
