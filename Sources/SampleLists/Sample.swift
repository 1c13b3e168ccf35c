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

    /// The seed that a start uses by default, so that every such start gives the same lists.
    public static let defaultSeed: UInt64 = 1

    /// The id of the sample and of its list.
    public var id: String { rawValue }

    /// The title of the list.
    public var title: ByteText { row.title }

    /// One sentence that says what the list shows.
    public var summary: ByteText { row.summary }

    /// The first state of the list.
    ///
    /// It sets every member of the list. Applying it to a list that a client has changed therefore resets the list, and
    /// the items keep their identity.
    ///
    /// - Parameter seed: Determines the random part. The same seed gives the same snapshot.
    public func snapshot(seed: UInt64) -> WantedSnapshot { row.snapshot(self, seed) }

    /// Whether the sample has steps.
    public var moves: Bool { row.step != nil }

    /// The milliseconds between two steps that the server makes by itself; nil if the sample has no steps.
    public var stepMilliseconds: Int? { row.stepMilliseconds }

    /// Whether the sample goes on while somebody looks at it. Another one with steps does so only if it is told to run.
    public var movesByItself: Bool { row.consequences != nil }

    /// The operations that follow at once from what clients have changed, such as a switch that was turned; empty if
    /// there are none.
    public func consequences(in list: ListState) -> [Operation] { row.consequences?(list) ?? [] }

    /// The operations of the next step that the server makes by itself.
    ///
    /// Anybody may have made a list of this name. A sample that moves by itself leaves such a list alone.
    public func ownStep(from list: ListState, seed: UInt64) -> [Operation] {
        guard !movesByItself || list.hasGenuineSwitch else { return [] }
        return step(from: list, seed: seed)
    }

    /// The operations of the next step; empty if there is nothing to do.
    ///
    /// - Parameters:
    ///   - list: The present state of the list, which clients may have changed in any way.
    ///   - seed: Determines the random part; nil stands for the seed with which the sample was installed.
    public func step(from list: ListState, seed: UInt64?) -> [Operation] { row.step?(list, seed) ?? [] }
}

extension Sample {
    private struct Row: Sendable {
        let sample: Sample
        let title: ByteText
        let summary: ByteText
        let snapshot: @Sendable (Sample, UInt64) -> WantedSnapshot
        let step: (@Sendable (ListState, UInt64?) -> [Operation])?
        let stepMilliseconds: Int?
        /// Nil if the sample does not move by itself.
        let consequences: (@Sendable (ListState) -> [Operation])?

        /// - Parameter start: Makes the first state, which has no random part.
        init(
            _ sample: Sample, _ title: ByteText, _ summary: ByteText,
            _ start: @escaping @Sendable (Sample) -> WantedSnapshot
        ) {
            self.init(sample, title, summary, seeded: { sample, _ in start(sample) })
        }

        init(
            _ sample: Sample, _ title: ByteText, _ summary: ByteText,
            seeded: @escaping @Sendable (Sample, UInt64) -> WantedSnapshot,
            step: (@Sendable (ListState, UInt64?) -> [Operation])? = nil, every milliseconds: Int? = nil,
            consequences: (@Sendable (ListState) -> [Operation])? = nil
        ) {
            self.sample = sample
            self.title = title
            self.summary = summary
            snapshot = seeded
            self.step = step
            stepMilliseconds = milliseconds
            self.consequences = consequences
        }
    }

    private var row: Row {
        guard let row = Self.rows[self] else { preconditionFailure("no row for \(self)") }
        return row
    }

    private static let rows = Dictionary(uniqueKeysWithValues: table.map { ($0.sample, $0) })

    private static let table = [
        Row(
            .emojiExplorer, "Emoji Explorer",
            "A grid, an outline and a list of emoji, of which some in the list are starred.",
            seeded: { $0.emojiExplorerSnapshot(seed: $1) }),
        Row(
            .emojiExplorerList, "Emoji Explorer – List",
            "Every emoji by category, in sections that were filled from the last to the first.",
            \.emojiExplorerListSnapshot),
        Row(
            .reorderable, "Reorderable List", "Every emoji by category, to be moved within and across sections.",
            \.reorderableSnapshot),
        Row(
            .emojisAndNumbers, "Emojis and Numbers",
            "Two kinds of items in one list: faces in a scrolling row and the numbers to 100.",
            \.emojisAndNumbersSnapshot),
        Row(.mainSub, "Main and Sub", "Two sections whose first item is their header.", \.mainSubSnapshot),
        Row(
            .mountains, "Mountains", "Mountains with their heights in metres, to be searched and sorted.",
            \.mountainsSnapshot),
        Row(
            .wifi, "Settings: Wi-Fi",
            "Networks that come and go while somebody looks, below a switch that takes all of them away.",
            seeded: { $0.wifiSnapshot(seed: $1) }, step: { $0.wifiStep(seed: $1) }, every: 2_000,
            consequences: \.wifiConsequences),
        Row(
            .insertionSort, "Insertion Sort",
            "Rows of shuffled colours; at each step one of every row goes where it belongs.",
            seeded: { $0.insertionSortSnapshot(seed: $1) }, step: { list, _ in list.insertionSortStep },
            every: 125),
        Row(
            .editing, "Editing", "Two sections with header and footer, whose mountains are moved and swiped away.",
            \.editingSnapshot),
        Row(
            .reactorSections, "Reactor Sections",
            "Rows of cards to add to and to delete from; one is empty and shrinks to its header.",
            \.reactorSectionsSnapshot),
        Row(.grid, "Grid", "Numbers, five in a row.", \.gridSnapshot),
        Row(.insetGrid, "Inset Items Grid", "Numbers, five in a row, with room around each.", \.insetGridSnapshot),
        Row(.twoColumnGrid, "Two-Column Grid", "Numbers in two columns of equal shares.", \.twoColumnGridSnapshot),
        Row(
            .distinctSections, "Distinct Sections", "A list, five columns and three columns.",
            \.distinctSectionsSnapshot),
        Row(
            .adaptiveSections, "Adaptive Sections", "Sections with twice as many columns where there is room for them.",
            \.adaptiveSectionsSnapshot),
        Row(
            .itemBadges, "Item Badges", "Numbers of which some have a badge at their corner.",
            seeded: { $0.itemBadgesSnapshot(seed: $1) }),
        Row(
            .headersAndFooters, "Section Headers/Footers", "Sections with a header and a footer each.",
            { $0.headersAndFootersSnapshot(isPinned: false) }),
        Row(
            .pinnedSectionHeaders, "Pinned Section Headers", "Sections whose headers stay in sight.",
            { $0.headersAndFootersSnapshot(isPinned: true) }),
        Row(
            .sectionBackground, "Section Background", "Sections on a background, with lines between their rows.",
            \.sectionBackgroundSnapshot),
        Row(
            .nestedGroups, "Nested Groups", "One large item beside two small ones, over and over.",
            \.nestedGroupsSnapshot),
        Row(
            .orthogonalSections, "Orthogonal Sections", "Sections that scroll across the list.",
            \.orthogonalSectionsSnapshot),
        Row(
            .orthogonalBehaviors, "Orthogonal Section Behaviors",
            "The six ways in which a section can scroll across the list.", \.orthogonalBehaviorsSnapshot),
        Row(.simpleList, "Simple List", "Numbers in a list.", \.simpleListSnapshot),
        Row(
            .listAppearances, "List Appearances", "The same sections in each of the five appearances of a list.",
            \.listAppearancesSnapshot),
        Row(
            .customCells, "List with Custom Cells", "A list with a cell of its own, that shows a category.",
            \.customCellsSnapshot),
        Row(
            .cellContent, "Cell Content", "The same content in each configuration and on several backgrounds.",
            \.cellContentSnapshot),
        Row(
            .customConfigurations, "Custom Configurations", "Symbols, as many in a row as fit.",
            seeded: { $0.customConfigurationsSnapshot(seed: $1) }),
        Row(
            .conferenceVideos, "Conference Videos", "Collections of talks, each in a row that scrolls.",
            \.conferenceVideosSnapshot),
        Row(.conferenceNews, "Conference News", "Articles as high as their text.", \.conferenceNewsSnapshot),
        Row(.menu, "Menu", "An outline, four levels deep, of pages that show samples.", \.menuSnapshot),
    ]
}
