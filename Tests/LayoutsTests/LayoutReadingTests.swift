import JSONValue
import Layouts
import Testing
import Texts

@Suite struct LayoutReadingTests {
    private static let dimensions = #""width":{"fractionalWidth":1},"height":{"absolute":44}"#
    private static let item = "{\(dimensions)}"
    private static let group = #"{"direction":"horizontal",\#(dimensions),"item":\#(item)}"#

    /// Words as they are written back: sorted where order says nothing, without what is at its default.
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

    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var pointer: String
        var fault: LayoutError.Fault
        var testDescription: String { text }

        init(_ text: String, _ pointer: String, _ fault: LayoutError.Fault) {
            self.text = text
            self.pointer = pointer
            self.fault = fault
        }
    }

    static let refusals = [
        Refusal("[]", "", .wrongType(.object)),
        Refusal("{}", "/kind", .missingMember),
        Refusal(#"{"kind":"Grid"}"#, "/kind", .unknownWord("Grid", allowed: ["list", "grid", "orthogonal"])),
        Refusal(#"{"kind":null}"#, "/kind", .wrongType(.string)),
        Refusal(#"{"kind":"grid","headerMode":"none"}"#, "/headerMode", .unknownMember("headerMode", known: [])),
        Refusal(#"{"kind":"list","group":\#(group)}"#, "/group", .unknownMember("group", known: [])),
        Refusal(
            #"{"kind":"grid","insets":{"left":1}}"#, "/insets/left",
            .unknownMember("left", known: ["top", "leading", "bottom", "trailing"])),
        Refusal(#"{"kind":"grid","insets":{"top":-1}}"#, "/insets/top", .outOfBounds(0...100_000)),
        Refusal(#"{"kind":"grid","insets":{"top":"1"}}"#, "/insets/top", .wrongType(.number)),
        Refusal(#"{"kind":"grid","interGroupSpacing":1e400}"#, "/interGroupSpacing", .outOfBounds(0...100_000)),
        Refusal(#"{"kind":"grid","interGroupSpacing":null}"#, "/interGroupSpacing", .wrongType(.number)),
        Refusal(
            #"{"kind":"list","leadingSwipe":["star","star"]}"#, "/leadingSwipe/1", .repeatedWord),
        Refusal(#"{"kind":"list","leadingSwipe":[]}"#, "/leadingSwipe", .badCount(1...2)),
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
            "/group/count", .outOfBounds(1...100)),
        Refusal(
            #"{"kind":"grid","group":{"direction":"vertical",\#(dimensions),"count":1.5,"item":\#(item)}}"#,
            "/group/count", .outOfBounds(1...100)),
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
            "/variants/0/when/sectionEmpty", .unknownWord("false", allowed: ["true"])),
        Refusal(
            #"{"kind":"list","cells":{"a b":{"configuration":"cell"}}}"#, "/cells/a b", .badName),
        Refusal(#"{"kind":"list","cells":{"a":{"configuration":"custom"}}}"#, "/cells/a/name", .missingMember),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","name":"n"}}}"#, "/cells/a/name",
            .conflictsWith("configuration")),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","text":""}}}"#, "/cells/a/text", .badField),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","accessories":[7]}}}"#, "/cells/a/accessories/0",
            .wrongType(.stringOrObject)),
        Refusal(
            #"{"kind":"list","cells":{"a":{"configuration":"cell","background":{"color":"pink"}}}}"#,
            "/cells/a/background/color", .unknownWord("pink", allowed: Color.allCases.map(\.rawValue))),
        Refusal(
            #"{"kind":"list","supplementaries":[{"kind":"header","alignment":"top",\#(dimensions),"zIndex":1001}]}"#,
            "/supplementaries/0/zIndex", .outOfBounds(-1000...1000)),
    ]

    @Test(arguments: refusals)
    func refuses(_ row: Refusal) throws {
        let value = try JSONValue(parsing: Array(row.text.utf8))
        let error = #expect(throws: LayoutError.self) { try Layout(value) }
        // An empty list stands for any that has not the name.
        if case .unknownMember(let name, known: []) = row.fault,
            case .unknownMember(let sent, let known)? = error?.fault
        {
            #expect(sent == name && !known.isEmpty && !known.contains(name))
        } else {
            #expect(error?.fault == row.fault)
        }
        #expect(error?.pointer == row.pointer)
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
        #expect(throws: LayoutError.self) { try Layout(value) }
    }

    @Test func atMostSixtyFourCells() throws {
        let cells = (0...64).map { index in ("k\(index)" as ByteText, ["configuration": "cell"] as JSONValue) }
        _ = try Layout(["kind": "list", "cells": .object(JSONObject(Array(cells.dropLast())))])
        #expect(throws: LayoutError.self) { try Layout(["kind": "list", "cells": .object(JSONObject(cells))]) }
    }
}

extension LayoutError {
    fileprivate var pointer: String {
        path.map { step in
            switch step {
            case .member(let key): "/\(key)"
            case .element(let index): "/\(index)"
            }
        }.joined()
    }
}
