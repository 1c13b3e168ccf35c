import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Small limits, so that tests can exceed them.
let decoder = WireDecoder(
    limits: WireDecoder.Limits(contentBytesMax: 64, operationsMax: 3), identifier: Harness.identifier())

/// Reads `text` as JSON.
func json(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8))
}

/// Reads `text` as the JSON of a body.
func json(_ text: String) throws -> JSONSlice {
    try JSONSlice(checking: Array(text.utf8))
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension ChangeSet {
    /// The change set between two versions of a list.
    func body(list: ListID, from: Version, to: Version, view: View, counts: ListCounts) -> [UInt8] {
        Catchup.changes(self, from: from, to: to, counts: counts).body(list: list, RowQuery(view))
    }
}

/// The error that `body` throws; nil if it throws no `WireError`.
func wireError(_ body: () throws -> Void) -> WireError? {
    do {
        try body()
        return nil
    } catch {
        return error as? WireError
    }
}

extension ItemChanges {
    /// Makes changes with a closure, as the tables of tests do.
    init(_ set: (inout ItemChanges) -> Void) {
        self.init()
        set(&self)
    }
}

extension ListSnapshot {
    /// The list `l` at `e1-1`, in the state that a PUT of `text` makes.
    convenience init(putting text: String) throws {
        let decoder = WireDecoder(
            limits: WireDecoder.Limits(contentBytesMax: 1 << 16, operationsMax: 10_000),
            identifier: Harness.identifier())
        let body = try decoder.snapshotBody(json(text), list: #require(ListID("l")))
        var state = ListState(ListProperties(title: "untitled"))
        try state.commit(.applySnapshot(body.value))
        self.init(id: try #require(ListID("l")), version: Version(epoch: "e1", revision: 1), state: state)
    }
}

extension ListSnapshot {
    func body(view: View) -> [UInt8] { body(RowQuery(view)) }
    func body(of section: SectionHandle, view: View) -> [UInt8] { body(of: section, WholeRows(state, view)) }
}
