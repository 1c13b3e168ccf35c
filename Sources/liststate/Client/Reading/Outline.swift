import JSONValue
import Texts

/// A list as a client holds it: sections in order, each with its rows. Change sets are replayed on it.
struct Outline {
    struct Section {
        /// The section without its items.
        var properties: JSONObject
        var rows: [JSONObject]

        init?(_ value: JSONValue) {
            guard let section = value.objectValue, section["id"]?.textValue != nil else { return nil }
            properties = JSONObject(section.members.filter { $0.key != "items" })
            rows = (section["items"]?.arrayValue ?? []).compactMap(\.objectValue)
            guard rows.count == section["items"]?.arrayValue.count ?? 0 else { return nil }
        }

        var id: ByteText { properties["id"]?.textValue ?? "" }
    }

    /// A change set that does not belong to the state.
    struct Mismatch: Error {}

    private(set) var id: ByteText
    private(set) var title: ByteText
    private(set) var version: ByteText
    private(set) var sections: [Section]

    init?(snapshot: JSONObject) {
        guard let id = snapshot["id"]?.textValue, let version = snapshot["version"]?.textValue else { return nil }
        let values = snapshot["sections"]?.arrayValue ?? []
        (self.id, self.version, title) = (id, version, snapshot["title"]?.textValue ?? "")
        sections = values.compactMap(Section.init)
        guard sections.count == values.count else { return nil }
    }

    /// Takes note of a version in which nothing has changed that is shown.
    mutating func moveOn(to version: ByteText) { self.version = version }

    /// Replays a change set in the order of the contract: what goes and what moves is taken out, sections go, move and
    /// come, rows are put in, and contents are replaced last.
    ///
    /// - Throws: `Mismatch` if it is of another version or names what is not there. The state may then be half changed.
    /// - Complexity: O(*n*), *n* = the rows of the sections that it names, and its own.
    mutating func apply(_ changes: JSONObject) throws(Mismatch) {
        guard changes["from"]?.textValue == version, let to = changes["to"]?.textValue else { throw Mismatch() }
        let items = changes["items"] ?? .object(JSONObject())
        let moved = try takeOut(items)
        let parts = changes["sections"] ?? .object(JSONObject())
        try changeSections(parts)
        try putIn(items, moved)
        try replaceContents(parts, items)
        if let title = changes["properties"]?.member("title")?.textValue { self.title = title }
        version = to
    }

    /// Takes out the rows that are deleted or moved. Returns those that are moved, in the order in which they are named.
    private mutating func takeOut(_ items: JSONValue) throws(Mismatch) -> [JSONObject] {
        var gone: [Int: Set<Int>] = [:]
        for deleted in items.member("deleted")?.arrayValue ?? [] {
            let place = try Place(deleted)
            guard try row(at: place)["id"] == deleted.member("id") else { throw Mismatch() }
            gone[place.section, default: []].insert(place.index)
        }
        var moved: [JSONObject] = []
        for move in items.member("moved")?.arrayValue ?? [] {
            let place = try Place(move.member("from"))
            moved.append(try row(at: place))
            gone[place.section, default: []].insert(place.index)
        }
        for (section, indexes) in gone {
            sections[section].rows = sections[section].rows.enumerated().filter { !indexes.contains($0.offset) }
                .map(\.element)
        }
        return moved
    }

    private mutating func changeSections(_ parts: JSONValue) throws(Mismatch) {
        var gone: Set<Int> = []
        var placed: [(index: Int, value: Section)] = []
        for deleted in parts.member("deleted")?.arrayValue ?? [] {
            gone.insert(try index(deleted.member("index"), below: sections.count))
        }
        for move in parts.member("moved")?.arrayValue ?? [] {
            let from = try index(move.member("from"), below: sections.count)
            gone.insert(from)
            placed.append((try index(move.member("to"), below: .max), sections[from]))
        }
        for inserted in parts.member("inserted")?.arrayValue ?? [] {
            guard let section = inserted.member("section").flatMap(Section.init) else { throw Mismatch() }
            placed.append((try index(inserted.member("index"), below: .max), section))
        }
        guard !gone.isEmpty || !placed.isEmpty else { return }
        let kept = sections.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        sections = try Self.merge(kept, placed)
    }

    private mutating func putIn(_ items: JSONValue, _ moved: [JSONObject]) throws(Mismatch) {
        var placed: [Int: [(index: Int, value: JSONObject)]] = [:]
        for inserted in items.member("inserted")?.arrayValue ?? [] {
            let place = try Place(inserted)
            guard let item = inserted.member("item")?.objectValue else { throw Mismatch() }
            placed[place.section, default: []].append((place.index, item))
        }
        for (move, item) in zip(items.member("moved")?.arrayValue ?? [], moved) {
            let place = try Place(move.member("to"))
            placed[place.section, default: []].append((place.index, item))
        }
        for (section, rows) in placed {
            guard sections.indices.contains(section) else { throw Mismatch() }
            sections[section].rows = try Self.merge(sections[section].rows, rows)
        }
    }

    private mutating func replaceContents(_ parts: JSONValue, _ items: JSONValue) throws(Mismatch) {
        for changed in parts.member("reconfigured")?.arrayValue ?? [] {
            let index = try index(changed.member("index"), below: sections.count)
            guard let section = changed.member("section").flatMap(Section.init) else { throw Mismatch() }
            sections[index].properties = section.properties
        }
        for changed in parts.member("reloaded")?.arrayValue ?? [] {
            let index = try index(changed.member("index"), below: sections.count)
            guard let section = changed.member("section").flatMap(Section.init) else { throw Mismatch() }
            sections[index] = section
        }
        for part in ["reconfigured", "reloaded"] as [ByteText] {
            for changed in items.member(part)?.arrayValue ?? [] {
                let place = try Place(changed)
                guard let item = changed.member("item")?.objectValue, try row(at: place)["id"] == item["id"] else {
                    throw Mismatch()
                }
                sections[place.section].rows[place.index] = item
            }
        }
    }

    private struct Place {
        let section: Int
        let index: Int

        init(_ value: JSONValue?) throws(Mismatch) {
            guard let section = value?.member("section")?.integerValue, let index = value?.member("index")?.integerValue
            else { throw Mismatch() }
            (self.section, self.index) = (section, index)
        }
    }

    private func row(at place: Place) throws(Mismatch) -> JSONObject {
        guard sections.indices.contains(place.section), sections[place.section].rows.indices.contains(place.index)
        else { throw Mismatch() }
        return sections[place.section].rows[place.index]
    }

    private func index(_ value: JSONValue?, below end: Int) throws(Mismatch) -> Int {
        guard let index = value?.integerValue, index >= 0, index < end else { throw Mismatch() }
        return index
    }

    /// Puts values at their indexes in the result; the others keep their order around them.
    private static func merge<Value>(
        _ kept: [Value], _ placed: [(index: Int, value: Value)]
    ) throws(Mismatch) -> [Value] {
        var result: [Value] = []
        result.reserveCapacity(kept.count + placed.count)
        var rest = kept[...]
        for (index, value) in placed.sorted(by: { $0.index < $1.index }) {
            let count = index - result.count
            guard count >= 0, count <= rest.count else { throw Mismatch() }
            result += rest.prefix(count)
            rest = rest.dropFirst(count)
            result.append(value)
        }
        return result + rest
    }
}
