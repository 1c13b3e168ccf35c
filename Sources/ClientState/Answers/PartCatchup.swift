import ListDiff
public import ListModel

/// A catch-up of some rows of a list, as a query selects them: it brings a client from the version that it knows to a
/// later one (docs/contract.md sections 5 and 8).
public struct PartCatchup: Sendable {
    /// What the catch-up tells of the rows.
    enum Rows: Sendable {
        case changes(ChangeSet, from: Version)
        case reset(HeldRows)
    }

    let rows: Rows
    /// The version to which the catch-up leads.
    public let version: Version
    /// The counts of the whole list.
    let counts: ListCounts
    /// The place of the window; nil if the query has none.
    let window: WindowPlace?

    init(_ rows: Rows, version: Version, counts: ListCounts, window: WindowPlace?) {
        (self.rows, self.version, self.counts, self.window) = (rows, version, counts, window)
    }

    /// Reads a change set or a reset of any view.
    ///
    /// - Throws: The member that is missing or wrong.
    init(_ answer: AnswerObject) throws(AnswerError) {
        let isReset = try answer.flag("reset", orMissing: false)
        let told = isReset ? try answer.object("snapshot") : answer
        guard let told, let counts = try told.counts("counts") else { throw AnswerError("counts") }
        let rows: Rows
        if isReset {
            let sections = try told.objects("sections") { section throws(AnswerError) in try section.sectionRows() }
            rows = .reset(HeldRows(properties: try told.listProperties(), sections: sections))
        } else {
            rows = .changes(try ChangeSet(answer), from: try answer.version("from"))
        }
        self.init(rows, version: try answer.version("to"), counts: counts, window: try told.window())
    }
}

extension AnswerObject {
    fileprivate func window() throws(AnswerError) -> WindowPlace? {
        guard let start = try number("start") else { return nil }
        return WindowPlace(start: start, total: try index("total"))
    }
}
