/// What a span of edits overwrote: enough to go back from the state after it to the state before it.
///
/// Deltas compose: `append(_:)` of the deltas of consecutive versions gives the delta of the whole span.
/// Together with the state after the span a delta is also all that a change set needs: what is not in it
/// did not change.
public struct Delta: Sendable {
    /// What the delta holds, in one box: a delta is handed from hand to hand more often than it is changed.
    ///
    /// Exclusive access is checked for the delta around it, so not once more for each member in here.
    ///
    /// - Safety: `@unchecked` is sound because a box is changed only while one delta alone refers to it.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) var properties: ListProperties?
        @exclusivity(unchecked) var order: [SectionHandle]?
        @exclusivity(unchecked) var itemCount: Int?
        /// Records as they were before the span; dead ones were not in the list.
        @exclusivity(unchecked) var sections: [SectionHandle: SectionRecord] = [:]
        @exclusivity(unchecked) var items: [ItemHandle: ItemRecord] = [:]
        /// Placed by an edit of the span: moved or inserted.
        @exclusivity(unchecked) var touchedItems: Set<ItemHandle> = []
        @exclusivity(unchecked) var touchedSections: Set<SectionHandle> = []
        /// Asked for by an operation, whether or not anything changed.
        @exclusivity(unchecked) var reconfiguredItems: Set<ItemHandle> = []
        @exclusivity(unchecked) var reloadedItems: Set<ItemHandle> = []
        @exclusivity(unchecked) var reloadedSections: Set<SectionHandle> = []
        /// Handles that left the list, once for each time.
        @exclusivity(unchecked) var itemDeaths: [ItemHandle] = []
        @exclusivity(unchecked) var sectionDeaths: [SectionHandle] = []
        /// Handles that were made for the span.
        @exclusivity(unchecked) var internedItems: [ItemHandle] = []
        @exclusivity(unchecked) var internedSections: [SectionHandle] = []

        init() {}

        init(copying other: Storage) {
            properties = other.properties
            order = other.order
            itemCount = other.itemCount
            sections = other.sections
            items = other.items
            touchedItems = other.touchedItems
            touchedSections = other.touchedSections
            reconfiguredItems = other.reconfiguredItems
            reloadedItems = other.reloadedItems
            reloadedSections = other.reloadedSections
            itemDeaths = other.itemDeaths
            sectionDeaths = other.sectionDeaths
            internedItems = other.internedItems
            internedSections = other.internedSections
        }
    }

    private var storage = Storage()

    private mutating func own() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
    }

    public init() {}

    /// Adds what happened after this span.
    public mutating func append(_ newer: Delta) {
        properties = properties ?? newer.properties
        order = order ?? newer.order
        itemCount = itemCount ?? newer.itemCount
        sections.merge(newer.sections) { older, _ in older }
        items.merge(newer.items) { older, _ in older }
        touchedItems.formUnion(newer.touchedItems)
        touchedSections.formUnion(newer.touchedSections)
        reconfiguredItems.formUnion(newer.reconfiguredItems)
        reloadedItems.formUnion(newer.reloadedItems)
        reloadedSections.formUnion(newer.reloadedSections)
        itemDeaths += newer.itemDeaths
        sectionDeaths += newer.sectionDeaths
        internedItems += newer.internedItems
        internedSections += newer.internedSections
    }
}

// MARK: - What it holds

extension Delta {
    package var properties: ListProperties? {
        get { storage.properties }
        _modify {
            own()
            yield &storage.properties
        }
    }
    package var order: [SectionHandle]? {
        get { storage.order }
        _modify {
            own()
            yield &storage.order
        }
    }
    package var itemCount: Int? {
        get { storage.itemCount }
        _modify {
            own()
            yield &storage.itemCount
        }
    }
    package var sections: [SectionHandle: SectionRecord] {
        get { storage.sections }
        _modify {
            own()
            yield &storage.sections
        }
    }
    package var items: [ItemHandle: ItemRecord] {
        get { storage.items }
        _modify {
            own()
            yield &storage.items
        }
    }
    package var touchedItems: Set<ItemHandle> {
        get { storage.touchedItems }
        _modify {
            own()
            yield &storage.touchedItems
        }
    }
    package var touchedSections: Set<SectionHandle> {
        get { storage.touchedSections }
        _modify {
            own()
            yield &storage.touchedSections
        }
    }
    package var reconfiguredItems: Set<ItemHandle> {
        get { storage.reconfiguredItems }
        _modify {
            own()
            yield &storage.reconfiguredItems
        }
    }
    package var reloadedItems: Set<ItemHandle> {
        get { storage.reloadedItems }
        _modify {
            own()
            yield &storage.reloadedItems
        }
    }
    package var reloadedSections: Set<SectionHandle> {
        get { storage.reloadedSections }
        _modify {
            own()
            yield &storage.reloadedSections
        }
    }
    var itemDeaths: [ItemHandle] {
        get { storage.itemDeaths }
        _modify {
            own()
            yield &storage.itemDeaths
        }
    }
    var sectionDeaths: [SectionHandle] {
        get { storage.sectionDeaths }
        _modify {
            own()
            yield &storage.sectionDeaths
        }
    }
    var internedItems: [ItemHandle] {
        get { storage.internedItems }
        _modify {
            own()
            yield &storage.internedItems
        }
    }
    var internedSections: [SectionHandle] {
        get { storage.internedSections }
        _modify {
            own()
            yield &storage.internedSections
        }
    }
}

extension ListState {
    /// Goes back to the state before `delta`, which must end at this state.
    ///
    /// Handles made since stay interned; `forget(_:)` takes them back too.
    public mutating func revert(_ delta: Delta) {
        if let properties = delta.properties { self.properties = properties }
        if let order = delta.order { self.order = order }
        if let itemCount = delta.itemCount { self.itemCount = itemCount }
        for (handle, record) in delta.sections { sections[handle.index] = record }
        for (handle, record) in delta.items { items[handle.index] = record }
    }

    /// The state before `delta`, which must end at this state.
    public func reverted(_ delta: Delta) -> ListState {
        var past = self
        past.revert(delta)
        return past
    }

    /// Reverts a transaction that failed or changed nothing, and everything that it interned.
    mutating public func forget(_ delta: Delta) {
        revert(delta)
        for handle in delta.internedItems { free(handle) }
        for handle in delta.internedSections { free(handle) }
    }

    /// Notes that history keeps `delta`; the handles that died in it stay theirs until `release(_:)`.
    public mutating func retain(_ delta: Delta) {
        for handle in delta.itemDeaths { itemDeaths[handle, default: 0] += 1 }
        for handle in delta.sectionDeaths { sectionDeaths[handle, default: 0] += 1 }
    }

    /// Notes that history has dropped `delta`, the oldest it kept; handles that nothing names any more are reused.
    public mutating func release(_ delta: Delta) {
        for handle in delta.itemDeaths where forgetDeath(of: handle) && !items[handle.index].isAlive { free(handle) }
        for handle in delta.sectionDeaths where forgetDeath(of: handle) && !sections[handle.index].isAlive {
            free(handle)
        }
    }

    /// Takes back retained deltas, the newest that history kept, given together.
    public mutating func forgetRetained(_ delta: Delta) {
        for handle in delta.itemDeaths { _ = forgetDeath(of: handle) }
        for handle in delta.sectionDeaths { _ = forgetDeath(of: handle) }
        forget(delta)
    }

    /// Returns true if no retained delta holds a death of the handle any more.
    private mutating func forgetDeath(of handle: ItemHandle) -> Bool {
        let left = (itemDeaths[handle] ?? 1) - 1
        itemDeaths[handle] = left == 0 ? nil : left
        return left == 0
    }

    private mutating func forgetDeath(of handle: SectionHandle) -> Bool {
        let left = (sectionDeaths[handle] ?? 1) - 1
        sectionDeaths[handle] = left == 0 ? nil : left
        return left == 0
    }

    private mutating func free(_ handle: ItemHandle) {
        itemTable[items[handle.index].item.id] = nil
        items[handle.index].item.content = .emptyObject
        freeItems.append(handle)
    }

    private mutating func free(_ handle: SectionHandle) {
        sectionTable[sections[handle.index].properties.id] = nil
        freeSections.append(handle)
    }

    /// The handle of `id`, made if there is none; a new one is dead.
    mutating func intern(_ id: ItemID, _ delta: inout Delta) -> ItemHandle {
        if let handle = itemTable[id] { return handle }
        let record = ItemRecord(item: Item(id: id), section: nil, parent: nil, level: 0, childCount: 0)
        let handle: ItemHandle
        if let free = freeItems.popLast() {
            handle = free
            items[free.index] = record
        } else {
            handle = ItemHandle(items.count)
            items.append(record)
        }
        itemTable[id] = handle
        delta.internedItems.append(handle)
        return handle
    }

    /// The handle of `id`, made if there is none; a new one is dead.
    mutating func intern(_ id: SectionID, _ delta: inout Delta) -> SectionHandle {
        if let handle = sectionTable[id] { return handle }
        let record = SectionRecord(properties: SectionProperties(id: id), isAlive: false, rows: [])
        let handle: SectionHandle
        if let free = freeSections.popLast() {
            handle = free
            sections[free.index] = record
        } else {
            handle = SectionHandle(sections.count)
            sections.append(record)
        }
        sectionTable[id] = handle
        delta.internedSections.append(handle)
        return handle
    }
}

extension Delta {
    /// About how much memory the delta keeps from being freed.
    public var estimatedBytes: Int {
        let rows = sections.values.reduce(0) { $0 + 96 + 4 * $1.rows.count }
        return 256 + rows + 160 * items.count + 8 * touchedItems.count + 4 * (order?.count ?? 0)
    }
}
