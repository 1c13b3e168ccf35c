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
/// is counted only if it is still there when the loop looks.
struct LoopMemory {
    let budget: MemoryBudget
    var bodies: MemoryShare
    var answers: MemoryShare
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

/// How far a client has come with reading, when it was last looked at.
struct Reading {
    var acknowledged: UInt64
    /// The time of the next look, in milliseconds of the loop's clock.
    var nextLook: UInt64
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

    /// Counts a long answer at once, because many could come before the next look. Those of waits are often shared.
    func noteAnswer(_ exchange: Exchange, _ content: UnsentContent) {
        exchange.answer(content, now: now)
        if content.bytes >= MemoryBudget.longBytes, exchange.subscription == nil { count(content.bytes, for: exchange) }
    }

    /// Notes that an answer is out, or that nobody reads it any more.
    func releaseAnswer(of exchange: Exchange) {
        if exchange.answerCost > 0 { count(0, for: exchange) }
    }

    private func count(_ bytes: Int, for exchange: Exchange) {
        memory.answers.add(bytes - exchange.answerCost)
        exchange.answerCost = bytes
    }

    /// One look at all clients that have not read their answers.
    struct ReadingLook {
        fileprivate var seen: Set<UInt> = []
        fileprivate var slow: [Exchange] = []
    }

    /// Counts what a client has not read, and closes its connection if it reads too slowly.
    func look(at exchange: Exchange, in look: inout ReadingLook) {
        let content = exchange.unsent
        guard content.bytes > 0 else {
            exchange.reading = nil
            return releaseAnswer(of: exchange)
        }
        // The same bytes count for one client only.
        let bytes = look.seen.insert(content.address).inserted ? content.bytes : 0
        if exchange.answerCost == 0 { exchange.beginReading(now: now) }
        if bytes != exchange.answerCost { count(bytes, for: exchange) }
        if readsTooSlowly(exchange) {
            cut(exchange)
        } else if bytes >= MemoryBudget.longBytes, now >= exchange.since + LoopMemory.readingTime {
            look.slow.append(exchange)
        }
    }

    /// Makes room, if there is none: closes the connections that have been at long answers the longest.
    func makeRoom(after look: ReadingLook) {
        var excess = memory.budget.excess
        guard excess > 0, !look.slow.isEmpty else { return }
        for exchange in look.slow.sorted(by: { $0.since < $1.since }) where excess > 0 {
            excess -= exchange.answerCost
            cut(exchange)
        }
    }

    /// Resets the connection of a client that does not read. Otherwise the system would keep for minutes what the client
    /// has not taken.
    private func cut(_ exchange: Exchange) {
        var now = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(exchange.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<Glibc.linger>.size))
        shutdown(exchange.descriptor, Int32(SHUT_RDWR))
    }

    /// Whether a client has read less than it must since the last look.
    ///
    /// If nothing waits in the system for the client, it has read everything that the loop gave it. It is then looked at
    /// again after half of the time.
    private func readsTooSlowly(_ exchange: Exchange) -> Bool {
        let readers = memory.readers
        if let reading = exchange.reading, now < reading.nextLook { return false }
        guard readers.bytesPerSecondMin > 0 else { return false }
        var (acknowledged, queued): (UInt64, Int32) = (0, 0)
        guard reading_progress(exchange.descriptor, &acknowledged, &queued) else { return false }
        let before = exchange.reading
        let interval = queued == 0 ? readers.interval / 2 : readers.interval
        exchange.reading = Reading(acknowledged: acknowledged, nextLook: now + interval)
        guard let before, queued > 0 else { return false }
        return acknowledged &- before.acknowledged < UInt64(readers.bytesPerSecondMin) * readers.interval / 1_000
    }
}
