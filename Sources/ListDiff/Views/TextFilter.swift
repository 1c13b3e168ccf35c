public import ListModel

/// Selects items of which a string of the content contains a text.
///
/// Without regard to case (the simple mapping to lower case of Unicode), by characters: a text that is canonically
/// equivalent matches, however it is composed, and a letter does not match the same with an accent. Nothing is trimmed.
public struct TextFilter: Sendable, Hashable {
    /// Where in the content to look; nil looks everywhere.
    public let field: ContentPath?
    /// In lower case.
    private let wanted: [Character]
    /// The same as bytes if it can be found so in ASCII.
    private let wantedBytes: [UInt8]?

    /// Nil for an empty text, which every item matches.
    public init?(_ text: String, in field: ContentPath? = nil) {
        guard !text.isEmpty else { return nil }
        self.field = field
        wanted = Array(text.lowercased())
        // The two of them are one character.
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D && $0 != 0x0A }
        wantedBytes = isPlain ? Array(text.lowercased().utf8) : nil
    }

    /// Whether an item with this content is selected.
    func matches(_ content: JSONText) -> Bool { content.hasString(at: field, where: isFound) }

    private func isFound(in string: Span<UInt8>) -> Bool {
        if let wantedBytes, Self.isPlain(string) { return Self.find(wantedBytes, in: string) }
        return Self.find(wanted, in: Array(JSONText.string(escaped: string).lowercased()))
    }

    /// Whether a string is ASCII without escapes, so that its bytes are its characters.
    private static func isPlain(_ string: Span<UInt8>) -> Bool {
        for index in string.indices where string[index] >= 0x80 || string[index] == UInt8(ascii: "\\") { return false }
        return true
    }

    private static func find(_ wanted: [UInt8], in string: Span<UInt8>) -> Bool {
        guard wanted.count <= string.count else { return false }
        for start in 0...string.count - wanted.count {
            var count = 0
            while count < wanted.count, lowercased(string[start + count]) == wanted[count] { count += 1 }
            if count == wanted.count { return true }
        }
        return false
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func find(_ wanted: [Character], in string: [Character]) -> Bool {
        guard wanted.count <= string.count else { return false }
        return (0...string.count - wanted.count).contains { string[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}
