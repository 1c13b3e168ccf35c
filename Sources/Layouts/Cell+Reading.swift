internal import JSONValue

extension Cell {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(
            value,
            [
                "configuration", "name", "text", "secondaryText", "image", "alignment", "background", "separators",
                "accessories",
            ])
        try self.init(
            Self.configuration(object), text: object.optional("text", readField),
            secondaryText: object.optional("secondaryText", readField), image: object.optional("image", readField),
            alignment: object.optional("alignment", readWord) ?? .leading,
            background: object.optional("background", Background.init),
            separators: object.optional("separators", readWord),
            accessories: object.optional("accessories", readArray(1...8, Accessory.init)) ?? [])
    }

    private static func configuration(_ object: LayoutReader) throws(LayoutError) -> Configuration {
        let word: Configuration.Word = try object.required("configuration", readWord)
        guard word != .custom else { return .custom(try object.required("name", readName)) }
        guard !object.has("name") else { throw LayoutError(.conflictsWith("configuration")).at("name") }
        switch word {
        case .cell: return .cell
        case .valueCell: return .valueCell
        case .subtitleCell: return .subtitleCell
        case .header: return .header
        case .emoji, .custom: return .emoji
        }
    }
}

extension Cell.Configuration {
    enum Word: String, CaseIterable {
        case cell, valueCell, subtitleCell, header, emoji, custom
    }

    var word: Word {
        switch self {
        case .cell: .cell
        case .valueCell: .valueCell
        case .subtitleCell: .subtitleCell
        case .header: .header
        case .emoji: .emoji
        case .custom: .custom
        }
    }
}

extension Accessory {
    /// A bare name, or one with its appearances.
    init(_ value: JSONValue) throws(LayoutError) {
        if case .string = value {
            self.init(try readWord(value))
            return
        }
        let object = try LayoutReader(value, ["accessory", "appearances"], expected: .stringOrObject)
        self.init(try object.required("accessory", readWord), in: try object.required("appearances", readWords()))
    }
}

extension Background {
    init(_ value: JSONValue) throws(LayoutError) {
        let object = try LayoutReader(value, ["color", "hue", "corner", "stroke", "strokeWidth"])
        try self.init(
            color: object.optional("color", readWord), hue: object.optional("hue", readField),
            corner: object.optional("corner", readLength) ?? 0, stroke: object.optional("stroke", readWord),
            strokeWidth: object.optional("strokeWidth", readLength))
    }
}
