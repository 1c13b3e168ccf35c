public import ListModel

/// Selects items of which a string of the content contains a text.
///
/// Without regard to case (the simple mapping to lower case of Unicode), by characters: a text that is canonically
/// equivalent matches, however it is composed, and a letter does not match the same with an accent. Nothing is trimmed.
public struct TextFilter: Sendable, Hashable {
    /// Where in the content to look; nil looks everywhere.
    public let field: ContentPath?
    /// In lower case.
    private let wanted: SoughtRun<Character>
    /// The same as bytes if it can be found so in ASCII.
    private let wantedBytes: SoughtRun<UInt8>?

    /// Nil for an empty text, which every item matches.
    public init?(_ text: String, in field: ContentPath? = nil) {
        guard !text.isEmpty else { return nil }
        self.field = field
        wanted = SoughtRun(Array(text.lowercased()))
        // The two of them are one character.
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D && $0 != 0x0A }
        wantedBytes = isPlain ? SoughtRun(Array(text.lowercased().utf8)) : nil
    }

    /// Whether an item with this content is selected.
    func matches(_ content: JSONText) -> Bool { content.hasString(at: field, where: isFound) }

    private func isFound(in string: Span<UInt8>) -> Bool {
        if let wantedBytes, Self.isPlain(string) {
            var search = SoughtRun.Search(wantedBytes)
            for index in string.indices where search.isAtEnd(after: Self.lowercased(string[index])) { return true }
            return false
        }
        var search = SoughtRun.Search(wanted)
        return JSONText.string(escaped: string).lowercased().contains { search.isAtEnd(after: $0) }
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

/// Elements that are looked for in a row, without ever going back in what they are looked for in: that may have been
/// written so that going back is dear.
///
/// Source: Knuth, Morris, Pratt, "Fast Pattern Matching in Strings" (1977).
struct SoughtRun<Element: Hashable & Sendable>: Sendable, Hashable {
    /// Not empty.
    private let elements: [Element]
    /// For each count of elements found, how many of them are found still when the next is another.
    private let fallbacks: [Int]

    init(_ elements: [Element]) {
        self.elements = elements
        var fallbacks = [0, 0]
        for element in elements.dropFirst() {
            var count = fallbacks[fallbacks.count - 1]
            while count > 0, elements[count] != element { count = fallbacks[count] }
            fallbacks.append(elements[count] == element ? count + 1 : 0)
        }
        self.fallbacks = fallbacks
    }

    /// - Complexity: Over *n* elements at most 3*n* comparisons.
    struct Search {
        private let sought: SoughtRun
        /// How many of the elements the newest ones are.
        private var count = 0

        init(_ sought: SoughtRun) { self.sought = sought }

        /// Takes the next element; true if it is the end of what is sought, behind which there is nothing to take.
        mutating func isAtEnd(after element: Element) -> Bool {
            while count > 0, sought.elements[count] != element { count = sought.fallbacks[count] }
            if sought.elements[count] == element { count += 1 }
            return count == sought.elements.count
        }
    }
}
