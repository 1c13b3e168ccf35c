import ListModel
import Testing

@Suite struct EditVisitTests {
    private static let id = ItemID(unchecked: "a")
    private static func expanding() -> ItemChanges {
        var changes = ItemChanges()
        changes.isExpanded = .set(true)
        return changes
    }

    /// Edits, and the number of rows that they visit in any state; nil if that depends on the state.
    static let rows: [([Edit], Int?)] = [
        ([], 0),
        ([.changeItem(id, ItemChanges()), .reloadItem(id), .reconfigureItem(id)], 3),
        ([.deleteItems(section: 0, rows: 5..<12)], 7),
        ([.deleteItems(section: 0, rows: 0..<1 << 52), .deleteItems(section: 0, rows: 0..<1 << 52)], 1 << 53),
        ([.moveSection(from: 0, to: 1)], 1),
        ([.deleteSection(at: 0)], nil),
        ([.reloadItem(id), .changeItem(id, expanding())], nil),
        ([.arrangeSections([])], nil),
    ]

    @Test(arguments: rows)
    func visits(edits: [Edit], rows: Int?) {
        guard let rows else { return #expect(!edits.visit(rowsMax: .max)) }
        #expect(edits.visit(rowsMax: rows))
        #expect(rows == 0 || !edits.visit(rowsMax: rows - 1))
    }
}
