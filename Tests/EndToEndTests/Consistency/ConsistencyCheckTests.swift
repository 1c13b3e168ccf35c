import JSONValue
import TestSupport
import Testing

/// A history that is spoiled in one place is found by the check for that place.
@Suite struct ConsistencyCheckTests {
    struct Spoiled: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kinds: Set<Violation.Kind>
        let spoil: @Sendable (inout History) -> Void

        init(_ what: String, _ kinds: Set<Violation.Kind>, _ spoil: @escaping @Sendable (inout History) -> Void) {
            (testDescription, self.kinds, self.spoil) = (what, kinds, spoil)
        }
    }

    @Test func findsNothingInOrder() {
        let check = ConsistencyCheck.run(SmallHistory().history)
        #expect(check.violations.isEmpty)
        #expect(check.stateCount == 5)
    }

    /// Checks 1 and 2: versions.
    static let versions = [
        Spoiled("the list is back at a version before the last acknowledged one", [.lost, .unseen]) {
            $0.ends["l"] = SmallHistory.snapshot(4, ["c", "b*", "a"])
        },
        Spoiled("the list is in another epoch", [.lost]) {
            $0.ends["l"]?.set("x-5", at: "version")
        },
        Spoiled("the server did not come back, and nothing else is wrong", []) { $0.ends = [:] },
        Spoiled("the server did not come back, and a version belongs to nobody", [.gap]) { history in
            history.ends = [:]
            history.writes.remove(at: 0)
        },
        Spoiled("a version belongs to two keys", [.doubled]) { history in
            var other = history.writes[1]
            other = KeyedWrite(list: "l", key: "other", method: "POST", target: "/", tries: other.tries)
            history.writes.append(other)
        },
        Spoiled("a version belongs to nobody", [.gap]) { $0.writes.remove(at: 0) },
        Spoiled("a version belongs to one whose answer was lost", []) { history in
            let span = history.writes[0].tries[0].span
            history.writes[0].tries = [KeyedWrite.Try(span: span)]
            history.writes[0].tries.append(refusal(span))
        },
        Spoiled("a version belongs to one who was refused", [.gap]) { history in
            history.writes[0].tries = [refusal(history.writes[0].tries[0].span)]
        },
        Spoiled("a version is skipped", [.gap]) { history in
            history.writes[3].setAnswer("e-5", at: "version")
            history.writes[3].setAnswer("e-3", at: "changes", "from")
        },
    ]

    /// Checks 3 to 5: the effects of writes. If an answer leads to a wrong state, the reads that saw the right state
    /// are found too.
    static let effects = [
        Spoiled("one meant for an older version was done", [.unconditional]) { $0.writes[3].match = "e-3" },
        Spoiled("one with a stale base was told nothing", [.unconditional]) {
            $0.writes[2].setAnswer(nil, at: "missed")
        },
        Spoiled("one with a stale base was told something else", [.unconditional]) {
            $0.writes[2].setAnswer(SmallHistory.change(2, 3, [:]), at: "missed")
        },
        Spoiled("one that knew the head was told what it missed", [.unconditional]) {
            $0.writes[3].setAnswer(SmallHistory.change(2, 4, [:]), at: "missed")
        },
        Spoiled("a move is told one row off", [.wrong, .unseen]) {
            let moved: JSONValue = ["moved": [SmallHistory.moved("a", 0, 2)]]
            $0.writes[0].setAnswer(moved, at: "changes", "items")
            $0.reads = []
        },
        Spoiled("a move does something else than was asked for", [.wrong]) {
            $0.writes[0].body = ["operations": [SmallHistory.move("a", after: "c")]]
        },
        Spoiled("a move names a row that is not there", [.wrong]) {
            let moved: JSONValue = ["moved": [SmallHistory.moved("a", 1, 2)]]
            $0.writes[0].setAnswer(moved, at: "changes", "items")
        },
        Spoiled("a move takes an item away", [.wrong, .misread, .unseen]) {
            let gone: JSONValue = ["deleted": [["id": "a", "section": 0, "index": 0]]]
            $0.writes[0].setAnswer(gone, at: "changes", "items")
        },
        Spoiled("the answers lead elsewhere than to the end", [.wrong]) {
            $0.ends["l"] = SmallHistory.snapshot(5, ["b*", "c", "a"], title: "T")
        },
        Spoiled("a toggle flips another star", [.notJustToggled]) { $0.writes[1].toggled = "a" },
        Spoiled("a toggle flips two stars", [.notJustToggled, .wrong, .unconditional, .unseen]) {
            let both = [(0, "b"), (1, "a")].map { SmallHistory.placed($0, SmallHistory.item($1, starred: true)) }
            $0.writes[1].setAnswer(["reconfigured": .array(both)], at: "changes", "items")
        },
        Spoiled("a toggle does nothing", [.notJustToggled, .wrong, .unconditional, .unseen]) {
            $0.writes[1].setAnswer([:], at: "changes", "items")
        },
    ]

    /// Checks 6 to 9: repeated answers, later answers and other clients.
    static let tellings = [
        Spoiled("a repeated key gets another version", [.forgotten]) {
            $0.writes[3].tries[1].answer?.body.set("e-4", at: "version")
        },
        Spoiled("a repeated key is done as if new", [.forgotten]) { $0.writes[3].tries[1].answer?.isReplay = false },
        Spoiled("a repeated key is refused", [.forgotten]) {
            $0.writes[3].tries[1] = refusal(Span(start: 13, end: 14))
        },
        Spoiled("a key is a replay the first time", [.forgotten]) { $0.writes[3].tries[0].answer?.isReplay = true },
        Spoiled("a write that began after another is older", [.outOfOrder]) {
            $0.writes[1].tries[0].span = Span(start: 101, end: 102)
        },
        Spoiled("a reading that began after a write does not know it", [.outOfOrder]) {
            $0.reads[0] = Reading(list: "l", span: Span(start: 101, end: 102), answer: $0.reads[0].answer)
        },
        Spoiled("a reading is not the state of its version", [.misread]) {
            $0.reads[0] = Reading(list: "l", span: $0.reads[0].span, answer: SmallHistory.snapshot(2, ["a", "b", "c"]))
        },
        Spoiled("what changed since a version does not lead to the next", [.misread]) {
            $0.reads[1] = Reading(
                list: "l", span: $0.reads[1].span, answer: SmallHistory.change(4, 5, [:]), since: "e-4")
        },
        Spoiled("an event is missing", [.unseen]) { $0.watches[0].entries.remove(at: 2) },
        Spoiled("the last event is missing", [.unseen]) { $0.watches[0].entries.removeLast() },
        Spoiled("an event comes twice", [.unseen]) { $0.watches[0].entries.insert($0.watches[0].entries[2], at: 3) },
        Spoiled("an event leads elsewhere", [.unseen]) {
            $0.watches[0].entries[2] = .event(name: "change", id: "e-2", data: SmallHistory.change(1, 2, [:]))
        },
        Spoiled("an event without data hides a change", [.unseen]) {
            $0.watches[0].entries[2] = .event(name: nil, id: "e-2", data: .null)
        },
        Spoiled("a reset holds something else", [.unseen]) { history in
            guard case .event(_, _, var data) = history.watches[0].entries[1] else { return }
            data.set(SmallHistory.snapshot(1, ["b", "a", "c"]), at: "snapshot")
            history.watches[0].entries[1] = .event(name: "reset", id: "e-1", data: data)
        },
        Spoiled("somebody saw nothing", [.unseen]) { $0.watches[0].entries = [] },
    ]

    @Test(arguments: versions + effects + tellings) func finds(_ spoiled: Spoiled) {
        var history = SmallHistory().history
        spoiled.spoil(&history)
        let violations = ConsistencyCheck.violations(of: history)
        #expect(Set(violations.map(\.kind)) == spoiled.kinds, "\(violations)")
    }

    private static func refusal(_ span: Span) -> KeyedWrite.Try {
        KeyedWrite.Try(span: span, answer: KeyedWrite.Answer(status: 409, body: ["code": "unknown_item"]))
    }
}

extension KeyedWrite {
    /// Sets a member of the first answer; nil removes it.
    fileprivate mutating func setAnswer(_ value: JSONValue?, at keys: String...) {
        tries[0].answer?.body.set(value, at: keys[...])
    }
}

extension JSONValue {
    fileprivate mutating func set(_ value: JSONValue?, at key: String) { set(value, at: [key][...]) }

    fileprivate mutating func set(_ value: JSONValue?, at keys: ArraySlice<String>) {
        guard case .object(var members) = self, let key = keys.first else { return }
        var new = value
        if keys.count > 1 {
            new = members[key]
            new?.set(value, at: keys.dropFirst())
        }
        if let new { members.set(new, for: key) } else { members.remove(ByteText(key)) }
        self = .object(members)
    }
}
