/// The bound on the cost of a transaction: the bytes that it brings, and the rows that it visits again and again.
///
/// A transaction may visit each row of the list, and each row that it brings, `freeRounds` times for nothing. Stored
/// values that it removes are not counted either. So a transaction can always empty a list, however large.
public struct Budget: Sendable {
    /// The most bytes of values and ids that the edits may bring; the log has to keep them.
    private let bytesMax: Int
    /// The most rows that may be visited beyond the free ones.
    private let rowsMax: Int
    private var bytes = 0
    private var rows: Int

    /// How often each row may be visited for nothing.
    static let freeRounds = 16

    /// - Parameter state: The one that the transaction begins with.
    public init(bytesMax: Int, rowsMax: Int, on state: borrowing ListState) {
        self.init(bytesMax: bytesMax, rowsMax: rowsMax)
        rows = -Self.freeRounds * state.itemCount
    }

    /// A budget in which rows of the list are not visited for nothing.
    public init(bytesMax: Int, rowsMax: Int) {
        self.bytesMax = bytesMax
        self.rowsMax = rowsMax
        rows = 0
    }

    /// Counts an edit that is about to be performed.
    mutating func spend(_ edit: Edit, on state: borrowing ListState) throws(ModelError) {
        try spend(bringing: edit.bytesBrought)
        try spend(rows: state.rowsTouched(by: edit))
    }

    /// Counts the edit that inserts new items as the first ones of their section.
    mutating func spend(inserting items: [NewItem]) throws(ModelError) {
        try spend(bringing: items.reduce(Edit.fewBytes) { $0 + $1.byteCount })
        try spend(rows: 1 - (Self.freeRounds - 1) * items.count)
    }

    private mutating func spend(bringing more: Int) throws(ModelError) {
        bytes += more
        guard bytes <= bytesMax else { throw .transactionTooLarge(limit: bytesMax) }
    }

    /// Counts a stored content that is about to be read and written anew.
    mutating func spend(reading content: JSONText) throws(ModelError) {
        try spend(rows: content.byteCount / Self.bytesReadOfRow)
    }

    /// Counts rows that are visited besides those of edits.
    mutating func spend(rows more: Int) throws(ModelError) {
        rows += more
        guard rows <= rowsMax else { throw .transactionTooLong(limit: rowsMax) }
    }

    /// How many bytes are read in the time that a visit to a row takes.
    private static let bytesReadOfRow = 128
}

extension ListState {
    /// About how many rows an edit visits. The free rounds of the rows that it brings are subtracted.
    fileprivate func rowsTouched(by edit: Edit) -> Int {
        switch edit {
        case .changeList, .insertSection, .moveSection, .changeSection, .reloadSection, .reconfigureItem, .reloadItem,
            .arrangeSections:
            1
        case .deleteSection(let index): rowCount(of: order[index])
        case .insertItems(let rows, _, _, let parent): lineageCost(parent) - (Budget.freeRounds - 1) * rows.count
        case .deleteItems(_, let rows): rows.count
        case .moveItem(let source, let rows, _, _, let parent):
            rows.count + lineageCost(parent) + lineageCost(self.parent(ofRow: rows.lowerBound, in: source))
        case .changeItem(let id, let changes): rowsTouched(by: changes, of: id)
        case .arrange(let arrangements): arrangements.reduce(0) { $0 + $1.cost }
        case .arrangeRun(let arrangement, _): arrangement.cost
        }
    }

    private func parent(ofRow index: Int, in section: Int) -> ItemID? {
        parent(of: row(at: index, of: order[section])).map { id(of: $0) }
    }

    /// The cost of the ancestors, each of which counts the rows below it: eight of them cost as much as one row.
    private func lineageCost(_ parent: ItemID?) -> Int {
        parent.flatMap { handle(of: $0) }.map { 1 + level(of: $0) / 8 } ?? 1
    }

    private func rowsTouched(by changes: ItemChanges, of id: ItemID) -> Int {
        guard changes.isExpanded != .keep || changes.kind != .keep, let handle = handle(of: id) else { return 1 }
        var rows = 1
        if changes.isExpanded != .keep { rows += descendantCount(of: handle) }
        // The kind stands in one buffer with the content, so another kind copies the content.
        if changes.kind != .keep { rows += content(of: handle).byteCount / Self.bytesOfRow }
        return rows
    }

    /// How many bytes are copied in the time that a visit to a row takes.
    private static let bytesOfRow = 1024
}

extension [Edit] {
    /// Whether the edits visit at most so many rows in any state. False also if that depends on the state.
    public func visit(rowsMax: Int) -> Bool {
        var rows = 0
        for edit in self {
            guard let more = edit.rowsNamed else { return false }
            rows += more
            guard rows <= rowsMax else { return false }
        }
        return true
    }
}

extension Edit {
    /// How many rows the edit names; nil if it may visit others.
    fileprivate var rowsNamed: Int? {
        switch self {
        case .changeList, .insertSection, .moveSection, .changeSection, .reloadSection, .reconfigureItem, .reloadItem: 1
        case .changeItem(_, let changes): changes.isExpanded == .keep && changes.kind == .keep ? 1 : nil
        case .insertItems(let rows, _, _, _): rows.count
        case .deleteItems(_, let rows), .moveItem(_, let rows, _, _, _): rows.count
        case .deleteSection, .arrange, .arrangeRun, .arrangeSections: nil
        }
    }
}

extension Edit.Arrangement {
    /// The log keeps the ids of the rows, so long ids cost more.
    fileprivate var cost: Int { rows.reduce(rows.count) { $0 + $1.item.rawValue.utf8.count / 16 } }
}

extension Edit {
    /// About how many bytes an edit brings that the log has to keep. The ids of rows of the list are not counted.
    var bytesBrought: Int {
        switch self {
        case .deleteSection, .moveSection, .reloadSection, .deleteItems, .moveItem, .arrange, .arrangeRun,
            .arrangeSections:
            Self.fewBytes
        case .changeList(let changes): Self.fewBytes + changes.title.byteCount + changes.layout.byteCount
        case .insertSection(let new, _): Self.fewBytes + new.byteCount
        case .changeSection(_, let changes): Self.fewBytes + changes.byteCount
        case .insertItems(let rows, _, _, _): rows.reduce(Self.fewBytes) { $0 + $1.item.byteCount }
        case .changeItem(let id, let changes): Self.fewBytes + id.rawValue.utf8.count + changes.byteCount
        case .reconfigureItem(let id), .reloadItem(let id): Self.fewBytes + id.rawValue.utf8.count
        }
    }

    /// The bytes of the numbers of an edit.
    fileprivate static let fewBytes = 8
}

extension Item {
    fileprivate var byteCount: Int { id.rawValue.utf8.count + kind.utf8.count + content.byteCount + 8 }
}

extension NewItem {
    /// The bytes of the item if it is new to the list.
    fileprivate var byteCount: Int { ListState.item(self).byteCount }
}

extension SectionProperties {
    fileprivate var byteCount: Int {
        let texts = [layout, header, footer].reduce(0) { $0 + ($1?.byteCount ?? 0) }
        return id.rawValue.utf8.count + (title?.utf8.count ?? 0) + texts
    }
}

extension SectionChanges {
    fileprivate var byteCount: Int { title.byteCount + layout.byteCount + header.byteCount + footer.byteCount }
}

extension ItemChanges {
    fileprivate var byteCount: Int {
        switch content {
        case .keep: kind.byteCount
        case .replace(let text), .merge(let text): kind.byteCount + text.byteCount
        }
    }
}

extension Change<ByteText> {
    fileprivate var byteCount: Int { if case .set(let text) = self { text.utf8.count } else { 0 } }
}

extension Change<ByteText?> {
    fileprivate var byteCount: Int { if case .set(let text?) = self { text.utf8.count } else { 0 } }
}

extension Change<JSONText?> {
    fileprivate var byteCount: Int { if case .set(let text?) = self { text.byteCount } else { 0 } }
}
