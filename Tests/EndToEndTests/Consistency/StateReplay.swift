import JSONValue
import TestSupport

/// The states of a list at all versions, computed from the answers to the writes that made them.
struct StateReplay {
    let list: String
    let epoch: String
    /// The states by revision. A state is missing if the write that made it is not known, until a reading of a later
    /// version supplies one.
    private(set) var known: [Int: JSONList] = [:]
    private(set) var violations: [Violation] = []
    private let reads: [Int: JSONList]
    private let first: Int

    init(list: String, start: JSONValue, reads: [Reading]) {
        self.list = list
        let version = WireVersion(start["version"]?.string)
        epoch = version?.epoch ?? ""
        first = version?.revision ?? 1
        known[first] = JSONList(snapshot: start)
        var snapshots: [Int: JSONList] = [:]
        for read in reads where read.since == nil {
            guard let version = read.version else { continue }
            snapshots[version.revision] = JSONList(snapshot: read.answer)
        }
        self.reads = snapshots
    }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, text)) }

    /// Replays the change set of every version. It must lead to the state that the operations asked for, and in the end
    /// to `end`.
    ///
    /// - Parameter end: The list at the end; nil if it is not known.
    mutating func run(_ owners: [Int: KeyedWrite], to last: Int, end: JSONValue?) {
        for revision in first + 1..<last + 1 {
            known[revision] = next(after: known[revision - 1], owners[revision]) ?? reads[revision]
        }
        guard let end, let state = known[last], state != JSONList(snapshot: end) else { return }
        violate(.wrong, "the answers for \(list) do not replay to \(end.text)")
    }

    /// The next state; nil if it cannot be computed.
    private mutating func next(after old: JSONList?, _ write: KeyedWrite?) -> JSONList? {
        guard let old, let write, let answer = write.acknowledgement, let changes = answer.body["changes"] else {
            return nil
        }
        do {
            let new = try old.applying(changes)
            checkAsked(write, answer, old, new)
            return new
        } catch {
            violate(.wrong, "\(list), \(write.key): \(error)")
            return nil
        }
    }

    private mutating func checkAsked(_ write: KeyedWrite, _ answer: KeyedWrite.Answer, _ old: JSONList, _ new: JSONList)
    {
        checkCounts(write, new)
        if let item = write.toggled {
            guard Self.asked([["op": "toggle", "item": .string(item)]], of: old).isSame(as: new) else {
                return violate(.notJustToggled, "\(write.key) did not just toggle \(item): \(answer.body.text)")
            }
            return
        }
        if let restored = write.restored {
            guard let wanted = WireVersion(restored).flatMap({ known[$0.revision] }), !wanted.isSame(as: new) else {
                return
            }
            return violate(.wrong, "\(write.key) did not restore \(restored): \(answer.body.text)")
        }
        if write.operations.allSatisfy({ $0["op"] == "moveItem" || $0["op"] == "moveSection" }),
            Self.contents(old) != Self.contents(new)
        {
            return violate(.wrong, "\(write.key) did not just move: \(answer.body.text)")
        }
        let outcomes = answer.body["operations"]?.elements ?? []
        guard outcomes.allSatisfy({ $0["status"] == "applied" }),
            !Self.asked(write.operations, of: old).isSame(as: new)
        else { return }
        violate(.wrong, "\(write.key) did not do \(write.body?.text ?? ""): \(answer.body.text)")
    }

    /// Checks the counts of sections and items. The count of visible items is not checked, because the answer does not
    /// tell which rows are collapsed.
    private mutating func checkCounts(_ write: KeyedWrite, _ new: JSONList) {
        guard let counts = new.properties["counts"] else { return }
        let items = new.sections.reduce(0) { $0 + $1.items.count }
        guard counts["sections"]?.integer != new.sections.count || counts["items"]?.integer != items else { return }
        violate(.wrong, "\(write.key) left \(items) items in \(new.sections.count) sections: \(counts.text)")
    }

    private static func asked(_ operations: [JSONValue], of old: JSONList) -> JSONList {
        var asked = AskedList(old)
        for operation in operations { asked.apply(operation) }
        return asked.list
    }

    /// The contents of a list, wherever their items stand.
    private static func contents(_ list: JSONList) -> [JSONValue: Int] {
        list.sections.flatMap(\.items).reduce(into: [:]) { contents, item in
            var members = JSONObject(item.members)
            members.remove("parent")
            contents[.object(members), default: 0] += 1
        }
    }
}

extension JSONList {
    /// Whether both lists are equal except for their counts, which no operation asks for.
    fileprivate func isSame(as other: JSONList) -> Bool {
        var (one, other) = (self, other)
        one.properties.remove("counts")
        other.properties.remove("counts")
        return one == other
    }
}
