import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

@Suite struct WireBodyTests {
    /// The readers of bodies, one for each kind of resource.
    enum Reader: String, CaseIterable, Sendable {
        case plain, transaction, snapshot, section, listPatch, sectionPatch, items, itemPatch, reorder, sample

        /// The body's `base` and `label`.
        func read(_ value: JSONSlice) throws -> (Version?, ByteText?) {
            switch self {
            case .plain: try common(decoder.plainBody(value))
            case .transaction: try common(decoder.transactionBody(value))
            case .snapshot: try common(decoder.snapshotBody(value, list: #require(ListID("l"))))
            case .section: try common(decoder.sectionSnapshotBody(value, section: "s", list: #require(ListID("l"))))
            case .listPatch: try common(decoder.listPatchBody(value))
            case .sectionPatch: try common(decoder.sectionPatchBody(value))
            case .items: try common(decoder.itemsBody(value))
            case .itemPatch: try common(decoder.itemPatchBody(value))
            case .reorder: try common(decoder.reorderBody(value))
            case .sample: try common(decoder.sampleBody(value))
            }
        }

        private func common<Value>(_ body: WriteBody<Value>) -> (Version?, ByteText?) { (body.base, body.label) }

        /// A required member of the body, with a comma behind it.
        var needed: String {
            switch self {
            case .transaction: #""operations":[],"#
            case .items: #""items":[],"#
            case .reorder: #""sections":{},"#
            case .plain, .snapshot, .section, .listPatch, .sectionPatch, .itemPatch, .sample: ""
            }
        }
    }

    @Test(arguments: Reader.allCases)
    func everyWriteTakesBaseAndLabel(_ reader: Reader) throws {
        let (base, label) = try reader.read(json(#"{\#(reader.needed)"base":"k3v9-42","label":"by hand"}"#))
        #expect(base == Version(epoch: "k3v9", revision: 42))
        #expect(label == "by hand")
    }

    static let refusals = [
        (#""base":"42""#, "/base", "invalid_format"), (#""base":"k3v9-042""#, "/base", "invalid_format"),
        (#""base":"k3v9-9007199254740992""#, "/base", "invalid_format"), (#""base":null"#, "/base", "wrong_type"),
        (#""base":42"#, "/base", "wrong_type"), (#""label":7"#, "/label", "wrong_type"),
        (#""label":"\#(String(repeating: "é", count: 501))""#, "/label", "out_of_bounds"),
        (#""Base":"k3v9-42""#, "/Base", "unknown_member"),
    ]

    @Test(arguments: Reader.allCases, refusals)
    func refuses(_ reader: Reader, _ row: (member: String, pointer: String, code: String)) throws {
        let error = try #require(wireError { _ = try reader.read(json("{\(reader.needed)\(row.member)}")) })
        #expect(error.pointer.string == row.pointer)
        #expect(error.code == row.code)
        #expect(error.kind == .schema)
        #expect(error.operation == nil)
    }

    @Test(arguments: Reader.allCases, ["null", "[]", #""a""#, "1", "true"])
    func refusesAnythingButObjects(_ reader: Reader, _ text: String) throws {
        let error = wireError { _ = try reader.read(json(text)) }
        #expect(error?.code == "wrong_type")
        #expect(error?.pointer == "")
    }

    @Test func noBodyIsABodyWhereNothingIsNeeded() throws {
        #expect(try decoder.plainBody(nil).base == nil)
        #expect(try decoder.sampleBody(nil).value == nil)
    }

    @Test func snapshotTakesItsVersionAsBase() throws {
        let list = try #require(ListID("l"))
        #expect(try decoder.snapshotBody(json(#"{"version":"e-7"}"#), list: list).base?.revision == 7)
        #expect(try decoder.snapshotBody(json(#"{"version":"e-7","base":"e-6"}"#), list: list).base?.revision == 6)
        #expect(
            try decoder.sectionSnapshotBody(json(#"{"version":"e-7"}"#), section: "s", list: list).base?.revision == 7)
    }

    static let snapshotRefusals = [
        (#"{"id":"m"}"#, "/id", "id_mismatch"), (#"{"id":1}"#, "/id", "wrong_type"),
        (#"{"version":"7"}"#, "/version", "invalid_format"), (#"{"partial":true}"#, "/partial", "partial_snapshot"),
        (#"{"partial":1}"#, "/partial", "wrong_type"), (#"{"title":null}"#, "/title", "wrong_type"),
        (#"{"sections":null}"#, "/sections", "wrong_type"), (#"{"revision":1}"#, "/revision", "unknown_member"),
    ]

    @Test(arguments: snapshotRefusals)
    func refusesSnapshot(_ row: (text: String, pointer: String, code: String)) throws {
        let error = wireError { _ = try decoder.snapshotBody(json(row.text), list: #require(ListID("l"))) }
        #expect(error?.pointer.string == row.pointer)
        #expect(error?.code == row.code)
    }

    @Test(arguments: [(#"{"id":"e\u0301"}"#, "/id"), (#"{"list":"m"}"#, "/list")])
    func refusesSectionOfAnotherName(_ row: (text: String, pointer: String)) throws {
        let error = wireError {
            _ = try decoder.sectionSnapshotBody(json(row.text), section: "\u{e9}", list: #require(ListID("l")))
        }
        #expect(error?.pointer.string == row.pointer)
        #expect(error?.code == "id_mismatch")
    }

    @Test func itemsAreAppendedOrInserted() throws {
        #expect(try decoder.itemsBody(json(#"{"items":["a"]}"#)).value == .appendItems([NewItem("a")], nil))
        #expect(
            try decoder.itemsBody(json(#"{"items":["a"],"after":"b","section":"s"}"#)).value
                == .insertItems([NewItem("a")], ItemAnchor(.after, "b", guardedBy: .section("s"))))
        let error = wireError { _ = try decoder.itemsBody(json(#"{"items":["a"],"section":"s","parent":"p"}"#)) }
        #expect(error?.pointer == "/parent")
        #expect(error?.code == "conflicting_members")
    }

    @Test func itemPatchMerges() throws {
        let body = try decoder.itemPatchBody(json(#"{"content":{"a":null},"kind":"k"}"#))
        #expect(
            body.value
                == ItemChanges {
                    $0.content = .merge(JSONText(["a": .null]))
                    $0.kind = .set("k")
                })
        #expect(wireError { _ = try decoder.itemPatchBody(json(#"{"content":null}"#)) }?.code == "wrong_type")
        let flags = try decoder.itemPatchBody(json(#"{"starred":true,"expanded":false,"reorderable":true}"#))
        #expect(
            flags.value
                == ItemChanges {
                    $0.isStarred = .set(true)
                    $0.isExpanded = .set(false)
                    $0.isReorderable = .set(true)
                })
        #expect(wireError { _ = try decoder.itemPatchBody(json(#"{"level":1}"#)) }?.code == "unknown_member")
    }

    @Test func sampleSaysItsSeed() throws {
        #expect(try decoder.sampleBody(json(#"{"seed":7.0}"#)).value == 7)
        #expect(wireError { _ = try decoder.sampleBody(json(#"{"seed":-1}"#)) }?.code == "out_of_bounds")
    }
}

@Suite struct WireReorderTests {
    @Test func readsTheContractsExample() throws {
        let body = try decoder.reorderBody(
            json(
                """
                {"base":"k3v9-42","view":"items","sections":{
                  "smileys":{"difference":{"insertions":[{"offset":1,"element":"star","associatedOffset":4}],
                                           "removals":[{"offset":4,"element":"star","associatedOffset":1}]}},
                  "nature":{"final":["turtle","fox","bee"]}}}
                """))
        #expect(body.base == Version(epoch: "k3v9", revision: 42))
        #expect(
            body.value
                == Reorder(
                    view: .items,
                    sections: [
                        .init(
                            "smileys",
                            .difference(
                                insertions: [.init(offset: 1, element: "star", associatedOffset: 4)],
                                removals: [.init(offset: 4, element: "star", associatedOffset: 1)])),
                        .init("nature", .final(["turtle", "fox", "bee"])),
                    ]))
    }

    /// The form in which `JSONEncoder` writes a `CollectionDifference<String>`.
    @Test func readsTheCodedFormOfSwift() throws {
        let body = try decoder.reorderBody(
            json(
                """
                {"base":"e-1","view":"visible","sections":{"s":{"difference":{
                  "insertions":[{"associatedOffset":null,"element":"c","isRemove":false,"offset":0.0}],
                  "removals":[{"associatedOffset":null,"element":"c","isRemove":true,"offset":9007199254740991}]}}}}
                """))
        #expect(
            body.value
                == Reorder(
                    view: .visible,
                    sections: [
                        .init(
                            "s",
                            .difference(
                                insertions: [.init(offset: 0, element: "c")],
                                removals: [.init(offset: 9_007_199_254_740_991, element: "c")]))
                    ]))
    }

    static func difference(_ change: String) -> String {
        #"{"base":"e-1","sections":{"s":{"difference":{"insertions":[\#(change)],"removals":[]}}}}"#
    }

    static let insertion = "/sections/s/difference/insertions/0"
    static let refusals: [(text: String, pointer: String, code: String)] = [
        (#"{}"#, "/sections", "missing_member"),
        (#"{"sections":[]}"#, "/sections", "wrong_type"),
        (#"{"sections":{"":{"final":[]}}}"#, "/sections/", "out_of_bounds"),
        (#"{"sections":{"a/b":{}}}"#, "/sections/a~1b", "missing_member"),
        (#"{"sections":{"s":{"final":["a","b","a"]}}}"#, "/sections/s/final/2", "repeated_id"),
        (#"{"sections":{"s":{"final":["a"]},"t":{"final":["a"]}}}"#, "/sections/t/final/0", "repeated_id"),
        (#"{"sections":{"s":{"final":[""]}}}"#, "/sections/s/final/0", "out_of_bounds"),
        (#"{"sections":{},"view":"all"}"#, "/view", "unknown_value"),
        (
            #"{"sections":{"s":{"final":[],"difference":{"insertions":[],"removals":[]}}}}"#, "/sections/s/final",
            "conflicting_members"
        ),
        (#"{"sections":{"s":{"difference":{"insertions":[],"removals":[]}}}}"#, "/base", "missing_member"),
        (
            #"{"base":"e-1","sections":{"s":{"difference":{"insertions":[]}}}}"#, "/sections/s/difference/removals",
            "missing_member"
        ),
        (difference(#"{"offset":-1,"element":"a"}"#), insertion + "/offset", "out_of_bounds"),
        (difference(#"{"offset":1.5,"element":"a"}"#), insertion + "/offset", "out_of_bounds"),
        (difference(#"{"offset":9007199254740992,"element":"a"}"#), insertion + "/offset", "out_of_bounds"),
        (difference(#"{"offset":1e400,"element":"a"}"#), insertion + "/offset", "out_of_bounds"),
        (difference(#"{"offset":"1","element":"a"}"#), insertion + "/offset", "wrong_type"),
        (difference(#"{"offset":true,"element":"a"}"#), insertion + "/offset", "wrong_type"),
        (difference(#"{"element":"a"}"#), insertion + "/offset", "missing_member"),
        (difference(#"{"offset":1}"#), insertion + "/element", "missing_member"),
        (
            difference(#"{"offset":1,"element":"a","associatedOffset":-2}"#), insertion + "/associatedOffset",
            "out_of_bounds"
        ),
        (difference(#"{"offset":1,"element":"a","isRemove":true}"#), insertion + "/isRemove", "unknown_value"),
    ]

    @Test(arguments: refusals)
    func refuses(_ row: (text: String, pointer: String, code: String)) throws {
        let error = wireError { _ = try decoder.reorderBody(json(row.text)) }
        #expect(error?.pointer.string == row.pointer)
        #expect(error?.code == row.code)
    }
}
