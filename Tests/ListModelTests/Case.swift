import ListModel
import TestSupport
import Testing

typealias ListOperation = ListModel.Operation

/// A transaction that the list accepts, with its result and its warnings.
struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var list: String
    var operations: [ListOperation]
    var result: String
    var warnings: [Warning] = []

    var testDescription: String { name }

    /// Checks the case. If the result is `list` itself, the transaction must have made no edit at all.
    func check() throws {
        let before = try ListState(notation: list)
        var after = before
        var log = TransactionLog()
        for operation in operations { try after.apply(operation, rules: .lenient, into: &log) }
        after.settle(&log)
        #expect(after.notation == result)
        #expect(log.warnings == warnings)
        #expect(ListImage(after).flaw == nil)
        #expect(ListImage(after.reverted(log.delta)) == ListImage(before))
        #expect(ListImage(try before.replaying(log.edits)) == ListImage(after))
    }
}

/// A transaction that the list refuses.
struct Refusal: Sendable, CustomTestStringConvertible {
    var name: String
    var list: String
    var operations: [ListOperation]
    var error: ModelError
    var isStrict = false

    var testDescription: String { name }

    func check() throws {
        let before = try ListState(notation: list)
        var after = before
        var log = TransactionLog()
        var rules = isStrict ? Rules.strict : .lenient
        rules.itemsMax = 1000
        #expect(throws: error) {
            for operation in operations { try after.apply(operation, rules: rules, into: &log) }
        }
        after.forget(log.delta)
        #expect(ListImage(after) == ListImage(before))
        // The ids that the transaction had named are unknown again, and the list still works.
        var next = TransactionLog()
        try after.apply(.appendSections([section("fresh", "fresh1,fresh2")]), rules: .strict, into: &next)
        #expect(after.notation == (list.isEmpty ? "" : list + " ") + "fresh:fresh1,fresh2")
        #expect(ListImage(after).flaw == nil)
    }
}

/// New items as an argument, such as `a,p{q}`. An id that exists is a bare id there, as in a request.
func new(_ ids: ItemID...) -> [NewItem] {
    ids.map { NewItem($0, value: ItemChanges()) }
}

func bare(_ ids: ItemID...) -> [NewItem] {
    ids.map { NewItem($0) }
}

func section(_ id: SectionID, _ items: String = "") -> NewSection {
    NewSection(SectionProperties(id: id), items: (try? [NewItem](notation: items)) ?? [])
}

/// The items of a tree in the notation; empty for a wrong one, because a row of a table cannot throw.
func tree(_ notation: String) -> [NewItem] {
    (try? [NewItem](notation: notation)) ?? []
}

extension ListState {
    func replaying(_ edits: [Edit]) throws -> ListState {
        var list = self
        var delta = Delta()
        for edit in edits { list.perform(edit, recording: &delta) }
        return list
    }

    /// Applies operations as one transaction.
    @discardableResult
    mutating func run(_ operations: ListOperation..., rules: Rules = .lenient) throws -> TransactionLog {
        var log = TransactionLog()
        for operation in operations { try apply(operation, rules: rules, into: &log) }
        settle(&log)
        return log
    }

    func item(_ id: ItemID) throws -> Item {
        self[try #require(handle(of: id))]
    }

    /// The visible rows of a section.
    func visible(_ section: SectionID) throws -> [ItemID] {
        visibleRows(of: try #require(handle(of: section))).map { self[$0].id }
    }
}
