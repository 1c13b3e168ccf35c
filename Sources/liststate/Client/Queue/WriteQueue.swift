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
        let write: ListWrite
        /// Milliseconds since 1970.
        let time: Int
        /// Nil if it was never sent.
        var number: Number?
        /// Why it waits.
        var reason: ByteText
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
    private(set) var lastID = 0

    init() {}

    /// - Precondition: The entries have different ids up to `lastID`.
    init(entries: [Entry], clients: [Client], lastID: Int) {
        (self.entries, self.clients, self.lastID) = (entries, clients, lastID)
    }

    static let entriesMax = 1_000
    /// After so many sequences an empty queue begins with new clients. Dropping single sequences would be wrong: a write
    /// with a number that was used before is not done.
    private static let sequencesMax = 1_000

    mutating func append(_ write: ListWrite, for server: ServerAddress, at time: UInt64) throws(Failure) -> Int {
        guard entries.count < Self.entriesMax else {
            throw .failed(
                "The queue has \(Self.entriesMax) writes, and no room for more: liststate queue shows them.", 75)
        }
        if entries.isEmpty, clients.reduce(0, { $0 + $1.next.count }) >= Self.sequencesMax { clients = [] }
        lastID += 1
        entries.append(
            Entry(
                id: lastID, server: ByteText(server.description), write: write, time: Int(time), number: nil,
                reason: "not sent yet"))
        return lastID
    }

    /// The next write to a server, with its number.
    ///
    /// - Parameters:
    ///   - caller: A digest of the token with which it will be sent.
    ///   - stuck: Lists whose writes cannot be sent now.
    ///   - name: Makes the id of a client.
    mutating func begin(_ server: ByteText, caller: ByteText, besides stuck: Set<ByteText>, name: () -> ByteText)
        -> Entry?
    {
        guard let index = entries.firstIndex(where: { $0.server == server && !stuck.contains($0.write.list) }) else {
            return nil
        }
        if entries[index].number == nil {
            let known = clients.firstIndex { $0.server == server && $0.caller == caller }
            if known == nil { clients.append(Client(server: server, caller: caller, id: name(), next: [:])) }
            let client = clients[known ?? clients.count - 1]
            entries[index].number = Number(client: client.id, value: client.next[entries[index].write.list] ?? 1)
        }
        return entries[index]
    }

    /// Takes a write out whose number is used up.
    mutating func finish(_ entry: Entry) {
        entries.removeAll { $0.id == entry.id }
        if let number = entry.number { goOn(number.client, entry.write.list, with: number.value + 1) }
    }

    /// Gives a write another number, with which the sequence goes on.
    mutating func renumber(_ entry: Entry, _ value: Int) {
        guard let number = entry.number else { return }
        if let index = entries.firstIndex(where: { $0.id == entry.id }) { entries[index].number?.value = value }
        goOn(number.client, entry.write.list, with: value)
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
}
