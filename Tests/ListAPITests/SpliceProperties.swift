import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// A body that is put together from older bytes equals, byte for byte, the body that is written value by value.
@Suite struct SpliceProperties {
    private static let list = ListID("l")!

    @Test(arguments: Soak.seeds(60))
    func strangeNamesAndContents(seed: UInt64) throws {
        var strange = StrangeSnapshots(seed: seed)
        try compare(ListSnapshot(putting: text(strange.snapshot().bytes)))
    }

    /// The bodies are compared after each of many writes. Some items were written before and some are new.
    @Test(arguments: UInt64(1)...10, Bias.allCases)
    func randomHistories(seed: UInt64, bias: Bias) throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, bias: bias)
        var state = lists.list()
        var version = Version(epoch: "e1", revision: 1)
        for _ in 0..<8 {
            guard let delta = try? state.commit(lists.operation(on: state)) else { continue }
            let next = version.next
            for view in [View.items, .visible] {
                let changes = ChangeSet(undoing: delta, to: state, view: view)
                let body = changes.body(list: Self.list, from: version, to: next, view: view, counts: state.counts)
                try compare(JSONValue(parsing: body), changes, view)
            }
            version = next
            try compare(ListSnapshot(id: Self.list, version: version, state: state))
        }
    }

    private func compare(_ snapshot: ListSnapshot) throws {
        for view in [View.items, .visible] {
            try #require(text(snapshot.body(view: view)) == text(reference(snapshot, view).bytes))
            for section in snapshot.state.sectionHandles {
                let expected = reference(snapshot, section: section, view)
                try #require(text(snapshot.body(of: section, view: view)) == text(expected.bytes))
            }
        }
        for row in snapshot.state.sectionHandles.flatMap({ snapshot.state.rows(of: $0) }) {
            try #require(text(snapshot.body(of: row)) == text(reference(snapshot, item: row).bytes))
        }
        let reset = Catchup.reset(snapshot).body(list: Self.list, RowQuery(.items))
        let shared = resetBody(list: Self.list, to: snapshot.version, snapshot: snapshot.body(view: .items))
        try #require(text(reset) == text(shared))
    }

    /// The parser keeps the order of members and the digits of numbers, so bytes can be compared.
    private func compare(_ body: JSONValue, _ changes: ChangeSet, _ view: View) throws {
        for (name, entries) in [
            ("inserted", changes.items.inserted), ("reconfigured", changes.items.reconfigured),
            ("reloaded", changes.items.reloaded),
        ] {
            for (index, entry) in entries.enumerated() {
                let item = try #require(body["items"]?[name]?[index]?["item"])
                try #require(text(item.bytes) == text(reference(entry.row, view).bytes))
            }
        }
        for (name, entries) in [("inserted", changes.sections.inserted), ("reloaded", changes.sections.reloaded)] {
            for (index, entry) in entries.enumerated() {
                let items = try #require(body["sections"]?[name]?[index]?["section"]?["items"])
                try #require(text(items.bytes) == text(reference(entry.section.items, view).bytes))
            }
        }
    }
}

// MARK: - The oracle: values are made first and then written

private func reference(_ row: ItemRow, _ view: View) -> JSONValue { .object(JSONObject(members(row, view))) }

private func reference(_ rows: [ItemRow], _ view: View) -> JSONValue { .array(rows.map { reference($0, view) }) }

private func members(_ row: ItemRow, _ view: View) -> [JSONObject.Member] {
    var members: [JSONObject.Member] = [("id", .string(row.item.id.rawValue)), ("kind", .string(row.item.kind))]
    if let parent = row.parent { members.append(("parent", .string(parent.rawValue))) }
    if row.item.isExpanded { members.append(("expanded", true)) }
    if row.item.isStarred { members.append(("starred", true)) }
    if !row.item.isReorderable { members.append(("reorderable", false)) }
    if view == .visible {
        members.append(("level", .integer(row.level)))
        if row.childCount > 0 { members.append(("childCount", .integer(row.childCount))) }
    }
    return members + [("content", row.item.content.value)]
}

private func members(_ properties: SectionProperties) -> [JSONObject.Member] {
    var members: [JSONObject.Member] = [("id", .string(properties.id.rawValue))]
    if let title = properties.title { members.append(("title", .string(title))) }
    if let layout = properties.layout { members.append(("layout", layout.value)) }
    if let header = properties.header { members.append(("header", header.value)) }
    if let footer = properties.footer { members.append(("footer", footer.value)) }
    if !properties.isReorderable { members.append(("reorderable", false)) }
    return members
}

private func reference(_ snapshot: ListSnapshot, _ view: View) -> JSONValue {
    let state = snapshot.state
    let counts: JSONValue = [
        "sections": .integer(state.sectionCount), "items": .integer(state.itemCount),
        "visibleItems": .integer(state.visibleItemCount),
    ]
    var all: [JSONObject.Member] = [
        ("id", .string(snapshot.id.rawValue)), ("title", .string(state.properties.title)),
        ("version", .string("\(snapshot.version)")), ("counts", counts),
    ]
    if view == .visible { all.append(("partial", true)) }
    if let layout = state.properties.layout { all.append(("layout", layout.value)) }
    let sections = state.sectionHandles.map { handle in
        let rows = state.sectionRows(of: handle, view: view)
        let items: [JSONObject.Member] = rows.items.isEmpty ? [] : [("items" as ByteText, reference(rows.items, view))]
        return JSONValue.object(JSONObject(members(rows.properties) + items))
    }
    if !sections.isEmpty { all.append(("sections", .array(sections))) }
    return .object(JSONObject(all))
}

private func reference(_ snapshot: ListSnapshot, section: SectionHandle, _ view: View) -> JSONValue {
    let rows = snapshot.state.sectionRows(of: section, view: view)
    var all = members(rows.properties)
    all += [("list", .string(snapshot.id.rawValue)), ("version", .string("\(snapshot.version)"))]
    if view == .visible { all.append(("partial", true)) }
    if !rows.items.isEmpty { all.append(("items", reference(rows.items, view))) }
    return .object(JSONObject(all))
}

private func reference(_ snapshot: ListSnapshot, item: ItemHandle) -> JSONValue {
    let state = snapshot.state
    var all = members(state.row(item), .items)
    all += [("list", .string(snapshot.id.rawValue)), ("version", .string("\(snapshot.version)"))]
    if let section = state.section(of: item), let index = state.index(of: item) {
        all += [("section", .string(state[section].id.rawValue)), ("index", .integer(index))]
    }
    return .object(JSONObject(all))
}
