public import JSONValue

/// A list as the server shows it. Change sets can be replayed on it (docs/contract.md section 5, view `items`).
public struct JSONList: Equatable, Sendable {
    public struct Section: Equatable, Sendable {
        /// Every member of the section except `items`.
        public var properties: JSONObject
        public var items: [JSONValue]

        init(_ section: JSONValue) {
            properties = JSONObject(section.members.filter { $0.key != "items" })
            items = section["items"]?.elements ?? []
        }

        public var id: String { properties["id"]?.string ?? "" }
    }

    /// The members of the list itself: `title`, `layout` and `counts`, and of a window `start` and `total`.
    public var properties: JSONObject
    public var sections: [Section]

    /// The reason why a change set cannot be applied.
    public struct Mismatch: Error, CustomStringConvertible {
        public let description: String
    }

    /// Reads a snapshot, without its version and the member `partial`.
    public init(snapshot: JSONValue) {
        let others: Set<ByteText> = ["id", "version", "partial", "sections"]
        properties = JSONObject(snapshot.members.filter { !others.contains($0.key) })
        sections = snapshot["sections"]?.elements.map(Section.init) ?? []
    }

    public func item(_ id: String) -> JSONValue? {
        sections.lazy.flatMap(\.items).first { $0["id"]?.string == id }
    }

    /// The list after a change set or a reset. A change set is read as strictly as a batch update reads it.
    ///
    /// - Throws: `Mismatch` if an index is out of range, used twice or out of order, if an id does not stand at its
    ///   index, if a member is unknown or empty, or if the counts do not add up.
    public func applying(_ change: JSONValue) throws -> JSONList {
        if let snapshot = change["snapshot"] { return JSONList(snapshot: snapshot) }
        var result = self
        for (name, value) in change["properties"]?.members ?? [] {
            if value == .null { result.properties.remove(name) } else { result.properties.set(value, for: name) }
        }
        for name in ["counts", "start", "total"] {
            if let value = change[name] { result.properties.set(value, for: name) }
        }
        var replay = JSONReplay(
            sections, try Parts(change["sections"]), try Parts(change["items"]))
        result.sections = try replay.run()
        return result
    }
}

/// The five lists of one half of a change set.
private struct Parts {
    var deleted: [JSONValue] = []
    var inserted: [JSONValue] = []
    var moved: [JSONValue] = []
    var reconfigured: [JSONValue] = []
    var reloaded: [JSONValue] = []

    init(_ parts: JSONValue?) throws {
        for (name, value) in parts?.members ?? [] {
            guard !value.elements.isEmpty else { throw JSONList.Mismatch(description: "\(name) is empty") }
            switch name {
            case "deleted": deleted = value.elements
            case "inserted": inserted = value.elements
            case "moved": moved = value.elements
            case "reconfigured": reconfigured = value.elements
            case "reloaded": reloaded = value.elements
            default: throw JSONList.Mismatch(description: "\(name) is no part of a change set")
            }
        }
    }
}

private struct Place: Hashable, Comparable {
    var section: Int
    var index: Int

    static func < (left: Place, right: Place) -> Bool { (left.section, left.index) < (right.section, right.index) }
}

private struct JSONReplay {
    let old: [JSONList.Section]
    let sections: Parts
    let items: Parts
    /// The rows that are left of each old section; nil for a row that was taken.
    var remaining: [[JSONValue?]]
    var travelling: [JSONValue] = []

    init(_ old: [JSONList.Section], _ sections: Parts, _ items: Parts) {
        self.old = old
        self.sections = sections
        self.items = items
        remaining = old.map { $0.items.map(Optional.some) }
    }

    /// Applies the parts in the order of docs/contract.md section 5, rule 6.
    mutating func run() throws -> [JSONList.Section] {
        try takeOut()
        var (result, isInserted) = try placeSections()
        try placeItems(in: &result, isInserted)
        try updateSections(&result, isInserted)
        try updateItems(&result, isInserted)
        return result
    }

    private mutating func takeOut() throws {
        let dying = Set(try sections.deleted.map { try index($0) })
        func source(_ entry: JSONValue, _ place: Place) throws {
            try require(!dying.contains(place.section), "an item of a deleted section is listed", entry)
        }
        let places = try items.deleted.map { try place($0) }
        try requireAscending(places.reversed())
        for (entry, place) in zip(items.deleted, places) {
            try source(entry, place)
            _ = try take(entry, at: place)
        }
        for entry in items.moved {
            let place = try place(entry["from"] ?? .null)
            try source(entry, place)
            travelling.append(try take(entry, at: place))
        }
    }

    private mutating func take(_ entry: JSONValue, at place: Place) throws -> JSONValue {
        guard remaining.indices.contains(place.section), remaining[place.section].indices.contains(place.index),
            let item = remaining[place.section][place.index], item["id"] == entry["id"]
        else { throw mismatch("this item is not there", entry) }
        remaining[place.section][place.index] = nil
        return item
    }

    private func placeSections() throws -> ([JSONList.Section], isInserted: [Bool]) {
        var rest: [JSONList.Section?] = zip(old, remaining).map { section, items in
            var section = section
            section.items = items.compactMap { $0 }
            return section
        }
        func take(_ entry: JSONValue, at index: Int) throws -> JSONList.Section {
            guard rest.indices.contains(index), let section = rest[index], section.id == entry["id"]?.string else {
                throw mismatch("this section is not there", entry)
            }
            rest[index] = nil
            return section
        }
        try requireAscending(try sections.deleted.map { try index($0) }.reversed())
        for entry in sections.deleted { _ = try take(entry, at: try index(entry)) }
        var placed: [Int: JSONList.Section] = [:]
        func place(_ section: JSONList.Section, at index: Int, _ entry: JSONValue) throws {
            try require(placed.updateValue(section, forKey: index) == nil, "two sections have this index", entry)
        }
        let inserted = try sections.inserted.map { try index($0) }
        let targets = try sections.moved.map { try index($0, "to") }
        try requireAscending(inserted)
        try requireAscending(targets)
        for (entry, target) in zip(sections.moved, targets) {
            try place(try take(entry, at: try index(entry, "from")), at: target, entry)
        }
        for (entry, target) in zip(sections.inserted, inserted) {
            try place(JSONList.Section(entry["section"] ?? .null), at: target, entry)
        }
        let result = try fill(placed, rest.compactMap { $0 })
        return (result, result.indices.map(inserted.contains))
    }

    private func placeItems(in result: inout [JSONList.Section], _ isInserted: [Bool]) throws {
        let targets = try items.moved.map { try place($0["to"] ?? .null) }
        let inserted = try items.inserted.map { try place($0) }
        try requireAscending(targets)
        try requireAscending(inserted)
        var placed: [[Int: JSONValue]] = result.map { _ in [:] }
        let arriving =
            zip(targets, travelling).map { ($0, $1) } + zip(inserted, items.inserted.map { $0["item"] ?? .null })
        for (place, item) in arriving {
            guard result.indices.contains(place.section), !isInserted[place.section] else {
                throw mismatch("no section takes this item", item)
            }
            let other = placed[place.section].updateValue(item, forKey: place.index)
            try require(other == nil, "two items have this place", item)
        }
        for section in result.indices where !placed[section].isEmpty {
            result[section].items = try fill(placed[section], result[section].items)
        }
    }

    private func updateSections(_ result: inout [JSONList.Section], _ isInserted: [Bool]) throws {
        try requireAscending(try sections.reconfigured.map { try index($0) })
        try requireAscending(try sections.reloaded.map { try index($0) })
        var isSeen = isInserted
        for (entries, isWhole) in [(sections.reconfigured, false), (sections.reloaded, true)] {
            for entry in entries {
                let index = try index(entry)
                let section = JSONList.Section(entry["section"] ?? .null)
                guard result.indices.contains(index), !isSeen[index], result[index].id == section.id else {
                    throw mismatch("this is not the section to update", entry)
                }
                isSeen[index] = true
                result[index].properties = section.properties
                guard isWhole else { continue }
                let same = result[index].items.map { $0["id"] } == section.items.map { $0["id"] }
                try require(same, "a reload holds other items", entry)
                result[index].items = section.items
            }
        }
    }

    private func updateItems(_ result: inout [JSONList.Section], _ isInserted: [Bool]) throws {
        let reloaded = Set(try sections.reloaded.map { try index($0) })
        var seen = Set(try items.inserted.map { try place($0) })
        for entries in [items.reconfigured, items.reloaded] {
            try requireAscending(try entries.map { try place($0) })
            for entry in entries {
                let place = try place(entry)
                guard let item = entry["item"], result.indices.contains(place.section),
                    result[place.section].items.indices.contains(place.index), seen.insert(place).inserted,
                    !isInserted[place.section], !reloaded.contains(place.section),
                    result[place.section].items[place.index]["id"] == item["id"]
                else { throw mismatch("this is not the item to update", entry) }
                result[place.section].items[place.index] = item
            }
        }
    }
}

private func mismatch(_ what: String, _ entry: JSONValue) -> JSONList.Mismatch {
    JSONList.Mismatch(description: "\(what): \(entry.text)")
}

private func require(_ condition: Bool, _ what: String, _ entry: JSONValue) throws {
    guard condition else { throw mismatch(what, entry) }
}

private func index(_ entry: JSONValue, _ name: String = "index") throws -> Int {
    guard let index = entry[name]?.integer else { throw mismatch("no \(name)", entry) }
    return index
}

private func place(_ entry: JSONValue) throws -> Place {
    Place(section: try index(entry, "section"), index: try index(entry))
}

private func requireAscending<Element: Comparable>(_ elements: [Element]) throws {
    guard zip(elements, elements.dropFirst()).allSatisfy(<) else {
        throw JSONList.Mismatch(description: "not in ascending order: \(elements)")
    }
}

/// Places elements at their indexes, and fills the gaps with the others in order.
private func fill<Element>(_ placed: [Int: Element], _ others: [Element]) throws -> [Element] {
    var rest = others[...]
    return try (0..<placed.count + others.count).map { index in
        guard let element = placed[index] ?? rest.popFirst() else {
            throw JSONList.Mismatch(description: "nothing is placed at \(index)")
        }
        return element
    }
}
