import JSONValue
import Layouts
import TestSupport
import Testing

/// The type that checks layouts and openapi.yaml allow the same layouts.
@Suite struct LayoutSchemaTests {
    private static let schema: JSONValue = ["$ref": "#/components/schemas/CollectionLayout"]

    /// The layouts of all samples, as the server sends them.
    private static func served() throws -> [JSONValue] {
        let server = try ServerProcess(["--memory", "--samples"])
        let samples = try JSONValue(parsing: Array(server.client.send("GET", "/v1/samples").text.utf8))
        let lists = try (samples["samples"]?.elements ?? []).map { sample in
            let list = try server.client.send("GET", "/v1/lists/\(sample["id"]?.string ?? "")")
            return try JSONValue(parsing: Array(list.text.utf8))
        }
        return lists.flatMap { list in
            ([list["layout"]] + (list["sections"]?.elements ?? []).map { $0["layout"] }).compactMap(\.self)
        }
    }

    @Test func whatIsServedFitsTheSchema() throws {
        let (check, layouts) = (try OpenAPIDocument.ofProject().check, try Self.served())
        #expect(layouts.count >= 30)
        for layout in layouts {
            #expect(check.faults(in: layout, against: Self.schema) == [])
            #expect(try Layout(layout).json == layout)
        }
    }

    /// A layout is changed at random. The type must accept it exactly if the schema does.
    @Test func bothForbidTheSame() throws {
        let (check, layouts) = (try OpenAPIDocument.ofProject().check, try Self.served())
        var random = SeededGenerator(seed: 6)
        var verdicts: [Bool: Int] = [:]
        for _ in 0..<4_000 {
            var layout = random.pick(layouts)
            for _ in 0...random.below(2) { layout.change(using: &random) }
            let isTaken = (try? Layout(layout)) != nil
            verdicts[isTaken, default: 0] += 1
            let faults = check.faults(in: layout, against: Self.schema)
            try #require(isTaken == faults.isEmpty, "\(layout.text): \(faults.joined(separator: "\n"))")
        }
        // Both verdicts occur often.
        #expect(verdicts.values.allSatisfy { $0 > 400 } && verdicts.count == 2, "\(verdicts)")
    }

    @Test(arguments: [
        #"{"kind":"orthogonal"}"#, #"{"kind":"list","appearance":"insetGrouped"}"#,
        #"{"kind":"list","headerMode":"firstItemInSection"}"#,
    ])
    func theContractsExamplesAreWords(_ text: String) throws {
        let layout = try JSONValue(parsing: Array(text.utf8))
        _ = try Layout(layout)
        #expect(try OpenAPIDocument.ofProject().check.faults(in: layout, against: Self.schema) == [])
    }
}

extension JSONValue {
    private static let names = [
        "kind", "insets", "group", "item", "items", "count", "variants", "behavior", "headerMode", "cells", "name",
        "text", "appearances", "absolute", "fixed", "pinned", "zIndex", "accessories", "badges", "offset", "background",
        "hue", "separators", "interItem", "elementKind", "leadingSwipe", "decorations", "x", "a b",
    ]
    private static let values: [JSONValue] = [
        .null, true, false, 0, 1, -1, 100, 101, 1000, 1001, 100_000, 100_001, "", "none", "list", "top", "star",
        "custom", "plain", "systemPink", "a b", [], [1], ["star"], ["star", "star"], ["plain"], ["top", "trailing"],
        [:], ["absolute": 1], ["estimated": 44], ["flexible": 1], ["fractionalHeight": 100], ["top": 1],
        ["absolute": ["x": -1, "y": 1000]], ["configuration": "cell"], ["configuration": "custom", "name": "n"],
        ["accessory": "star", "appearances": ["plain"]], ["width": ["absolute": 1], "height": ["absolute": 1]],
        JSONNumber(literal: "0.5").map(JSONValue.number) ?? 0, JSONNumber(literal: "2.0").map(JSONValue.number) ?? 0,
    ]

    /// Replaces, removes, adds or doubles a value at a random place.
    fileprivate mutating func change(using random: inout SeededGenerator) {
        switch self {
        case .object(var object) where !object.isEmpty && !random.once(in: 8):
            let member = random.pick(object.members)
            switch random.below(8) {
            case 0: object.remove(member.key)
            case 1: object.set(random.pick(Self.values), for: random.pick(Self.names))
            default:
                var value = member.value
                value.change(using: &random)
                object.set(value, for: member.key)
            }
            self = .object(object)
        case .array(var array) where !array.isEmpty && !random.once(in: 8):
            let index = random.below(array.count)
            if random.once(in: 3) { array.append(array[index]) } else { array[index].change(using: &random) }
            self = .array(array)
        case .null, .bool, .number, .string, .array, .object:
            self = random.pick(Self.values)
        }
    }
}
