/// The effect of a span of edits: how to go back to the state before it, and the facts that a change set needs.
///
/// An example: section A has the rows a b c. Three edits follow each other, and the delta records for each of them the
/// edit that takes it back, and the step if rows came, went or moved:
///
///     edit                     rows     inverse                  step
///     a gets new content       a b c    a gets its old content
///     move the row at 2 to 0   c a b    move the row at 0 to 2   1 row moved, from 2 to 0
///     delete the row at 2      c a      insert b at 2            b deleted at 2
///
/// The inverses are performed from the last to the first: c a b, then a b c, then a has its old content. `past` keeps
/// the items a and b as they were before the span. If a got another content within the span, nothing would be added.
/// A change set is made from a delta and the state after it; anything that the delta does not name did not change.
public struct Delta: Sendable {
    private var storage = Storage.nothing

    /// The forms of a delta. Nearly every transaction gives one item a new value and does nothing else, and history
    /// keeps thousands of them, so these have a small form of their own.
    private enum Storage {
        case nothing
        /// The old item is kept once: it gives both the inverse and the past.
        case newValue(of: OverwrittenItem)
        case anything(Box)
    }

    /// An item as it was.
    private final class OverwrittenItem: Sendable {
        let item: ItemHandle
        let record: ItemRecord
        /// The members that were overwritten.
        private let members: ItemMembers

        init(_ item: ItemHandle, _ record: ItemRecord, changing changes: ItemChanges) {
            self.item = item
            self.record = record
            members = changes.members
        }

        var inverse: Edit { .changeItem(record.item.id, ItemChanges(members, of: record.item)) }
        var changesContent: Bool { members.contains(.content) }

        func visit(_ body: (ItemHandle, borrowing ItemRecord) -> Void) { body(item, record) }
    }

    /// Everything that a delta can hold, in one box, because a delta is passed on more often than it is changed.
    ///
    /// Swift checks the exclusive access to the delta, so it need not check each member in the box again.
    ///
    /// - Safety: `@unchecked` is sound because a box is changed only while one delta alone refers to it.
    private final class Box: @unchecked Sendable {
        @exclusivity(unchecked) var contents = Contents()

        init() {}
        init(_ contents: Contents) { self.contents = contents }
    }

    private struct Contents {
        var inverse = InverseNotes()
        /// The items whose content `inverse` gives back. Each is kept once, however often it is overwritten.
        var keptContents: Set<ItemHandle> = []
        var steps: [Step] = []
        var visibleSteps: [Step]?
        var past = Past()
        var itemDeaths: [ItemHandle] = []
        var sectionDeaths: [SectionHandle] = []
        var internedItems: [ItemHandle] = []
        var internedSections: [SectionHandle] = []

        mutating func noteValue(
            of item: ItemHandle, in items: borrowing PagedArray<ItemRecord>, changing changes: ItemChanges
        ) {
            let changesContent = changes.content != .keep
            if let entry = past.items.keep(item, of: items) {
                if changesContent { keptContents.insert(item) }
                return inverse.append(changes.members, ofEntry: entry)
            }
            var back = changes.reversed(from: items[item.index].item)
            if back.content != .keep, !keptContents.insert(item).inserted { back.content = .keep }
            // The text of the past is used, so that it is in memory once, unless the item came within the span.
            if back.content != .keep, let old = past.items[item], old.isAlive {
                back.content = .replace(old.item.content)
            }
            if !back.isEmpty { inverse.append(.changeItem(items[item.index].item.id, back)) }
        }
    }

    public init() {}

    /// Nil as long as the delta needs none.
    private var box: Box? {
        if case .anything(let box) = storage { box } else { nil }
    }

    /// The delta's own box, made if it has none or shares it.
    private mutating func ownBox() -> Box {
        switch storage {
        case .nothing:
            return setBox(Box())
        case .newValue(let old):
            var contents = Contents()
            contents.inverse.append(old.inverse)
            if old.changesContent { contents.keptContents.insert(old.item) }
            contents.past.items = OverwrittenItems(old.item, old.record)
            return setBox(Box(contents))
        case .anything(var box):
            storage = .nothing
            let isOwn = isKnownUniquelyReferenced(&box)
            return setBox(isOwn ? box : Box(box.contents))
        }
    }

    private mutating func setBox(_ box: Box) -> Box {
        storage = .anything(box)
        return box
    }

    /// Notes that an item is about to get new members.
    mutating func noteValue(
        of item: ItemHandle, in items: borrowing PagedArray<ItemRecord>, changing changes: ItemChanges
    ) {
        guard case .nothing = storage else {
            return ownBox().contents.noteValue(of: item, in: items, changing: changes)
        }
        storage = .newValue(of: OverwrittenItem(item, items[item.index], changing: changes))
    }
}

// MARK: - Going back

extension Delta {
    /// For each edit of the span, the edit that takes it back, in the order of the span. Performed from the last to the
    /// first, these edits lead back to the state before the span.
    public var inverse: InverseEdits {
        switch storage {
        case .nothing: InverseEdits()
        case .newValue(let old): InverseEdits(old.inverse)
        case .anything(let box): InverseEdits(box.contents.inverse, of: box.contents.past.items)
        }
    }

    /// The inverse edits except those of items that were in the list before the span and got their first new value.
    var otherInverse: [Edit] { box?.contents.inverse.edits ?? [] }

    /// Notes the edit that takes the edit back which is being performed.
    mutating func noteInverse(_ edit: Edit) { ownBox().contents.inverse.append(edit) }

    /// The handles that left the list, once for each time that they left.
    var itemDeaths: [ItemHandle] {
        get { box?.contents.itemDeaths ?? [] }
        _modify { yield &ownBox().contents.itemDeaths }
    }
    var sectionDeaths: [SectionHandle] {
        get { box?.contents.sectionDeaths ?? [] }
        _modify { yield &ownBox().contents.sectionDeaths }
    }
    /// The handles that were made for the span.
    var internedItems: [ItemHandle] {
        get { box?.contents.internedItems ?? [] }
        _modify { yield &ownBox().contents.internedItems }
    }
    var internedSections: [SectionHandle] {
        get { box?.contents.internedSections ?? [] }
        _modify { yield &ownBox().contents.internedSections }
    }
}

// MARK: - Steps and past

extension Delta {
    /// The steps of all rows, hidden ones too.
    package var steps: [Step] {
        get { box?.contents.steps ?? [] }
        _modify { yield &ownBox().contents.steps }
    }
    /// The steps of the shown rows; nil if they are the same as `steps`.
    package var visibleSteps: [Step]? {
        get { box?.contents.visibleSteps }
        _modify { yield &ownBox().contents.visibleSteps }
    }
    /// The values that the span overwrote, and the items and sections that its operations named.
    package internal(set) var past: Past {
        get {
            if let box { return box.contents.past }
            var past = Past()
            if case .newValue(let old) = storage { past.items = OverwrittenItems(old.item, old.record) }
            return past
        }
        _modify { yield &ownBox().contents.past }
    }

    /// Whether nothing happened but that items got new values.
    package var holdsOnlyValues: Bool {
        switch storage {
        case .nothing, .newValue: true
        case .anything(let box):
            box.contents.steps.isEmpty && box.contents.visibleSteps == nil && box.contents.past.holdsOnlyItems
        }
    }

    /// Whether nothing happened but that one item got a new value.
    var holdsOnlyOneValue: Bool {
        switch storage {
        case .nothing, .newValue: true
        case .anything: false
        }
    }

    /// The number of overwritten items.
    package var overwrittenCount: Int {
        switch storage {
        case .nothing: 0
        case .newValue: 1
        case .anything(let box): box.contents.past.items.count
        }
    }

    /// Calls `body` with each overwritten item as it was; cheaper than a copy of the past.
    package func forEachItem(_ body: (ItemHandle, borrowing ItemRecord) -> Void) {
        switch storage {
        case .nothing: break
        case .newValue(let old): old.visit(body)
        case .anything(let box): box.contents.past.items.forEach(body)
        }
    }

    /// Adds a step that is the same in both views.
    mutating func note(_ step: Step) {
        steps.append(step)
        if visibleSteps != nil { visibleSteps?.append(step) }
    }

    /// Adds a step of all rows, and the steps that it makes among the shown ones.
    mutating func note(_ step: Step?, visible: [Step]) {
        // The array is changed in place, so that a transaction of many operations does not copy all steps each time.
        if visibleSteps == nil { visibleSteps = steps }
        visibleSteps?.append(contentsOf: visible)
        if let step { steps.append(step) }
    }
}

extension Delta {
    /// About how many bytes of memory the delta keeps.
    public var estimatedBytes: Int {
        if case .newValue = storage { return Self.fewBytes + Self.itemBytes + Edit.fewBytes }
        let stepBytes =
            steps.reduce(0) { $0 + $1.estimatedBytes } + (visibleSteps ?? []).reduce(0) { $0 + $1.estimatedBytes }
        let inverseBytes = otherInverse.reduce(0) { $0 + $1.estimatedBytes }
        return Self.fewBytes + stepBytes + inverseBytes + Self.itemBytes * past.items.count
            + (past.order?.estimatedBytes ?? 0) + handleBytes
    }

    private var handleBytes: Int {
        guard let contents = box?.contents else { return 0 }
        let handles =
            contents.itemDeaths.count + contents.sectionDeaths.count + contents.internedItems.count
            + contents.internedSections.count
        let entries = contents.past.markCount + contents.keptContents.count + contents.inverse.valueCount
        return 4 * handles + Self.entryBytes * entries
    }

    /// The bytes of a delta that holds nothing.
    private static let fewBytes = 256
    /// The bytes of an overwritten item.
    private static let itemBytes = 128
    /// The bytes of a handle in a set, and of a new value.
    private static let entryBytes = 16
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
    /// The bytes of an edit without rows.
    fileprivate static let fewBytes = 128

    fileprivate var estimatedBytes: Int {
        switch self {
        case .changeList, .insertSection, .deleteSection, .moveSection, .changeSection, .reloadSection, .deleteItems,
            .moveItem, .changeItem, .reconfigureItem, .reloadItem:
            Self.fewBytes
        case .insertItems(let rows, _, _, _): rows.reduce(Self.fewBytes) { $0 + 128 + $1.item.content.byteCount }
        case .arrange(let arrangements): arrangements.reduce(Self.fewBytes) { $0 + 24 * $1.rows.count }
        case .arrangeRun(let arrangement, _): Self.fewBytes + 24 * arrangement.rows.count
        case .arrangeSections(let ids): Self.fewBytes + 16 * ids.count
        }
    }
}
