import ListModel

/// The sections of an older state and of a newer one.
///
/// - Complexity: A span of whole lists is made without a look at the sections; a span of some sections looks at each of
///   them.
struct SectionSpan {
    let state: ListState
    /// The sections in their older order; nil if the order is the same now.
    var oldOrder: [SectionHandle]? { old.map(\.handles) }

    private let old: Sections?
    /// The sections of the newer state; nil if these are all sections of the list.
    private let new: Sections?

    /// Some sections in order.
    private enum Sections {
        case ofList(SectionOrder)
        case some([SectionHandle], indexes: [SectionHandle: Int])

        init(_ order: [SectionHandle]) {
            self = .some(order, indexes: Dictionary(uniqueKeysWithValues: zip(order, order.indices)))
        }

        var handles: [SectionHandle] {
            switch self {
            case .ofList(let order): order.handles
            case .some(let handles, _): handles
            }
        }

        func index(of section: SectionHandle) -> Int? {
            switch self {
            case .ofList(let order): order.index(of: section)
            case .some(_, let indexes): indexes[section]
            }
        }

        func contains(_ section: SectionHandle) -> Bool {
            switch self {
            case .ofList(let order): order.contains(section)
            case .some(_, let indexes): indexes[section] != nil
            }
        }
    }

    init(past: borrowing Past, state: ListState) {
        self.state = state
        old = past.order.map { .ofList($0) }
        new = nil
    }

    /// The sections of two views.
    ///
    /// - Parameters:
    ///   - old: The older sections in order; nil if they are the same now.
    ///   - state: The newer state.
    init(from old: [SectionHandle]?, to new: [SectionHandle], of state: ListState) {
        self.state = state
        self.old = old.map { Sections($0) }
        self.new = Sections(new)
    }

    func wasThere(_ section: SectionHandle) -> Bool { old?.contains(section) ?? isThere(section) }

    func isThere(_ section: SectionHandle) -> Bool { new?.contains(section) ?? state.isAlive(section) }

    func survives(_ section: SectionHandle) -> Bool { isThere(section) && wasThere(section) }

    /// The index of a section of the older state.
    func oldIndex(of section: SectionHandle) -> Int {
        guard let old else { return newIndex(of: section) }
        return old.index(of: section) ?? 0
    }

    /// The index of a section of the newer state.
    func newIndex(of section: SectionHandle) -> Int {
        (new.map { $0.index(of: section) } ?? state.index(of: section)) ?? 0
    }

    func oldPath(_ place: RowPlace) -> RowPath {
        RowPath(section: oldIndex(of: place.section), index: place.index)
    }

    func newPath(_ place: RowPlace) -> RowPath {
        RowPath(section: newIndex(of: place.section), index: place.index)
    }
}
