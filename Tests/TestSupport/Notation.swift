public import ListModel

// A list in a line of text, for tables of cases:
//
//     A:a,b B:c           two sections with their items
//     A: B:c              an empty section
//     O:+f{w,p},*s{h}     f expanded with two children; s starred and collapsed with one child
//
// A tree is a section without its name, such as `+f{w,p},s`. Ids may have any characters except `:,{}+*` and blanks.

/// An error in the notation of a list.
public struct NotationError: Error, CustomStringConvertible {
    public let description: String
}

extension ListState {
    /// Reads a list such as `A:a,b B:c`.
    ///
    /// - Throws: `NotationError`.
    public init(notation: String) throws {
        self.init(ListProperties(title: "list"))
        let sections = try notation.split(separator: " ").map { section in
            let parts = section.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw NotationError(description: "no colon in \(section)") }
            return NewSection(
                SectionProperties(id: SectionID(unchecked: String(parts[0]))),
                items: try [NewItem](notation: String(parts[1])))
        }
        var log = TransactionLog()
        try apply(.appendSections(sections), rules: .strict, into: &log)
    }

    /// The list as `A:a,b B:c`.
    public var notation: String {
        sectionHandles.map { section in
            let tree = tree(
                of: rows(of: section).map { row in
                    TreeEntry(
                        marks: (self[row].isExpanded ? "+" : "") + (self[row].isStarred ? "*" : ""),
                        id: self[row].id, level: level(of: row))
                })
            return "\(self[section].id):\(tree)"
        }.joined(separator: " ")
    }
}

extension SectionSnapshot {
    /// Reads a tree such as `+f{w,p},s`; stars are ignored.
    public init(notation: String) throws {
        self.init()
        for item in try [NewItem](notation: notation) {
            try append([item.id], to: item.parent)
            if item.value?.isExpanded == .set(true) { expand([item.id]) }
        }
    }

    /// The tree as `+f{w,p},s`.
    public var notation: String {
        get throws {
            tree(
                of: try items.map { item in
                    TreeEntry(marks: try isExpanded(item) ? "+" : "", id: item, level: try level(of: item))
                })
        }
    }
}

extension [NewItem] {
    /// The items of a tree in the notation. Each names its parent.
    public init(notation: String) throws {
        self.init()
        var parents: [ItemID] = []
        var word = ""
        func finishWord() {
            guard !word.isEmpty else { return }
            var value = ItemChanges()
            if word.contains("+") { value.isExpanded = .set(true) }
            if word.contains("*") { value.isStarred = .set(true) }
            let id = ItemID(unchecked: String(word.drop { $0 == "+" || $0 == "*" }))
            append(NewItem(id, parent: parents.last, value: value))
            word = ""
        }
        for character in notation {
            switch character {
            case ",":
                finishWord()
            case "{":
                finishWord()
                guard let parent = last else { throw NotationError(description: "no parent in \(notation)") }
                parents.append(parent.id)
            case "}":
                finishWord()
                guard parents.popLast() != nil else { throw NotationError(description: "too many } in \(notation)") }
            default:
                word.append(character)
            }
        }
        finishWord()
        guard parents.isEmpty else { throw NotationError(description: "open { in \(notation)") }
    }
}

private struct TreeEntry {
    var marks: String
    var id: ItemID
    var level: Int
}

private func tree(of entries: [TreeEntry]) -> String {
    var text = ""
    var level = 0
    for (index, entry) in entries.enumerated() {
        if entry.level > level {
            text += "{"
        } else {
            text += String(repeating: "}", count: level - entry.level) + (index == 0 ? "" : ",")
        }
        level = entry.level
        text += "\(entry.marks)\(entry.id)"
    }
    return text + String(repeating: "}", count: level)
}
