import ListModel

/// The sections of an older state and of a newer one.
struct SectionSpan {
    let state: ListState
    /// In their older order; nil if it is the same now.
    private let oldOrder: [SectionHandle]?
    private let oldIndexes: [SectionHandle: Int]
    private let newIndexes: [SectionHandle: Int]
    private static let fewMax = 16

    init(past: borrowing Past, state: ListState) {
        self.state = state
        oldOrder = past.order
        oldIndexes = past.order.map(Self.indexes) ?? [:]
        newIndexes = state.sectionCount > Self.fewMax ? Self.indexes(state.sectionHandles) : [:]
    }

    private static func indexes(_ order: [SectionHandle]) -> [SectionHandle: Int] {
        Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    }

    func wasThere(_ section: SectionHandle) -> Bool {
        oldOrder == nil ? state.isAlive(section) : oldIndexes[section] != nil
    }

    func isThere(_ section: SectionHandle) -> Bool { state.isAlive(section) }

    func survives(_ section: SectionHandle) -> Bool { isThere(section) && wasThere(section) }

    /// The index of a section of the older state.
    func oldIndex(of section: SectionHandle) -> Int {
        oldOrder == nil ? newIndex(of: section) : oldIndexes[section] ?? 0
    }

    /// The index of a section of the newer state.
    func newIndex(of section: SectionHandle) -> Int {
        newIndexes.isEmpty ? state.index(of: section) ?? 0 : newIndexes[section] ?? 0
    }

    func oldPath(_ place: RowPlace) -> RowPath {
        RowPath(section: oldIndex(of: place.section), index: place.index)
    }

    func newPath(_ place: RowPlace) -> RowPath {
        RowPath(section: newIndex(of: place.section), index: place.index)
    }
}
