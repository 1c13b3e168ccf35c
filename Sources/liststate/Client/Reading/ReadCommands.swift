import ArgumentParser
import Glibc
import JSONValue
import Texts

struct ListsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists", abstract: "Shows the lists of a server.")

    @OptionGroup var place: ServerOptions
    @OptionGroup var form: FormOption
    @Option(help: "Only lists with this text in their id or title.")
    var filter: String?
    @Flag(help: "Shows the deleted lists that can be restored, instead of the others.")
    var deleted = false

    func run() throws {
        let server = try place.server()
        var parameters = [(name: "limit", value: "1000")]
        if let filter { parameters.append(("filter", filter)) }
        if deleted { parameters.append(("deleted", "true")) }
        var path: String? = "/v1/lists" + query(parameters)
        var lists: [JSONValue] = []
        while let page = path {
            let answer = try server.answer("GET", page)
            lists += try server.object(in: answer)["lists"]?.arrayValue ?? []
            path = try server.next(after: answer)
        }
        guard !form.json else { return printJSON(JSONValue.object(["lists": .array(lists)]).bytes) }
        let last = deleted ? "restorableUntil" : "version" as ByteText
        let rows = lists.map { list -> [ByteText] in
            let items = list.member("counts")?.member("items")?.integerValue
            return [
                list.member("id")?.textValue ?? "", list.member(last)?.textValue ?? "", items.map { "\($0)" } ?? "",
                list.member("title")?.textValue ?? "",
            ]
        }
        printLines(tableLines(["LIST", deleted ? "RESTORABLE UNTIL" : "VERSION", "ITEMS", "TITLE"], rows))
    }
}

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Shows a list as an outline.",
        discussion: "★ is a starred item, ▾ an expanded one with children, ▸ a collapsed one.")

    @OptionGroup var about: ListArgument
    @OptionGroup var place: ServerOptions
    @OptionGroup var form: FormOption
    @OptionGroup var rows: RowOptions
    @Option(help: "A version that the server keeps, instead of the newest.")
    var at: String?

    func run() throws {
        let server = try place.server()
        let past = at.map { [(name: "at", value: $0)] } ?? []
        let answer = try server.answer("GET", "/v1/lists/\(about.list)" + query(rows.parameters + past))
        guard !form.json else { return printJSON(answer.body) }
        guard let outline = Outline(snapshot: try server.object(in: answer)) else { throw server.noForm }
        let columns = Screen()?.columns
        printLines(outline.lines.map { $0.shown(columns: columns) })
    }
}

/// Which rows of a list are shown.
struct RowOptions: ParsableArguments {
    @Flag(help: "Leaves out what is below collapsed items.")
    var visible = false
    @Option(help: "Only items with this text in their content.")
    var filter: String?
    @Option(help: "Only this section; may be repeated.")
    var section: [String] = []
    @Flag(help: "Only starred items.")
    var starred = false

    var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = section.map { ("section", $0) }
        if visible { parameters.append(("view", "visible")) }
        if let filter { parameters.append(("filter", filter)) }
        if starred { parameters.append(("starred", "true")) }
        return parameters
    }
}

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows the transactions of a list that the server keeps, newest first.")

    @OptionGroup var about: ListArgument
    @OptionGroup var place: ServerOptions
    @OptionGroup var form: FormOption
    @Option(help: "How many transactions, from 1 to 1000.")
    var limit = 20

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit is a number from 1 to 1000.") }
    }

    func run() throws {
        let server = try place.server()
        let answer = try server.answer("GET", "/v1/lists/\(about.list)/transactions?limit=\(limit)")
        guard !form.json else { return printJSON(answer.body) }
        let rows = try (server.object(in: answer)["transactions"]?.arrayValue ?? []).map { transaction in
            (["version", "time", "actor"] as [ByteText]).map { transaction.member($0)?.textValue ?? "" }
                + [Self.deed(of: transaction)]
        }
        printLines(tableLines(["VERSION", "TIME", "ACTOR", "WHAT"], rows))
    }

    /// What a transaction did, in a few words: `undone: moveItem, 2 starItems ("tidy up")`.
    static func deed(of transaction: JSONValue) -> ByteText {
        var names: [(name: ByteText, count: Int)] = []
        for operation in transaction.member("operations")?.arrayValue ?? [] {
            let name = operation.member("op")?.textValue ?? "?"
            if names.last?.name == name { names[names.count - 1].count += 1 } else { names.append((name, 1)) }
        }
        var words = names.prefix(4).map { $0.count == 1 ? $0.name : "\($0.count) \($0.name)" as ByteText }
        if names.count > 4 { words.append("…") }
        for past in ["undoes", "redoes", "restores"] as [ByteText] {
            if let version = transaction.member(past)?.textValue { words = ["\(past) \(version)"] }
        }
        let label: ByteText = transaction.member("label")?.textValue.map { " (\"\($0)\")" } ?? ""
        let isUndone = transaction.member("undone") == true
        return "\(isUndone ? "undone: " : "" as ByteText)\(words.joined(separator: ", "))\(label)"
    }
}
