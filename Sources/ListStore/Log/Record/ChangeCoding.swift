import ListModel

// The changes of an item, a section or a list: a number with a bit for each changed member, then the new values.

extension ByteWriter {
    mutating func write(_ changes: ItemChanges) {
        var given = ItemChangeMarks()
        if changes.kind != .keep { given.insert(.kind) }
        switch changes.content {
        case .keep: break
        case .replace: given.insert(.content)
        case .merge: given.insert(.patch)
        }
        given.insert(changes.isStarred, .starred, .isStarred)
        given.insert(changes.isExpanded, .expanded, .isExpanded)
        given.insert(changes.isReorderable, .reorderable, .isReorderable)
        write(Int(given.rawValue))
        write(given: changes.kind) { $0.write($1) }
        switch changes.content {
        case .keep: break
        case .replace(let text), .merge(let text): write(text.bytes)
        }
    }

    mutating func write(_ changes: SectionChanges) {
        write(
            changes.title.mark(1) | changes.layout.mark(2) | changes.header.mark(4) | changes.footer.mark(8)
                | changes.isReorderable.mark(16))
        write(given: changes.title) { $0.write($1) { $0.write($1) } }
        for text in [changes.layout, changes.header, changes.footer] { write(given: text) { $0.write($1) } }
        write(given: changes.isReorderable) { $0.write($1) }
    }

    mutating func write(_ changes: ListChanges) {
        write(changes.title.mark(1) | changes.layout.mark(2))
        write(given: changes.title) { $0.write($1) }
        write(given: changes.layout) { $0.write($1) }
    }

    private mutating func write<Value>(given change: Change<Value>, _ body: (inout ByteWriter, Value) -> Void) {
        if case .set(let value) = change { body(&self, value) }
    }
}

extension ByteReader {
    mutating func itemChanges() throws(Malformed) -> ItemChanges {
        guard let given = ItemChangeMarks(checking: try number()) else { throw Malformed() }
        var changes = ItemChanges()
        if given.contains(.kind) { changes.kind = .set(try text()) }
        if given.contains(.content) { changes.content = .replace(try jsonText()) }
        if given.contains(.patch) { changes.content = .merge(try jsonText()) }
        changes.isStarred = given.flag(.starred, .isStarred)
        changes.isExpanded = given.flag(.expanded, .isExpanded)
        changes.isReorderable = given.flag(.reorderable, .isReorderable)
        return changes
    }

    mutating func sectionChanges() throws(Malformed) -> SectionChanges {
        let given = try number()
        guard given < 32 else { throw Malformed() }
        var changes = SectionChanges()
        changes.title = try change(given & 1) { reader throws(Malformed) in
            try reader.optional { reader throws(Malformed) in try reader.text() }
        }
        changes.layout = try change(given & 2) { reader throws(Malformed) in try reader.json() }
        changes.header = try change(given & 4) { reader throws(Malformed) in try reader.json() }
        changes.footer = try change(given & 8) { reader throws(Malformed) in try reader.json() }
        changes.isReorderable = try change(given & 16) { reader throws(Malformed) in try reader.flag() }
        return changes
    }

    mutating func listChanges() throws(Malformed) -> ListChanges {
        let given = try number()
        guard given < 4 else { throw Malformed() }
        var changes = ListChanges()
        changes.title = try change(given & 1) { reader throws(Malformed) in try reader.text() }
        changes.layout = try change(given & 2) { reader throws(Malformed) in try reader.json() }
        return changes
    }

    private mutating func change<Value>(
        _ mark: Int, _ body: (inout ByteReader) throws(Malformed) -> Value
    ) throws(Malformed) -> Change<Value> {
        mark == 0 ? .keep : .set(try body(&self))
    }
}

/// The members of an item that changes set, and the new values of its flags.
private struct ItemChangeMarks: OptionSet {
    let rawValue: UInt16

    static let kind = Self(rawValue: 1)
    static let content = Self(rawValue: 2)
    /// The content is changed by a merge patch.
    static let patch = Self(rawValue: 4)
    static let starred = Self(rawValue: 8)
    static let isStarred = Self(rawValue: 16)
    static let expanded = Self(rawValue: 32)
    static let isExpanded = Self(rawValue: 64)
    static let reorderable = Self(rawValue: 128)
    static let isReorderable = Self(rawValue: 256)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// - Returns: Nil if no changes have this number.
    init?(checking number: Int) {
        guard number < 512 else { return nil }
        self.init(rawValue: UInt16(number))
        guard !contains([.content, .patch]) else { return nil }
    }

    mutating func insert(_ change: Change<Bool>, _ given: Self, _ value: Self) {
        guard case .set(let isSet) = change else { return }
        insert(given)
        if isSet { insert(value) }
    }

    func flag(_ given: Self, _ value: Self) -> Change<Bool> { contains(given) ? .set(contains(value)) : .keep }
}

extension Change {
    fileprivate func mark(_ bit: Int) -> Int { self == .keep ? 0 : bit }
}
