public import ListDiff
public import ListModel

extension ChangeSet {
    /// The change set in short words, for tables: `delS 1, del 0.3, ins 0.2, mov 0.1>1.0, cfg 0.2, rld 0.3`.
    ///
    /// Changes of sections are `delS`, `insS`, `movS`, `cfgS` and `rldS`. The list's own changes are `title` and
    /// `layout`.
    public var text: String {
        var words: [String] = []
        if properties.title != .keep { words.append("title") }
        if properties.layout != .keep { words.append("layout") }
        words += sections.deleted.map { "delS \($0.index)" }
        words += sections.inserted.map { "insS \($0.index)" }
        words += sections.moved.map { "movS \($0.from)>\($0.to)" }
        words += sections.reconfigured.map { "cfgS \($0.index)" }
        words += sections.reloaded.map { "rldS \($0.index)" }
        words += items.deleted.map { "del \($0.path.text)" }
        words += items.inserted.map { "ins \($0.path.text)" }
        words += items.moved.map { "mov \($0.from.text)>\($0.to.text)" }
        words += items.reconfigured.map { "cfg \($0.path.text)" }
        words += items.reloaded.map { "rld \($0.path.text)" }
        return words.joined(separator: ", ")
    }
}

extension RowPath {
    fileprivate var text: String { "\(section).\(index)" }
}

extension WantedSnapshot {
    /// Reads a wanted state such as `A:a,b B:c`.
    ///
    /// - Throws: `NotationError`.
    public init(notation: String) throws {
        let sections = try notation.split(separator: " ").map { section in
            let parts = section.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw NotationError(description: "no colon in \(section)") }
            return WantedSection(
                SectionID(unchecked: String(parts[0])), items: try [NewItem](notation: String(parts[1])))
        }
        self.init(sections: sections)
    }
}
