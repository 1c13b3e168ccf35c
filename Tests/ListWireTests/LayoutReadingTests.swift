import JSONValue
import Layouts
import TestSupport
import Testing
import Texts
@testable import ListWire

@Suite struct LayoutReadingTests {
    private static let dimensions = #""width":{"fractionalWidth":1},"height":{"absolute":44}"#
    private static let item = "{\(dimensions)}"
    private static let group = #"{"direction":"horizontal",\#(dimensions),"item":\#(item)}"#

    /// Layouts, each with the form in which it is written back: sorted where order has no meaning, and without members
    /// at their default.
    static let words = [
        (#"{"kind":"orthogonal"}"#, #"{"kind":"orthogonal","behavior":"continuous"}"#),
        (#"{"kind":"list"}"#, #"{"kind":"list","appearance":"plain"}"#),
        (#"{"kind":"grid","insets":{},"interGroupSpacing":0}"#, #"{"kind":"grid"}"#),
        (
            #"{"headerMode":"firstItemInSection","kind":"list","footerMode":"none","cells":{}}"#,
            #"{"kind":"list","appearance":"plain","headerMode":"firstItemInSection"}"#
        ),
        (
            #"{"kind":"list","appearances":["sidebar","plain"],"leadingSwipe":["star","delete"]}"#,
            #"{"kind":"list","appearance":"plain","appearances":["sidebar","plain"],"leadingSwipe":["star","delete"]}"#
        ),
        (
            #"{"kind":"grid","group":\#(group),"variants":[{"when":{"widthAbove":800.0},"group":\#(group)}]}"#,
            #"{"kind":"grid","group":\#(group),"variants":[{"when":{"widthAbove":800},"group":\#(group)}]}"#
        ),
        (
            #"{"kind":"list","cells":{"b":{"configuration":"cell"},"a":{"configuration":"custom","name":"x"}}}"#,
            #"{"kind":"list","appearance":"plain","cells":{"a":{"configuration":"custom","name":"x"},"b":{"configuration":"cell"}}}"#
        ),
    ]

    @Test(arguments: words)
    func isWrittenBack(_ text: String, _ written: String) throws {
        let layout = try Layout(JSONValue(parsing: Array(text.utf8)))
        #expect(String(decoding: layout.json.bytes, as: UTF8.self) == written)
        #expect(try Layout(layout.json) == layout)
    }

    /// What the samples of Apple say of accessories, swipes and supplementaries.
    static let bodies = [
        #"{"kind":"list","appearance":"plain","leadingSwipe":[{"action":"star","title":"Star","symbol":"star.fill","color":"systemBlue","whenStarred":{"symbol":"star.slash"}},{"action":"custom","name":"archive"}],"trailingSwipe":["delete",{"action":"star","title":"a"},{"action":"star","title":"b"}]}"#,
        #"{"kind":"list","appearance":"plain","cells":{"a":{"configuration":"cell","accessories":["multiselect",{"accessory":"label","field":"count"},{"accessory":"popUpMenu","field":"size","options":["S","L"]},{"accessory":"custom","name":"meter","displayed":"whenEditing","appearances":["plain"]},{"accessory":"checkmark","field":"done"},{"accessory":"switch","field":"on"},{"accessory":"delete","displayed":"whenEditing"}]}}}"#,
        #"{"kind":"list","appearance":"plain","cells":{"a":{"configuration":"cell","image":"i","opens":"list"}}}"#,
        #"{"kind":"list","appearance":"plain","supplementaries":[{"kind":"header","alignment":"top",\#(dimensions),"background":{"color":"systemGray2","stroke":"label","strokeWidth":1},"insets":{"top":10}}]}"#,
        #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"item":{\#(dimensions),"badges":[{"edges":["top"],\#(dimensions),"background":{"color":"systemGreen","corner":10},"insets":{"leading":2},"field":"n"}]}}}"#,
    ].map { ($0, $0) }

    @Test(arguments: bodies)
    func saysAll(_ text: String, _ written: String) throws { try isWrittenBack(text, written) }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var pointer: String
        var fault: WireFault
        var testDescription: String { text }

        init(_ text: String, _ pointer: String, _ fault: WireFault) {
            self.text = text
            self.pointer = pointer
            self.fault = fault
        }
    }

    private static func unknown(_ name: ByteText, among known: [ByteText] = []) -> WireFault {
        .unknownMember(KnownNames(name, among: known))
    }

    static let refusals = [
        Refusal("[]", "", .wrongType(expected: .object)),
        Refusal("{}", "/kind", .missingMember),
        Refusal(
            #"{"kind":"Grid"}"#, "/kind", .unknownValue(KnownNames("Grid", among: ["list", "grid", "orthogonal"]))),
        Refusal(#"{"kind":null}"#, "/kind", .noWord(["list", "grid", "orthogonal"])),
        Refusal(#"{"kind":"grid","headerMode":"none"}"#, "/headerMode", unknown("headerMode")),
        Refusal(#"{"kind":"list","group":\#(group)}"#, "/group", unknown("group")),
        Refusal(
            #"{"kind":"grid","insets":{"left":1}}"#, "/insets/left",
            unknown("left", among: ["top", "leading", "bottom", "trailing"])),
        Refusal(#"{"kind":"grid","insets":{"top":-1}}"#, "/insets/top", .numberOutOfBounds(0...100_000)),
        Refusal(#"{"kind":"grid","insets":{"top":"1"}}"#, "/insets/top", .noNumber(0...100_000)),
        Refusal(#"{"kind":"grid","interGroupSpacing":1e400}"#, "/interGroupSpacing", .numberOutOfBounds(0...100_000)),
        Refusal(#"{"kind":"grid","interGroupSpacing":null}"#, "/interGroupSpacing", .noNumber(0...100_000)),
        Refusal(
            #"{"kind":"list","leadingSwipe":["star","star"]}"#, "/leadingSwipe/1", .repeatedWord),
        Refusal(#"{"kind":"list","leadingSwipe":[]}"#, "/leadingSwipe", .badCount(1...4)),
        Refusal(
            #"{"kind":"grid","group":{\#(dimensions),"item":\#(item)}}"#, "/group/direction", .missingMember),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions)}}"#, "/group",
            .missingOneOf(["item", "items"])),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"item":\#(item),"items":[\#(item)]}}"#,
            "/group/items", .conflictsWith("item")),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"count":2,"items":[\#(item)]}}"#,
            "/group/count", .conflictsWith("items")),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"count":0,"item":\#(item)}}"#,
            "/group/count", .numberOutOfBounds(1...100)),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"count":1.5,"item":\#(item)}}"#,
            "/group/count", .numberOutOfBounds(1...100)),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical","width":{},"height":{"absolute":1},"item":\#(item)}}"#,
            "/group/width", .missingOneOf(["absolute", "estimated", "fractionalWidth", "fractionalHeight"])),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"items":[\#(item),{"width":{"absolute":1}}]}}"#,
            "/group/items/1/height", .missingMember),
        Refusal(
            #"{"kind":"grid","variants":[{"when":{"widthAbove":1,"sectionEmpty":true},"group":\#(group)}]}"#,
            "/variants/0/when/sectionEmpty", .conflictsWith("widthAbove")),
        Refusal(
            #"{"kind":"grid","variants":[{"when":{"sectionEmpty":false},"group":\#(group)}]}"#,
            "/variants/0/when/sectionEmpty", .unknownValue(KnownNames("false", among: ["true"]))),
        Refusal(
            #"{"kind":"list","cells":{"a b":{"configuration":"cell"}}}"#, "/cells/a b", .invalidFormat(.kind)),
        Refusal(#"{"kind":"list","cells":{"a":{"configuration":"custom"}}}"#, "/cells/a/name", .missingMember),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","name":"n"}}}"#, "/cells/a/name",
            .conflictsWith("configuration")),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","text":""}}}"#, "/cells/a/text", .badField),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[7]}}}"#, "/cells/a/accessories/0",
            .noObject(
                expected: .stringOrObject, ["accessory", "name", "field", "options", "displayed", "appearances"])),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":["label"]}}}"#,
            "/cells/a/accessories/0", .wrongType(expected: .object)),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[{"accessory":"label"}]}}}"#,
            "/cells/a/accessories/0/field", .missingMember),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[{"accessory":"detail","field":"f"}]}}}"#,
            "/cells/a/accessories/0/field", .conflictsWith("accessory")),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[{"accessory":"popUpMenu","field":"f"}]}}}"#,
            "/cells/a/accessories/0/options", .missingMember),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[{"accessory":"custom","name":"n","options":["o"]}]}}}"#,
            "/cells/a/accessories/0/options", .conflictsWith("accessory")),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[{"accessory":"star","displayed":"never"}]}}}"#,
            "/cells/a/accessories/0/displayed", .unknownValue(KnownNames("never", among: ["always", "whenEditing"]))),
        Refusal(
            #"{"kind":"list","leadingSwipe":["custom"]}"#, "/leadingSwipe/0", .wrongType(expected: .object)),
        Refusal(
            #"{"kind":"list","leadingSwipe":[{"action":"star"}]}"#, "/leadingSwipe/0",
            .missingOneOf(["title", "symbol", "color"])),
        Refusal(
            #"{"kind":"list","leadingSwipe":[{"action":"star","whenStarred":{}}]}"#, "/leadingSwipe/0/whenStarred",
            .missingOneOf(["title", "symbol", "color"])),
        Refusal(
            #"{"kind":"list","leadingSwipe":[{"action":"custom","title":"T"}]}"#, "/leadingSwipe/0/name",
            .missingMember),
        Refusal(
            #"{"kind":"list","leadingSwipe":[{"action":"delete","name":"n"}]}"#, "/leadingSwipe/0/name",
            .conflictsWith("action")),
        Refusal(
            #"{"kind":"list","trailingSwipe":[{"action":"star","title":"a"},{"title":"a","action":"star"}]}"#,
            "/trailingSwipe/1", .repeatedWord),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","background":{"color":"pink"}}}}"#,
            "/cells/a/background/color", .unknownValue(KnownNames("pink", among: Color.allCases.map(\.rawValue)))),
        Refusal(
            #"{"kind":"list","supplementaries":[{"kind":"header","alignment":"top",\#(dimensions),"zIndex":1001}]}"#,
            "/supplementaries/0/zIndex", .numberOutOfBounds(-1000...1000)),
    ]

    @Test(arguments: refusals)
    func refuses(_ row: Refusal) throws {
        let value = try JSONValue(parsing: Array(row.text.utf8))
        let error = #expect(throws: WireError.self) { try Layout(value) }
        // An empty list stands for any list without the name.
        if case .unknownMember(let wanted) = row.fault, case .unknownMember(let names)? = error?.fault {
            #expect(names.sent == wanted.sent && !names.known.contains(wanted.sent))
            #expect(wanted.known.isEmpty ? !names.known.isEmpty : names.known == wanted.known)
        } else {
            #expect(error?.fault == row.fault)
        }
        #expect(error?.pointer == ByteText(row.pointer))
    }

    /// One reading finds all errors. The first one is the same as in a reading that ends there.
    @Test(arguments: refusals)
    func tellsAll(_ row: Refusal) throws {
        let value = try JSONValue(parsing: Array(row.text.utf8))
        let first = #expect(throws: WireError.self) { try Layout(value) }
        #expect(try errors(in: value) == [first].compactMap { $0 })
    }

    private func errors(in value: JSONValue) throws -> [WireError] {
        let errors = WireErrors()
        let value = try JSONSlice(value)
        let decoder = WireDecoder(limits: WireDecoder.Limits(contentBytesMax: .max, operationsMax: 0)) { "" }
        errors.collect { () throws(WireError) in _ = try decoder.telling(errors).layout(value) }
        return errors.errors
    }

    static let many = [
        (
            #"{"kind":"grid","columns":2,"rows":3,"insets":{"top":-1,"left":1}}"#,
            "/columns /rows /insets/left /insets/top"
        ),
        (#"{"kind":"grid","group":{}}"#, "/group/direction /group/width /group/height /group"),
        (
            #"{"kind":"grid","group":{"direction":"up","width":1,"height":{"absolute":-1},"item":{},"count":0}}"#,
            "/group/direction /group/width /group/height/absolute /group/item/width /group/item/height /group/count"
        ),
        (
            #"{"kind":"grid","variants":[{"when":{}},7,{"group":{"direction":"vertical"}}]}"#,
            """
            /variants/0/when /variants/0/group /variants/1 /variants/2/when /variants/2/group/width \
            /variants/2/group/height /variants/2/group
            """
        ),
        (
            #"{"kind":"list","appearance":"x","cells":{"a b":{},"c":{"configuration":"x","name":"n","text":7}}}"#,
            "/appearance /cells/a b /cells/c/configuration /cells/c/text"
        ),
        (
            #"{"kind":"list","leadingSwipe":["x","y"],"supplementaries":[{"kind":"x","alignment":"x"}]}"#,
            """
            /supplementaries/0/kind /supplementaries/0/alignment /supplementaries/0/width \
            /supplementaries/0/height /leadingSwipe/0 /leadingSwipe/1
            """
        ),
    ]

    @Test(arguments: many)
    func tellsMany(_ text: String, _ pointers: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(try errors(in: value).map { "\($0.pointer)" }.joined(separator: " ") == pointers)
    }

    /// The example that an error proposes is itself valid.
    @Test(arguments: LayoutForm.allCases)
    func examplesAreRight(_ form: LayoutForm) throws {
        let example = "\(form.example)"
        let within = { (text: String) in text.replacing("*", with: example) }
        let ofGroup = { (part: String) in
            within(#"{"kind":"grid","group":{"direction":"horizontal",\#(Self.dimensions),"item":{\#(part)}}}"#)
        }
        let badge = #"\#(Self.dimensions),"badges":[{"field":"f","edges":["top"],\#(Self.dimensions),*}]"#
        let text =
            switch form {
            case .layout, .list, .grid, .orthogonal: example
            case .group: within(#"{"kind":"grid","group":*}"#)
            case .groupItem:
                within(#"{"kind":"grid","group":{"direction":"horizontal",\#(Self.dimensions),"item":*}}"#)
            case .variant: within(#"{"kind":"grid","variants":[*]}"#)
            case .condition: within(#"{"kind":"grid","variants":[{"when":*,"group":\#(Self.group)}]}"#)
            case .dimension: ofGroup(#""width":*,"height":*"#)
            case .fraction: ofGroup(#""width":{"fractionalWidth":*},"height":{"absolute":1}"#)
            case .length: ofGroup(#""width":{"absolute":*},"height":{"absolute":1}"#)
            case .insets: within(#"{"kind":"grid","insets":*}"#)
            case .spacing:
                within(
                    #"{"kind":"grid","group":{"direction":"horizontal",\#(Self.dimensions),"interItem":*,"item":\#(Self.item)}}"#
                )
            case .count:
                within(
                    #"{"kind":"grid","group":{"direction":"horizontal",\#(Self.dimensions),"count":*,"item":\#(Self.item)}}"#
                )
            case .supplementary: within(#"{"kind":"list","supplementaries":[*]}"#)
            case .badge: ofGroup(#"\#(Self.dimensions),"badges":[*]"#)
            case .offset: ofGroup(badge.replacing("*", with: #""offset":*"#))
            case .point: ofGroup(badge.replacing("*", with: #""offset":{"absolute":*}"#))
            case .coordinate: ofGroup(badge.replacing("*", with: #""offset":{"absolute":{"x":*,"y":*}}"#))
            case .zIndex: ofGroup(badge.replacing("*", with: #""zIndex":*"#))
            case .decoration: within(#"{"kind":"list","decorations":[*]}"#)
            case .cells: within(#"{"kind":"list","cells":*}"#)
            case .cell: within(#"{"kind":"list","cells":{"item":*}}"#)
            case .accessory:
                within(#"{"kind":"list","cells":{"item":{"configuration":"cell","accessories":[*]}}}"#)
            case .swipeAction: within(#"{"kind":"list","leadingSwipe":[*]}"#)
            case .swipeFace: within(#"{"kind":"list","leadingSwipe":[{"action":"star","whenStarred":*}]}"#)
            case .background:
                within(#"{"kind":"list","cells":{"item":{"configuration":"cell","background":*}}}"#)
            }
        _ = try Layout(JSONValue(parsing: Array(text.utf8)))
    }

    @Test("Groups nest four deep and no deeper", arguments: 1...6)
    func depth(_ depth: Int) throws {
        let text = (1..<depth).reduce(Self.group) { inner, _ in
            #"{"direction":"vertical",\#(Self.dimensions),"items":[\#(inner)]}"#
        }
        let value = try JSONValue(parsing: Array(#"{"kind":"grid","group":\#(text)}"#.utf8))
        guard depth > 4 else {
            _ = try Layout(value)
            return
        }
        #expect(throws: WireError.self) { try Layout(value) }
    }

    @Test func atMostSixtyFourCells() throws {
        let cells = (0...64).map { index in ("k\(index)" as ByteText, ["configuration": "cell"] as JSONValue) }
        _ = try Layout(["kind": "list", "cells": .object(JSONObject(Array(cells.dropLast())))])
        #expect(throws: WireError.self) { try Layout(["kind": "list", "cells": .object(JSONObject(cells))]) }
    }
}
