package import JSONValue
internal import Texts

extension Layout {
    /// Reads the JSON form.
    ///
    /// - Throws: What is wrong first, with its place.
    package init(_ value: JSONValue) throws(LayoutError) {
        let kind = try Self.kindWord(of: value)
        let object = try LayoutReader(value, ["kind"] + kind.members + Self.commonMembers)
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

        /// What layouts of this kind have beside the common members.
        var members: [ByteText] {
            switch self {
            case .list: ["appearance", "appearances", "headerMode", "footerMode"]
            case .grid: Groups.members
            case .orthogonal: ["behavior"] + Groups.members
            }
        }
    }

    private static func kindWord(of value: JSONValue) throws(LayoutError) -> KindWord {
        guard case .object(let object) = value else { throw LayoutError(.wrongType(.object)) }
        guard let kind = object["kind"] else { throw LayoutError(.missingMember).at("kind") }
        do throws(LayoutError) { return try readWord(kind) } catch { throw error.at("kind") }
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

    private static func cells(_ value: JSONValue) throws(LayoutError) -> [ByteText: Cell] {
        guard case .object(let object) = value else { throw LayoutError(.wrongType(.object)) }
        guard object.count <= 64 else { throw LayoutError(.badCount(0...64)) }
        var cells: [ByteText: Cell] = [:]
        for (kind, value) in object.members {
            guard isName(kind) else { throw LayoutError(.badName).at(kind) }
            do throws(LayoutError) { cells[kind] = try Cell(value) } catch { throw error.at(kind) }
        }
        return cells
    }
}

func readLength(_ value: JSONValue) throws(LayoutError) -> Double { try readNumber(value, in: 0...100_000) }
private func readFraction(_ value: JSONValue) throws(LayoutError) -> Double { try readNumber(value, in: 0...100) }
private func readCoordinate(_ value: JSONValue) throws(LayoutError) -> Double {
    try readNumber(value, in: -1000...1000)
}
private func readCount(_ value: JSONValue) throws(LayoutError) -> Int { try readInteger(value, in: 1...100) }
private func readZIndex(_ value: JSONValue) throws(LayoutError) -> Int { try readInteger(value, in: -1000...1000) }

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
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["when", "group"])
        try self.init(
            when: object.required("when", Condition.init),
            object.required("group") { value throws(LayoutError) in try Group(value, depth: 1) })
    }
}

extension GroupVariant.Condition {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["widthAbove", "sectionEmpty"])
        switch try object.choice(["widthAbove", "sectionEmpty"]) {
        case "widthAbove":
            self = .widthAbove(try object.required("widthAbove", readLength))
        default:
            guard try object.required("sectionEmpty", readBoolean) else {
                throw LayoutError(.unknownWord("false", allowed: ["true"])).at("sectionEmpty")
            }
            self = .sectionEmpty
        }
    }
}

extension Group {
    private static let depthMax = 4

    init(_ value: JSONValue, depth: Int) throws(LayoutError) {
        guard depth <= Self.depthMax else { throw LayoutError(.tooDeep(max: Self.depthMax)) }
        let members: [ByteText] = ["direction", "width", "height", "insets", "interItem", "item", "count", "items"]
        let object = try LayoutReader(value, members)
        try self.init(
            object.required("direction", readWord), width: object.required("width", Dimension.init),
            height: object.required("height", Dimension.init),
            insets: object.optional("insets", Insets.init) ?? .zero,
            interItem: object.optional("interItem", Spacing.init), Self.content(object, depth))
    }

    private static func content(_ object: LayoutReader, _ depth: Int) throws(LayoutError) -> Content {
        guard try object.choice(["item", "items"]) == "items" else {
            return .repeated(
                try object.required("item", GroupItem.init), count: try object.optional("count", readCount))
        }
        guard !object.has("count") else { throw LayoutError(.conflictsWith("items")).at("count") }
        let subitem = { (value: JSONValue) throws(LayoutError) in try Subitem(value, depth: depth + 1) }
        return .sequence(try object.required("items", readArray(1...16, subitem)))
    }
}

extension Group.Subitem {
    /// What has a direction is a group.
    init(_ value: JSONValue, depth: Int) throws(LayoutError) {
        guard case .object(let object) = value, object["direction"] != nil else {
            self = .item(try GroupItem(value))
            return
        }
        self = .group(try Group(value, depth: depth))
    }
}

extension GroupItem {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["width", "height", "insets", "badges"])
        try self.init(
            width: object.required("width", Dimension.init), height: object.required("height", Dimension.init),
            insets: object.optional("insets", Insets.init) ?? .zero,
            badges: object.optional("badges", readArray(1...4, Badge.init)) ?? [])
    }
}

extension Dimension {
    init(_ value: JSONValue) throws(LayoutError) {
        let words: [ByteText] = ["absolute", "estimated", "fractionalWidth", "fractionalHeight"]
        let object = try LayoutReader(value, words)
        let word = try object.choice(words)
        switch word {
        case "absolute": self = .absolute(try object.required(word, readLength))
        case "estimated": self = .estimated(try object.required(word, readLength))
        case "fractionalWidth": self = .fractionalWidth(try object.required(word, readFraction))
        default: self = .fractionalHeight(try object.required(word, readFraction))
        }
    }
}

extension Spacing {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["fixed", "flexible"])
        let word = try object.choice(["fixed", "flexible"])
        let length = try object.required(word, readLength)
        self = word == "fixed" ? .fixed(length) : .flexible(length)
    }
}

extension Insets {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["top", "leading", "bottom", "trailing"])
        try self.init(
            top: object.optional("top", readLength) ?? 0, leading: object.optional("leading", readLength) ?? 0,
            bottom: object.optional("bottom", readLength) ?? 0, trailing: object.optional("trailing", readLength) ?? 0)
    }
}

// MARK: - Supplementary items

extension Supplementary {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(
            value,
            [
                "kind", "elementKind", "alignment", "width", "height", "pinned", "zIndex", "followsInsets",
                "accessories",
            ])
        try self.init(
            object.required("kind", readWord), elementKind: object.optional("elementKind", readName),
            alignment: object.required("alignment", readWord), width: object.required("width", Dimension.init),
            height: object.required("height", Dimension.init),
            isPinned: object.optional("pinned", readBoolean) ?? false,
            zIndex: object.optional("zIndex", readZIndex) ?? 0,
            followsInsets: object.optional("followsInsets", readBoolean) ?? true,
            accessories: object.optional("accessories", readWords()) ?? [])
    }
}

extension Badge {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(
            value, ["elementKind", "edges", "offset", "width", "height", "zIndex", "field"])
        try self.init(
            object.required("field", readField), elementKind: object.optional("elementKind", readName),
            edges: object.required("edges", readWords(atMost: 2)), offset: object.optional("offset", Offset.init),
            width: object.required("width", Dimension.init), height: object.required("height", Dimension.init),
            zIndex: object.optional("zIndex", readZIndex) ?? 0)
    }
}

extension Badge.Offset {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["absolute", "fractional"])
        let word = try object.choice(["absolute", "fractional"])
        let (x, y) = try object.required(word) { value throws(LayoutError) in
            let point = try LayoutReader(value, ["x", "y"])
            return (try point.required("x", readCoordinate), try point.required("y", readCoordinate))
        }
        self = word == "absolute" ? .absolute(x: x, y: y) : .fractional(x: x, y: y)
    }
}

extension Decoration {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["kind", "elementKind", "insets", "background", "zIndex"])
        try self.init(
            object.required("kind", readWord), elementKind: object.optional("elementKind", readName),
            insets: object.optional("insets", Insets.init) ?? .zero,
            background: object.optional("background", Background.init),
            zIndex: object.optional("zIndex", readZIndex) ?? 0)
    }
}
