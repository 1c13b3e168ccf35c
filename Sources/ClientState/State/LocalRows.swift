public import ListDiff
public import ListModel

/// What the server tells of a list, or of a part of it.
public enum ToldRows: Sendable {
    /// It is about all rows of the list.
    case list(Catchup)
    /// It is about the rows of a query.
    case part(PartCatchup)

    /// The version at which a change set of a whole list begins; nil for anything else.
    public var start: Version? {
        guard case .list(.changes(_, let from, _, _)) = self else { return nil }
        return from
    }

    /// The version to which it leads.
    public var version: Version {
        switch self {
        case .list(let catchup): catchup.version
        case .part(let catchup): catchup.version
        }
    }
}

/// The rows of a list that a client shows: the server's rows, with the client's own pending edits on top.
public protocol LocalRows: Sendable {
    /// What is held, with the rows that are hidden.
    var state: ListState { get }
    /// The version of the server's state below the pending edits; nil if the server has told of none.
    var version: Version? { get }
    /// The client's edits that the server has not told of, in their order.
    var pending: [PendingEdit] { get }
    /// The counts of the whole list.
    var counts: ListCounts { get }
    /// The place of the window; nil if there is none.
    var window: WindowPlace? { get }

    /// The shown sections, in their order.
    var sectionHandles: [SectionHandle] { get }
    /// The shown rows of a section, in their order.
    func items(of section: SectionHandle) -> [ItemID]
    /// The row of an item, also of a hidden one; nil if it is not held.
    func row(of item: ItemID) -> ItemRow?
    /// The direct holder of an item; nil if it is not known.
    func container(around item: ItemID) -> Container?
    /// The moves that give shown rows another order.
    ///
    /// - Throws: The reason why they cannot have that order.
    func moves(for orders: [Reorder.SectionOrder]) throws(ReorderError) -> [Operation]

    /// Takes what the server has told.
    ///
    /// - Throws: The part that does not fit. What is shown is unchanged then.
    mutating func take(_ told: ToldRows) throws(Mismatch) -> LocalList.Shown
    /// Takes what the server has told in several steps, at once: change sets of a whole list, of which each begins where
    /// the one before it ends.
    ///
    /// - Throws: The part that does not fit. What is shown is unchanged then.
    mutating func take(_ told: [ToldRows]) throws(Mismatch) -> LocalList.Shown
    /// Goes on to a version at which nothing of the view has changed.
    mutating func advance(to version: Version) -> LocalList.Shown
    /// Empties the rows, because the server has deleted the list.
    mutating func empty() -> LocalList.Shown
    /// Shows an edit at once.
    mutating func show(_ edit: PendingEdit) -> LocalList.Shown
    /// Notes that edits are about to be sent, so that their base stays as it is.
    mutating func noteSending(_ ids: [PendingEdit.ID])
    /// Notes that the server has done edits. They stay on top until the version of the answer is held.
    mutating func settle(_ ids: [PendingEdit.ID], at answered: Version) -> LocalList.Shown
    /// Takes edits back that the server has refused.
    mutating func refuse(_ ids: [PendingEdit.ID]) -> LocalList.Shown
}

extension LocalList: LocalRows {
    /// The counts of what is shown.
    public var counts: ListCounts { state.counts }
    /// A whole list is no window.
    public var window: WindowPlace? { nil }
    /// All sections.
    public var sectionHandles: [SectionHandle] { state.sectionHandles }

    /// The shown rows of a section, in their order.
    public func items(of section: SectionHandle) -> [ItemID] {
        state.rows(of: section, view: view).map { state.id(of: $0) }
    }

    /// The row of an item, also of a hidden one; nil if the list does not have it.
    public func row(of item: ItemID) -> ItemRow? { state.handle(of: item).map { state.row($0) } }

    /// The direct holder of an item.
    public func container(around item: ItemID) -> Container? {
        guard let handle = state.handle(of: item), let section = state.section(of: handle) else { return nil }
        if let parent = state.parent(of: handle) { return .parent(state[parent].id) }
        return .section(state[section].id)
    }

    /// The moves that give shown rows another order.
    public func moves(for orders: [Reorder.SectionOrder]) throws(ReorderError) -> [Operation] {
        let reorder = Reorder(view: view, sections: orders)
        return try reorder.operations(base: state, head: state, isBased: true).groups.flatMap(\.operations)
    }

    /// Takes what the server has told of the whole list.
    public mutating func take(_ told: ToldRows) throws(Mismatch) -> Shown {
        guard case .list(let catchup) = told else { throw Mismatch("view") }
        return try take(catchup)
    }

    /// Takes what the server has told of the whole list in several steps.
    public mutating func take(_ told: [ToldRows]) throws(Mismatch) -> Shown {
        guard told.count > 1 else { return try take(told[0]) }
        var catchups: [Catchup] = []
        for one in told {
            guard case .list(let catchup) = one else { throw Mismatch("view") }
            catchups.append(catchup)
        }
        return try take(catchups)
    }
}
