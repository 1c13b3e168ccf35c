import JSONValue
import ListModel

extension Layout {
    var text: JSONText { JSONText(.object(json)) }

    private var json: JSONObject {
        var json = kind.json
        if insets != .zero { json.set(insets.json, for: "insets") }
        if !supplementaries.isEmpty { json.set(.array(supplementaries.map(\.json)), for: "supplementaries") }
        if !cells.isEmpty {
            json.set(.object(JSONObject(cells.map { ($0.key, $0.value.json) })), for: "cells")
        }
        return json
    }
}

extension Layout.Kind {
    fileprivate var json: JSONObject {
        switch self {
        case .list(let appearance, let headerMode, let footerMode, let leadingSwipe, let trailingSwipe):
            var json: JSONObject = ["kind": "list", "appearance": .name(appearance)]
            if headerMode != .none { json.set(.name(headerMode), for: "headerMode") }
            if footerMode != .none { json.set(.name(footerMode), for: "footerMode") }
            if !leadingSwipe.isEmpty { json.set(.names(leadingSwipe), for: "leadingSwipe") }
            if !trailingSwipe.isEmpty { json.set(.names(trailingSwipe), for: "trailingSwipe") }
            return json
        case .grid(let group, let variants, let interGroupSpacing):
            var json: JSONObject = ["kind": "grid"]
            json.set(group, variants, interGroupSpacing)
            return json
        case .orthogonal(let behavior, let group, let variants, let interGroupSpacing, let trailingSwipe):
            var json: JSONObject = ["kind": "orthogonal", "behavior": .name(behavior)]
            json.set(group, variants, interGroupSpacing)
            if !trailingSwipe.isEmpty { json.set(.names(trailingSwipe), for: "trailingSwipe") }
            return json
        }
    }
}

extension JSONObject {
    fileprivate mutating func set(_ group: Group, _ variants: [GroupVariant], _ interGroupSpacing: Double) {
        set(group.json, for: "group")
        if !variants.isEmpty { set(.array(variants.map(\.json)), for: "variants") }
        if interGroupSpacing != 0 { set(.decimal(interGroupSpacing), for: "interGroupSpacing") }
    }
}

extension GroupVariant {
    fileprivate var json: JSONValue { ["when": when.json, "group": group.json] }
}

extension GroupVariant.Condition {
    fileprivate var json: JSONValue {
        switch self {
        case .widthAbove(let points): ["widthAbove": .decimal(points)]
        case .sectionEmpty: ["sectionEmpty": true]
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
        var json: JSONObject = [
            "direction": .name(direction), "width": width.json, "height": height.json, "item": item.json,
        ]
        if let count { json.set(.integer(count), for: "count") }
        if let interItem { json.set(interItem.json, for: "interItem") }
        return .object(json)
    }
}

extension Spacing {
    fileprivate var json: JSONValue {
        switch self {
        case .fixed(let points): ["fixed": .decimal(points)]
        }
    }
}

extension GroupItem {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["width": width.json, "height": height.json]
        if insets != .zero { json.set(insets.json, for: "insets") }
        return .object(json)
    }
}

extension Supplementary {
    fileprivate var json: JSONValue {
        var json: JSONObject = [
            "kind": .name(kind), "alignment": .name(alignment), "width": width.json, "height": height.json,
        ]
        if isPinned { json.set(true, for: "pinned") }
        if zIndex != 0 { json.set(.integer(zIndex), for: "zIndex") }
        if !followsInsets { json.set(false, for: "followsInsets") }
        if !accessories.isEmpty { json.set(.names(accessories), for: "accessories") }
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
