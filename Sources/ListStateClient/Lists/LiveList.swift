import ClientState
public import ListDiff
public import ListModel
public import Observation

/// A list that stays as the server has it, with the client's own edits on top, which show at once.
@MainActor @Observable public final class LiveList<Content: Codable & Sendable>: Identifiable {
    /// The id of the list.
    public nonisolated let id: ListID
    /// The title and the layout of the list.
    public private(set) var properties = ListProperties(title: "")
    /// The sections in list order.
    public private(set) var sections: [LiveSection] = []
    /// The numbers of the whole list: with the pending edits if all of its rows are held, otherwise as the server has
    /// told them.
    public private(set) var counts = ListCounts(sections: 0, items: 0, visibleItems: 0)
    /// The place of the window, as the server has told it; nil if the list has none.
    public private(set) var window: WindowPlace?
    /// The connection, and the number of edits without an answer.
    public private(set) var status = ListStatus()
    /// Gets each change set of what is shown, in the form of a collection view's batch update; nil if all is new.
    @ObservationIgnored public var onChanges: ((ChangeSet?) -> Void)?

    /// The views that show the list.
    @ObservationIgnored var views: [BoundView] = []
    @ObservationIgnored let core: ListCore
    @ObservationIgnored private var isClosed = false
    @ObservationIgnored private var rows: [ItemID: LiveRow<Content>] = [:]
    /// A change of more rows in a section is read anew as a whole.
    private static var fewRows: Int { 64 }

    init(_ core: ListCore) {
        self.core = core
        id = core.id
        take(.everything)
        status = core.status
        let listener = ListCore.Listener { [weak self] in
            self?.take($0)
        } status: { [weak self] in
            self?.status = $0
        }
        core.add(listener, of: ObjectIdentifier(self))
    }

    /// The version of the server's state, on which the pending edits are shown; nil before the rows are here.
    public var version: Version? { core.local.version }

    /// What is held, with the rows that are hidden.
    package var state: ListState { core.local.state }

    /// Ends this list. If the client has no other one of its id, the server is no longer asked for changes. Edits are
    /// sent all the same.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        if core.removeListener(of: ObjectIdentifier(self)) { core.client?.leave(core) }
        status.state = .closed
    }

    /// One row, which is observed by itself; nil if the list does not have the item, or does not hold it here.
    public func row(_ item: ItemID) -> LiveRow<Content>? {
        guard rows[item] != nil || core.local.row(of: item) != nil else { return nil }
        return shownRow(item)
    }

    /// The row of an item that is shown, even if the item has just gone.
    func shownRow(_ item: ItemID) -> LiveRow<Content> {
        if let row = rows[item] { return row }
        let row = LiveRow<Content>(item, of: core.local)
        rows[item] = row
        return row
    }

    /// Makes an edit, which shows at once and is sent as soon as it can be.
    ///
    /// - Parameters:
    ///   - label: A text about the edit for the history of the list.
    ///   - animated: Whether those who show the list may show the edit moving, here and elsewhere.
    ///   - make: Says what the edit does.
    @discardableResult
    public func edit(
        label: String? = nil, animated: Bool = true, _ make: (inout ListEdit<Content>) throws -> Void
    ) rethrows -> SentEdit {
        var edit = ListEdit<Content>(on: core.local)
        try make(&edit)
        return send(edit.operations, label: label, isAnimated: animated)
    }

    /// Takes the newest edit of this client back that has changed something, and never one of somebody else. It shows
    /// when the server has done it. The client knows its newest 32 edits since it was opened.
    ///
    /// - Returns: An edit that is refused with the code `nothing_to_undo` if there is nothing to take back.
    @discardableResult
    public func undo() -> SentEdit { undo(nil) }

    /// Takes the transaction back that made a version, whoever wrote it.
    @discardableResult
    public func undo(_ version: Version) -> SentEdit { undo(Optional(version)) }

    private func undo(_ version: Version?) -> SentEdit {
        guard !isClosed, let client = core.client else { return ListStateClient.closed }
        return client.undo(version, of: core)
    }

    func send(_ operations: [ListModel.Operation], label: String?, isAnimated: Bool) -> SentEdit {
        guard !isClosed, let client = core.client else { return ListStateClient.closed }
        return client.send(operations, label: label, isAnimated: isAnimated, to: core)
    }

    // MARK: - Changes

    private func take(_ shown: LocalList.Shown) {
        let changes: ChangeSet? =
            switch shown {
            case .everything: nil
            case .changes(let changes): changes
            }
        if counts != core.local.counts { counts = core.local.counts }
        if window != core.local.window { window = core.local.window }
        guard changes?.isEmpty != true else { return }
        var show = { [self] in update(by: changes) }
        views.removeAll { $0.view == nil }
        // Each view looks at the rows before and after the change, so the change is made inside of all of them.
        for bound in views { show = { [show] in bound.show(changes, show) } }
        show()
        onChanges?(changes)
    }

    private func update(by changes: ChangeSet?) {
        let local = core.local
        if properties != local.state.properties { properties = local.state.properties }
        if let changes { return update(by: changes, local) }
        sections = local.sectionHandles.map { LiveSection($0, of: local) }
        for row in rows.values { row.update(from: local) }
    }

    private func update(by changes: ChangeSet, _ local: any LocalRows) {
        if changes.sections.isEmpty,
            changes.items.deleted.count + changes.items.inserted.count
                + 2 * changes.items.moved.count <= Self.fewRows
        {
            moveRows(by: changes.items)
        } else {
            let old = Dictionary(uniqueKeysWithValues: sections.map { ($0.id, $0) })
            let new = local.sectionHandles.map { section in
                let known = old[local.state[section].id]
                known?.reload(section, of: local)
                return known ?? LiveSection(section, of: local)
            }
            if !new.elementsEqual(sections, by: ===) { sections = new }
        }
        let items = changes.items
        let named = items.deleted.map(\.id) + (items.inserted + items.reconfigured + items.reloaded).map(\.row.item.id)
        let whole = (changes.sections.inserted + changes.sections.reloaded).flatMap { $0.section.items.map(\.item.id) }
        for id in named + whole { rows[id]?.update(from: local) }
        guard !changes.sections.deleted.isEmpty else { return }
        for row in rows.values where local.row(of: row.id) == nil { row.update(from: local) }
    }

    private func moveRows(by items: ChangeSet.Items) {
        var leaving: [Int: [Int]] = [:]
        var coming: [Int: [(index: Int, item: ItemID)]] = [:]
        for row in items.deleted { leaving[row.path.section, default: []].append(row.path.index) }
        for row in items.inserted {
            coming[row.path.section, default: []].append((row.path.index, row.row.item.id))
        }
        for row in items.moved {
            leaving[row.from.section, default: []].append(row.from.index)
            coming[row.to.section, default: []].append((row.to.index, row.id))
        }
        for section in Set(leaving.keys).union(coming.keys) {
            sections[section].replace(leaving[section] ?? [], by: coming[section] ?? [])
        }
    }
}
