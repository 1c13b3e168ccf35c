import ArgumentParser
import JSONValue
import Texts

struct CreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes a list, with empty sections.")

    @OptionGroup var about: ListArgument
    @Argument(help: "The title. Several words become one text.")
    var title: [String] = []
    @Option(help: "The id of a section; may be repeated.")
    var section: [String] = []
    @OptionGroup var options: WriteOptions

    func run() throws {
        var snapshot: JSONObject = [
            "title": .string(ByteText(title.joined(separator: " "))),
            "sections": .array(section.map { ["id": .string(ByteText($0))] }),
        ]
        if title.isEmpty { snapshot = JSONObject(snapshot.members.filter { $0.key != "title" }) }
        try options.perform(.create(about.list, snapshot, label: options.label))
    }
}

struct ApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Sends a transaction, a reorder or a snapshot that a file has as JSON.",
        discussion: """
            {"operations": […]} is a transaction, {"sections": {…}} a reorder. {"sections": […]} is a snapshot, which makes \
            the list or changes it to just that.
            """)

    @OptionGroup var about: ListArgument
    @Argument(help: "The file to read, or - for standard input.", completion: .file())
    var file: String
    @OptionGroup var options: WriteOptions

    func run() throws {
        let text = try bytes(of: file == "-" ? "/dev/stdin" : file)
        guard let body = JSONObject(answer: text) else { throw Failure.failed("\(file) has no object of JSON.", 65) }
        let (list, label) = (about.list, options.label)
        switch (body["operations"], body["sections"]) {
        case (.some, _): try options.perform(.post(list, "transactions", body, label: label))
        case (nil, .object): try options.perform(.post(list, "reorders", body, label: label))
        case (nil, .array): try options.perform(.put(list, body, label: label))
        case (nil, _):
            throw Failure.failed("\(file) has neither operations nor sections: see liststate apply --help.", 65)
        }
    }
}

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Takes a transaction of a list back; what others have done since stays.",
        discussion: "To undo an undo, name its version.")

    @OptionGroup var about: ListArgument
    @Argument(help: "The version that the transaction made. (default: the newest that is no undo and not undone)")
    var version: String?
    @OptionGroup var options: WriteOptions

    func run() throws {
        let version = try version.map { ByteText($0) } ?? newest()
        try options.perform(
            .post(about.list, "undo", ["transaction": .string(version)], label: options.label))
    }

    private func newest() throws -> ByteText {
        let server = try options.place.server()
        let history = try server.object("/v1/lists/\(about.list)/transactions?limit=1000")
        let transaction = history["transactions"]?.arrayValue.first { transaction in
            transaction.member("undone") != true && transaction.member("undoes") == nil
        }
        guard let version = transaction?.member("version")?.textValue else {
            throw Failure.failed("No transaction of \(about.list) is left to undo.", 65)
        }
        return version
    }
}
