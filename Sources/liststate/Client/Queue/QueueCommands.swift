import ArgumentParser
import Glibc
import JSONValue
import Texts

struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Shows, sends or drops the writes that wait for their servers.",
        discussion: """
            Writes with --queue wait there until their server has answered them: in queue.json of XDG_STATE_HOME/liststate, \
            or of ~/.local/state/liststate. Each is done exactly once.
            """,
        subcommands: [QueueList.self, QueueSend.self, QueueDrop.self], defaultSubcommand: QueueList.self)
}

struct QueueList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Shows the writes that wait.")

    @OptionGroup var form: FormOption

    func run() throws {
        let queue = try QueueFolder().read()
        guard !form.json else {
            return printJSON(JSONValue.object(["writes": .array(queue.entries.map(\.json))]).bytes)
        }
        let rows = queue.entries.map { entry -> [ByteText] in
            [
                "\(entry.id)", timestamp(UInt64(max(entry.time, 0))), entry.server, entry.write.list, entry.write.deed,
                entry.reason,
            ]
        }
        printLines(tableLines(["ID", "TIME", "SERVER", "LIST", "WRITE", "WAITS BECAUSE"], rows))
    }
}

struct QueueSend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends the writes that wait for a server, in order.",
        discussion: """
            Exits with 75 if some still wait, and with 76 if the server has refused some for good: those are printed and \
            taken out. Use the token with which they were made, or one that has taken its place.
            """)

    @OptionGroup var place: ServerOptions

    func run() throws {
        let (folder, server) = (try QueueFolder(), try place.server())
        var (sent, refused) = (0, 0)
        try QueueSender(folder: folder, server: server).send { entry, news in
            if case .sent = news { sent += 1 }
            if case .refused = news { refused += 1 }
            Self.tell(entry, news)
        }
        let left = try folder.read().entries
        let waiting = left.filter { $0.server == ByteText(server.address.description) }.count
        let others = left.count > waiting ? ", and \(left.count - waiting) for other servers" : ""
        printLines(["\(sent) sent, \(waiting) waiting\(others)."])
        if refused > 0 { throw Failure.failed("\(refused) writes were refused.", 76) }
        if waiting > 0 { throw Failure.failed("\(waiting) writes still wait.", 75) }
    }

    /// Says what became of a write.
    static func tell(_ entry: WriteQueue.Entry, _ news: QueueSender.News) {
        let name: ByteText = "\(entry.id) of the queue"
        switch news {
        case .sent(let answer): printLines(ResultLines(answer, of: entry.write).lines)
        case .refused(let failure):
            let body = entry.write.body.map { ByteText(decoding: $0.bytes) } ?? ""
            complain(
                "\(name) is refused: \(failure.message)\n  \(entry.write.method) \(entry.write.path) \(printable(body))"
            )
        case .waits(let reason): complain("\(name) waits: \(reason)")
        case .lost(let count):
            complain(
                "\(count) writes to \(entry.write.list) that the server had answered may be lost: its store is an older copy, or it has forgotten this client."
            )
        }
    }

    private static func complain(_ text: ByteText) {
        writeToStandardError(Array(("liststate: \(text)\n" as ByteText).utf8))
    }
}

struct QueueDrop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Takes writes out of the queue. They are not sent.",
        discussion: "A write that was sent before, and whose answer was lost, may be done nevertheless.")

    @Argument(help: "The ids that liststate queue shows.")
    var ids: [Int]

    func run() throws {
        for id in ids {
            let entry = try QueueFolder().change { queue throws(Failure) in queue.drop(id) }
            guard let entry else { throw Failure.failed("The queue has no write \(id).", 66) }
            printLines(["\(id) is dropped: \(printable(entry.write.deed))"])
        }
    }
}
