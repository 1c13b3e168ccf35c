import JSONValue
import Texts

extension Outline {
    /// A line of a list as it is shown: what it says, and behind that, less loud, its id.
    struct Line {
        var text: ByteText
        var aside: ByteText
        var isHeading: Bool

        /// - Parameter columns: The width of the terminal; nil for a text without commands, of any width.
        func shown(columns: Int?) -> ByteText {
            guard let columns else { return aside.isEmpty ? text : "\(text)  \(aside)" }
            let short = cut(text, to: columns)
            let left = columns - short.scalarCount - 2
            let end: ByteText = aside.isEmpty || left < 4 ? "" : "  \u{1B}[2m\(cut(aside, to: left))\u{1B}[0m"
            return isHeading ? "\u{1B}[1m\(short)\u{1B}[0m\(end)" : "\(short)\(end)"
        }
    }

    /// The list as an outline: its title, its sections, and their rows under their parents.
    ///
    ///     Groceries  groceries k3v9-7
    ///     Fruit  fruit
    ///       ★ Pear  pear
    ///         Apple  apple
    ///     Bakery  bakery
    ///       ▾ Rye bread  rye
    ///           Rolls  rolls
    var lines: [Line] {
        var lines = [
            Line(text: printable(title.isEmpty ? id : title), aside: "\(printable(id)) \(version)", isHeading: true)
        ]
        for section in sections {
            let title = section.properties["title"]?.textValue
            let id = printable(section.id)
            lines.append(Line(text: title.map(printable) ?? id, aside: title == nil ? "" : id, isHeading: true))
            lines += Self.lines(of: section.rows)
        }
        return lines
    }

    private static func lines(of rows: [JSONObject]) -> [Line] {
        var levels: [ByteText: Int] = [:]
        var parents: Set<ByteText> = []
        for row in rows {
            guard let id = row["id"]?.textValue else { continue }
            let parent = row["parent"]?.textValue
            levels[id] = parent.flatMap { levels[$0] }.map { $0 + 1 } ?? 0
            if let parent { parents.insert(parent) }
        }
        return rows.map { row in
            let id = row["id"]?.textValue ?? ""
            let hasChildren = parents.contains(id) || (row["childCount"]?.integerValue ?? 0) > 0
            let mark: ByteText =
                switch (hasChildren, row["starred"] == true) {
                case (false, false): "  "
                case (false, true): "★ "
                case (true, let isStarred): "\(row["expanded"] == true ? "▾" : "▸")\(isStarred ? "★" : "") "
                }
            let indent = String(repeating: "  ", count: min((levels[id] ?? 0) + 1, 64))
            let name = rowName(row)
            let aside = name == nil ? "" : printable(id)
            return Line(text: "\(indent)\(mark)\(printable(name ?? id))", aside: aside, isHeading: false)
        }
    }
}

/// The text by which people know an item: its title, its text or its name; nil if its content has none of them.
func rowName(_ item: JSONObject) -> ByteText? {
    let content = item["content"]
    return (["title", "text", "name"] as [ByteText]).lazy.compactMap { content?.member($0)?.textValue }
        .first { !$0.isEmpty }
}
