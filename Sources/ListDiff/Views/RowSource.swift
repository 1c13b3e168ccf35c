public import ListModel

/// The sections and rows of a view at one version of a list.
public protocol RowSource: Sendable {
    var state: ListState { get }
    /// The view's sections, in its order.
    var sectionHandles: [SectionHandle] { get }
    /// How many rows the view has.
    var rowCount: Int { get }
    /// How many rows a section has in the view.
    func rowCount(of section: SectionHandle) -> Int
    /// Some rows of a section, by their indexes in the view.
    func rows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle]
    /// An item of the list as a row of the view.
    func row(_ handle: ItemHandle) -> ItemRow
}

extension RowSource {
    /// All rows of a section in the view.
    public func rows(of section: SectionHandle) -> [ItemHandle] { rows(0..<rowCount(of: section), of: section) }

    /// A section of the list with its rows in the view.
    public func sectionRows(of section: SectionHandle) -> SectionRows {
        SectionRows(properties: state[section], items: rows(of: section).map(row))
    }
}

/// All rows of a list, or all visible ones.
public struct WholeRows: RowSource {
    public let state: ListState
    public let view: View

    public init(_ state: ListState, _ view: View) {
        self.state = state
        self.view = view
    }

    public var sectionHandles: [SectionHandle] { state.sectionHandles }
    public var rowCount: Int { state.rowCount(view) }
    public func rowCount(of section: SectionHandle) -> Int { state.rowCount(of: section, view: view) }
    public func rows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        state.rows(range, of: section, view: view)
    }
    public func row(_ handle: ItemHandle) -> ItemRow { state.row(handle) }
}
