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
        "configuration", "name", "text", "secondaryText", "image", "opens", "alignment", "background", "separators",
        "accessories",
    ]

    private func cell(_ value: JSONSlice) throws(WireError) -> Cell {
        let object = try WireObject(value, Self.cellMembers, of: .cell, telling: errors)
        return try Cell(
            configuration(object), text: object.optional("text", field),
            secondaryText: object.optional("secondaryText", field), image: object.optional("image", field),
            opens: object.optional("opens", field),
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

    private static let accessoryMembers: [ByteText] = [
        "accessory", "name", "field", "options", "displayed", "appearances",
    ]

    /// Reads an accessory: a bare name, or an object with a name and what else is to be said about it.
    private func accessory(_ value: JSONSlice) throws(WireError) -> Accessory {
        if case .string = value.form {
            let name: Accessory.Name = try word(value)
            guard name.standsAlone else { throw WireError(.wrongType(expected: .object), in: .accessory) }
            return Accessory(name)
        }
        let object = try WireObject(
            value, Self.accessoryMembers, expected: .stringOrObject, of: .accessory, telling: errors)
        let name: Accessory.Name? = try object.required("accessory", orElse: nil, word)
        var accessory = try Accessory(
            name ?? .star, displayed: object.optional("displayed", word) ?? .always,
            in: object.optional("appearances", words) ?? [])
        // If the name is wrong, it is not known what else it needs.
        guard let name else { return accessory }
        if name.needsField {
            accessory.field = try object.required("field", orElse: "", field)
        } else if name.takesField {
            accessory.field = try object.optional("field", field)
        } else {
            try object.refuse("field", beside: "accessory")
        }
        if name == .popUpMenu {
            accessory.options = try object.required("options", orElse: []) { value throws(WireError) in
                try array(value, 1...32, title)
            }
        } else {
            try object.refuse("options", beside: "accessory")
        }
        if name == .custom {
            accessory.registration = try object.required("name", orElse: "", kind)
        } else {
            try object.refuse("name", beside: "accessory")
        }
        return accessory
    }

    // MARK: Swipes

    /// Reads the actions of one side. No action may be there twice.
    func swipeActions(_ value: JSONSlice) throws(WireError) -> [SwipeAction] {
        var seen: [SwipeAction] = []
        return try array(value, 1...4) { value throws(WireError) in
            let action = try swipeAction(value)
            guard !seen.contains(action) else { throw WireError(.repeatedWord) }
            seen.append(action)
            return action
        }
    }

    private static let faceMembers: [ByteText] = ["title", "symbol", "color"]

    /// Reads a bare name, or an object with a name and at least one more member.
    private func swipeAction(_ value: JSONSlice) throws(WireError) -> SwipeAction {
        if case .string = value.form {
            let name: SwipeAction.Name = try word(value)
            guard name != .custom else { throw WireError(.wrongType(expected: .object), in: .swipeAction) }
            return SwipeAction(name)
        }
        let members = ["name"] + Self.faceMembers + ["whenStarred"]
        let object = try WireObject(
            value, ["action"] + members, expected: .stringOrObject, of: .swipeAction, telling: errors)
        let name: SwipeAction.Name? = try object.required("action", orElse: nil, word)
        var action = try SwipeAction(
            name ?? .star, face: face(object), whenStarred: object.optional("whenStarred", whenStarred))
        guard let name else { return action }
        if name == .custom {
            action.registration = try object.required("name", orElse: "", kind)
        } else {
            try object.refuse("name", beside: "action")
            guard members.contains(where: object.has) else {
                throw WireError(.missingOneOf(Self.faceMembers), in: .swipeAction)
            }
        }
        return action
    }

    private func whenStarred(_ value: JSONSlice) throws(WireError) -> SwipeAction.Face {
        let object = try WireObject(value, Self.faceMembers, of: .swipeFace, telling: errors)
        guard Self.faceMembers.contains(where: object.has) else {
            throw WireError(.missingOneOf(Self.faceMembers), in: .swipeFace)
        }
        return try face(object)
    }

    private func face(_ object: WireObject) throws(WireError) -> SwipeAction.Face {
        try SwipeAction.Face(
            title: object.optional("title", title), symbol: object.optional("symbol", kind),
            color: object.optional("color", word))
    }

    // MARK: Backgrounds

    func background(_ value: JSONSlice) throws(WireError) -> Background {
        let object = try WireObject(
            value, ["color", "hue", "corner", "stroke", "strokeWidth"], of: .background, telling: errors)
        return try Background(
            color: object.optional("color", word), hue: object.optional("hue", field),
            corner: object.optional("corner", length) ?? 0, stroke: object.optional("stroke", word),
            strokeWidth: object.optional("strokeWidth", length))
    }
}
