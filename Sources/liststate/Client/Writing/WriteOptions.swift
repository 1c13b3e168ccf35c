import ArgumentParser
import Glibc
import JSONValue
import Texts

/// How a write is sent, and what is told of it.
struct WriteOptions: ParsableArguments {
    @OptionGroup var place: ServerOptions
    @OptionGroup var form: FormOption
    @Flag(
        help: """
            Keeps the write in the queue until the server has answered it, so that it is done exactly once, also if the \
            server is away now: see liststate queue.
            """)
    var queue = false
    @Option(help: "A text about the write, which the history shows.")
    var label: String?

    func perform(_ write: ListWrite) throws {
        let server = try place.server()
        guard !queue else { return try keepAndSend(write, server) }
        let answer = try server.answer(write.method, write.path, json: write.body?.bytes)
        show(answer, write)
    }

    private func keepAndSend(_ write: ListWrite, _ server: RemoteServer) throws {
        let folder = try QueueFolder()
        let id = try folder.change { queue throws(Failure) in
            try queue.append(write, for: server.address, at: currentMilliseconds())
        }
        var refusal: Failure?
        var isAnswered = false
        try QueueSender(folder: folder, server: server).send { entry, news in
            guard entry.id == id else { return QueueSend.tell(entry, news) }
            switch news {
            case .sent(let answer):
                isAnswered = true
                show(answer, write)
            case .refused(let failure):
                isAnswered = true
                refusal = failure
            case .lost, .waits: QueueSend.tell(entry, news)
            }
        }
        if let refusal { throw refusal }
        guard !isAnswered else { return }
        writeToStandardError(Array("liststate: The write is kept as \(id) of the queue.\n".utf8))
    }

    private func show(_ answer: HTTPClient.Answer, _ write: ListWrite) {
        guard form.json else { return printLines(ResultLines(answer, of: write).lines) }
        if !answer.body.isEmpty { printJSON(answer.body) }
    }
}

/// A place in a list.
struct PlaceOptions: ParsableArguments {
    @Option(help: "The item before which it comes.")
    var before: String?
    @Option(help: "The item behind whose subtree it comes.")
    var after: String?
    @Option(help: "The section in which it comes last; beside --before or --after, the one in which that item must be.")
    var section: String?
    @Option(help: "The item of which it becomes the last child; beside --before or --after, that item's parent.")
    var parent: String?

    func validate() throws {
        guard before == nil || after == nil else { throw ValidationError("One of --before and --after.") }
        guard section == nil || parent == nil else { throw ValidationError("One of --section and --parent.") }
    }

    var hasAnchor: Bool { before != nil || after != nil }

    /// The members that say the place; none if no option does.
    var members: [JSONObject.Member] {
        let all: [(key: ByteText, value: String?)] = [
            ("before", before), ("after", after), ("section", section), ("parent", parent),
        ]
        return all.compactMap { key, value in value.map { (key, .string(ByteText($0))) } }
    }
}
