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
        try show(answer, write)
    }

    private func keepAndSend(_ write: ListWrite, _ server: RemoteServer) throws {
        let (folder, id) = try keep(write, server)
        var outcome: Result<HTTPClient.Answer, Failure>?
        do throws(Failure) {
            try QueueSender(folder: folder, server: server, own: id, takesForeign: false).send {
                (entry, news) throws(Failure) in
                switch news {
                case .sent(let answer) where entry.id == id: outcome = .success(answer)
                case .refused(let failure) where entry.id == id: outcome = .failure(failure)
                case .sent, .refused, .lost, .waits: try QueueSend.tell(entry, news)
                }
            }
        } catch {
            // What has become of the write itself is said, too.
            complain(ByteText(error.message))
        }
        if let outcome { return try show(outcome.get(), write) }
        switch try folder.change({ queue throws(Failure) in queue.leave(id) }) {
        case .answered(let kept):
            let answer = HTTPClient.Answer(status: kept.status, fields: [], body: kept.body?.bytes ?? [])
            guard (200..<300).contains(kept.status) else {
                throw Failure.problem(RemoteProblem(answer), server.address)
            }
            try show(answer, write)
        case .waits(_, let count):
            let others = count > 0 ? ", behind \(counted(count, "other")) to \(write.list)" : ""
            throw Failure.failed("The write is kept as \(id) of the queue, and waits\(others).", 75)
        case .dropped: throw Failure.failed("Somebody has taken the write out of the queue.", 75)
        }
    }

    private func keep(_ write: ListWrite, _ server: RemoteServer) throws(Failure) -> (QueueFolder, id: Int) {
        do throws(Failure) {
            let folder = try QueueFolder()
            let id = try folder.change { queue throws(Failure) in
                try queue.append(write, for: server.address, by: server.caller, at: currentMilliseconds())
            }
            return (folder, id)
        } catch {
            throw .failed("\(error.message) The write was not kept and not sent.", error.exitCode)
        }
    }

    private func show(_ answer: HTTPClient.Answer, _ write: ListWrite) throws(Failure) {
        do throws(Failure) {
            guard form.json else { return try printLines(ResultLines(answer, of: write).lines) }
            if !answer.body.isEmpty { try printJSON(answer.body) }
        } catch {
            throw .failed("\(error.message) The write is done.", error.exitCode)
        }
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
