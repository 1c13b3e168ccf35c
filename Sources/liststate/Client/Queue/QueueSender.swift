import Glibc
import JSONValue
import SHA256
import Texts

/// Sends the writes of the queue that are for one server, each list's in order.
struct QueueSender {
    /// What becomes of a write.
    enum News {
        case sent(HTTPClient.Answer)
        /// The server refuses the write for good. It is taken out of the queue.
        case refused(Failure)
        /// It stays in the queue, for this reason.
        case waits(String)
        /// So many writes that the server has answered are not there any more, because its store is an older copy.
        case lost(Int)
    }

    private enum Next {
        case goOn, skipList, stop
    }

    let folder: QueueFolder
    let server: RemoteServer

    /// How often a write gets another number, or waits for itself, before it is left for later.
    private static let triesMax = 20

    /// Sends what can be sent. Other commands that want to send wait until this one is ready.
    func send(_ tell: (WriteQueue.Entry, News) -> Void) throws(Failure) {
        try folder.alone("send") { () throws(Failure) in
            var stuck: Set<ByteText> = []
            var tries: [Int: Int] = [:]
            while let entry = try begin(besides: stuck) {
                tries[entry.id, default: 0] += 1
                let isLast = tries[entry.id, default: 0] >= Self.triesMax
                switch try send(entry, isLast: isLast, tell) {
                case .goOn: continue
                case .skipList: stuck.insert(entry.write.list)
                case .stop: return
                }
            }
        }
    }

    private func begin(besides stuck: Set<ByteText>) throws(Failure) -> WriteQueue.Entry? {
        let name = ByteText(server.address.description)
        let caller = server.token.map { token in
            sha256(parts: [Array(token.utf8)]).prefix(8).map { "\($0)" }.joined(separator: ".")
        }
        return try folder.change { queue throws(Failure) in
            queue.begin(name, caller: ByteText(caller ?? ""), besides: stuck) { "cli-\(randomToken())" }
        }
    }

    private func send(
        _ entry: WriteQueue.Entry, isLast: Bool, _ tell: (WriteQueue.Entry, News) -> Void
    ) throws(Failure) -> Next {
        guard let number = entry.number else { return .stop }
        let fields = [("Client", "\"\(number.client)\""), ("Client-Sequence", "\(number.value)")]
        let answer: HTTPClient.Answer
        do throws(Failure) {
            answer = try server.send(
                entry.write.method, entry.write.path, fields: fields, json: entry.write.body?.bytes)
        } catch {
            try keep(entry, error.message, tell)
            return .stop
        }
        let isUsedUp = answer["Client-Sequence"].flatMap { Int($0) } == number.value
        guard !(200..<300).contains(answer.status) else {
            try finish(entry)
            tell(entry, .sent(answer))
            return .goOn
        }
        let problem = RemoteProblem(answer)
        let failure = Failure.problem(problem, server.address)
        if isUsedUp || problem.code == "sequence_refused" {
            try finish(entry)
            tell(entry, .refused(failure))
            return .goOn
        }
        guard !isLast, try isMended(entry, number, problem, tell) else {
            try keep(entry, failure.message, tell)
            return answer.isForNow || answer.status == 401 ? .stop : .skipList
        }
        return .goOn
    }

    /// Whether the write can be sent again at once.
    private func isMended(
        _ entry: WriteQueue.Entry, _ number: WriteQueue.Number, _ problem: RemoteProblem,
        _ tell: (WriteQueue.Entry, News) -> Void
    ) throws(Failure) -> Bool {
        switch problem.code {
        case "sequence_gap":
            guard let expected = problem.expected, expected >= 1, expected < number.value else { return false }
            try renumber(entry, expected)
            tell(entry, .lost(number.value - expected))
            return true
        case "key_reused":
            // A write that was dropped from the queue has the number.
            try renumber(entry, number.value + 1)
            return true
        case "key_in_flight":
            usleep(500_000)
            return true
        default: return false
        }
    }

    private func finish(_ entry: WriteQueue.Entry) throws(Failure) {
        try folder.change { queue throws(Failure) in queue.finish(entry) }
    }

    private func renumber(_ entry: WriteQueue.Entry, _ value: Int) throws(Failure) {
        try folder.change { queue throws(Failure) in queue.renumber(entry, value) }
    }

    private func keep(
        _ entry: WriteQueue.Entry, _ reason: String, _ tell: (WriteQueue.Entry, News) -> Void
    ) throws(Failure) {
        try folder.change { queue throws(Failure) in queue.note(ByteText(reason), for: entry) }
        tell(entry, .waits(reason))
    }
}
