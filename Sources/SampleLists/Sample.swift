public import ListModel

/// A list that comes with the server.
public enum Sample: String, CaseIterable, Sendable {
    case emojiExplorer = "emoji-explorer"
    case emojiExplorerList = "emoji-explorer-list"
    case reorderable
    case emojisAndNumbers = "emojis-and-numbers"
    case mainSub = "main-sub"
    case mountains
    case editing
    case reactorSections = "reactor-sections"

    /// The seed of a start that asks for none, so that every start is the same.
    public static let defaultSeed: UInt64 = 1

    /// The name of the sample, which is that of its list.
    public var id: String { rawValue }

    /// The title of its list.
    public var title: String {
        switch self {
        case .emojiExplorer: "Emoji Explorer"
        case .emojiExplorerList: "Emoji Explorer – List"
        case .reorderable: "Reorderable List"
        case .emojisAndNumbers: "Emojis and Numbers"
        case .mainSub: "Main and Sub"
        case .mountains: "Mountains"
        case .editing: "Editing"
        case .reactorSections: "Reactor Sections"
        }
    }

    /// What it shows, in one sentence.
    public var summary: String {
        switch self {
        case .emojiExplorer: "A grid, an outline and a list of emoji, of which some in the list are starred."
        case .emojiExplorerList: "Every emoji by category, in sections that were filled from the last to the first."
        case .reorderable: "Every emoji by category, to be moved within and across sections."
        case .emojisAndNumbers: "Two kinds of items in one list: faces in a scrolling row and the numbers to 100."
        case .mainSub: "Two sections whose first item is their header."
        case .mountains: "Mountains with their heights in metres, to be searched and sorted."
        case .editing: "Two sections with header and footer, whose mountains are moved and swiped away."
        case .reactorSections: "Rows of cards to add to and to delete from; one is empty and shrinks to its header."
        }
    }

    /// The state in which the sample starts.
    ///
    /// It names every member, so that applying it to a list that a client has changed resets that list and keeps
    /// the identity of its items.
    ///
    /// - Parameter seed: What the random part depends on; the same seed gives the same snapshot.
    public func snapshot(seed: UInt64) -> WantedSnapshot {
        switch self {
        case .emojiExplorer: emojiExplorerSnapshot(seed: seed)
        case .emojiExplorerList: emojiExplorerListSnapshot
        case .reorderable: reorderableSnapshot
        case .emojisAndNumbers: emojisAndNumbersSnapshot
        case .mainSub: mainSubSnapshot
        case .mountains: mountainsSnapshot
        case .editing: editingSnapshot
        case .reactorSections: reactorSectionsSnapshot
        }
    }
}
