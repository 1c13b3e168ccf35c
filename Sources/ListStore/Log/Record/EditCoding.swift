import ListModel

extension ByteWriter {
    /// Writes an edit: a tag, then its values in the order of `Edit`.
    mutating func write(_ edit: Edit) {
        switch edit {
        case .changeList(let changes):
            write(UInt8(17))
            write(changes)
        case .insertSection(let section, let index): write(inserting: section, at: index)
        case .deleteSection(let index):
            write(UInt8(3))
            write(index)
        case .moveSection(let source, let target):
            write(UInt8(4))
            write(source)
            write(target)
        case .changeSection(let index, let changes):
            write(UInt8(16))
            write(index)
            write(changes)
        case .reloadSection(let index):
            write(UInt8(6))
            write(index)
        case .insertItems(let rows, let section, let index, let parent):
            write(UInt8(7))
            write(all: rows) {
                $0.write($1.item)
                $0.write($1.depth)
                $0.cut()
            }
            writePlace(section: section, index: index, parent: parent)
        case .deleteItems(let section, let rows):
            write(UInt8(8))
            write(section)
            write(rows)
        case .moveItem(let section, let rows, let target, let index, let parent):
            write(UInt8(9))
            write(section)
            write(rows)
            write(target)
            write(index)
            write(parent) { $0.write($1.rawValue) }
        case .changeItem(let id, let changes):
            write(UInt8(15))
            write(id.rawValue)
            write(changes)
        case .reconfigureItem(let id):
            write(UInt8(11))
            write(id.rawValue)
        case .reloadItem(let id):
            write(UInt8(12))
            write(id.rawValue)
        case .arrange(let arrangements):
            write(UInt8(13))
            write(all: arrangements) { $0.write($1) }
        case .arrangeSections(let ids):
            write(UInt8(14))
            write(all: ids) { $0.write($1.rawValue) }
        case .arrangeRun(let run, let index):
            write(UInt8(18))
            write(run)
            write(index)
        }
    }

    /// Writes edits, and those that insert the sections and items of a list behind them, as if all were in one array.
    mutating func write(_ edits: [Edit], followedBy list: ListState?) {
        let sections = list?.sectionHandles ?? []
        write(edits.count + sections.count + sections.count { (list?.rowCount(of: $0) ?? 0) > 0 })
        for edit in edits {
            write(edit)
            cut()
        }
        guard let list else { return }
        for (index, section) in sections.enumerated() { write(inserting: list[section], at: index) }
        for (index, section) in sections.enumerated() { write(insertingItemsOf: section, at: index, of: list) }
    }

    private mutating func write(inserting section: SectionProperties, at index: Int) {
        write(UInt8(2))
        write(section)
        write(index)
    }

    private mutating func write(insertingItemsOf section: SectionHandle, at index: Int, of list: ListState) {
        let count = list.rowCount(of: section)
        guard count > 0 else { return }
        write(UInt8(7))
        write(count)
        for start in stride(from: 0, to: count, by: Self.rowsAtOnce) {
            for row in list.rows(start..<min(count, start + Self.rowsAtOnce), of: section) {
                write(list[row])
                write(list.level(of: row))
                cut()
            }
        }
        writePlace(section: index, index: 0, parent: nil)
    }

    private static let rowsAtOnce = 1024

    private mutating func writePlace(section: Int, index: Int, parent: ItemID?) {
        write(section)
        write(index)
        write(parent) { $0.write($1.rawValue) }
    }

    private mutating func write(_ arrangement: Edit.Arrangement) {
        write(arrangement.section)
        write(all: arrangement.rows) {
            $0.write($1.item.rawValue)
            $0.write($1.level)
        }
    }

    mutating func write(_ text: JSONText?) { write(text) { $0.write($1.bytes) } }

    private mutating func write(_ rows: Range<Int>) {
        write(rows.lowerBound)
        write(rows.count)
    }

    mutating func write(_ section: SectionProperties) {
        write(section.id.rawValue)
        write(section.title) { $0.write($1) }
        write(section.layout)
        write(section.header)
        write(section.footer)
        write(section.isReorderable)
    }

    private mutating func write(_ item: Item) {
        write(item.id.rawValue)
        write(item.kind)
        write(item.content.bytes)
        write((item.isStarred ? 1 : 0) as UInt8 | (item.isExpanded ? 2 : 0) | (item.isReorderable ? 4 : 0))
    }
}

extension ByteReader {
    mutating func edit() throws(Malformed) -> Edit {
        switch try byte() {
        // Old records have this tag, with all properties of the list.
        case 1: return .changeList(ListChanges(whole: ListProperties(title: try text(), layout: try json())))
        case 2: return .insertSection(try section(), at: try number())
        case 3: return .deleteSection(at: try number())
        case 4: return .moveSection(from: try number(), to: try number())
        // Old records have this tag, with all properties of the section.
        case 5: return .changeSection(at: try number(), SectionChanges(whole: try section()))
        case 6: return .reloadSection(at: try number())
        case 7:
            let rows = try all { reader throws(Malformed) in Edit.NewRow(try reader.item(), depth: try reader.number())
            }
            return .insertItems(rows, section: try number(), at: try number(), parent: try parent())
        case 8: return .deleteItems(section: try number(), rows: try range())
        case 9:
            return .moveItem(
                section: try number(), rows: try range(), toSection: try number(), at: try number(),
                parent: try parent())
        // Old records have this tag, with the whole item.
        case 10:
            let item = try item()
            return .changeItem(item.id, ItemChanges(whole: item))
        case 11: return .reconfigureItem(ItemID(unchecked: try text()))
        case 12: return .reloadItem(ItemID(unchecked: try text()))
        case 13:
            return .arrange(try all { reader throws(Malformed) in try reader.arrangement() })
        case 14:
            return .arrangeSections(try all { reader throws(Malformed) in SectionID(unchecked: try reader.text()) })
        case 15: return .changeItem(ItemID(unchecked: try text()), try itemChanges())
        case 16: return .changeSection(at: try number(), try sectionChanges())
        case 17: return .changeList(try listChanges())
        case 18: return .arrangeRun(try arrangement(), at: try number())
        default: throw Malformed()
        }
    }

    private mutating func arrangement() throws(Malformed) -> Edit.Arrangement {
        let section = try number()
        let rows = try all { reader throws(Malformed) in
            (item: ItemID(unchecked: try reader.text()), level: try reader.number())
        }
        return Edit.Arrangement(section: section, rows: rows)
    }

    mutating func json() throws(Malformed) -> JSONText? {
        try optional { reader throws(Malformed) in try reader.jsonText() }
    }

    private mutating func parent() throws(Malformed) -> ItemID? {
        try optional { reader throws(Malformed) in ItemID(unchecked: try reader.text()) }
    }

    private mutating func range() throws(Malformed) -> Range<Int> {
        let start = try number()
        return start..<start + (try number())
    }

    mutating func section() throws(Malformed) -> SectionProperties {
        SectionProperties(
            id: SectionID(unchecked: try text()), title: try optional { reader throws(Malformed) in try reader.text() },
            layout: try json(), header: try json(), footer: try json(), isReorderable: try flag())
    }

    private mutating func item() throws(Malformed) -> Item {
        let id = ItemID(unchecked: try text())
        let kind = try text()
        let content = try jsonText()
        let flags = try byte()
        return Item(
            id: id, kind: kind, content: content, isStarred: flags & 1 != 0, isExpanded: flags & 2 != 0,
            isReorderable: flags & 4 != 0)
    }
}
