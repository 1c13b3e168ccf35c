import JSONValue
import TestSupport

/// Random writes.
extension ListWriter {
    static let start: JSONValue = [
        "title": "L",
        "sections": .array(
            ["a", "b", "c"].map { section in
                let items: [JSONValue] = (1...4).map { ["id": .string("\(section)\($0)"), "kind": "k"] }
                return ["id": .string(section), "items": .array(items)]
            }),
    ]

    /// A write with a key of its own: a star, a restoration, or a few operations.
    mutating func nextWrite(_ list: String, _ known: Knowledge) -> KeyedWrite {
        writeCount += 1
        let key = "\(name)-\(writeCount)"
        let isConditional = generator.once(in: 4)
        let match = isConditional ? known.versions.last : nil
        if !known.items.isEmpty, generator.below(10) < 4 {
            let item = generator.pick(known.items)
            return KeyedWrite(
                list: list, key: key, method: "POST", target: "/v1/lists/\(list)/items/\(item)/star", match: match,
                toggled: item)
        }
        if !known.versions.isEmpty, generator.once(in: 16) { return restoration(list, key, known, match: match) }
        let operations = (0...generator.below(3)).map { operation($0, known) }
        var members: [JSONObject.Member] = [("operations", .array(operations)), ("label", .string(key))]
        let base = isConditional ? nil : base(known)
        if let base { members.append(("base", .string(base))) }
        return KeyedWrite(
            list: list, key: key, method: "POST", target: "/v1/lists/\(list)/transactions",
            body: .object(JSONObject(members)), match: match, base: base)
    }

    private mutating func restoration(
        _ list: String, _ key: String, _ known: Knowledge, match: String?
    ) -> KeyedWrite {
        let version = generator.pick(known.versions)
        return KeyedWrite(
            list: list, key: key, method: "POST", target: "/v1/lists/\(list)/restore",
            body: ["version": .string(version), "label": .string(key)], match: match, restored: version)
    }

    /// A write that takes long to store but has a short answer: the items are inserted and deleted again, so nothing
    /// has changed.
    mutating func largeWrite(_ list: String, _ known: Knowledge) -> KeyedWrite {
        var write = nextWrite(list, Knowledge())
        let content: JSONValue = ["text": .string(String(repeating: "x", count: 60_000))]
        let items: [JSONValue] = (0..<12).map { number in
            ["id": .string("\(write.key)-\(number)"), "kind": "k", "content": content]
        }
        let passing: [JSONValue] = [
            ["op": "appendItems", "items": .array(items), "section": "a"],
            ["op": "deleteItems", "items": .array(items.compactMap { $0["id"] })],
        ]
        write.body = ["operations": .array(passing + [operation(0, known)])]
        return write
    }

    /// The base of a write: none, the version of the last reading, or one that is probably stale.
    private mutating func base(_ known: Knowledge) -> String? {
        switch generator.below(3) {
        case 0: nil
        case 1: known.read
        default: known.versions.isEmpty ? nil : generator.pick(known.versions)
        }
    }

    private mutating func operation(_ index: Int, _ known: Knowledge) -> JSONValue {
        let newID: JSONValue = .string("\(name).\(writeCount).\(index)")
        let section: JSONValue = .string(known.sections.isEmpty ? "a" : generator.pick(known.sections))
        guard known.items.count >= 8 else {
            return ["op": "appendItems", "items": [newItem(newID)], "section": section]
        }
        let item: JSONValue = .string(generator.pick(known.items))
        let other: JSONValue = .string(generator.pick(known.items))
        let both: JSONValue = item == other ? [item] : [item, other]
        let isFull = known.items.count > 30
        switch generator.below(20) {
        case 0..<4: return ["op": "moveItem", "item": item, "after": other]
        case 4..<6: return ["op": "moveItem", "item": item, "before": other]
        case 6: return ["op": "moveItem", "item": item, "section": section, "at": "first"]
        case 7: return ["op": "moveItem", "item": item, "parent": other]
        case 8..<11: return ["op": "deleteItems", "items": [item]]
        case 11..<14 where isFull: return ["op": "deleteItems", "items": both]
        case 11..<14: return ["op": "insertItems", "items": [newItem(newID)], "before": other]
        case 14: return ["op": "appendItems", "items": [newItem(newID)], "parent": other]
        case 15: return ["op": "updateItem", "item": item, "content": ["n": .integer(writeCount)], "merge": true]
        case 16: return ["op": "starItems", "items": both]
        case 17: return ["op": "moveSection", "section": section, "before": "a"]
        case 18: return ["op": "updateList", "title": newID]
        default: return sections(newID, known)
        }
    }

    private func newItem(_ id: JSONValue) -> JSONValue {
        ["id": id, "kind": "k", "content": ["n": .integer(writeCount)]]
    }

    /// Inserts a section, or deletes one that was inserted here.
    private mutating func sections(_ newID: JSONValue, _ known: Knowledge) -> JSONValue {
        let extra = known.sections.filter { $0.contains(".") }
        guard extra.count > 2 else {
            let section: JSONValue = ["id": newID, "title": "T", "items": [newItem(newID)]]
            return ["op": "insertSections", "sections": [section], "after": "a"]
        }
        return ["op": "deleteSections", "sections": [.string(generator.pick(extra))]]
    }
}
