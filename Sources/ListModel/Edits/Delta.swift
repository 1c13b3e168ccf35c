/// What a span of edits did: how to go back from the state after it to the state before it, and what a change set of
/// the span needs to know.
///
/// Deltas compose: `append(_:)` of the deltas of consecutive versions gives the delta of the whole span.
/// Together with the state after the span a delta is all that a change set needs: what is not in it did not change.
public struct Delta: Sendable {
    /// What the delta holds, in one box: a delta is handed from hand to hand more often than it is changed.
    ///
    /// Exclusive access is checked for the delta around it, so not once more for each member in here.
    ///
    /// - Safety: `@unchecked` is sound because a box is changed only while one delta alone refers to it.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) var contents = Contents()

        init() {}
        init(_ contents: Contents) { self.contents = contents }

        func forEachItem(_ body: (ItemHandle, borrowing ItemRecord) -> Void) {
            contents.past.items.forEach(body)
        }

        var holdsOnlyValues: Bool {
            contents.steps.isEmpty && contents.visibleSteps == nil && contents.past.holdsOnlyItems
        }
    }

    private struct Contents {
        var inverse: [Edit] = []
        var steps: [Step] = []
        var visibleSteps: [Step]?
        var past = Past()
        var itemDeaths: [ItemHandle] = []
        var sectionDeaths: [SectionHandle] = []
        var internedItems: [ItemHandle] = []
        var internedSections: [SectionHandle] = []
    }

    private var storage = Storage()

    public init() {}

    private var contents: Contents {
        _read { yield storage.contents }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.contents) }
            yield &storage.contents
        }
    }

    /// Adds what happened after this span.
    public mutating func append(_ newer: Delta) {
        if visibleSteps != nil || newer.visibleSteps != nil {
            visibleSteps = (visibleSteps ?? steps) + (newer.visibleSteps ?? newer.steps)
        }
        steps += newer.steps
        inverse += newer.inverse
        past.append(newer.past)
        itemDeaths += newer.itemDeaths
        sectionDeaths += newer.sectionDeaths
        internedItems += newer.internedItems
        internedSections += newer.internedSections
    }
}

// MARK: - Going back

extension Delta {
    /// The edits that take back those of the span, in the order of the span; performed from the last to the first they
    /// lead back to the state before it.
    public internal(set) var inverse: [Edit] {
        _read { yield contents.inverse }
        _modify { yield &contents.inverse }
    }
    /// Handles that left the list, once for each time.
    var itemDeaths: [ItemHandle] {
        _read { yield contents.itemDeaths }
        _modify { yield &contents.itemDeaths }
    }
    var sectionDeaths: [SectionHandle] {
        _read { yield contents.sectionDeaths }
        _modify { yield &contents.sectionDeaths }
    }
    /// Handles that were made for the span.
    var internedItems: [ItemHandle] {
        _read { yield contents.internedItems }
        _modify { yield &contents.internedItems }
    }
    var internedSections: [SectionHandle] {
        _read { yield contents.internedSections }
        _modify { yield &contents.internedSections }
    }
}

// MARK: - What happened

extension Delta {
    /// How the rows changed, all items counted.
    package var steps: [Step] {
        _read { yield contents.steps }
        _modify { yield &contents.steps }
    }
    /// How the shown rows changed; nil if as `steps` says.
    package var visibleSteps: [Step]? {
        _read { yield contents.visibleSteps }
        _modify { yield &contents.visibleSteps }
    }
    /// What the span overwrote, and what its operations asked for.
    package internal(set) var past: Past {
        _read { yield contents.past }
        _modify { yield &contents.past }
    }

    /// Whether nothing happened but that items got new values.
    package var holdsOnlyValues: Bool {
        storage.holdsOnlyValues
    }

    /// Calls `body` with each overwritten item as it was; cheaper than a copy of the past.
    package func forEachItem(_ body: (ItemHandle, borrowing ItemRecord) -> Void) {
        storage.forEachItem(body)
    }

    /// Adds a step that is the same in both views.
    mutating func note(_ step: Step) {
        steps.append(step)
        if visibleSteps != nil { visibleSteps?.append(step) }
    }

    /// Adds a step of all rows, and what it comes to among the shown ones.
    mutating func note(_ step: Step?, visible: [Step]) {
        // In place: a transaction of many operations would copy all its steps with each.
        if visibleSteps == nil { visibleSteps = steps }
        visibleSteps?.append(contentsOf: visible)
        if let step { steps.append(step) }
    }
}

extension Delta {
    /// About how much memory the delta keeps from being freed.
    public var estimatedBytes: Int {
        let stepBytes =
            steps.reduce(0) { $0 + $1.estimatedBytes } + (visibleSteps ?? []).reduce(0) { $0 + $1.estimatedBytes }
        let inverseBytes = inverse.reduce(0) { $0 + $1.estimatedBytes }
        return 256 + stepBytes + inverseBytes + 128 * past.items.count + 4 * (past.order?.count ?? 0)
    }
}

extension Step {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .insertSection, .deleteSection, .moveRows: 32
        case .insertRows(let items, _, _, _), .deleteRows(let items, _, _), .placeHiddenRows(let items):
            64 + 4 * items.count
        case .arrangeRows(let arrangements): arrangements.reduce(64) { $0 + 4 * ($1.old.count + $1.new.count) }
        }
    }
}

extension Edit {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .setProperties, .insertSection, .deleteSection, .moveSection, .setSection, .reloadSection, .deleteItems,
            .moveItem, .setItem, .reconfigureItem, .reloadItem:
            128
        case .insertItems(let rows, _, _, _): rows.reduce(128) { $0 + 128 + $1.item.content.byteCount }
        case .arrange(let arrangements): arrangements.reduce(128) { $0 + 24 * $1.rows.count }
        case .arrangeSections(let ids): 128 + 16 * ids.count
        }
    }
}
