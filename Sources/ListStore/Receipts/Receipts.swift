import Threads

/// A clock for ages. Its seconds pass evenly, whatever is done to the time of day.
struct AgeClock: Sendable {
    private let uptime: @Sendable () -> Int
    private let offset: Int

    /// - Parameters:
    ///   - time: The seconds that it shows now.
    ///   - uptime: Seconds since any moment. They never go back.
    init(showing time: Int, uptime: @escaping @Sendable () -> Int) {
        self.uptime = uptime
        offset = min(max(0, time), 1 << 53) - uptime()
    }

    var now: Int { uptime() + offset }
}

/// The limits for the receipts in the journal.
struct KeptReceipts: Sendable {
    let countMax: Int
    /// The seconds for which a receipt is kept.
    let ageMax: Int
    let clock: AgeClock
    /// The receipts in memory.
    private let receipts: Receipts

    /// - Returns: Nil if receipts are left as they are.
    init?(_ limits: Store.Limits, _ receipts: Receipts, clock: AgeClock) {
        guard let countMax = limits.receiptsMax else { return nil }
        (self.countMax, ageMax, self.receipts, self.clock) = (countMax, limits.receiptAgeMax, receipts, clock)
    }

    /// The number of new receipts after which old ones are removed. Each removal costs a sync.
    var slack: Int { min(4096, max(256, countMax / 64)) }

    /// The bytes of new receipts after which old ones are removed.
    var slackBytes: Int { receipts.bytesMax / 4 }

    /// The time before which a receipt is too old.
    var since: Int { clock.now - ageMax }

    /// The most receipts that the journal removes at once.
    static let pieceMax = 4096

    /// Removes some of the receipts that are too many or too old. Returns whether none of these are left.
    func trim(_ journal: any Journal) throws(JournalError) -> Bool {
        try journal.trimReceipts(keepNewest: min(countMax, receipts.countByBytes ?? countMax), olderThan: since)
    }

    /// Removes all receipts that are too many or too old. On a full disk they stay, because the store can start all the
    /// same.
    func trimAll(_ journal: any Journal) throws(JournalError) {
        do { while try !trim(journal) {} } catch {
            guard error == .full else { throw error }
        }
    }
}

/// Removes receipts that are too many or too old while others come. Only the thread that writes uses it.
struct ReceiptUpkeep: Sendable {
    let receipts: KeptReceipts
    /// The number of receipts that came since nothing was left to remove, and then the number of their bytes.
    private var added = 0
    private var addedBytes = 0

    init(_ receipts: KeptReceipts) { self.receipts = receipts }

    /// Notes the receipts of a batch.
    ///
    /// - Returns: The number of pieces to remove now, with at least as many receipts as came; 0 if that can wait.
    mutating func add(_ entries: [JournalEntry]) -> Int {
        let brought = entries.lazy.compactMap(\.receipt)
        let (count, bytes) = brought.reduce((0, 0)) { ($0.0 + 1, $0.1 + $1.key.count + $1.bytes.count) }
        added += count
        addedBytes += bytes
        let isDue = added >= receipts.slack || addedBytes >= receipts.slackBytes
        return count > 0 && isDue ? 1 + count / KeptReceipts.pieceMax : 0
    }

    mutating func noteNothingIsLeft() { (added, addedBytes) = (0, 0) }
}

/// The answers that are kept for retries, by `Idempotency-Key` in its scope.
///
/// They are bounded by count, bytes and age. All lists share them, because a receipt outlives its list.
final class Receipts: Sendable {
    enum Lookup {
        /// Nobody has used the key. It is in flight from now on.
        case new
        case inFlight
        case otherRequest
        case kept([UInt8])
    }

    private enum Entry {
        case inFlight(request: [UInt8])
        case kept(request: [UInt8], time: Int, bytes: [UInt8])
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// The scopes of the kept answers, oldest first. Those before `first` are gone.
        var ages: [(scope: [UInt8], time: Int, bytes: Int)] = []
        var first = 0
        /// The bytes of all kept answers.
        var bytes = 0

        mutating func change(at index: Int, to time: Int) {
            let (scope, old, _) = ages[index]
            ages[index].time = time
            guard case .kept(let request, old, let bytes) = entries[scope] else { return }
            entries[scope] = .kept(request: request, time: time, bytes: bytes)
        }
    }

    /// The number of kept answers and of keys in flight.
    var count: Int { state.withLock { $0.entries.count } }

    /// The bytes of the kept answers and their keys.
    var byteCount: Int { state.withLock { $0.bytes } }
    private let state = Locked(State())
    private let countMax: Int
    private let ageMax: Int
    let bytesMax: Int

    /// - Parameters:
    ///   - countMax: The most receipts that are kept.
    ///   - ageMax: Seconds for which a receipt is kept.
    ///   - bytesMax: The most bytes of keys and answers. The newest receipt is kept whatever its size.
    init(countMax: Int, ageMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.ageMax = ageMax
        self.bytesMax = bytesMax
    }

    /// The number of kept receipts, if their bytes may have limited it; otherwise nil.
    var countByBytes: Int? { state.withLock { $0.bytes > bytesMax / 2 ? $0.ages.count - $0.first : nil } }

    func begin(_ key: ReceiptKey, now: Int) -> Lookup {
        state.withLock { state in
            trim(&state, since: now - ageMax)
            switch state.entries[key.scope] {
            case nil:
                state.entries[key.scope] = .inFlight(request: key.request)
                return .new
            case .inFlight(let request):
                return request == key.request ? .inFlight : .otherRequest
            case .kept(let request, _, let bytes):
                return request == key.request ? .kept(bytes) : .otherRequest
            }
        }
    }

    /// Keeps the answer of a key that was in flight.
    func keep(_ key: ReceiptKey, time: Int, bytes: [UInt8]) {
        state.withLock { state in
            append(key, time, bytes, to: &state)
            trim(&state, since: time - ageMax)
        }
    }

    private func append(_ key: ReceiptKey, _ time: Int, _ bytes: [UInt8], to state: inout State) {
        let size = key.scope.count + key.request.count + bytes.count
        state.entries[key.scope] = .kept(request: key.request, time: time, bytes: bytes)
        state.ages.append((key.scope, time, size))
        state.bytes += size
    }

    /// Keeps a receipt of the log. The oldest come first. A receipt that cannot be decoded is left out.
    ///
    /// No receipt is younger than the ones after it. A time in the future comes from a clock that was set back since,
    /// and is replaced by the time of a later receipt.
    ///
    /// - Parameter now: The time of the start.
    func keep(_ receipt: Receipt, now: Int) {
        guard let kept = try? KeptAnswer(receipt.bytes) else { return }
        let key = ReceiptKey(scope: receipt.key, request: kept.request)
        state.withLock { state in
            var index = receipt.time <= now ? state.ages.count : state.first
            while index > state.first, state.ages[index - 1].time > now {
                index -= 1
                state.change(at: index, to: receipt.time)
            }
            append(key, receipt.time, receipt.bytes, to: &state)
            // Receipts that are too old stay until all are there, because their times may still change.
            trim(&state, since: .min)
        }
    }

    /// The time of the newest kept receipt; nil if there is none.
    var newest: Int? { state.withLock { $0.ages.last?.time } }

    /// Frees a key whose request has failed.
    func abandon(_ key: ReceiptKey) {
        state.withLock { state in
            guard case .inFlight = state.entries[key.scope] else { return }
            state.entries[key.scope] = nil
        }
    }

    /// Removes the oldest receipts while there are more than the limits allow, and those from before `since`.
    private func trim(_ state: inout State, since: Int) {
        while state.first < state.ages.count {
            let oldest = state.ages[state.first]
            let count = state.ages.count - state.first
            guard count > countMax || oldest.time < since || (state.bytes > bytesMax && count > 1) else { break }
            state.bytes -= oldest.bytes
            if case .kept(_, oldest.time, _) = state.entries[oldest.scope] { state.entries[oldest.scope] = nil }
            state.first += 1
        }
        guard state.first > 1024, state.first > state.ages.count / 2 else { return }
        state.ages.removeFirst(state.first)
        state.first = 0
    }
}
