internal import Texts

/// The tickets of each holder.
struct TicketTable: Sendable {
    private struct Entry: Sendable {
        var ticket: Ticket
        /// A ticket that came later has a greater one.
        let order: Int
    }

    private var holders: [ByteText: [Tickets.Key: Entry]] = [:]
    private var holderOf: [Tickets.Key: ByteText] = [:]
    private var order = 0
    /// The tickets that the storage still has.
    private var removals: [Tickets.Key] = []

    var count: Int { holderOf.count }

    func find(_ key: Tickets.Key) -> Ticket? { holderOf[key].flatMap { holders[$0]?[key]?.ticket } }

    /// Adds a ticket, or replaces it.
    ///
    /// One that another server has made pushes none out. It is counted with the next one that is made here.
    mutating func insert(_ key: Tickets.Key, _ ticket: Ticket) {
        let holder = ticket.caller.actor
        guard holders[holder]?[key] == nil else {
            holders[holder]?[key]?.ticket = ticket
            return
        }
        order += 1
        holders[holder, default: [:]][key] = Entry(ticket: ticket, order: order)
        holderOf[key] = holder
    }

    mutating func forget(_ key: Tickets.Key) {
        guard let holder = holderOf.removeValue(forKey: key) else { return }
        holders[holder]?[key] = nil
        if holders[holder]?.isEmpty == true { holders[holder] = nil }
    }

    /// Makes room for one more ticket of a holder.
    ///
    /// - Complexity: O(*m*), *m* the tickets of the holder, if it has `holderMax`. O(*n* log *n*) if all together are
    ///   `countMax`; a sixteenth then goes, so that the next ones find room.
    mutating func makeRoom(for holder: ByteText, isOver: (Ticket) -> Bool) {
        if let own = holders[holder], own.count >= Tickets.holderMax {
            remove(own.filter { isOver($0.value.ticket) }.map(\.key))
            keepNewest(Tickets.holderMax - 1, of: holder)
        }
        guard count >= Tickets.countMax else { return }
        let goal = Tickets.countMax - Tickets.countMax / 16
        remove(holders.values.flatMap { $0.filter { isOver($0.value.ticket) }.map(\.key) })
        var most = Tickets.holderMax
        while most > 1, holders.values.reduce(0, { $0 + min($1.count, most) }) > goal { most /= 2 }
        for holder in holders.keys { keepNewest(most, of: holder) }
        guard count > goal else { return }
        let all = holders.values.flatMap { $0.map { (key: $0.key, order: $0.value.order) } }
        remove(all.sorted { $0.order < $1.order }.prefix(count - goal).map(\.key))
    }

    /// The keys that are to be removed from the storage. They are the caller's from then on.
    mutating func takeRemovals() -> [Tickets.Key] {
        defer { removals = [] }
        return removals
    }

    /// Takes back a ticket that could not be stored, and the removals.
    mutating func giveUp(_ key: Tickets.Key, _ refused: [Tickets.Key]) {
        remove([key])
        removals += refused
    }

    private mutating func keepNewest(_ most: Int, of holder: ByteText) {
        guard let own = holders[holder], own.count > most else { return }
        remove(own.sorted { $0.value.order < $1.value.order }.prefix(own.count - most).map(\.key))
    }

    private mutating func remove(_ keys: [Tickets.Key]) {
        for key in keys { forget(key) }
        removals += keys
    }
}
