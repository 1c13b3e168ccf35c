import JSONValue
import Layouts
internal import Texts

// Cells of layouts. `orElse` gives a placeholder for a required member that is missing or wrong, so that the errors of
// the other members are found too.

extension WireDecoder {
    /// Reads the cells of a layout. Each has as its name the kind of the items that it shows.
    func cells(_ value: JSONSlice) throws(WireError) -> [ByteText: Cell] {
        guard case .object(let object) = value.form else { throw WireError(.wrongType(expected: .object), in: .cells) }
        guard object.count <= 64 else { throw WireError(.badCount(0...64)) }
        var cells: [ByteText: Cell] = [:]
        for member in object {
            try part(.member(member.key)) { () throws(WireError) in
                cells[try kind(member.key)] = try cell(member.value)
            }
        }
        return cells
    }

    private static let cellMembers: [ByteText] = [
        "configuration", "name", "text", "secondaryText", "image", "alignment", "background", "separators",
        "accessories",
    ]

    private func cell(_ value: JSONSlice) throws(WireError) -> Cell {
        let object = try WireObject(value, Self.cellMembers, of: .cell, telling: errors)
        return try Cell(
            configuration(object), text: object.optional("text", field),
            secondaryText: object.optional("secondaryText", field), image: object.optional("image", field),
            alignment: object.optional("alignment", word) ?? .leading,
            background: object.optional("background", background), separators: object.optional("separators", word),
            accessories: object.optional("accessories", accessories) ?? [])
    }

    private func configuration(_ object: WireObject) throws(WireError) -> Cell.Configuration {
        // Only a custom configuration has a `name`. If the word is wrong, a `name` is therefore no error.
        let word: Cell.Configuration.Word? = try object.required("configuration", orElse: nil, word)
        guard let word else { return .cell }
        guard word != .custom else { return .custom(try object.required("name", orElse: "", kind)) }
        try object.refuse("name", beside: "configuration")
        switch word {
        case .cell: return .cell
        case .valueCell: return .valueCell
        case .subtitleCell: return .subtitleCell
        case .header: return .header
        case .emoji, .custom: return .emoji
        }
    }

    private func accessories(_ value: JSONSlice) throws(WireError) -> [Accessory] {
        try array(value, 1...8, accessory)
    }

    /// Reads an accessory: a bare name, or an object with a name and its appearances.
    private func accessory(_ value: JSONSlice) throws(WireError) -> Accessory {
        if case .string = value.form { return Accessory(try word(value)) }
        let object = try WireObject(
            value, ["accessory", "appearances"], expected: .stringOrObject, of: .accessory, telling: errors)
        let name: Accessory.Name = try object.required("accessory", orElse: .star, word)
        return Accessory(name, in: try object.required("appearances", orElse: [], words))
    }

    func background(_ value: JSONSlice) throws(WireError) -> Background {
        let object = try WireObject(
            value, ["color", "hue", "corner", "stroke", "strokeWidth"], of: .background, telling: errors)
        return try Background(
            color: object.optional("color", word), hue: object.optional("hue", field),
            corner: object.optional("corner", length) ?? 0, stroke: object.optional("stroke", word),
            strokeWidth: object.optional("strokeWidth", length))
    }
}
