public import ListModel
public import Texts

/// A list that comes with the server.
public enum Sample: String, CaseIterable, Sendable {
    case emojiExplorer = "emoji-explorer"
    case emojiExplorerList = "emoji-explorer-list"
    case reorderable
    case emojisAndNumbers = "emojis-and-numbers"
    case mainSub = "main-sub"
    case mountains
    case wifi
    case insertionSort = "insertion-sort"
    case editing
    case reactorSections = "reactor-sections"
    case grid
    case insetGrid = "inset-grid"
    case twoColumnGrid = "two-column-grid"
    case distinctSections = "distinct-sections"
    case adaptiveSections = "adaptive-sections"
    case itemBadges = "item-badges"
    case headersAndFooters = "section-headers-footers"
    case pinnedSectionHeaders = "pinned-section-headers"
    case sectionBackground = "section-background"
    case nestedGroups = "nested-groups"
    case orthogonalSections = "orthogonal-sections"
    case orthogonalBehaviors = "orthogonal-behaviors"
    case simpleList = "simple-list"
    case listAppearances = "list-appearances"
    case customCells = "custom-cells"
    case cellContent = "cell-content"
    case customConfigurations = "custom-configurations"
    case conferenceVideos = "conference-videos"
    case conferenceNews = "conference-news"
    case menu

    /// The seed of a start that asks for none, so that every start is the same.
    public static let defaultSeed: UInt64 = 1

    /// The name of the sample, which is that of its list.
    public var id: String { rawValue }

    /// The title of its list.
    public var title: ByteText {
        switch self {
        case .emojiExplorer: "Emoji Explorer"
        case .emojiExplorerList: "Emoji Explorer – List"
        case .reorderable: "Reorderable List"
        case .emojisAndNumbers: "Emojis and Numbers"
        case .mainSub: "Main and Sub"
        case .mountains: "Mountains"
        case .wifi: "Settings: Wi-Fi"
        case .insertionSort: "Insertion Sort"
        case .editing: "Editing"
        case .reactorSections: "Reactor Sections"
        case .grid: "Grid"
        case .insetGrid: "Inset Items Grid"
        case .twoColumnGrid: "Two-Column Grid"
        case .distinctSections: "Distinct Sections"
        case .adaptiveSections: "Adaptive Sections"
        case .itemBadges: "Item Badges"
        case .headersAndFooters: "Section Headers/Footers"
        case .pinnedSectionHeaders: "Pinned Section Headers"
        case .sectionBackground: "Section Background"
        case .nestedGroups: "Nested Groups"
        case .orthogonalSections: "Orthogonal Sections"
        case .orthogonalBehaviors: "Orthogonal Section Behaviors"
        case .simpleList: "Simple List"
        case .listAppearances: "List Appearances"
        case .customCells: "List with Custom Cells"
        case .cellContent: "Cell Content"
        case .customConfigurations: "Custom Configurations"
        case .conferenceVideos: "Conference Videos"
        case .conferenceNews: "Conference News"
        case .menu: "Menu"
        }
    }

    /// What it shows, in one sentence.
    public var summary: ByteText {
        switch self {
        case .emojiExplorer: "A grid, an outline and a list of emoji, of which some in the list are starred."
        case .emojiExplorerList: "Every emoji by category, in sections that were filled from the last to the first."
        case .reorderable: "Every emoji by category, to be moved within and across sections."
        case .emojisAndNumbers: "Two kinds of items in one list: faces in a scrolling row and the numbers to 100."
        case .mainSub: "Two sections whose first item is their header."
        case .mountains: "Mountains with their heights in metres, to be searched and sorted."
        case .wifi: "Networks that come and go at each step, below a switch that takes all of them away."
        case .insertionSort: "Rows of shuffled colours; at each step one of every row goes where it belongs."
        case .editing: "Two sections with header and footer, whose mountains are moved and swiped away."
        case .reactorSections: "Rows of cards to add to and to delete from; one is empty and shrinks to its header."
        case .grid: "Numbers, five in a row."
        case .insetGrid: "Numbers, five in a row, with room around each."
        case .twoColumnGrid: "Numbers in two columns of equal shares."
        case .distinctSections: "A list, five columns and three columns."
        case .adaptiveSections: "Sections with twice as many columns where there is room for them."
        case .itemBadges: "Numbers of which some have a badge at their corner."
        case .headersAndFooters: "Sections with a header and a footer each."
        case .pinnedSectionHeaders: "Sections whose headers stay in sight."
        case .sectionBackground: "Sections on a background, with lines between their rows."
        case .nestedGroups: "One large item beside two small ones, over and over."
        case .orthogonalSections: "Sections that scroll across the list."
        case .orthogonalBehaviors: "The six ways in which a section can scroll across the list."
        case .simpleList: "Numbers in a list."
        case .listAppearances: "The same sections in each of the five appearances of a list."
        case .customCells: "A list with a cell of its own, that shows a category."
        case .cellContent: "The same content in each configuration and on several backgrounds."
        case .customConfigurations: "Symbols, as many in a row as fit."
        case .conferenceVideos: "Collections of talks, each in a row that scrolls."
        case .conferenceNews: "Articles as high as their text."
        case .menu: "An outline, four levels deep, of pages that show samples."
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
        case .wifi: wifiSnapshot(seed: seed)
        case .insertionSort: insertionSortSnapshot(seed: seed)
        case .editing: editingSnapshot
        case .reactorSections: reactorSectionsSnapshot
        case .grid: gridSnapshot
        case .insetGrid: insetGridSnapshot
        case .twoColumnGrid: twoColumnGridSnapshot
        case .distinctSections: distinctSectionsSnapshot
        case .adaptiveSections: adaptiveSectionsSnapshot
        case .itemBadges: itemBadgesSnapshot(seed: seed)
        case .headersAndFooters: headersAndFootersSnapshot(isPinned: false)
        case .pinnedSectionHeaders: headersAndFootersSnapshot(isPinned: true)
        case .sectionBackground: sectionBackgroundSnapshot
        case .nestedGroups: nestedGroupsSnapshot
        case .orthogonalSections: orthogonalSectionsSnapshot
        case .orthogonalBehaviors: orthogonalBehaviorsSnapshot
        case .simpleList: simpleListSnapshot
        case .listAppearances: listAppearancesSnapshot
        case .customCells: customCellsSnapshot
        case .cellContent: cellContentSnapshot
        case .customConfigurations: customConfigurationsSnapshot(seed: seed)
        case .conferenceVideos: conferenceVideosSnapshot
        case .conferenceNews: conferenceNewsSnapshot
        case .menu: menuSnapshot
        }
    }

    /// Whether there are steps to be made.
    public var moves: Bool {
        switch self {
        case .wifi, .insertionSort: true
        case .emojiExplorer, .emojiExplorerList, .reorderable, .emojisAndNumbers, .mainSub, .mountains, .editing,
            .reactorSections, .grid, .insetGrid, .twoColumnGrid, .distinctSections, .adaptiveSections, .itemBadges,
            .headersAndFooters, .pinnedSectionHeaders, .sectionBackground, .nestedGroups, .orthogonalSections,
            .orthogonalBehaviors, .simpleList, .listAppearances, .customCells, .cellContent, .customConfigurations,
            .conferenceVideos, .conferenceNews, .menu:
            false
        }
    }

    /// The operations of the next step of its list; none where there is nothing to do.
    ///
    /// - Parameters:
    ///   - list: The list as it is, which clients may have changed in any way.
    ///   - seed: What the random part depends on; nil for the seed with which the sample was installed.
    public func step(from list: ListState, seed: UInt64?) -> [Operation] {
        guard moves else { return [] }
        return self == .wifi ? list.wifiStep(seed: seed) : list.insertionSortStep
    }
}
