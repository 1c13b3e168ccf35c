internal import JSONValue

extension Cell {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(
            value, .cell,
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
        // If the word is wrong, nobody can say whether `name` belongs here, so only the wrong word is an error.
        let read = { (value: LayoutValue) throws(LayoutError) -> Configuration.Word? in
            let word: Configuration.Word = try readWord(value)
            return word
        }
        guard let word = try object.required("configuration", orElse: nil, read) else { return .cell }
        guard word != .custom else { return .custom(try object.required("name", orElse: "", readName)) }
        try object.refuse("name", beside: "configuration")
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
    /// Reads a bare name, or an object with a name and its appearances.
    init(_ value: LayoutValue) throws(LayoutError) {
        if case .string = value.json {
            self.init(try readWord(value))
            return
        }
        let object = try LayoutReader(value, .accessory, ["accessory", "appearances"], expected: .stringOrObject)
        let name: Name = try object.required("accessory", orElse: .star, readWord)
        self.init(name, in: try object.required("appearances", orElse: [], readWords()))
    }
}

extension Background {
    init(_ value: LayoutValue) throws(LayoutError) {
        let object = try LayoutReader(value, .background, ["color", "hue", "corner", "stroke", "strokeWidth"])
        try self.init(
            color: object.optional("color", readWord), hue: object.optional("hue", readField),
            corner: object.optional("corner", readLength) ?? 0, stroke: object.optional("stroke", readWord),
            strokeWidth: object.optional("strokeWidth", readLength))
    }
}
