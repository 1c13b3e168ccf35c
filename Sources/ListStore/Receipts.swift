import Locks

/// Which receipts the journal keeps.
struct KeptReceipts: Sendable {
    let countMax: Int
    /// Seconds.
    let ageMax: Int
    let clock: @Sendable () -> Int

    /// - Returns: Nil if receipts are left as they are.
    init?(_ limits: Store.Limits, clock: @escaping @Sendable () -> Int) {
        guard let countMax = limits.receiptsMax else { return nil }
        (self.countMax, ageMax, self.clock) = (countMax, limits.receiptAgeMax, clock)
    }

    /// How many receipts come before those that are too many are removed: each removal is one more sync.
    var slack: Int { min(4096, max(256, countMax / 64)) }

    /// The time before which a receipt is too old.
    var since: Int { clock() - ageMax }

    /// Receipts that the journal removes at once.
    static let pieceMax = 4096

    /// Removes some that are too many or too old; returns whether none are left.
    func trim(_ journal: any Journal) throws(JournalError) -> Bool {
        try journal.trimReceipts(keepNewest: countMax, olderThan: since)
    }

    /// Removes all that are; on a full disk they stay until there is room, for that is no reason not to start.
    func trimAll(_ journal: any Journal) throws(JournalError) {
        do { while try !trim(journal) {} } catch {
            guard error == .full else { throw error }
        }
    }
}

/// Removes receipts that are too many or too old while others come; only the thread that writes reaches it.
struct ReceiptUpkeep: Sendable {
    let receipts: KeptReceipts
    /// Receipts that came since nothing was left to remove.
    private var added = 0

    init(_ receipts: KeptReceipts) { self.receipts = receipts }

    /// Notes that a batch brought so many.
    ///
    /// - Returns: How many pieces are to be removed now, at least as many receipts as came; 0 if that can wait.
    mutating func add(_ count: Int) -> Int {
        added += count
        return count > 0 && added >= receipts.slack ? 1 + count / KeptReceipts.pieceMax : 0
    }

    mutating func noteNothingIsLeft() { added = 0 }
}

/// The answers that are kept for retries, by `Idempotency-Key` in its scope.
///
/// Bounded by count and age; shared by all lists, because a receipt outlives its list.
final class Receipts: Sendable {
    enum Lookup {
        /// Nobody has used the key: it is now in flight.
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
        /// Kept scopes, oldest first; those before `first` are gone.
        var ages: [(scope: [UInt8], time: Int)] = []
        var first = 0
    }

    /// How many answers are kept, and keys in flight.
    var count: Int { state.withLock { $0.entries.count } }

    private let state = Locked(State())
    private let countMax: Int
    private let ageMax: Int

    /// - Parameters:
    ///   - countMax: Receipts kept at most.
    ///   - ageMax: Seconds for which a receipt is kept at most.
    init(countMax: Int, ageMax: Int) {
        self.countMax = countMax
        self.ageMax = ageMax
    }

    func begin(_ key: ReceiptKey, now: Int) -> Lookup {
        state.withLock { state in
            trim(&state, now: now)
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

    /// Keeps the answer of a key, in flight or read from the log.
    func keep(_ key: ReceiptKey, time: Int, bytes: [UInt8]) {
        state.withLock { state in
            state.entries[key.scope] = .kept(request: key.request, time: time, bytes: bytes)
            state.ages.append((key.scope, time))
            trim(&state, now: time)
        }
    }

    /// Keeps a receipt of the log; one that cannot be read is none.
    func keep(_ receipt: Receipt) {
        #if PLANTED_FAULTS
            if Fault.isPlanted(.forgetsKeysAtRestart) { return }
        #endif
        guard let kept = try? KeptAnswer(receipt.bytes) else { return }
        keep(ReceiptKey(scope: receipt.key, request: kept.request), time: receipt.time, bytes: receipt.bytes)
    }

    /// Frees a key whose request has failed.
    func abandon(_ key: ReceiptKey) {
        state.withLock { state in
            guard case .inFlight = state.entries[key.scope] else { return }
            state.entries[key.scope] = nil
        }
    }

    private func trim(_ state: inout State, now: Int) {
        while state.first < state.ages.count {
            let oldest = state.ages[state.first]
            guard state.ages.count - state.first > countMax || oldest.time < now - ageMax else { break }
            if case .kept(_, oldest.time, _) = state.entries[oldest.scope] { state.entries[oldest.scope] = nil }
            state.first += 1
        }
        guard state.first > 1024, state.first > state.ages.count / 2 else { return }
        state.ages.removeFirst(state.first)
        state.first = 0
    }
}
