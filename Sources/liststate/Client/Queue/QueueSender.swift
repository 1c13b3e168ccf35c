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
        /// So many writes that the server has answered may be gone, because its store is an older copy or another one.
        case lost(Int)
    }

    private enum Next {
        case goOn, skipList, stop
    }

    let folder: QueueFolder
    let server: RemoteServer
    /// The write that the command itself has made, if it has made one.
    let own: Int?
    /// Whether writes are sent, too, that were made with another token.
    let takesForeign: Bool

    /// How often a write gets another number, or waits for itself, before it is left for later.
    private static let triesMax = 20
    /// Longer answers are not kept for commands that wait for them.
    private static let answerBytesMax = 16 * 1024

    private var name: ByteText { ByteText(server.address.description) }

    /// Sends what can be sent. Other commands that want to send wait until this one is ready.
    func send(_ tell: (WriteQueue.Entry, News) throws(Failure) -> Void) throws(Failure) {
        try folder.alone("send") { () throws(Failure) in
            var stuck: Set<ByteText> = []
            var tries: [Int: Int] = [:]
            // Writes that have had no number before, so that no server can have done them without this command knowing.
            var fresh: Set<Int> = []
            while let (entry, isNew) = try begin(besides: stuck) {
                tries[entry.id, default: 0] += 1
                if isNew { fresh.insert(entry.id) }
                let attempt = Attempt(
                    entry: entry, isFresh: fresh.contains(entry.id),
                    isLast: tries[entry.id, default: 0] >= Self.triesMax)
                switch try send(attempt, tell) {
                case .goOn: continue
                case .skipList: stuck.insert(entry.write.list)
                case .stop: return
                }
            }
        }
    }

    private struct Attempt {
        let entry: WriteQueue.Entry
        /// Whether it was certainly not done yet.
        let isFresh: Bool
        let isLast: Bool
    }

    private func begin(besides stuck: Set<ByteText>) throws(Failure) -> (entry: WriteQueue.Entry, isNew: Bool)? {
        try folder.change { queue throws(Failure) in
            queue.begin(name, caller: server.caller, besides: stuck, isHeld: isHeld) { "cli-\(randomToken())" }
        }
    }

    private func isHeld(_ entry: WriteQueue.Entry) -> Bool { !takesForeign && entry.isForeign(to: server.caller) }

    private func send(
        _ attempt: Attempt, _ tell: (WriteQueue.Entry, News) throws(Failure) -> Void
    ) throws(Failure) -> Next {
        let entry = attempt.entry
        guard !isHeld(entry), let number = entry.number else {
            try keep(entry, Self.foreign(entry), tell)
            return .skipList
        }
        let fields = [("Client", "\"\(number.client)\""), ("Client-Sequence", "\(number.value)")]
        let answer: HTTPClient.Answer
        do throws(Failure) {
            answer = try server.send(
                entry.write.method, entry.write.path, fields: fields, json: entry.write.body?.bytes)
        } catch {
            if attempt.isFresh, error.isBeforeSending { try change { $0.unnumber(entry) } }
            try keep(entry, error.message, tell)
            return .stop
        }
        let isUsedUp = answer["Client-Sequence"].flatMap { Int($0) } == number.value
        guard !(200..<300).contains(answer.status) else {
            try finish(entry, answer) { $0.finish(entry) }
            try tell(entry, .sent(answer))
            return .goOn
        }
        let problem = RemoteProblem(answer)
        let failure = Failure.problem(problem, server.address)
        if isUsedUp || problem.code == "sequence_refused" {
            try finish(entry, answer) { $0.finish(entry) }
            try tell(entry, .refused(failure))
            return .goOn
        }
        if answer.refusesForm {
            // Its number is not used up: the next write gets it.
            try finish(entry, answer) { _ = $0.drop(entry.id) }
            try tell(entry, .refused(failure))
            return .goOn
        }
        guard !attempt.isLast, try isMended(attempt, number, problem, tell) else {
            let isUnknown = problem.code == "sequence_gap" && problem.expected == nil
            try keep(entry, isUnknown ? Self.unknown(entry) : failure.message, tell)
            return answer.isForNow || answer.status == 401 ? .stop : .skipList
        }
        return .goOn
    }

    /// Whether the write can be sent again at once.
    private func isMended(
        _ attempt: Attempt, _ number: WriteQueue.Number, _ problem: RemoteProblem,
        _ tell: (WriteQueue.Entry, News) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let entry = attempt.entry
        switch problem.code {
        case "sequence_gap":
            guard let expected = problem.expected else {
                // The server does not know the sequence. A write that it may have done must wait for a person.
                guard attempt.isFresh else { return false }
                try change { queue in
                    queue.beginAnew(name)
                    queue.unnumber(entry)
                }
                try tell(entry, .lost(number.value - 1))
                return true
            }
            guard expected >= 1, expected < number.value else { return false }
            try change { $0.renumber(entry, expected) }
            try tell(entry, .lost(number.value - expected))
            return true
        case "key_reused":
            // A write that was dropped from the queue has the number.
            try change { $0.renumber(entry, number.value + 1) }
            return true
        case "key_in_flight":
            usleep(500_000)
            return true
        default: return false
        }
    }

    private func change(_ body: (inout WriteQueue) -> Void) throws(Failure) {
        try folder.change { queue throws(Failure) in body(&queue) }
    }

    /// Takes a write out, and keeps its answer if another command waits for it.
    private func finish(
        _ entry: WriteQueue.Entry, _ answer: HTTPClient.Answer, _ takeOut: (inout WriteQueue) -> Void
    ) throws(Failure) {
        try change { queue in
            let isAwaited = entry.id != own && queue.entries.contains { $0.id == entry.id && $0.isAwaited }
            takeOut(&queue)
            guard isAwaited else { return }
            let isShort = answer.body.count <= Self.answerBytesMax
            let body = isShort ? JSONObject(answer: answer.body).map { JSONValue.object($0) } : nil
            queue.keep(WriteQueue.Answered(id: entry.id, status: answer.status, body: body))
        }
    }

    private func keep(
        _ entry: WriteQueue.Entry, _ reason: String, _ tell: (WriteQueue.Entry, News) throws(Failure) -> Void
    ) throws(Failure) {
        try change { $0.note(ByteText(reason), for: entry) }
        try tell(entry, .waits(reason))
    }

    private static func foreign(_ entry: WriteQueue.Entry) -> String {
        """
        It was made \(entry.caller == "" ? "without a token" : "with another token"). To send it with this one, if that is \
        right: liststate queue send --any-token.
        """
    }

    private static func unknown(_ entry: WriteQueue.Entry) -> String {
        """
        The server does not know (any more) what it was sent: it has lost its data, or has begun with an older copy. \
        Whether it did this write is not known. Look at the list; then take the write out with liststate queue drop \
        \(entry.id), or all writes to the list with liststate queue drop --all \(entry.write.list).
        """
    }
}

extension RemoteServer {
    /// What tells callers apart: a digest of the token; empty without one.
    var caller: ByteText {
        guard let token else { return "" }
        return ByteText(sha256(parts: [Array(token.utf8)]).prefix(8).map { "\($0)" }.joined(separator: "."))
    }
}

extension HTTPClient.Answer {
    /// Whether the request is refused for its form, before anybody has looked at what it asks for: it is too long, or of
    /// another type. It would always be.
    fileprivate var refusesForm: Bool { [413, 414, 415].contains(status) }
}

extension Failure {
    /// Whether there was no connection over which a request could have been sent.
    fileprivate var isBeforeSending: Bool {
        guard case .client(let fault, _) = self else { return false }
        return switch fault {
        case .unknownHost: true
        case .system(let number): number == ECONNREFUSED
        case .timedOut, .noLibrary, .secure, .noAnswer: false
        }
    }
}
