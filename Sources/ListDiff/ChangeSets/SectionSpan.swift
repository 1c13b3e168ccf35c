import ListModel

/// The sections of an older state and of a newer one.
struct SectionSpan {
    let state: ListState
    /// In their older order; nil if it is the same now.
    let oldOrder: [SectionHandle]?
    private let oldIndexes: [SectionHandle: Int]
    private let newIndexes: [SectionHandle: Int]
    /// Whether the newer state's sections are all those of the list.
    private let isWhole: Bool
    private static let fewMax = 16

    init(past: borrowing Past, state: ListState) {
        self.state = state
        oldOrder = past.order
        oldIndexes = past.order.map(Self.indexes) ?? [:]
        newIndexes = state.sectionCount > Self.fewMax ? Self.indexes(state.sectionHandles) : [:]
        isWhole = true
    }

    /// The sections of two views.
    ///
    /// - Parameter state: The newer one.
    init(from old: [SectionHandle], to new: [SectionHandle], of state: ListState) {
        self.state = state
        oldOrder = old
        oldIndexes = Self.indexes(old)
        newIndexes = Self.indexes(new)
        isWhole = false
    }

    private static func indexes(_ order: [SectionHandle]) -> [SectionHandle: Int] {
        Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    }

    func wasThere(_ section: SectionHandle) -> Bool {
        oldOrder == nil ? state.isAlive(section) : oldIndexes[section] != nil
    }

    func isThere(_ section: SectionHandle) -> Bool {
        isWhole ? state.isAlive(section) : newIndexes[section] != nil
    }

    func survives(_ section: SectionHandle) -> Bool { isThere(section) && wasThere(section) }

    /// The index of a section of the older state.
    func oldIndex(of section: SectionHandle) -> Int {
        oldOrder == nil ? newIndex(of: section) : oldIndexes[section] ?? 0
    }

    /// The index of a section of the newer state.
    func newIndex(of section: SectionHandle) -> Int {
        isWhole && newIndexes.isEmpty ? state.index(of: section) ?? 0 : newIndexes[section] ?? 0
    }

    func oldPath(_ place: RowPlace) -> RowPath {
        RowPath(section: oldIndex(of: place.section), index: place.index)
    }

    func newPath(_ place: RowPlace) -> RowPath {
        RowPath(section: newIndex(of: place.section), index: place.index)
    }
}
