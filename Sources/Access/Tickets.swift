public import Texts
internal import Threads

/// The tickets that a server knows. They are stored without their texts, so whoever reads the storage cannot use them.
///
/// A holder has at most `holderMax`, and all together have at most `countMax`. Tickets that let nobody in any more go
/// first, then the oldest. If all together are too many, those who have the most lose theirs.
public final class Tickets: Sendable {
    /// The most tickets of one token, or of one subject of another issuer.
    public static let holderMax = 1_000
    /// The most tickets of all holders.
    static let countMax = 100_000
    /// The tickets that are read at once at the start.
    private static let pageCount = 1_000
    /// How often a first use is tried again because another server has changed the ticket meanwhile.
    private static let triesMax = 3

    typealias Key = [UInt8]

    private let store: any TicketStore
    private let clock: @Sendable () -> Int
    private let state: Locked<TicketTable>

    /// Reads the tickets.
    ///
    /// - Parameter clock: Seconds since 1970.
    /// - Throws: `BookStoreError`.
    public init(_ store: any TicketStore, clock: @escaping @Sendable () -> Int) throws(BookStoreError) {
        self.store = store
        self.clock = clock
        var loaded: [(key: Key, ticket: Ticket)] = []
        var last: Key?
        repeat {
            let page = try store.page(after: last, limit: Self.pageCount)
            loaded += page.compactMap { row in Ticket(bytes: row.value).map { (row.key, $0) } }
            last = page.count == Self.pageCount ? page.last?.key : nil
        } while last != nil
        var table = TicketTable()
        for (key, ticket) in loaded.sorted(by: { $0.ticket.made < $1.ticket.made }) { table.insert(key, ticket) }
        state = Locked(table)
    }

    /// The number of tickets.
    var count: Int { state.withLock { $0.count } }

    /// Makes a ticket durably. It blocks, so it is no work for a loop.
    ///
    /// - Parameters:
    ///   - text: The text of the ticket, which nobody can guess.
    ///   - target: The digest of the address.
    ///   - isOver: Whether the holder of a ticket would not be let in any more.
    /// - Throws: `BookStoreError`. There is no ticket then.
    public func make(
        _ text: ByteText, for caller: Caller, target: [UInt8], isOver: (Caller) -> Bool
    ) throws(BookStoreError) {
        let (key, now) = (Secret.digest(text), clock())
        let ticket = Ticket(caller, target: target, made: now)
        let removals = state.withLock { table in
            table.makeRoom(for: caller.actor) { $0.isLate(at: now) || isOver($0.caller) }
            table.insert(key, ticket)
            return table.takeRemovals()
        }
        do throws(BookStoreError) {
            try store.write([(key, ticket.bytes)] + removals.map { ($0, nil) })
        } catch {
            state.withLock { $0.giveUp(key, removals) }
            throw error
        }
    }

    /// The holder of a ticket with which a stream has begun before, as far as this server knows. It never blocks.
    public func known(_ text: ByteText, target: [UInt8]) -> Caller? {
        guard Secret.isTicket(text) else { return nil }
        let key = Secret.digest(text)
        return state.withLock { $0.find(key) }.flatMap { $0.isUsed && $0.target == target ? $0.caller : nil }
    }

    /// Whether this server knows a ticket for this address with which a stream may still begin. It never blocks.
    public func awaits(_ text: ByteText, target: [UInt8]) -> Bool {
        guard Secret.isTicket(text) else { return false }
        let key = Secret.digest(text)
        return state.withLock { $0.find(key) }.map { $0.target == target && !$0.isLate(at: clock()) } ?? false
    }

    /// The holder of a ticket that is used now; nil if there is no such ticket for this address, or it comes too late.
    ///
    /// It may ask the storage, so it is no work for a loop.
    ///
    /// - Throws: `BookStoreError` if the ticket may be there, and the storage cannot be asked.
    public func use(_ text: ByteText, target: [UInt8]) throws(BookStoreError) -> Caller? {
        guard Secret.isTicket(text) else { return nil }
        let key = Secret.digest(text)
        for _ in 0..<Self.triesMax {
            guard let ticket = try find(key), ticket.target == target else { return nil }
            guard !ticket.isUsed else { return ticket.caller }
            guard !ticket.isLate(at: clock()) else { return nil }
            var used = ticket
            used.isUsed = true
            guard try store.replace(key, ticket.bytes, by: used.bytes) else { continue }
            state.withLock { $0.insert(key, used) }
            return used.caller
        }
        return nil
    }

    /// The ticket as it is stored. What is known of one that was used needs no look, because that does not change.
    private func find(_ key: Key) throws(BookStoreError) -> Ticket? {
        let known = state.withLock { $0.find(key) }
        guard store.isShared, known?.isUsed != true else { return known }
        let stored = try store.read(key).flatMap { Ticket(bytes: $0) }
        state.withLock { table in if let stored { table.insert(key, stored) } else { table.forget(key) } }
        return stored
    }
}
