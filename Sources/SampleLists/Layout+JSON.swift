import JSONValue
import ListModel

extension Layout {
    var text: JSONText { JSONText(.object(json)) }

    private var json: JSONObject {
        var json = kind.json
        if insets != .zero { json.set(insets.json, for: "insets") }
        if !cells.isEmpty {
            json.set(.object(JSONObject(cells.map { ($0.key, $0.value.json) })), for: "cells")
        }
        return json
    }
}

extension Layout.Kind {
    fileprivate var json: JSONObject {
        switch self {
        case .list(let appearance, let headerMode, let leadingSwipe):
            var json: JSONObject = ["kind": "list", "appearance": .name(appearance)]
            if headerMode != .none { json.set(.name(headerMode), for: "headerMode") }
            if !leadingSwipe.isEmpty { json.set(.names(leadingSwipe), for: "leadingSwipe") }
            return json
        case .orthogonal(let behavior, let group, let interGroupSpacing):
            var json: JSONObject = ["kind": "orthogonal", "behavior": .name(behavior), "group": group.json]
            if interGroupSpacing != 0 { json.set(.decimal(interGroupSpacing), for: "interGroupSpacing") }
            return json
        }
    }
}

extension Dimension {
    fileprivate var json: JSONValue {
        switch self {
        case .absolute(let points): ["absolute": .decimal(points)]
        case .estimated(let points): ["estimated": .decimal(points)]
        case .fractionalWidth(let fraction): ["fractionalWidth": .decimal(fraction)]
        case .fractionalHeight(let fraction): ["fractionalHeight": .decimal(fraction)]
        }
    }
}

extension Insets {
    fileprivate var json: JSONValue {
        [
            "top": .decimal(top), "leading": .decimal(leading), "bottom": .decimal(bottom),
            "trailing": .decimal(trailing),
        ]
    }
}

extension Group {
    fileprivate var json: JSONValue {
        ["direction": .name(direction), "width": width.json, "height": height.json, "item": item.json]
    }
}

extension GroupItem {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["width": width.json, "height": height.json]
        if insets != .zero { json.set(insets.json, for: "insets") }
        return .object(json)
    }
}

extension Cell {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["style": .name(style)]
        if !accessories.isEmpty { json.set(.names(accessories), for: "accessories") }
        return .object(json)
    }
}

extension JSONValue {
    fileprivate static func name(_ name: some RawRepresentable<String>) -> JSONValue { .string(name.rawValue) }

    fileprivate static func names(_ names: [some RawRepresentable<String>]) -> JSONValue {
        .array(names.map { .string($0.rawValue) })
    }

    /// A length or a fraction; whole ones are written without a fraction.
    fileprivate static func decimal(_ value: Double) -> JSONValue {
        if let whole = Int(exactly: value) { return .integer(whole) }
        // Only infinity and NaN have no literal.
        return JSONNumber(literal: value.description).map(JSONValue.number) ?? .null
    }
}
