/// What a transaction may cost: the bytes that it brings, and the rows that it goes over again and again.
///
/// Nobody pays for what a list holds already: each of its rows, and of those that the transaction brings, may be gone
/// over some times for nothing, and stored values that it removes are not counted. So any list can be emptied.
public struct Budget: Sendable {
    /// Bytes of values and ids that the edits bring, which the log has to keep.
    private let bytesMax: Int
    /// Rows gone over beyond the free ones.
    private let rowsMax: Int
    private var bytes = 0
    private var rows: Int

    /// How often each row may be gone over for nothing.
    static let freeRounds = 16

    /// - Parameter state: The one that the transaction begins with.
    public init(bytesMax: Int, rowsMax: Int, on state: borrowing ListState) {
        self.bytesMax = bytesMax
        self.rowsMax = rowsMax
        rows = -Self.freeRounds * state.itemCount
    }

    /// Counts an edit that is about to be performed.
    mutating func spend(_ edit: Edit, on state: borrowing ListState) throws(ModelError) {
        bytes += edit.bytesBrought
        guard bytes <= bytesMax else { throw .transactionTooLarge(limit: bytesMax) }
        try spend(rows: state.rowsTouched(by: edit))
    }

    /// Counts a stored content that is about to be read and written anew.
    mutating func spend(reading content: JSONText) throws(ModelError) {
        try spend(rows: content.byteCount / Self.bytesReadOfRow)
    }

    /// Counts rows that are gone over besides those of edits.
    mutating func spend(rows more: Int) throws(ModelError) {
        rows += more
        guard rows <= rowsMax else { throw .transactionTooLong(limit: rowsMax) }
    }

    /// How many bytes are read in the time in which a row is gone over.
    private static let bytesReadOfRow = 128
}

extension ListState {
    /// About how many rows it costs to go over to perform an edit; those that it brings count for it.
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

    /// Each ancestor counts the rows below it; a few of them go for one row.
    private func lineageCost(_ parent: ItemID?) -> Int {
        parent.flatMap { handle(of: $0) }.map { 1 + level(of: $0) / 8 } ?? 1
    }

    private func rowsTouched(by changes: ItemChanges, of id: ItemID) -> Int {
        guard changes.isExpanded != .keep || changes.kind != .keep, let handle = handle(of: id) else { return 1 }
        var rows = 1
        if changes.isExpanded != .keep { rows += descendantCount(of: handle) }
        // Another kind is written in front of the content anew.
        if changes.kind != .keep { rows += content(of: handle).byteCount / Self.bytesOfRow }
        return rows
    }

    /// How many bytes are copied in the time in which a row is gone over.
    private static let bytesOfRow = 1024
}

extension Edit.Arrangement {
    /// Ids of stored rows are what the log has to keep of them.
    fileprivate var cost: Int { rows.reduce(rows.count) { $0 + $1.item.rawValue.utf8.count / 16 } }
}

extension Edit {
    /// About how many bytes the log has to keep of what an edit brings: all but the ids of rows that are there.
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

    /// Of the numbers of an edit.
    private static let fewBytes = 8
}

extension Item {
    fileprivate var byteCount: Int { id.rawValue.utf8.count + kind.utf8.count + content.byteCount + 8 }
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
