import ArgumentParser
import JSONValue
import Texts

struct StarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "star", abstract: "Stars items, or takes their stars.")

    @OptionGroup var about: ListArgument
    @Argument(help: "The ids of the items.")
    var items: [String]
    @Flag(help: "Takes the stars.")
    var off = false
    @OptionGroup var options: WriteOptions

    func run() throws {
        let operation: JSONValue = ["op": off ? "unstarItems" : "starItems", "items": ids(items)]
        try options.perform(.transaction(about.list, [operation], label: options.label))
    }
}

struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Moves an item, with what is below it.")

    @OptionGroup var about: ListArgument
    @Argument(help: "The id of the item.")
    var item: String
    @OptionGroup var place: PlaceOptions
    @Flag(help: "It comes first in --section, or below --parent.")
    var first = false
    @Flag(help: "It comes last there, as without this option.")
    var last = false
    @OptionGroup var options: WriteOptions

    func validate() throws {
        guard !place.members.isEmpty else {
            throw ValidationError("The place is --before or --after an item, or in --section or below --parent.")
        }
        guard !(first && last), !place.hasAnchor || !(first || last) else {
            throw ValidationError("One of --before, --after, --first and --last.")
        }
    }

    func run() throws {
        var operation: JSONObject = ["op": "moveItem", "item": .string(ByteText(item))]
        for (key, value) in place.members { operation.set(value, for: key) }
        if first || last { operation.set(first ? "first" : "last", for: "at") }
        try options.perform(.transaction(about.list, [.object(operation)], label: options.label))
    }
}

struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds an item.",
        discussion: """
            Its place is --before or --after an item, the end of --section, below --parent, or else the end of the list. \
            The server makes an id if there is none, and the command prints it.
            """)

    @OptionGroup var about: ListArgument
    @Argument(help: "The title. Several words become one text.")
    var title: [String] = []
    @OptionGroup var place: PlaceOptions
    @Option(help: "The id of the item.")
    var id: String?
    @Option(help: "The kind, which names the cell that shows the item.")
    var kind: String?
    @Option(help: "The content, an object of JSON.")
    var content: String?
    @OptionGroup var member: MemberOption
    @Flag(help: "The item is starred.")
    var starred = false
    @OptionGroup var options: WriteOptions

    func validate() throws {
        guard content != nil || !title.isEmpty else { throw ValidationError("A title, or --content.") }
    }

    func run() throws {
        var item = JSONObject()
        if let id { item.set(.string(ByteText(id)), for: "id") }
        if let kind { item.set(.string(ByteText(kind)), for: "kind") }
        if starred { item.set(true, for: "starred") }
        item.set(.object(try whole()), for: "content")
        var operation: JSONObject = [
            "op": place.hasAnchor ? "insertItems" : "appendItems", "items": [.object(item)],
        ]
        for (key, value) in place.members { operation.set(value, for: key) }
        try options.perform(.transaction(about.list, [.object(operation)], label: options.label))
    }

    /// The content with the title in it.
    private func whole() throws -> JSONObject {
        var object = JSONObject()
        if let content {
            guard let given = (try? JSONValue(parsing: Array(content.utf8)))?.objectValue else {
                throw ValidationError("--content is no object of JSON, such as {\"title\": \"Apple\"}.")
            }
            object = given
        }
        if !title.isEmpty { object.set(.string(ByteText(title.joined(separator: " "))), for: member.name) }
        return object
    }
}

/// The member of a content that is the title.
struct MemberOption: ParsableArguments {
    @Option(help: "The member of the content in which the title stands.")
    var member = "title"

    var name: ByteText { ByteText(member) }
}

struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Gives a list, a section or an item another title.")

    @OptionGroup var about: ListArgument
    @Argument(help: "The title. Several words become one text.")
    var title: [String]
    @Option(help: "The item that gets it, instead of the list.")
    var item: String?
    @Option(help: "The section that gets it, instead of the list.")
    var section: String?
    @OptionGroup var member: MemberOption
    @OptionGroup var options: WriteOptions

    func validate() throws {
        guard item == nil || section == nil else { throw ValidationError("One of --item and --section.") }
    }

    func run() throws {
        let text = JSONValue.string(ByteText(title.joined(separator: " ")))
        let operation: JSONValue
        if let item {
            operation = [
                "op": "updateItem", "item": .string(ByteText(item)), "merge": true,
                "content": .object(JSONObject([(member.name, text)])),
            ]
        } else if let section {
            operation = ["op": "updateSection", "section": .string(ByteText(section)), "title": text]
        } else {
            operation = ["op": "updateList", "title": text]
        }
        try options.perform(.transaction(about.list, [operation], label: options.label))
    }
}

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes items with what is below them, sections, or a whole list.",
        discussion: "What is deleted comes back with liststate undo; a list with POST /v1/lists/LIST/restore.")

    @OptionGroup var about: ListArgument
    @Argument(help: "The ids of the items.")
    var items: [String] = []
    @Option(help: "A section, with its items; may be repeated.")
    var section: [String] = []
    @Flag(help: "The whole list.")
    var whole = false
    @OptionGroup var options: WriteOptions

    func validate() throws {
        let isSaid = !items.isEmpty || !section.isEmpty
        guard isSaid != whole else {
            throw ValidationError("Either items and --section, or --whole for the list itself.")
        }
    }

    func run() throws {
        guard !whole else { return try options.perform(.delete(about.list)) }
        var operations: [JSONValue] = []
        if !items.isEmpty { operations.append(["op": "deleteItems", "items": ids(items)]) }
        if !section.isEmpty { operations.append(["op": "deleteSections", "sections": ids(section)]) }
        try options.perform(.transaction(about.list, operations, label: options.label))
    }
}

private func ids(_ texts: [String]) -> JSONValue { .array(texts.map { .string(ByteText($0)) }) }
