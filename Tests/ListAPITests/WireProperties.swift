import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

@Suite struct WireProperties {
    static let decoder = WireDecoder(
        limits: WireDecoder.Limits(contentBytesMax: 1 << 16, operationsMax: 10_000), identifier: Harness.identifier())

    /// The server sends a snapshot as a client has put it, with the members that only the server knows.
    @Test(arguments: Soak.seeds(150))
    func servesWhatWasPut(seed: UInt64) throws {
        var strange = StrangeSnapshots(seed: seed)
        let wanted = strange.snapshot()
        let snapshot = try ListSnapshot(putting: text(wanted.bytes))
        guard case .object(var served) = try JSONValue(parsing: snapshot.body(view: .items)) else {
            Issue.record("no object")
            return
        }
        for key in ["id", "version", "counts"] as [ByteText] { served.remove(key) }
        try #require(JSONValue.object(served) == wanted)
    }

    /// A snapshot that the server has sent changes nothing when it is put back, and neither does any of its sections.
    @Test(arguments: Soak.seeds(30), Bias.allCases)
    func putBackChangesNothing(seed: UInt64, bias: Bias) throws {
        var lists = RandomLists(seed: seed, itemIDs: 20, bias: bias)
        let snapshot = ListSnapshot(id: WireChangeTests.list, version: WireChangeTests.from, state: lists.list())
        let body = try Self.decoder.snapshotBody(JSONSlice(checking: snapshot.body(view: .items)), list: snapshot.id)
        try #require(body.base == snapshot.version)
        try #require(edits(.applySnapshot(body.value), on: snapshot.state).isEmpty)
        for section in snapshot.state.sectionHandles {
            let id = snapshot.state[section].id
            let body = try Self.decoder.sectionSnapshotBody(
                JSONSlice(checking: snapshot.body(of: section, view: .items)), section: id, list: snapshot.id)
            try #require(edits(.applySectionSnapshot(body.value), on: snapshot.state).isEmpty)
        }
    }

    private func edits(_ operation: ListModel.Operation, on state: ListState) throws -> [Edit] {
        var (state, log) = (state, TransactionLog())
        try state.apply(operation, rules: .lenient, into: &log)
        return log.edits
    }

    /// A client that reads only JSON stays up to date by change sets alone.
    @Test(arguments: Soak.seeds(30), Bias.allCases)
    func changeSetsLeadAClientAlong(seed: UInt64, bias: Bias) throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, bias: bias)
        var state = lists.list()
        var version = WireChangeTests.from
        for view in [View.items, .visible] {
            var client = try JSONClient(ListSnapshot(id: WireChangeTests.list, version: version, state: state), view)
            for step in 0..<6 {
                let operation = lists.operation(on: state)
                guard let delta = try? state.commit(operation) else { continue }
                let changes = ChangeSet(undoing: delta, to: state, view: view)
                let bytes = changes.body(
                    list: WireChangeTests.list, from: version, to: version.next, view: view, counts: state.counts)
                version = version.next
                try client.apply(JSONValue(parsing: bytes))
                let served = try JSONClient(
                    ListSnapshot(id: WireChangeTests.list, version: version, state: state), view)
                try #require(client == served, "step \(step): \(operation)")
            }
        }
    }
}

/// Snapshots with names and contents that are easy to get wrong. No member has its default value.
struct StrangeSnapshots {
    private var random: SeededGenerator
    private var number = 0
    private static let pieces = [
        "\u{e9}", "e\u{301}", "\"", "\\", "/", "~", "%2F", "😶‍🌫️", "😶🌫️", "\u{2028}", "\u{202e}", "<script>", " ",
        "\u{fffd}",
    ]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func snapshot() -> JSONValue {
        var members: [JSONObject.Member] = [("title", .string(strange()))]
        if random.once(in: 2) { members.append(("layout", layout())) }
        let sections = (0..<random.below(4)).map { _ in section() }
        if !sections.isEmpty { members.append(("sections", .array(sections))) }
        return .object(JSONObject(members))
    }

    private mutating func section() -> JSONValue {
        var members: [JSONObject.Member] = [("id", .string(name()))]
        if random.once(in: 2) { members.append(("title", .string(strange()))) }
        if random.once(in: 3) { members.append(("layout", layout())) }
        if random.once(in: 3) { members.append(("header", random.once(in: 2) ? content() : .string(strange()))) }
        if random.once(in: 3) { members.append(("footer", random.once(in: 2) ? content() : .string(strange()))) }
        if random.once(in: 4) { members.append(("reorderable", false)) }
        let items = items()
        if !items.isEmpty { members.append(("items", .array(items))) }
        return .object(JSONObject(members))
    }

    /// The rows are in depth-first order: the parent of a row is the last row of some level, or there is none.
    private mutating func items() -> [JSONValue] {
        var ancestors: [JSONValue] = []
        return (0..<random.below(7)).map { _ in
            ancestors.removeLast(random.below(ancestors.count + 1))
            let id = JSONValue.string(name())
            var members: [JSONObject.Member] = [("id", id), ("kind", .string(random.pick(["item", "a.B-c_9"])))]
            if let parent = ancestors.last { members.append(("parent", parent)) }
            for flag in ["expanded", "starred"] as [ByteText] where random.once(in: 2) { members.append((flag, true)) }
            if random.once(in: 4) { members.append(("reorderable", false)) }
            members.append(("content", content()))
            ancestors.append(id)
            return .object(JSONObject(members))
        }
    }

    private mutating func content() -> JSONValue {
        let values: [JSONValue] = [
            .null, true, 0, .string(strange()), [], ["a": [1, [2]]],
            JSONNumber(literal: "1.10").map(JSONValue.number) ?? 0,
            JSONNumber(literal: "-0e400").map(JSONValue.number) ?? 0,
        ]
        let members: [JSONObject.Member] = (0..<random.below(4)).map { _ in (ByteText(strange()), random.pick(values)) }
        return .object(JSONObject(members))
    }

    private mutating func layout() -> JSONValue {
        let values: [JSONValue] = [
            ["kind": "orthogonal"], ["kind": "list", "headerMode": "firstItemInSection"],
            ["cells": ["a.B-c_9": ["configuration": "cell", "text": .string("t" + strange())]], "kind": "list"],
            ["kind": "grid", "interGroupSpacing": JSONNumber(literal: "1.10").map(JSONValue.number) ?? 0],
        ]
        return random.pick(values)
    }

    private mutating func strange() -> String {
        (0..<random.below(4)).map { _ in random.pick(Self.pieces) }.joined()
    }

    private mutating func name() -> String {
        number += 1
        return strange() + String(number)
    }
}

/// A client that holds a view as JSON and applies change sets by the rules of docs/contract.md section 5.
private struct JSONClient: Equatable {
    private var title: JSONValue?
    private var layout: JSONValue?
    private var version: JSONValue?
    private var counts: JSONValue?
    /// Sections without their items.
    private var sections: [JSONObject] = []
    private var rows: [[JSONValue]] = []

    init(_ snapshot: ListSnapshot, _ view: View) throws {
        let body = try JSONValue(parsing: snapshot.body(view: view))
        title = body["title"]
        layout = body["layout"]
        version = body["version"]
        counts = body["counts"]
        for section in body["sections"]?.elements ?? [] { append(section, at: sections.count) }
    }

    private mutating func append(_ section: JSONValue, at index: Int) {
        guard case .object(var object) = section else { return }
        rows.insert(object.remove("items")?.elements ?? [], at: index)
        sections.insert(object, at: index)
    }

    mutating func apply(_ changes: JSONValue) throws {
        try #require(changes["from"] == version)
        version = changes["to"]
        counts = changes["counts"]
        title = changes["properties"]?["title"] ?? title
        if let new = changes["properties"]?["layout"] { layout = new == .null ? nil : new }
        let moved = try takeOut(changes["items"])
        try arrange(changes["sections"])
        try place(changes["items"], moved)
        try replace(changes)
    }

    private mutating func takeOut(_ items: JSONValue?) throws -> [JSONValue: JSONValue] {
        var gone: [(section: Int, index: Int)] = []
        var moved: [JSONValue: JSONValue] = [:]
        for entry in items?["deleted"]?.elements ?? [] {
            let path = try entry.path()
            try #require(rows[path.section][path.index]["id"] == entry["id"])
            gone.append(path)
        }
        for entry in items?["moved"]?.elements ?? [] {
            let path = try #require(entry["from"]).path()
            let row = rows[path.section][path.index]
            let id = try #require(entry["id"])
            try #require(row["id"] == id)
            moved[id] = row
            gone.append(path)
        }
        for path in gone.sorted(by: { $0 > $1 }) { rows[path.section].remove(at: path.index) }
        return moved
    }

    private mutating func arrange(_ changes: JSONValue?) throws {
        var moved: [JSONValue: (JSONObject, [JSONValue])] = [:]
        var gone: [Int] = []
        for entry in changes?["deleted"]?.elements ?? [] {
            let index = try #require(entry["index"]?.integer)
            try #require(sections[index]["id"] == entry["id"])
            gone.append(index)
        }
        for entry in changes?["moved"]?.elements ?? [] {
            let index = try #require(entry["from"]?.integer)
            let id = try #require(entry["id"])
            try #require(sections[index]["id"] == id)
            moved[id] = (sections[index], rows[index])
            gone.append(index)
        }
        for index in gone.sorted(by: >) {
            sections.remove(at: index)
            rows.remove(at: index)
        }
        let arrivals =
            try (changes?["inserted"]?.elements ?? []).map { (try #require($0["index"]?.integer), $0) }
            + (changes?["moved"]?.elements ?? []).map { (try #require($0["to"]?.integer), $0) }
        for (index, entry) in arrivals.sorted(by: { $0.0 < $1.0 }) {
            try #require((0...sections.count).contains(index))
            if let section = entry["section"] {
                append(section, at: index)
            } else if let id = entry["id"], let section = moved[id] {
                sections.insert(section.0, at: index)
                rows.insert(section.1, at: index)
            }
        }
    }

    private mutating func place(_ items: JSONValue?, _ moved: [JSONValue: JSONValue]) throws {
        let arrivals =
            try (items?["inserted"]?.elements ?? []).map { (try $0.path(), try #require($0["item"])) }
            + (items?["moved"]?.elements ?? []).map { entry in
                (try #require(entry["to"]).path(), try #require(entry["id"].flatMap { moved[$0] }))
            }
        for (path, row) in arrivals.sorted(by: { $0.0 < $1.0 }) {
            try #require(rows.indices.contains(path.section) && (0...rows[path.section].count).contains(path.index))
            rows[path.section].insert(row, at: path.index)
        }
    }

    private mutating func replace(_ changes: JSONValue) throws {
        for entry in (changes["items"]?["reconfigured"]?.elements ?? [])
            + (changes["items"]?["reloaded"]?.elements ?? [])
        {
            let path = try entry.path()
            try #require(rows[path.section][path.index]["id"] == entry["item"]?["id"])
            rows[path.section][path.index] = try #require(entry["item"])
        }
        for entry in changes["sections"]?["reconfigured"]?.elements ?? [] {
            guard case .object(let section)? = entry["section"] else { continue }
            sections[try #require(entry["index"]?.integer)] = section
        }
        for entry in changes["sections"]?["reloaded"]?.elements ?? [] {
            let index = try #require(entry["index"]?.integer)
            sections.remove(at: index)
            rows.remove(at: index)
            append(try #require(entry["section"]), at: index)
        }
    }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    fileprivate var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return number.integer
    }

    fileprivate func path() throws -> (section: Int, index: Int) {
        (try #require(self["section"]?.integer), try #require(self["index"]?.integer))
    }
}
