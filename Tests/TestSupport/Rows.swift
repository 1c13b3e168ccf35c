public import ListDiff
public import ListModel

/// The rows of a whole list in a view. It is a snapshot without handles.
public struct Rows: Sendable, Equatable {
    public var properties: ListProperties
    /// The sections in list order, also empty ones.
    public var sections: [SectionRows]

    public init(properties: ListProperties, sections: [SectionRows]) {
        self.properties = properties
        self.sections = sections
    }

    /// The rows of `state`.
    ///
    /// - Complexity: O(*n*), *n* = `state.itemCount`.
    public init(of state: ListState, view: View) {
        properties = state.properties
        sections = state.sectionHandles.map { state.sectionRows(of: $0, view: view) }
    }

    /// The number of items in all sections.
    public var count: Int { sections.reduce(0) { $0 + $1.items.count } }
}

extension ListState {
    /// A section of the list with its rows in a view.
    public func sectionRows(of section: SectionHandle, view: View) -> SectionRows {
        SectionRows(properties: self[section], items: rows(of: section, view: view).map(row))
    }
}
