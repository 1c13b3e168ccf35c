package import JSONValue
package import Layouts
import ListModel
internal import Texts

// The parts of a layout. `orElse` gives a placeholder for a required member that is missing or wrong, so that the
// errors of the other members are found too.

extension WireDecoder {
    /// Reads a layout, and returns the sent JSON unchanged. It is an error if the layout does not belong to the
    /// vocabulary or exceeds the limit of minified bytes.
    func layout(_ value: JSONSlice) throws(WireError) -> JSONText {
        let countBefore = errors?.errors.count
        _ = try parsedLayout(value)
        guard errors?.errors.count == countBefore else { throw WireError(.noted) }
        return try object(value)
    }

    /// Reads the JSON form of a layout.
    package func parsedLayout(_ value: JSONSlice) throws(WireError) -> Layout {
        let kind = try layoutKind(value)
        let object = try WireObject(
            value, ["kind"] + kind.members + Self.commonLayoutMembers, of: kind.form, telling: errors)
        return try Layout(
            layoutKind(kind, object), insets: object.optional("insets", insets) ?? .zero,
            interSectionSpacing: object.optional("interSectionSpacing", length) ?? 0,
            supplementaries: object.optional("supplementaries", supplementaries) ?? [],
            decorations: object.optional("decorations", decorations) ?? [],
            leadingSwipe: object.optional("leadingSwipe", swipeActions) ?? [],
            trailingSwipe: object.optional("trailingSwipe", swipeActions) ?? [],
            cells: object.optional("cells", cells) ?? [:])
    }

    private static let commonLayoutMembers: [ByteText] = [
        "insets", "interSectionSpacing", "supplementaries", "decorations", "leadingSwipe", "trailingSwipe", "cells",
    ]
    private static let groupMembers: [ByteText] = ["group", "variants", "interGroupSpacing"]

    private enum LayoutKind: String, CaseIterable {
        case list, grid, orthogonal

        /// The members that a layout of this kind has in addition to the common ones.
        var members: [ByteText] {
            switch self {
            case .list: ["appearance", "appearances", "headerMode", "footerMode"]
            case .grid: groupMembers
            case .orthogonal: ["behavior"] + groupMembers
            }
        }

        var form: LayoutForm {
            switch self {
            case .list: .list
            case .grid: .grid
            case .orthogonal: .orthogonal
            }
        }
    }

    private func layoutKind(_ value: JSONSlice) throws(WireError) -> LayoutKind {
        guard case .object(let object) = value.form else {
            // If the layout is only the name of a kind, the error shows an example of that kind.
            let named = if case .string(let text) = value.form { LayoutKind(rawText: text) } else { nil as LayoutKind? }
            throw WireError(.wrongType(expected: .object), in: named?.form ?? .layout)
        }
        guard let kind = object["kind"] else { throw WireError(.missingMember, in: .layout).at("kind") }
        do throws(WireError) { return try word(kind) } catch { throw error.at("kind") }
    }

    private func layoutKind(_ kind: LayoutKind, _ object: WireObject) throws(WireError) -> Layout.Kind {
        switch kind {
        case .list:
            try .list(
                ListStyle(
                    object.optional("appearance", word) ?? .plain,
                    appearances: object.optional("appearances", words) ?? [],
                    headerMode: object.optional("headerMode", word) ?? .none,
                    footerMode: object.optional("footerMode", word) ?? .none))
        case .grid: .grid(try groups(object))
        case .orthogonal: .orthogonal(try object.optional("behavior", word) ?? .continuous, try groups(object))
        }
    }
}

// MARK: - Plain values

extension WireDecoder {
    func length(_ value: JSONSlice) throws(WireError) -> Double { try number(value, .length, in: 0...100_000) }
    private func fraction(_ value: JSONSlice) throws(WireError) -> Double { try number(value, .fraction, in: 0...100) }
    private func coordinate(_ value: JSONSlice) throws(WireError) -> Double {
        try number(value, .coordinate, in: -1000...1000)
    }
    private func share(_ value: JSONSlice) throws(WireError) -> Int { try integer(value, .count, in: 1...100) }
    private func zIndex(_ value: JSONSlice) throws(WireError) -> Int { try integer(value, .zIndex, in: -1000...1000) }

    private func number(
        _ value: JSONSlice, _ form: LayoutForm, in range: ClosedRange<Double>
    ) throws(WireError) -> Double {
        guard case .number(let number) = value.form else { throw WireError(.noNumber(range), in: form) }
        guard let double = number.double, range.contains(double) else {
            let error = WireError(.numberOutOfBounds(range), in: form)
            guard let double = number.double, double < range.lowerBound else { throw error }
            throw error.advising("\(Int(range.lowerBound)) is the smallest.")
        }
        return double
    }

    private func integer(
        _ value: JSONSlice, _ form: LayoutForm, in range: ClosedRange<Int>
    ) throws(WireError) -> Int {
        let bounds = Double(range.lowerBound)...Double(range.upperBound)
        guard case .number(let number) = value.form else { throw WireError(.noNumber(bounds), in: form) }
        guard let integer = number.integer, range.contains(integer) else {
            throw WireError(.numberOutOfBounds(bounds), in: form)
        }
        return integer
    }

    /// The name of a member of a content: 1 to 255 Unicode scalars.
    func field(_ value: JSONSlice) throws(WireError) -> ByteText {
        let name = try string(value)
        guard (1...255).contains(name.scalarCount) else { throw WireError(.badField) }
        return name
    }

    func array<Element>(
        _ value: JSONSlice, _ counts: ClosedRange<Int>, _ decode: (JSONSlice) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        if case .array(let values) = value.form, !counts.contains(values.count) { throw WireError(.badCount(counts)) }
        return try array(value, decode)
    }

    /// Reads an array of words. No word may occur twice.
    func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ value: JSONSlice
    ) throws(WireError) -> [Word] {
        try words(value, atMost: Word.allCases.count)
    }

    private func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ value: JSONSlice, atMost countMax: Int
    ) throws(WireError) -> [Word] {
        var seen = Set<Word>()
        return try array(value, 1...countMax) { value throws(WireError) in
            let word: Word = try word(value)
            guard seen.insert(word).inserted else { throw WireError(.repeatedWord) }
            return word
        }
    }
}

// MARK: - Groups

extension WireDecoder {
    private static let groupDepthMax = 4

    private func groups(_ object: WireObject) throws(WireError) -> Groups {
        try Groups(
            object.optional("group", outerGroup), variants: object.optional("variants", variants) ?? [],
            interGroupSpacing: object.optional("interGroupSpacing", length) ?? 0)
    }

    private func variants(_ value: JSONSlice) throws(WireError) -> [GroupVariant] { try array(value, 1...8, variant) }

    private func variant(_ value: JSONSlice) throws(WireError) -> GroupVariant {
        let object = try WireObject(value, ["when", "group"], of: .variant, telling: errors)
        let nothing = Group(.horizontal, width: .absolute(0), height: .absolute(0), .sequence([]))
        return try GroupVariant(
            when: object.required("when", orElse: .sectionEmpty, condition),
            object.required("group", orElse: nothing, outerGroup))
    }

    private func condition(_ value: JSONSlice) throws(WireError) -> GroupVariant.Condition {
        let object = try WireObject(value, ["widthAbove", "sectionEmpty"], of: .condition, telling: errors)
        guard try object.choice(["widthAbove", "sectionEmpty"]) == "sectionEmpty" else {
            return .widthAbove(try object.required("widthAbove", orElse: 0, length))
        }
        return try object.required("sectionEmpty", orElse: .sectionEmpty) { value throws(WireError) in
            guard try boolean(value) else { throw WireError(.unknownValue(KnownNames("false", among: ["true"]))) }
            return .sectionEmpty
        }
    }

    private func outerGroup(_ value: JSONSlice) throws(WireError) -> Group { try group(value, depth: 1) }

    private func group(_ value: JSONSlice, depth: Int) throws(WireError) -> Group {
        guard depth <= Self.groupDepthMax else { throw WireError(.groupsTooDeep(max: Self.groupDepthMax)) }
        let object = try WireObject(
            value, ["direction", "width", "height", "insets", "interItem", "item", "count", "items"], of: .group,
            telling: errors)
        return try Group(
            object.required("direction", orElse: .horizontal, word),
            width: object.required("width", orElse: .absolute(0), dimension),
            height: object.required("height", orElse: .absolute(0), dimension),
            insets: object.optional("insets", insets) ?? .zero, interItem: object.optional("interItem", spacing),
            groupContent(object, depth))
    }

    private func groupContent(_ object: WireObject, _ depth: Int) throws(WireError) -> Group.Content {
        guard try object.choice(["item", "items"]) == "items" else {
            return .repeated(
                try object.required("item", orElse: .whole(), groupItem), count: try object.optional("count", share))
        }
        try object.refuse("count", beside: "items")
        return .sequence(
            try object.required("items", orElse: []) { value throws(WireError) in
                try array(value, 1...16) { value throws(WireError) in try subitem(value, depth: depth + 1) }
            })
    }

    /// Reads a group if the object has the member `direction`, otherwise an item.
    private func subitem(_ value: JSONSlice, depth: Int) throws(WireError) -> Group.Subitem {
        guard case .object(let object) = value.form, object["direction"] != nil else {
            return .item(try groupItem(value))
        }
        return .group(try group(value, depth: depth))
    }

    private func groupItem(_ value: JSONSlice) throws(WireError) -> GroupItem {
        let object = try WireObject(value, ["width", "height", "insets", "badges"], of: .groupItem, telling: errors)
        return try GroupItem(
            width: object.required("width", orElse: .absolute(0), dimension),
            height: object.required("height", orElse: .absolute(0), dimension),
            insets: object.optional("insets", insets) ?? .zero, badges: object.optional("badges", badges) ?? [])
    }

    private func dimension(_ value: JSONSlice) throws(WireError) -> Dimension {
        let names: [ByteText] = ["absolute", "estimated", "fractionalWidth", "fractionalHeight"]
        let object = try WireObject(value, names, of: .dimension, telling: errors)
        let name = try object.choice(names)
        switch name {
        case "absolute": return .absolute(try object.required(name, orElse: 0, length))
        case "estimated": return .estimated(try object.required(name, orElse: 0, length))
        case "fractionalWidth": return .fractionalWidth(try object.required(name, orElse: 0, fraction))
        default: return .fractionalHeight(try object.required(name, orElse: 0, fraction))
        }
    }

    private func spacing(_ value: JSONSlice) throws(WireError) -> Spacing {
        let object = try WireObject(value, ["fixed", "flexible"], of: .spacing, telling: errors)
        let name = try object.choice(["fixed", "flexible"])
        let length = try object.required(name, orElse: 0, length)
        return name == "fixed" ? .fixed(length) : .flexible(length)
    }

    private func insets(_ value: JSONSlice) throws(WireError) -> Insets {
        let object = try WireObject(value, ["top", "leading", "bottom", "trailing"], of: .insets, telling: errors)
        return try Insets(
            top: object.optional("top", length) ?? 0, leading: object.optional("leading", length) ?? 0,
            bottom: object.optional("bottom", length) ?? 0, trailing: object.optional("trailing", length) ?? 0)
    }
}

// MARK: - Supplementary items

extension WireDecoder {
    private static let supplementaryMembers: [ByteText] = [
        "kind", "elementKind", "alignment", "width", "height", "pinned", "zIndex", "followsInsets", "background",
        "insets", "accessories",
    ]

    private static let badgeMembers: [ByteText] = [
        "elementKind", "edges", "offset", "width", "height", "zIndex", "background", "insets", "field",
    ]

    private func supplementaries(_ value: JSONSlice) throws(WireError) -> [Supplementary] {
        try array(value, 1...8, supplementary)
    }

    private func supplementary(_ value: JSONSlice) throws(WireError) -> Supplementary {
        let object = try WireObject(value, Self.supplementaryMembers, of: .supplementary, telling: errors)
        return try Supplementary(
            object.required("kind", orElse: .header, word), elementKind: object.optional("elementKind", kind),
            alignment: object.required("alignment", orElse: .top, word),
            width: object.required("width", orElse: .absolute(0), dimension),
            height: object.required("height", orElse: .absolute(0), dimension),
            isPinned: object.optional("pinned", boolean) ?? false, zIndex: object.optional("zIndex", zIndex) ?? 0,
            followsInsets: object.optional("followsInsets", boolean) ?? true,
            background: object.optional("background", background), insets: object.optional("insets", insets) ?? .zero,
            accessories: object.optional("accessories", words) ?? [])
    }

    private func badges(_ value: JSONSlice) throws(WireError) -> [Badge] { try array(value, 1...4, badge) }

    private func badge(_ value: JSONSlice) throws(WireError) -> Badge {
        let object = try WireObject(value, Self.badgeMembers, of: .badge, telling: errors)
        return try Badge(
            object.required("field", orElse: "", field), elementKind: object.optional("elementKind", kind),
            edges: object.required("edges", orElse: []) { value throws(WireError) in try words(value, atMost: 2) },
            offset: object.optional("offset", offset),
            width: object.required("width", orElse: .absolute(0), dimension),
            height: object.required("height", orElse: .absolute(0), dimension),
            zIndex: object.optional("zIndex", zIndex) ?? 0, background: object.optional("background", background),
            insets: object.optional("insets", insets) ?? .zero)
    }

    private func offset(_ value: JSONSlice) throws(WireError) -> Badge.Offset {
        let object = try WireObject(value, ["absolute", "fractional"], of: .offset, telling: errors)
        let name = try object.choice(["absolute", "fractional"])
        let (x, y) = try object.required(name, orElse: (0, 0), point)
        return name == "absolute" ? .absolute(x: x, y: y) : .fractional(x: x, y: y)
    }

    private func point(_ value: JSONSlice) throws(WireError) -> (Double, Double) {
        let point = try WireObject(value, ["x", "y"], of: .point, telling: errors)
        let x = try point.required("x", orElse: 0, coordinate)
        return (x, try point.required("y", orElse: 0, coordinate))
    }

    private func decorations(_ value: JSONSlice) throws(WireError) -> [Decoration] {
        try array(value, 1...4, decoration)
    }

    private func decoration(_ value: JSONSlice) throws(WireError) -> Decoration {
        let object = try WireObject(
            value, ["kind", "elementKind", "insets", "background", "zIndex"], of: .decoration, telling: errors)
        return try Decoration(
            object.required("kind", orElse: .background, word), elementKind: object.optional("elementKind", kind),
            insets: object.optional("insets", insets) ?? .zero,
            background: object.optional("background", background), zIndex: object.optional("zIndex", zIndex) ?? 0)
    }
}
