public import Texts

/// One emoji of the catalogue.
public struct Emoji: Sendable {
    /// The characters of the emoji. They are never normalised, and never used as an id.
    public let text: ByteText
    public let title: ByteText

    init(_ text: ByteText, _ title: ByteText) {
        self.text = text
        self.title = title
    }
}

/// A category of the catalogue with its emoji in order.
public struct EmojiCategory: Sendable {
    /// The id of the category, such as `smileys`. It is the id of its section.
    public let id: ByteText
    /// The title, such as `Smileys`. It is the member `category` of the items.
    public let title: ByteText
    public let emoji: [Emoji]
}

/// The emoji that Apple's "Implementing Modern Collection Views" shows, in its order.
///
/// The texts are written with escapes where an invisible code point matters: a variation selector, the zero-width
/// joiner of the cyclist, and the private-use apple in the title of the watch.
public enum EmojiCatalogue {
    public static let categories = [
        EmojiCategory(
            id: "recents", title: "Recents",
            emoji: [
                rollingOnTheFloor, whiskey, Emoji("😎", "Cool"), mountains, camping, watch, best, Emoji("✅", "LGTM"),
            ]),
        EmojiCategory(
            id: "smileys", title: "Smileys",
            emoji: [Emoji("😀", "Happy"), Emoji("😂", "Laughing"), rollingOnTheFloor]),
        EmojiCategory(
            id: "nature", title: "Nature",
            emoji: [Emoji("🦊", "Fox"), Emoji("🐝", "Bee"), Emoji("🐢", "Turtle")]),
        EmojiCategory(
            id: "food", title: "Food",
            emoji: [whiskey, Emoji("🍎", "Apple"), Emoji("🍑", "Peach")]),
        EmojiCategory(
            id: "activities", title: "Activities",
            emoji: [
                Emoji("🏈", "Football"), Emoji("\u{1F6B4}\u{200D}\u{2640}\u{FE0F}", "Cycling"), Emoji("🎤", "Singing"),
            ]),
        EmojiCategory(
            id: "travel", title: "Travel",
            emoji: [mountains, camping, Emoji("\u{1F3D6}", "Beach")]),
        EmojiCategory(
            id: "objects", title: "Objects",
            emoji: [Emoji("\u{1F5A5}", "iMac"), watch, Emoji("📱", "iPhone")]),
        EmojiCategory(
            id: "symbols", title: "Symbols",
            emoji: [Emoji("\u{2764}\u{FE0F}", "Love"), Emoji("\u{262E}\u{FE0F}", "Peace"), best]),
    ]

    // Each of these is in two categories.
    private static let rollingOnTheFloor = Emoji("🤣", "Rolling on the floor laughing")
    private static let whiskey = Emoji("🥃", "Whiskey")
    private static let mountains = Emoji("\u{1F3D4}", "Mountains")
    private static let camping = Emoji("\u{26FA}\u{FE0F}", "Camping")
    private static let watch = Emoji("\u{231A}\u{FE0F}", "\u{F8FF} Watch")
    private static let best = Emoji("💯", "Best")

    /// The categories without the recent one. No emoji is in two of them.
    static let lasting = categories.filter { $0.id != "recents" }
}
