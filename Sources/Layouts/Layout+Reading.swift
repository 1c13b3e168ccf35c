package import JSONValue
internal import Texts

extension Layout {
    /// Reads the JSON form of a layout.
    ///
    /// - Throws: The first error, with its place.
    package init(_ value: JSONValue) throws(LayoutError) {
        try self.init(LayoutValue(json: value, errors: nil))
    }

    /// The errors in the JSON form of a layout, in the order in which it is read.
    ///
    /// - Parameter most: The reader stops after so many errors.
    package static func errors(in value: JSONValue, most: Int) -> [LayoutError] {
        let errors = LayoutErrors(most: most)
        do throws(LayoutError) {
            _ = try Layout(LayoutValue(json: value, errors: errors))
        } catch { errors.note(error) }
        return errors.errors
    }

    private init(_ value: LayoutValue) throws(LayoutError) {
        let kind = try Self.kindWord(of: value)
        let object = try LayoutReader(value, kind.form, ["kind"] + kind.members + Self.commonMembers)
        try self.init(
            Self.kind(kind, object), insets: object.optional("insets", Insets.init) ?? .zero,
            interSectionSpacing: object.optional("interSectionSpacing", readLength) ?? 0,
            supplementaries: object.optional("supplementaries", readArray(1...8, Supplementary.init)) ?? [],
            decorations: object.optional("decorations", readArray(1...4, Decoration.init)) ?? [],
            leadingSwipe: object.optional("leadingSwipe", readWords()) ?? [],
            trailingSwipe: object.optional("trailingSwipe", readWords()) ?? [],
            cells: object.optional("cells", Self.cells) ?? [:])
    }

    private static let commonMembers: [ByteText] = [
        "insets", "interSectionSpacing", "supplementaries", "decorations", "leadingSwipe", "trailingSwipe", "cells",
    ]

    private enum KindWord: String, CaseIterable {
        case list, grid, orthogonal

        /// The members that a layout of this kind has in addition to the common ones.
        var members: [ByteText] {
            switch self {
            case .list: ["appearance", "appearances", "headerMode", "footerMode"]
            case .grid: Groups.members
            case .orthogonal: ["behavior"] + Groups.members
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

    private static func kindWord(of value: LayoutValue) throws(LayoutError) -> KindWord {
        // If the layout is only the name of a kind, the error shows an example of that kind.
        let named = if case .string(let text) = value.json { KindWord(rawText: text) } else { nil as KindWord? }
        guard let kind = try value.object(named?.form ?? .layout)["kind"] else {
            throw LayoutError(.missingMember).at("kind").of(.layout)
        }
        do throws(LayoutError) { return try readWord(value.with(kind)) } catch { throw error.at("kind") }
    }

    private static func kind(_ word: KindWord, _ object: LayoutReader) throws(LayoutError) -> Kind {
        switch word {
        case .list:
            try .list(
                ListStyle(
                    object.optional("appearance", readWord) ?? .plain,
                    appearances: object.optional("appearances", readWords()) ?? [],
                    headerMode: object.optional("headerMode", readWord) ?? .none,
                    footerMode: object.optional("footerMode", readWord) ?? .none))
        case .grid:
            .grid(try Groups(object))
        case .orthogonal:
            .orthogonal(try object.optional("behavior", readWord) ?? .continuous, try Groups(object))
        }
    }

    private static func cells(_ value: LayoutValue) throws(LayoutError) -> [ByteText: Cell] {
        let object = try value.object(.cells)
        guard object.count <= 64 else { throw LayoutError(.badCount(0...64)) }
        var cells: [ByteText: Cell] = [:]
        for (kind, json) in object.members {
            guard isName(kind) else {
                try value.tell(LayoutError(.badName).at(kind))
                continue
            }
            cells[kind] = try value.attempt(.member(kind), json, Cell.init)
        }
        return cells
    }
}

func readLength(_ value: LayoutValue) throws(LayoutError) -> Double {
    try readNumber(value, .length, in: 0...100_000)
}
private func readFraction(_ value: LayoutValue) throws(LayoutError) -> Double {
    try readNumber(value, .fraction, in: 0...100)
}
private func readCoordinate(_ value: LayoutValue) throws(LayoutError) -> Double {
    try readNumber(value, .coordinate, in: -1000...1000)
}
private func readCount(_ value: LayoutValue) throws(LayoutError) -> Int { try readInteger(value, .count, in: 1...100) }
private func readZIndex(_ value: LayoutValue) throws(LayoutError) -> Int {
    try readInteger(value, .zIndex, in: -1000...1000)
}

// MARK: - Groups

extension Groups {
    static let members: [ByteText] = ["group", "variants", "interGroupSpacing"]

    init(_ object: LayoutReader) throws(LayoutError) {
        try self.init(
            object.optional("group") { value throws(LayoutError) in try Group(value, depth: 1) },
            variants: object.optional("variants", readArray(1...8, GroupVariant.init)) ?? [],
            interGroupSpacing: object.optional("interGroupSpacing", readLength) ?? 0)
    }
}

extension GroupVariant {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .variant, ["when", "group"])
        try self.init(
            when: object.required("when", orElse: .sectionEmpty, Condition.init),
            object.required("group", orElse: .placeholder) { value throws(LayoutError) in
                try Group(value, depth: 1)
            })
    }
}

extension GroupVariant.Condition {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .condition, ["widthAbove", "sectionEmpty"])
        switch try object.choice(["widthAbove", "sectionEmpty"]) {
        case "widthAbove":
            self = .widthAbove(try object.required("widthAbove", orElse: 0, readLength))
        default:
            self = try object.required("sectionEmpty", orElse: .sectionEmpty) { value throws(LayoutError) in
                guard try readBoolean(value) else { throw LayoutError(.unknownWord("false", allowed: ["true"])) }
                return .sectionEmpty
            }
        }
    }
}

extension Group {
    private static let depthMax = 4

    init(_ value: LayoutValue, depth: Int) throws(LayoutError) {
        guard depth <= Self.depthMax else { throw LayoutError(.tooDeep(max: Self.depthMax)) }
        let members: [ByteText] = ["direction", "width", "height", "insets", "interItem", "item", "count", "items"]
        let object = try LayoutReader(value, .group, members)
        try self.init(
            object.required("direction", orElse: .horizontal, readWord),
            width: object.required("width", orElse: .absolute(0), Dimension.init),
            height: object.required("height", orElse: .absolute(0), Dimension.init),
            insets: object.optional("insets", Insets.init) ?? .zero,
            interItem: object.optional("interItem", Spacing.init), Self.content(object, depth))
    }

    private static func content(_ object: LayoutReader, _ depth: Int) throws(LayoutError) -> Content {
        guard try object.choice(["item", "items"]) == "items" else {
            return .repeated(
                try object.required("item", orElse: .whole(), GroupItem.init),
                count: try object.optional("count", readCount))
        }
        try object.refuse("count", beside: "items")
        let subitem = { (value: LayoutValue) throws(LayoutError) in try Subitem(value, depth: depth + 1) }
        return .sequence(try object.required("items", orElse: [], readArray(1...16, subitem)))
    }

    /// Stands in for a group that is wrong while the reader looks for further errors.
    fileprivate static var placeholder: Group {
        Group(.horizontal, width: .absolute(0), height: .absolute(0), .sequence([]))
    }
}

extension Group.Subitem {
    /// Reads a group if the object has the member `direction`, otherwise an item.
    init(_ value: LayoutValue, depth: Int) throws(LayoutError) {
        guard case .object(let object) = value.json, object["direction"] != nil else {
            self = .item(try GroupItem(value))
            return
        }
        self = .group(try Group(value, depth: depth))
    }
}

extension GroupItem {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .groupItem, ["width", "height", "insets", "badges"])
        try self.init(
            width: object.required("width", orElse: .absolute(0), Dimension.init),
            height: object.required("height", orElse: .absolute(0), Dimension.init),
            insets: object.optional("insets", Insets.init) ?? .zero,
            badges: object.optional("badges", readArray(1...4, Badge.init)) ?? [])
    }
}

extension Dimension {
    init(_ value: LayoutValue) throws(LayoutError) {
        let words: [ByteText] = ["absolute", "estimated", "fractionalWidth", "fractionalHeight"]
        let object = try LayoutReader(value, .dimension, words)
        let word = try object.choice(words)
        switch word {
        case "absolute": self = .absolute(try object.required(word, orElse: 0, readLength))
        case "estimated": self = .estimated(try object.required(word, orElse: 0, readLength))
        case "fractionalWidth": self = .fractionalWidth(try object.required(word, orElse: 0, readFraction))
        default: self = .fractionalHeight(try object.required(word, orElse: 0, readFraction))
        }
    }
}

extension Spacing {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .spacing, ["fixed", "flexible"])
        let word = try object.choice(["fixed", "flexible"])
        let length = try object.required(word, orElse: 0, readLength)
        self = word == "fixed" ? .fixed(length) : .flexible(length)
    }
}

extension Insets {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .insets, ["top", "leading", "bottom", "trailing"])
        try self.init(
            top: object.optional("top", readLength) ?? 0, leading: object.optional("leading", readLength) ?? 0,
            bottom: object.optional("bottom", readLength) ?? 0, trailing: object.optional("trailing", readLength) ?? 0)
    }
}

// MARK: - Supplementary items

extension Supplementary {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(
            value, .supplementary,
            [
                "kind", "elementKind", "alignment", "width", "height", "pinned", "zIndex", "followsInsets",
                "accessories",
            ])
        try self.init(
            object.required("kind", orElse: .header, readWord), elementKind: object.optional("elementKind", readName),
            alignment: object.required("alignment", orElse: .top, readWord),
            width: object.required("width", orElse: .absolute(0), Dimension.init),
            height: object.required("height", orElse: .absolute(0), Dimension.init),
            isPinned: object.optional("pinned", readBoolean) ?? false,
            zIndex: object.optional("zIndex", readZIndex) ?? 0,
            followsInsets: object.optional("followsInsets", readBoolean) ?? true,
            accessories: object.optional("accessories", readWords()) ?? [])
    }
}

extension Badge {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(
            value, .badge, ["elementKind", "edges", "offset", "width", "height", "zIndex", "field"])
        try self.init(
            object.required("field", orElse: "", readField), elementKind: object.optional("elementKind", readName),
            edges: object.required("edges", orElse: [], readWords(atMost: 2)),
            offset: object.optional("offset", Offset.init),
            width: object.required("width", orElse: .absolute(0), Dimension.init),
            height: object.required("height", orElse: .absolute(0), Dimension.init),
            zIndex: object.optional("zIndex", readZIndex) ?? 0)
    }
}

extension Badge.Offset {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .offset, ["absolute", "fractional"])
        let word = try object.choice(["absolute", "fractional"])
        let (x, y) = try object.required(word, orElse: (0, 0)) { value throws(LayoutError) in
            let point = try LayoutReader(value, .point, ["x", "y"])
            let x = try point.required("x", orElse: 0, readCoordinate)
            return (x, try point.required("y", orElse: 0, readCoordinate))
        }
        self = word == "absolute" ? .absolute(x: x, y: y) : .fractional(x: x, y: y)
    }
}

extension Decoration {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(
            value, .decoration, ["kind", "elementKind", "insets", "background", "zIndex"])
        try self.init(
            object.required("kind", orElse: .background, readWord),
            elementKind: object.optional("elementKind", readName),
            insets: object.optional("insets", Insets.init) ?? .zero,
            background: object.optional("background", Background.init),
            zIndex: object.optional("zIndex", readZIndex) ?? 0)
    }
}
