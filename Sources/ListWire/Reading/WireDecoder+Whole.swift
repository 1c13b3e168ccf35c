import JSONValue
package import ListModel
internal import Texts

// The body of a request that brings a whole list may be long. A right one is read in one pass, in which no item becomes
// a JSON value. The methods give up at the first thing that is wrong or odd; the body is then read as any other body,
// which tells what is wrong.

extension WireDecoder {
    /// Reads the body of `PUT /v1/lists/{list}` in one pass.
    ///
    /// - Parameter levels: The greatest number of arrays and objects that can enclose a content.
    /// - Returns: As `snapshotBody(_:list:)` does; nil if that has to read the body.
    package func snapshotBody(whole bytes: [UInt8], levels: Int, list: ListID) -> WriteBody<WantedSnapshot>? {
        guard let (rest, sections) = parts(of: bytes, levels), var body = try? snapshotBody(rest, list: list),
            let snapshot = WantedSnapshot(changes: body.value.changes, distinct: sections)
        else { return nil }
        body.value = snapshot
        return body
    }

    /// Reads the body of `POST /v1/lists` in one pass, as `snapshotBody(whole:levels:list:)` does.
    package func newListBody(
        whole bytes: [UInt8], levels: Int
    ) -> WriteBody<(id: ListID?, snapshot: WantedSnapshot)>? {
        guard let (rest, sections) = parts(of: bytes, levels), var body = try? newListBody(rest),
            let snapshot = WantedSnapshot(changes: body.value.snapshot.changes, distinct: sections)
        else { return nil }
        body.value.snapshot = snapshot
        return body
    }

    /// The sections of a body, and the body without them.
    private func parts(of bytes: [UInt8], _ levels: Int) -> (rest: JSONSlice, sections: [WantedSection])? {
        var reading = SectionReading(decoder: self, levels: levels)
        return try? JSONCursor.read(bytes, levelsAround: levels) { cursor throws(JSONCursor.Refusal) in
            try reading.body(&cursor)
        }
    }
}

/// Reads the sections of a body. Their ids and members are checked, but not whether an item is there twice.
private struct SectionReading {
    private typealias Refusal = JSONCursor.Refusal

    let decoder: WireDecoder
    private let levels: Int
    private var ids = Set<SectionID>()
    private var texts = SharedTexts()
    /// The contents that share the buffer of `texts`, as the indexes of their items and their places.
    private var places: [(item: Int, place: Int32)] = []
    /// The kind of the item before. Items of one kind share its memory.
    private var kind = Item.defaultKind

    init(decoder: WireDecoder, levels: Int) { (self.decoder, self.levels) = (decoder, levels) }

    private static let bodyMembers = WireDecoder.snapshotMembers + WireDecoder.commonMembers
    private static let bodyNames = JSONNames(bodyMembers)
    private static let sectionNames = JSONNames(WireDecoder.wantedSectionMembers)
    private static let itemNames = JSONNames(WireDecoder.servedItemMembers)

    mutating func body(
        _ cursor: inout JSONCursor
    ) throws(JSONCursor.Refusal) -> (rest: JSONSlice, sections: [WantedSection]) {
        var sections: [WantedSection] = []
        let rest = try members(of: &cursor, Self.bodyNames, Self.bodyMembers, without: "sections") {
            reading, cursor throws(Refusal) in
            try cursor.elements { cursor throws(Refusal) in sections.append(try reading.section(&cursor)) }
        }
        return (rest, sections)
    }

    private mutating func section(_ cursor: inout JSONCursor) throws(Refusal) -> WantedSection {
        var items: [NewItem] = []
        let rest = try members(of: &cursor, Self.sectionNames, WireDecoder.wantedSectionMembers, without: "items") {
            reading, cursor throws(Refusal) in
            items = try reading.items(&cursor)
        }
        guard var section = try? decoder.wantedSection(rest, in: &ids) else { throw Refusal() }
        section.items = items
        return section
    }

    /// Copies the members of an object, except one, which `read` reads.
    private mutating func members(
        of cursor: inout JSONCursor, _ names: JSONNames, _ members: [ByteText], without long: ByteText,
        _ read: (inout SectionReading, inout JSONCursor) throws(Refusal) -> Void
    ) throws(Refusal) -> JSONSlice {
        var rest = Array("{".utf8)
        try cursor.members(of: names) { cursor, index throws(Refusal) in
            guard members[index] != long else { return try read(&self, &cursor) }
            if rest.count > 1 { rest.append(UInt8(ascii: ",")) }
            rest.appendJSON(string: members[index])
            rest.append(UInt8(ascii: ":"))
            try cursor.copy(to: &rest)
        }
        rest.append(UInt8(ascii: "}"))
        guard let slice = try? JSONSlice(checking: rest, levelsAround: levels) else { throw Refusal() }
        return slice
    }
}

// MARK: - Items

extension SectionReading {
    private mutating func items(_ cursor: inout JSONCursor) throws(Refusal) -> [NewItem] {
        var items: [NewItem] = []
        try cursor.elements { cursor throws(Refusal) in
            if texts.isFull { finishTexts(&items) }
            items.append(try item(&cursor, at: items.count))
        }
        finishTexts(&items)
        return items
    }

    private mutating func finishTexts(_ items: inout [NewItem]) {
        guard !places.isEmpty else { return }
        let buffer = texts.finish()
        for (item, place) in places {
            items[item].value?.content = .replace(JSONText(in: buffer, countedAt: place))
        }
        places.removeAll(keepingCapacity: true)
    }

    /// - Parameter index: The index that the item will have.
    private mutating func item(_ cursor: inout JSONCursor, at index: Int) throws(Refusal) -> NewItem {
        guard !cursor.isAtString else { return NewItem(try itemID(&cursor)) }
        var id: ItemID?
        var parent: ItemID?
        var value = ItemChanges()
        try cursor.members(of: Self.itemNames) { cursor, name throws(Refusal) in
            switch name {
            case 0: id = try itemID(&cursor)
            case 1: value.kind = .set(try kind(&cursor))
            case 2: value.content = try content(&cursor, ofItem: index)
            case 3: parent = try cursor.null() ? nil : itemID(&cursor)
            case 4: value.isExpanded = try flag(&cursor, orNull: false)
            case 5: value.isStarred = try flag(&cursor, orNull: false)
            case 6: value.isReorderable = try flag(&cursor, orNull: true)
            default: try cursor.skip()
            }
        }
        guard let id else { throw Refusal() }
        return NewItem(id, parent: parent, value: value)
    }

    private func itemID(_ cursor: inout JSONCursor) throws(Refusal) -> ItemID {
        guard let id = ItemID(try cursor.string()) else { throw Refusal() }
        return id
    }

    private mutating func kind(_ cursor: inout JSONCursor) throws(Refusal) -> ByteText {
        guard try !cursor.null() else { return Item.defaultKind }
        let sent = try cursor.string()
        guard sent != kind else { return kind }
        guard Item.isKind(sent) else { throw Refusal() }
        kind = sent
        return kind
    }

    private mutating func content(
        _ cursor: inout JSONCursor, ofItem index: Int
    ) throws(Refusal) -> ItemChanges.ContentChange {
        guard try !cursor.null() else { return .replace(.emptyObject) }
        let added = try texts.add(bytesMax: decoder.limits.contentBytesMax) { buffer throws(Refusal) in
            try cursor.copyObject(to: &buffer)
        }
        switch added {
        case nil: throw Refusal()
        case .alone(let text): return .replace(text)
        case .shared(let place):
            places.append((index, place))
            // The content comes when the buffer is finished.
            return .replace(.emptyObject)
        }
    }

    private func flag(_ cursor: inout JSONCursor, orNull initial: Bool) throws(Refusal) -> Change<Bool> {
        .set(try cursor.null() ? initial : cursor.boolean())
    }
}
