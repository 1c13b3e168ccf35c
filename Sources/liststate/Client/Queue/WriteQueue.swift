import JSONValue
import Texts

/// The writes that wait for their servers, in the order in which they were made.
///
/// A write gets its number when it is sent for the first time, and the number is on the disk before it is sent. So a
/// write whose answer was lost is sent again with the same number, and the server does it once.
struct WriteQueue: Equatable {
    /// The number of a write in the sequence of a client (`Client`, `Client-Sequence`).
    struct Number: Equatable {
        let client: ByteText
        var value: Int
    }

    struct Entry: Equatable {
        let id: Int
        let server: ByteText
        /// A digest of the token with which it was made, empty without one. Nil if an older program has kept it.
        let caller: ByteText?
        let write: ListWrite
        /// Milliseconds since 1970.
        let time: Int
        /// Nil if it was never sent.
        var number: Number?
        /// Why it waits.
        var reason: ByteText
        /// Whether the command that has made it still runs, and wants to know the answer.
        var isAwaited: Bool

        /// Whether it was made with another token than this one.
        func isForeign(to caller: ByteText) -> Bool { self.caller.map { $0 != caller } ?? false }
    }

    /// The answer to a write that is awaited, and that another command has sent.
    struct Answered: Equatable {
        let id: Int
        let status: Int
        /// Nil if it is no JSON, or long.
        let body: JSONValue?
    }

    /// What has become of a write that was awaited.
    enum Fate {
        case answered(Answered)
        /// It is in the queue, for this reason, behind so many writes to the same list.
        case waits(ByteText, behind: Int)
        /// Somebody has taken it out.
        case dropped
    }

    /// What a server knows one caller by. Sequences belong to a caller, so each token has a client of its own.
    struct Client: Equatable {
        let server: ByteText
        /// A digest of the token.
        let caller: ByteText
        let id: ByteText
        /// The next number of each list.
        var next: [ByteText: Int]
    }

    private(set) var entries: [Entry] = []
    private(set) var clients: [Client] = []
    private(set) var answers: [Answered] = []
    private(set) var lastID = 0

    init() {}

    /// - Precondition: The entries have different ids up to `lastID`.
    init(entries: [Entry], clients: [Client], answers: [Answered], lastID: Int) {
        (self.entries, self.clients, self.answers, self.lastID) = (entries, clients, answers, lastID)
    }

    static let entriesMax = 1_000
    /// Answers whose commands were killed before they took them stay, until there are so many newer ones.
    private static let answersMax = 100
    /// After so many sequences an empty queue begins with new clients. Dropping single sequences would be wrong: a write
    /// with a number that was used before is not done.
    private static let sequencesMax = 1_000

    /// Adds a write, whose command waits for the answer. Returns its id.
    mutating func append(
        _ write: ListWrite, for server: ServerAddress, by caller: ByteText, at time: UInt64
    ) throws(Failure) -> Int {
        guard entries.count < Self.entriesMax else {
            throw .failed(
                "The queue has \(Self.entriesMax) writes, and no room for more: liststate queue shows them.", 75)
        }
        if entries.isEmpty, clients.reduce(0, { $0 + $1.next.count }) >= Self.sequencesMax { clients = [] }
        lastID += 1
        entries.append(
            Entry(
                id: lastID, server: ByteText(server.description), caller: caller, write: write, time: Int(time),
                number: nil, reason: "not sent yet", isAwaited: true))
        return lastID
    }

    /// The next write to a server, with its number.
    ///
    /// - Parameters:
    ///   - caller: A digest of the token with which it will be sent.
    ///   - stuck: Lists whose writes cannot be sent now.
    ///   - isHeld: Whether a write shall not be sent. Then it gets no number.
    ///   - name: Makes the id of a client.
    /// - Returns: `isNew` says that it had no number before, so it was never sent.
    mutating func begin(
        _ server: ByteText, caller: ByteText, besides stuck: Set<ByteText>, isHeld: (Entry) -> Bool,
        name: () -> ByteText
    ) -> (entry: Entry, isNew: Bool)? {
        guard let index = entries.firstIndex(where: { $0.server == server && !stuck.contains($0.write.list) }) else {
            return nil
        }
        guard entries[index].number == nil, !isHeld(entries[index]) else { return (entries[index], false) }
        let known = clients.firstIndex { $0.server == server && $0.caller == caller }
        if known == nil { clients.append(Client(server: server, caller: caller, id: name(), next: [:])) }
        let client = clients[known ?? clients.count - 1]
        entries[index].number = Number(client: client.id, value: client.next[entries[index].write.list] ?? 1)
        return (entries[index], true)
    }

    /// Takes a write out whose number is used up.
    mutating func finish(_ entry: Entry) {
        entries.removeAll { $0.id == entry.id }
        if let number = entry.number { goOn(number.client, entry.write.list, with: number.value + 1) }
    }

    /// Keeps an answer for the command that waits for it.
    mutating func keep(_ answer: Answered) {
        answers.append(answer)
        answers.removeFirst(max(answers.count - Self.answersMax, 0))
    }

    /// What has become of a write whose command stops to wait for it.
    mutating func leave(_ id: Int) -> Fate {
        if let index = answers.firstIndex(where: { $0.id == id }) { return .answered(answers.remove(at: index)) }
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return .dropped }
        entries[index].isAwaited = false
        let entry = entries[index]
        let before = entries[..<index].filter { $0.server == entry.server && $0.write.list == entry.write.list }
        return .waits(entry.reason, behind: before.count)
    }

    /// Gives a write another number, with which the sequence goes on.
    mutating func renumber(_ entry: Entry, _ value: Int) {
        guard let number = entry.number else { return }
        if let index = entries.firstIndex(where: { $0.id == entry.id }) { entries[index].number?.value = value }
        goOn(number.client, entry.write.list, with: value)
    }

    /// Takes the number from a write that has certainly not come to the server.
    mutating func unnumber(_ entry: Entry) {
        if let index = entries.firstIndex(where: { $0.id == entry.id }) { entries[index].number = nil }
    }

    private mutating func goOn(_ client: ByteText, _ list: ByteText, with number: Int) {
        guard let index = clients.firstIndex(where: { $0.id == client }) else { return }
        clients[index].next[list] = number
    }

    mutating func note(_ reason: ByteText, for entry: Entry) {
        if let index = entries.firstIndex(where: { $0.id == entry.id }) { entries[index].reason = reason }
    }

    /// Takes a write out that shall not be sent. If it was sent before, its number may be used up: then the server says
    /// so to the next write, which gets the number behind it.
    mutating func drop(_ id: Int) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        return entries.remove(at: index)
    }

    /// Takes all writes to a list of a server out, and begins anew with that server.
    mutating func drop(allTo list: ByteText, of server: ByteText) -> [Entry] {
        let dropped = entries.filter { $0.server == server && $0.write.list == list }
        entries.removeAll { $0.server == server && $0.write.list == list }
        beginAnew(server)
        return dropped
    }

    /// The next writes to a server without a number are those of a new client, whose sequences all begin with 1. A
    /// sequence that only has its numbers set back would be wrong: the server answers numbers that were used before
    /// without doing anything.
    mutating func beginAnew(_ server: ByteText) { clients.removeAll { $0.server == server } }
}
