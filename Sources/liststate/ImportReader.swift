import JSONValue
import ListDiff
import ListModel
import ListStore
import Texts

/// Puts lists together from their lines.
struct ImportReader {
    struct Bad: Error {
        let text: String
    }

    /// The deepest line is `{"item":{"content":…}}`.
    private static let levelsAroundContent = 2

    /// The names that the members of a line can have.
    static let listNames: [ByteText] = ["id", "title", "layout"]
    static let sectionNames: [ByteText] = ["id", "title", "layout", "header", "footer", "reorderable"]
    static let itemNames: [ByteText] = ["id", "kind", "content", "parent", "starred", "expanded", "reorderable"]

    private var isBegun = false
    private var list: (id: ListID, wanted: WantedSnapshot)?

    var isComplete: Bool { isBegun && list == nil }

    /// Adds a line. Returns a list if the line is its last one.
    mutating func add(_ line: [UInt8]) throws(Bad) -> (id: ListID, wanted: WantedSnapshot)? {
        guard let value = try? JSONValue(parsing: line, levelsAround: Self.levelsAroundContent),
            case .object(let object) = value
        else {
            throw Bad(text: "It is no object of JSON.")
        }
        guard isBegun else {
            guard value == ["liststate": "export", "format": 1] else {
                throw Bad(text: "It does not begin an export of format 1.")
            }
            isBegun = true
            return nil
        }
        guard object.count == 1, let line = object.members.first else {
            throw Bad(text: "It must have one member: list, section, item or end.")
        }
        switch line.key {
        case "list":
            try begin(Members(line.value, Self.listNames))
        case "section":
            try addSection(Members(line.value, Self.sectionNames))
        case "item":
            try addItem(Members(line.value, Self.itemNames))
        case "end":
            return try end(Members(line.value, ["id", "sections", "items"]))
        default:
            throw Bad(text: "It is neither list, section, item nor end.")
        }
        return nil
    }

    private mutating func begin(_ members: Members) throws(Bad) {
        guard list == nil else { throw Bad(text: "The list before has no end.") }
        guard let id = ListID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        var changes = ListChanges()
        changes.title = .set(try members.text("title"))
        changes.layout = .set(try members.object("layout"))
        list = (id, WantedSnapshot(changes: changes, sections: []))
    }

    private mutating func addSection(_ members: Members) throws(Bad) {
        guard list != nil else { throw Bad(text: "The section is in no list.") }
        guard let id = SectionID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        var changes = SectionChanges()
        changes.title = .set(members["title"] == nil ? nil : try members.text("title"))
        changes.layout = .set(try members.object("layout"))
        changes.header = .set(try members.textOrObject("header"))
        changes.footer = .set(try members.textOrObject("footer"))
        changes.isReorderable = .set(try members.flag("reorderable", else: true))
        list?.wanted.sections.append(WantedSection(id, changes: changes, items: []))
    }

    private mutating func addItem(_ members: Members) throws(Bad) {
        guard let last = list?.wanted.sections.indices.last else { throw Bad(text: "The item is in no section.") }
        guard let id = ItemID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        guard let content = try members.object("content") else { throw Bad(text: "There is no content.") }
        let kind = try members.text("kind")
        guard Item.isKind(kind) else {
            throw Bad(text: "The kind is not allowed.")
        }
        var value = ItemChanges()
        value.kind = .set(kind)
        value.content = .replace(content)
        value.isStarred = .set(try members.flag("starred", else: false))
        value.isExpanded = .set(try members.flag("expanded", else: false))
        value.isReorderable = .set(try members.flag("reorderable", else: true))
        let item = NewItem(id, parent: try parent(members), value: value)
        list?.wanted.sections[last].items.append(item)
    }

    private func parent(_ members: Members) throws(Bad) -> ItemID? {
        guard members["parent"] != nil else { return nil }
        guard let parent = ItemID(try members.text("parent")) else { throw Bad(text: "The parent is not allowed.") }
        return parent
    }

    private mutating func end(_ members: Members) throws(Bad) -> (id: ListID, wanted: WantedSnapshot) {
        guard let list else { throw Bad(text: "No list has begun.") }
        let items = list.wanted.sections.reduce(0) { $0 + $1.items.count }
        guard try members.text("id") == list.id.rawValue, members["items"] == .integer(items),
            members["sections"] == .integer(list.wanted.sections.count)
        else { throw Bad(text: "It is not the end of what came before.") }
        self.list = nil
        return list
    }

    /// The members of an object, each of the type that is wanted.
    private struct Members {
        private let object: JSONObject

        /// - Parameter known: The names that a member can have. Another name is an error, because it may be a wrong
        ///   spelling of one of these.
        init(_ value: JSONValue, _ known: [ByteText]) throws(Bad) {
            guard case .object(let object) = value else { throw Bad(text: "It is no object.") }
            if let unknown = object.members.first(where: { !known.contains($0.key) }) {
                // Control characters would be commands to a terminal, and no id has any.
                let name = ItemID(unknown.key).map { " \"\($0)\"" } ?? ""
                throw Bad(text: "Unknown member\(name). Known here: \(known.joined(separator: ", ")).")
            }
            self.object = object
        }

        subscript(name: ByteText) -> JSONValue? { object[name] }

        func text(_ name: ByteText) throws(Bad) -> ByteText {
            guard case .string(let text) = object[name] else { throw Bad(text: "\(name) is no text.") }
            return text
        }

        func flag(_ name: ByteText, else missing: Bool) throws(Bad) -> Bool {
            switch object[name] {
            case nil: return missing
            case .bool(let flag): return flag
            case .some: throw Bad(text: "\(name) is neither true nor false.")
            }
        }

        /// An object; nil if there is no such member.
        func object(_ name: ByteText) throws(Bad) -> JSONText? {
            guard let value = object[name] else { return nil }
            guard case .object = value else { throw Bad(text: "\(name) is no object.") }
            return try json(value, name)
        }

        /// A text or an object; nil if there is no such member.
        func textOrObject(_ name: ByteText) throws(Bad) -> JSONText? {
            guard let value = object[name] else { return nil }
            switch value {
            case .string, .object: return try json(value, name)
            case .null, .bool, .number, .array: throw Bad(text: "\(name) is neither a text nor an object.")
            }
        }

        private func json(_ value: JSONValue, _ name: ByteText) throws(Bad) -> JSONText {
            guard !value.isDeeper(than: JSONValue.depthMax) else {
                throw Bad(text: "\(name) has more than \(JSONValue.depthMax) arrays and objects inside each other.")
            }
            return JSONText(value)
        }
    }
}
