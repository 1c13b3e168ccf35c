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

    @Flag(help: "Prints the writes as JSON, as they are sent.")
    var json = false

    func run() throws {
        let queue = try QueueFolder().read()
        guard !json else {
            return try printJSON(JSONValue.object(["writes": .array(queue.entries.map(\.json))]).bytes)
        }
        let rows = queue.entries.map { entry -> [ByteText] in
            [
                "\(entry.id)", timestamp(UInt64(max(entry.time, 0))), entry.server, entry.write.list, entry.write.deed,
                entry.reason,
            ]
        }
        try printLines(tableLines(["ID", "TIME", "SERVER", "LIST", "WRITE", "WAITS BECAUSE"], rows))
    }
}

struct QueueSend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends the writes that wait for a server, in order.",
        discussion: """
            Exits with 75 if some still wait, and with 76 if the server has refused some for good: those are printed and \
            taken out. Writes that were made with another token wait.
            """)

    @OptionGroup var place: ServerOptions
    @Flag(
        help: """
            Sends writes, too, that were made with another token, or without one. Such a token may be the same caller's, \
            with its secret from before a rotation.
            """)
    var anyToken = false
    @Flag(help: "Prints a line of JSON for each write that is done, and one that counts them.")
    var json = false

    func run() throws {
        let (folder, server) = (try QueueFolder(), try place.server())
        var (sent, refused) = (0, 0)
        let sender = QueueSender(folder: folder, server: server, own: nil, takesForeign: anyToken)
        try sender.send { (entry, news) throws(Failure) in
            if case .sent = news { sent += 1 }
            if case .refused = news { refused += 1 }
            guard json, case .sent(let answer) = news else { return try Self.tell(entry, news) }
            try printJSON(Self.line(entry, answer).bytes)
        }
        let left = try folder.read().entries
        let waiting = left.filter { $0.server == ByteText(server.address.description) }.count
        let others = left.count > waiting ? ", and \(left.count - waiting) for other servers" : ""
        if json {
            let counts: JSONValue = [
                "sent": .integer(sent), "refused": .integer(refused), "waiting": .integer(waiting),
            ]
            try printJSON(counts.bytes)
        } else {
            try printLines(["\(sent) sent, \(waiting) waiting\(others)."])
        }
        if refused > 0 {
            throw Failure.failed("\(counted(refused, "write")) \(refused == 1 ? "was" : "were") refused.", 76)
        }
        if waiting > 0 {
            throw Failure.failed("\(counted(waiting, "write")) still \(waiting == 1 ? "waits" : "wait").", 75)
        }
    }

    /// `{"id":7,"list":"groceries","answer":{…}}`. The answer to some deletions is empty.
    private static func line(_ entry: WriteQueue.Entry, _ answer: HTTPClient.Answer) -> JSONValue {
        var line: JSONObject = ["id": .integer(entry.id), "list": .string(entry.write.list)]
        if let object = JSONObject(answer: answer.body) { line.set(.object(object), for: "answer") }
        return .object(line)
    }

    /// Says what became of a write.
    static func tell(_ entry: WriteQueue.Entry, _ news: QueueSender.News) throws(Failure) {
        let name: ByteText = "\(entry.id) of the queue"
        switch news {
        case .sent(let answer): try printLines(ResultLines(answer, of: entry.write).lines)
        case .refused(let failure):
            let body = entry.write.body.map { " \(ByteText(decoding: $0.bytes))" } ?? "" as ByteText
            let (list, deed) = (printable(entry.write.list), printable(entry.write.deed))
            complain("\(name) is refused: \(failure.message)\n  It was for \(list): \(deed)\(printable(body))")
        case .waits(let reason): complain("\(name) waits: \(reason)")
        case .lost(let count):
            complain(
                """
                \(counted(count, "write")) to \(entry.write.list) that the server had answered may be lost: its store is \
                an older copy, or it has forgotten this client.
                """)
        }
    }
}

struct QueueDrop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Takes writes out of the queue. They are not sent.",
        discussion: """
            A write that was sent before, and whose answer was lost, may be done nevertheless. After --all the writes to \
            the list begin anew: that helps if the server has lost its data, and so does not know what it was sent.
            """)

    @Argument(help: "The ids that liststate queue shows.")
    var ids: [Int] = []
    @Option(name: .customLong("all"), help: ArgumentHelp("All writes to this list of the server.", valueName: "list"))
    var list: String?
    @OptionGroup var place: AddressOption

    func validate() throws {
        guard ids.isEmpty != (list == nil) else { throw ValidationError("Either ids, or --all and a list.") }
        if let list { try ListArgument.check(list) }
    }

    func run() throws {
        for id in ids {
            let entry = try QueueFolder().change { queue throws(Failure) in queue.drop(id) }
            guard let entry else { throw Failure.failed("The queue has no write \(id).", 66) }
            try say(entry)
        }
        guard let list else { return }
        let server = try place.address()
        let dropped = try QueueFolder().change { queue throws(Failure) in
            queue.drop(allTo: ByteText(list), of: ByteText(server.description))
        }
        for entry in dropped { try say(entry) }
        try printLines(["\(counted(dropped.count, "write")) dropped; the writes to \(list) of \(server) begin anew."])
    }

    private func say(_ entry: WriteQueue.Entry) throws(Failure) {
        try printLines(["\(entry.id) is dropped: \(printable(entry.write.deed))"])
    }
}
