internal import CMicrohttpd
internal import CReading
internal import Glibc
internal import Threads

/// The memory that a loop takes for its clients: bodies that have come, and answers that are not read yet.
///
/// An example: ten clients ask for 30 MiB each, and do not read. Each answer counts from the moment when it is queued.
/// Once they fill seven eighths of the budget, the next client is answered 503. A quarter of a second later the loop
/// looks at what its clients have read, and closes the connection that has been at its answer the longest.
///
/// A body counts as its pieces come, and nothing counts that was only announced. A short answer costs nothing here: it
/// is counted only if it is still there when the loop looks. What a stream sends is counted by its source.
struct LoopMemory {
    let budget: MemoryBudget
    var bodies: MemoryShare
    var answers: MemoryShare
    /// The contents that count, by their addresses. Answers to waits are often shared.
    private var sent: [UInt: (bytes: Int, clients: Int)] = [:]
    let readers: Readers

    /// What clients must read, and how often that is looked at.
    struct Readers {
        /// The fewest bytes a second; 0 for any.
        let bytesPerSecondMin: Int
        /// The milliseconds over which they are counted.
        let interval: UInt64
    }

    /// How often the bytes of a body count: to read a list takes up to four times its body.
    static let bodyWeight = 4
    /// The milliseconds for which an answer may take its client before it can be closed to make room.
    static let readingTime: UInt64 = 2_000

    init(_ budget: MemoryBudget, _ readers: Readers) {
        self.budget = budget
        self.readers = readers
        bodies = MemoryShare(of: budget, for: .bodies)
        answers = MemoryShare(of: budget, for: .answers)
    }

    /// Counts a content for one more client.
    fileprivate mutating func begin(_ content: UnsentContent) {
        if let (bytes, clients) = sent[content.address] {
            sent[content.address] = (bytes, clients + 1)
        } else {
            sent[content.address] = (content.bytes, 1)
            answers.add(content.bytes)
        }
    }

    /// Counts a content for one client less.
    fileprivate mutating func end(_ content: UnsentContent) {
        guard let (bytes, clients) = sent[content.address] else { return }
        sent[content.address] = clients > 1 ? (bytes, clients - 1) : nil
        if clients == 1 { answers.add(-bytes) }
    }
}

// MARK: - Bodies

extension EventLoop {
    /// Whether there is room for a request whose head has come. What its body is announced to take is not taken yet.
    func hasRoom(for exchange: Exchange) -> Bool {
        let cost = exchange.bodyBytesAnnounced * LoopMemory.bodyWeight
        return memory.budget.hasRoom(for: cost, of: cost)
    }

    /// Counts a piece of a body that has come. Returns false if there is no room for it.
    func count(_ piece: Int, of exchange: Exchange) -> Bool {
        let cost = piece * LoopMemory.bodyWeight
        guard memory.budget.hasRoom(for: cost, of: exchange.bodyCost + cost) else { return false }
        exchange.bodyCost += cost
        memory.bodies.add(cost)
        return true
    }

    /// Counts the body of a request no more.
    func releaseBody(of exchange: Exchange) {
        guard exchange.bodyCost > 0 else { return }
        memory.bodies.add(-exchange.bodyCost)
        exchange.bodyCost = 0
    }
}

// MARK: - Answers

/// The content of an answer that is on its way.
struct UnsentContent {
    var bytes = 0
    /// The address of the bytes, by which one sees that two clients are sent the same ones. Nothing is read there.
    var address: UInt = 0

    init() {}

    init(_ content: [UInt8]) {
        bytes = content.count
        address = content.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}

/// How far a client had come with reading at the last moment at which it was not behind.
struct Reading {
    let acknowledged: UInt64
    /// Whether this is not the first look. What the system of a client takes at first comes within some milliseconds.
    let isSettled: Bool
    /// That moment, in milliseconds of the loop's clock.
    let since: UInt64
    /// The time of the next look.
    let nextLook: UInt64

    /// The number of looks in an interval.
    private static let looks: UInt64 = 16

    /// The reading of a client at a look.
    ///
    /// The interval in which the client must read so much begins anew whenever it has done that, or has read everything
    /// that the loop gave to the system. It begins with the second look: what the system of a client takes at first,
    /// without its program, does not count.
    ///
    /// - Parameters:
    ///   - before: The reading at the last look; nil if this is the first one.
    ///   - isBehind: Whether something waits in the system for the client.
    init(
        after before: Reading?, _ readers: LoopMemory.Readers, acknowledged: UInt64, isBehind: Bool, now: UInt64
    ) {
        let wanted = UInt64(readers.bytesPerSecondMin) * readers.interval / 1_000
        isSettled = before != nil
        if let before, before.isSettled, isBehind, acknowledged &- before.acknowledged < wanted {
            (self.acknowledged, since) = (before.acknowledged, before.since)
        } else {
            (self.acknowledged, since) = (acknowledged, now)
        }
        nextLook = min(now + readers.interval / Self.looks, max(since + readers.interval, now + 1))
    }
}

extension EventLoop {
    /// The answer; a refusal if it is a long one to a read and there is no room for it. The answer to a write has to be
    /// told.
    func affordable(_ response: Response, _ exchange: Exchange, _ call: EngineCall) -> Response {
        let bytes = response.body.count
        guard bytes >= MemoryBudget.longBytes, exchange.isRead, !memory.budget.hasRoom(for: bytes, of: bytes) else {
            return response
        }
        return handler.refusal(.overloaded, head: head(exchange, call, call.knownMethod))
    }

    /// Counts a long answer at once, because many could come before the next look.
    func noteAnswer(_ exchange: Exchange, _ content: UnsentContent) {
        exchange.answer(content, now: now)
        if content.bytes >= MemoryBudget.longBytes { count(content, for: exchange) }
    }

    /// Notes that an answer is out, or that nobody reads it any more.
    func releaseAnswer(of exchange: Exchange) {
        guard exchange.counted.bytes > 0 else { return }
        memory.end(exchange.counted)
        exchange.counted = UnsentContent()
    }

    private func count(_ content: UnsentContent, for exchange: Exchange) {
        releaseAnswer(of: exchange)
        memory.begin(content)
        exchange.counted = content
    }

    /// One look at all clients that have not read their answers.
    struct ReadingLook {
        fileprivate var seen: Set<UInt> = []
        fileprivate var slow: [(exchange: Exchange, bytes: Int)] = []
        /// The bytes of the connections that have been cut.
        fileprivate var cutBytes = 0

        /// The most bytes of connections that are cut in one turn: to free them takes the loop some milliseconds.
        private static let cutBytesMax = 16 << 20
        /// The least bytes of a connection.
        fileprivate static let connectionBytes = 64 << 10

        /// Whether other readers must wait for the next turn to be looked at.
        var isOver: Bool { cutBytes >= Self.cutBytesMax }
    }

    /// Counts what a client has not read, and closes its connection if it reads too slowly.
    func look(at exchange: Exchange, in look: inout ReadingLook) {
        let content = exchange.unsent
        guard content.bytes > 0 else {
            exchange.reading = nil
            exchange.isBehind = false
            return releaseAnswer(of: exchange)
        }
        if !exchange.isBehind { exchange.beginReading(now: now) }
        if exchange.counted.bytes == 0, !exchange.isStreaming { count(content, for: exchange) }
        // The same bytes take room once, however many clients are sent them.
        let isFirst = look.seen.insert(content.address).inserted
        if !look.isOver, readsTooSlowly(exchange) {
            look.cutBytes += ReadingLook.connectionBytes + (isFirst ? content.bytes : 0)
            cut(exchange)
        } else if isFirst, content.bytes >= MemoryBudget.longBytes, now >= exchange.since + LoopMemory.readingTime {
            look.slow.append((exchange, content.bytes))
        }
    }

    /// Makes room, if there is none: closes the connections that have been at long answers the longest.
    func makeRoom(after look: ReadingLook) {
        var excess = memory.budget.excess
        guard excess > 0, !look.slow.isEmpty else { return }
        for slow in look.slow.sorted(by: { $0.exchange.since < $1.exchange.since }) where excess > 0 {
            excess -= slow.bytes
            cut(slow.exchange)
        }
    }

    /// Resets the connection of a client that does not read. Otherwise the system would keep for minutes what the client
    /// has not taken.
    private func cut(_ exchange: Exchange) {
        var now = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(exchange.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<Glibc.linger>.size))
        shutdown(exchange.descriptor, Int32(SHUT_RDWR))
    }

    private func readsTooSlowly(_ exchange: Exchange) -> Bool {
        let readers = memory.readers
        if let reading = exchange.reading, now < reading.nextLook { return false }
        guard readers.bytesPerSecondMin > 0 else { return false }
        var (acknowledged, queued): (UInt64, Int32) = (0, 0)
        guard reading_progress(exchange.descriptor, &acknowledged, &queued) else { return false }
        let isBehind = queued > 0
        let reading = Reading(
            after: exchange.reading, readers, acknowledged: acknowledged, isBehind: isBehind, now: now)
        exchange.reading = reading
        return now >= reading.since + readers.interval
    }
}
