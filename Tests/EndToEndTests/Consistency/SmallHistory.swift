import JSONValue
import TestSupport

/// A correct history of one list, made by hand. Tests spoil it in one place.
struct SmallHistory {
    static let list = "l"

    var history = History()
    private var tick = 0

    /// Revisions 1 to 5 of `[a b c]`: `a` moves behind `b`, `b` is starred, a write has a stale base, and another one
    /// requires an exact version. Meanwhile the list is read and followed.
    init() {
        history.starts[Self.list] = Self.snapshot(1, ["a", "b", "c"])
        write(key: "move", to: 2, [Self.move("a", after: "b")], ["items": ["moved": [Self.moved("a", 0, 1)]]])
        read(Self.snapshot(2, ["b", "a", "c"]))
        write(
            key: "star", to: 3, [], ["items": ["reconfigured": [Self.placed(0, Self.item("b", starred: true))]]],
            toggled: "b")
        write(
            key: "stale", to: 4, [Self.move("c", before: "b")], ["items": ["moved": [Self.moved("c", 2, 0)]]],
            base: "e-2",
            missed: Self.change(2, 3, ["items": ["reconfigured": [Self.placed(0, Self.item("b", starred: true))]]]))
        write(key: "exact", to: 5, [["op": "updateList", "title": "T"]], ["properties": ["title": "T"]], match: "e-4")
        read(
            Self.change(4, 5, ["properties": ["title": "T"]]), since: "e-4")
        history.ends[Self.list] = Self.snapshot(5, ["c", "b*", "a"], title: "T")
        // The last write is sent twice. The second answer repeats the first.
        repeatLast()
        history.watches = [Watch(list: Self.list, entries: entries)]
    }

    private var entries: [Watch.Entry] {
        let reset: JSONValue = [
            "list": "l", "to": "e-1", "view": "items", "reset": true, "snapshot": Self.snapshot(1, ["a", "b", "c"]),
        ]
        let events = history.writes.compactMap { write -> Watch.Entry? in
            guard let changes = write.acknowledgement?.body["changes"], let to = changes["to"]?.string else {
                return nil
            }
            return .event(name: "change", id: to, data: changes)
        }
        return [.connected(lastEventID: ""), .event(name: "reset", id: "e-1", data: reset)] + events.prefix(2)
            + [.connected(lastEventID: "e-3")] + events.dropFirst(2)
    }

    // MARK: What happens

    mutating func span() -> Span {
        tick += 2
        return Span(start: tick - 1, end: tick)
    }

    private mutating func write(
        key: String, to revision: Int, _ operations: [JSONValue], _ parts: JSONObject, match: String? = nil,
        base: String? = nil, toggled: String? = nil, missed: JSONValue? = nil
    ) {
        var members = JSONObject([
            ("version", .string("e-\(revision)")), ("changed", true),
            ("operations", .array((toggled == nil ? operations : [.null]).map { _ in ["status": "applied"] })),
            ("changes", Self.change(revision - 1, revision, parts)),
        ])
        if let missed { members.set(missed, for: "missed") }
        let answer = KeyedWrite.Answer(status: 200, body: .object(members))
        history.writes.append(
            KeyedWrite(
                list: Self.list, key: key, method: "POST", target: "/", body: ["operations": .array(operations)],
                match: match, base: base, toggled: toggled, tries: [KeyedWrite.Try(span: span(), answer: answer)]))
    }

    private mutating func repeatLast() {
        guard var again = history.writes.last?.acknowledgement else { return }
        again.isReplay = true
        let span = span()
        history.writes[history.writes.count - 1].tries.append(KeyedWrite.Try(span: span, answer: again))
    }

    private mutating func read(_ answer: JSONValue, since: String? = nil) {
        let span = span()
        history.reads.append(Reading(list: Self.list, span: span, answer: answer, since: since))
    }

    // MARK: As the wire has it

    static func item(_ id: String, starred: Bool = false) -> JSONValue {
        let item: JSONValue = ["id": .string(id), "kind": "k", "content": [:]]
        return starred ? .object(JSONObject(item.members + [(key: "starred", value: true)])) : item
    }

    /// - Parameter items: A `*` behind an id is a star.
    static func snapshot(_ revision: Int, _ items: [String], title: String = "L") -> JSONValue {
        let rows = items.map { item($0.replacing("*", with: ""), starred: $0.hasSuffix("*")) }
        return [
            "id": "l", "title": .string(title), "version": .string("e-\(revision)"),
            "sections": [["id": "s", "items": .array(rows)]],
        ]
    }

    static func change(_ from: Int, _ to: Int, _ parts: JSONObject) -> JSONValue {
        let ends: [JSONObject.Member] = [
            ("list", "l"), ("from", .string("e-\(from)")), ("to", .string("e-\(to)")), ("view", "items"),
        ]
        return .object(JSONObject(ends + parts.members))
    }

    static func move(_ item: JSONValue, after anchor: JSONValue) -> JSONValue {
        ["op": "moveItem", "item": item, "after": anchor]
    }

    static func move(_ item: JSONValue, before anchor: JSONValue) -> JSONValue {
        ["op": "moveItem", "item": item, "before": anchor]
    }

    static func moved(_ id: JSONValue, _ from: Int, _ to: Int) -> JSONValue {
        [
            "id": id, "from": ["section": 0, "index": .integer(from)], "to": ["section": 0, "index": .integer(to)],
        ]
    }

    static func placed(_ index: Int, _ item: JSONValue) -> JSONValue {
        ["section": 0, "index": .integer(index), "item": item]
    }
}
