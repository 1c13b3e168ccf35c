import ListModel
import Texts
import Threads

/// The sequences of clients: for each client and list, the highest number that is used up, with its answer.
///
/// A client numbers its writes to a list from 1. The record of the highest number is written in the same commit as the
/// write, so both are there or neither is. They are bounded by count, bytes and age. Those that were used longest ago go
/// first; those of an owner that has more than a tenth go before those of others.
///
///     begin ──▶ being decided ──accept──▶ waits for the disk ──settle──▶ used up
///                            └─refuse───▶ waits for the disk ──────────▶ used up
///                            └─release: the number is free again
public final class ClientSequences: Sendable {
    public struct Limits: Sendable {
        public var countMax: Int
        /// The most bytes of all sequences together.
        public var bytesMax: Int
        /// The seconds without use for which a sequence is kept.
        public var ageMax: Int

        public init(countMax: Int = 100_000, bytesMax: Int = 64 << 20, ageMax: Int = 90 * 86_400) {
            self.countMax = countMax
            self.bytesMax = bytesMax
            self.ageMax = ageMax
        }
    }

    enum Lookup {
        /// The write is to be decided. The turn must be ended by `accept`, `refuse` or `release`.
        case next(turn: Int)
        /// The journal is to be asked, because another store may know more.
        case mustAsk
        /// The number is the highest one that is used up, and the write was applied. The bytes are those of a `KeptAnswer`.
        case kept([UInt8])
        case out(OutOfSequence)
    }

    /// What has become of a number whose write was refused.
    public enum UsingUp: Sendable {
        case done
        /// Another request with the number came first.
        case overtaken
        /// The journal does not have it.
        case failed
    }

    /// A refusal that is to be written.
    fileprivate struct Waiting: Sendable {
        let key: KeyedRecord.Key
        let turn: Int
        let write: RecordWrite
        let completion: @Sendable (UsingUp) -> Void
    }

    /// A refusal of a number that rests on one that waits for the disk.
    fileprivate struct Parked: Sendable {
        let number: WriteNumber
        let list: ListID
        let turn: Int
        let answer: [UInt8]
        let completion: @Sendable (UsingUp) -> Void
    }

    fileprivate struct State: Sendable {
        var kept: KeptSequences
        var waiting: [Waiting] = []
        var parked: [KeyedRecord.Key: Parked] = [:]
        /// The removals of those that have gone from memory.
        var removals: [RecordWrite] = []
        var isWriting = false
        var isStopping = false
    }

    private let limits: Limits
    private let state: Locked<State>
    private let clock: AgeClock
    /// Nil if nothing outlives the process.
    private let queue: CommitQueue?
    private let isShared: Bool

    private static let recordsAtOnce = 1_000

    /// - Parameters:
    ///   - queue: The queue of the journal; nil if nothing outlives the process.
    ///   - isShared: Whether other stores may write to the journal.
    init(_ limits: Store.Limits, queue: CommitQueue?, isShared: Bool, clock: AgeClock) {
        let memory = limits.memory
        let limits = limits.sequences ?? Limits()
        self.limits = limits
        self.queue = queue
        self.isShared = isShared
        self.clock = clock
        state = Locked(State(kept: KeptSequences(limits, of: memory)))
    }

    /// Takes the sequences that a journal has.
    ///
    /// - Throws: `JournalError` if the journal cannot be read.
    func load(_ journal: any Journal) throws(JournalError) {
        var found: [KeyedRecord] = []
        while true {
            // A page lacks damaged records, so it may be short although there are more.
            let page = try journal.records(of: .sequence, after: found.last?.key.bytes, limit: Self.recordsAtOnce)
            guard !page.isEmpty else { break }
            found += page
        }
        found.sort { $0.content.used < $1.content.used }
        state.withLock { state in for record in found { state.kept.take(record.content, of: record.key) } }
        while trim() {}
    }

    deinit {
        stop()
        state.withLock { $0.kept.end() }
    }

    /// The number of sequences.
    var count: Int { state.withLock { $0.kept.count } }

    /// Looks a number up. The next one of its sequence is being decided from now on.
    ///
    /// - Parameter hasAsked: Whether the journal has just been asked for the record.
    func begin(_ number: WriteNumber, of list: ListID, hasAsked: Bool) -> Lookup {
        let (since, key) = (clock.now - limits.ageMax, number.key(of: list))
        return state.withLock { state in
            var known = state.kept[key]
            // One that is too old may not have been removed yet.
            let isTooOld = known?.newest.content.map { $0.used < since } ?? false
            if isTooOld { known?.forget() }
            let (highest, next, isIdle) = (known?.number ?? 0, known?.next ?? 1, known?.isIdle ?? true)
            if isShared, !hasAsked, isIdle { return .mustAsk }
            guard number.number <= next else {
                // What is on the way may be lost, so it is not yet known which number is expected.
                guard isIdle else { return .out(.inFlight) }
                return .out(highest == 0 ? .unknown : .gap(expected: next))
            }
            guard number.number < next else {
                guard known?.deciding == nil else { return .out(.inFlight) }
                state.kept.lastTurn += 1
                let turn = state.kept.lastTurn
                state.kept.change(key, owner: number.owner) { entry in
                    if isTooOld { entry.forget() }
                    entry.deciding = turn
                }
                return .next(turn: turn)
            }
            guard number.number <= highest, let known else { return .out(.inFlight) }
            guard number.number == highest else {
                let isRefused = StoredSequence.isRefused(number.number, below: highest, known.refused)
                return .out(isRefused ? .refusedBefore(nil) : .appliedBefore)
            }
            guard let stored = known.content.flatMap({ try? StoredSequence($0.value) }),
                stored.request == number.request
            else { return .out(.otherRequest) }
            return switch stored.answer {
            case .applied: .out(.appliedBefore)
            case .result(let bytes): .kept(bytes)
            case .refusal(let bytes): .out(.refusedBefore(bytes.isEmpty ? nil : bytes))
            }
        }
    }

    /// Takes what the journal has of a sequence, unless it is in use.
    func take(_ content: KeyedRecord.Content?, of number: WriteNumber, _ list: ListID) {
        let key = number.key(of: list)
        state.withLock { state in
            guard state.kept[key]?.isIdle ?? true else { return }
            state.kept.take(content, of: key)
        }
        trim()
    }

    /// Frees a number whose write was not done. Does nothing if it was accepted.
    func release(_ number: WriteNumber, of list: ListID, turn: Int) {
        state.withLock { state in
            state.kept.change(number.key(of: list), owner: number.owner) { entry in
                if entry.deciding == turn { entry.deciding = nil }
            }
        }
    }

    /// A record that waits for the disk, and the turn of its write.
    struct Accepted: Sendable {
        let key: KeyedRecord.Key
        let owner: ByteText
        let turn: Int
        let write: RecordWrite
    }

    /// Notes that the write which is being decided is applied. The next number may come from now on, although the record
    /// waits for the disk.
    ///
    /// - Returns: Nil if no write of this sequence is being decided.
    func accept(_ number: WriteNumber, of list: ListID, answer: [UInt8]) -> Accepted? {
        let key = number.key(of: list)
        let now = clock.now
        return state.withLock { state in
            guard let entry = state.kept[key], let turn = entry.deciding else { return nil }
            let (refused, before) = entry.newest
            let stored = StoredSequence(
                number: number.number, refused: refused << 1, owner: number.owner, request: number.request,
                answer: .result(answer))
            let write = RecordWrite(key, .isStill(before), stored.content(used: now))
            let flight = KeptSequences.Flight(
                turn: turn, number: number.number, refused: stored.refused, write: write)
            state.kept.change(key, owner: number.owner) { entry in
                entry.deciding = nil
                entry.flights.append(flight)
            }
            return Accepted(key: key, owner: number.owner, turn: turn, write: write)
        }
    }

    /// Notes what has become of an accepted write. If it was lost, so are those of its sequence that rest on it.
    func settle(_ accepted: Accepted, _ outcome: Result<Void, JournalError>) {
        let parked: Parked? = state.withLock { state in
            state.kept.change(accepted.key, owner: accepted.owner) { entry in
                guard let index = entry.flights.firstIndex(where: { $0.turn == accepted.turn }) else { return }
                switch outcome {
                case .success:
                    let flight = entry.flights[index]
                    (entry.number, entry.refused) = (flight.number, flight.refused)
                    entry.content = flight.write.content
                    entry.flights.removeFirst(index + 1)
                case .failure: entry.flights.removeSubrange(index...)
                }
            }
            let isAlone = state.kept[accepted.key]?.flights.isEmpty ?? true
            return isAlone ? state.parked.removeValue(forKey: accepted.key) : nil
        }
        trim()
        guard let parked else { return }
        switch outcome {
        case .success:
            refuse(
                parked.number, of: parked.list, turn: parked.turn, answer: parked.answer, completion: parked.completion)
        case .failure:
            release(parked.number, of: parked.list, turn: parked.turn)
            parked.completion(.failed)
        }
    }

    // MARK: Refusals and removals

    /// Writes that the write which is being decided is refused, so that its number is used up.
    ///
    /// - Parameter completion: It is called once, on any thread.
    func refuse(
        _ number: WriteNumber, of list: ListID, turn: Int, answer: [UInt8],
        completion: @escaping @Sendable (UsingUp) -> Void
    ) {
        let (key, now) = (number.key(of: list), clock.now)
        let since = now - limits.ageMax
        let (outcome, isDue): (UsingUp?, Bool) = state.change { state in
            guard let entry = state.kept[key], entry.deciding == turn, !state.isStopping else {
                return (.failed, false)
            }
            guard entry.flights.isEmpty else {
                state.parked[key] = Parked(
                    number: number, list: list, turn: turn, answer: answer, completion: completion)
                return (nil, false)
            }
            let stored = StoredSequence(
                number: number.number, refused: entry.refused << 1 | 1, owner: number.owner, request: number.request,
                answer: .refusal(answer))
            let write = RecordWrite(key, .isStill(entry.content), stored.content(used: now))
            let waiting = Waiting(key: key, turn: turn, write: write, completion: completion)
            guard queue != nil else {
                state.kept.end(waiting, isWritten: true)
                _ = state.kept.trim(since: since)
                return (.done, false)
            }
            state.waiting.append(waiting)
            return (nil, state.beginWriting())
        }
        if let outcome { completion(outcome) }
        if isDue { startWriting() }
    }

    /// Removes some of the sequences that are too many or too old.
    ///
    /// - Returns: Whether there may be more.
    @discardableResult
    private func trim() -> Bool {
        let since = clock.now - limits.ageMax
        let (hasRemoved, isDue) = state.change { state in
            guard queue != nil else { return (!state.kept.trim(since: since).isEmpty, false) }
            let hasRemoved = state.trim(since: since)
            return (hasRemoved, hasRemoved && state.beginWriting())
        }
        if isDue { startWriting() }
        return hasRemoved
    }

    private func startWriting() {
        guard let queue else { return }
        let (state, clock, ageMax) = (state, clock, limits.ageMax)
        let writeSome: @Sendable () -> Bool = { Self.writeSome(state, queue, since: clock.now - ageMax) }
        do throws(ThreadError) {
            try Thread { while writeSome() {} }.detach()
        } catch {
            while writeSome() {}
        }
    }

    /// - Parameter since: Sequences that were last used before are too old.
    /// - Returns: Whether there may be more. If not, no thread writes any more.
    private static func writeSome(_ state: Locked<State>, _ queue: CommitQueue, since: Int) -> Bool {
        let (waiting, removals) = state.change { state in
            let work = (state.waiting, state.removals)
            (state.waiting, state.removals) = ([], [])
            state.isWriting = !work.0.isEmpty || !work.1.isEmpty
            return work
        }
        guard !waiting.isEmpty || !removals.isEmpty else { return false }
        let written: [Bool]?
        do throws(JournalError) {
            written = try queue.journal.write { journal throws(JournalError) in
                try journal.keep(waiting.map(\.write) + removals)
            }
        } catch {
            written = nil
        }
        let goesOn = state.change { state in
            for (index, one) in waiting.enumerated() {
                state.kept.end(one, isWritten: written?[index] ?? false)
                // Each makes room for itself.
                if written != nil { state.trim(since: since) }
            }
            guard written == nil else { return true }
            // Removals that found no room are tried again with the next work.
            state.removals += removals
            state.isWriting = !state.waiting.isEmpty
            return state.isWriting
        }
        for (index, one) in waiting.enumerated() {
            one.completion(written.map { $0[index] ? .done : .overtaken } ?? .failed)
        }
        return goesOn
    }

    /// Waits until no thread writes. Later refusals are not written.
    func stop() {
        state.change { $0.isStopping = true }
        waitUntilWritten()
    }

    func waitUntilWritten() { state.wait(until: { !$0.isWriting }) { _ in } }
}

extension ClientSequences.State {
    /// Returns whether the caller must write.
    fileprivate mutating func beginWriting() -> Bool {
        guard !isWriting, !isStopping else { return false }
        isWriting = true
        return true
    }

    /// Removes some of the sequences that are too many or too old, from memory now and from the journal with the next
    /// work.
    ///
    /// - Returns: Whether some were removed.
    @discardableResult
    fileprivate mutating func trim(since: Int) -> Bool {
        let gone = kept.trim(since: since)
        // They are compared, so that none is removed that another store has just used.
        removals += gone.map { RecordWrite($0.key, .isStill($0.content), nil) }
        return !gone.isEmpty
    }
}

extension KeptSequences {
    /// Takes the record that the journal has of a key; nil if it has none. One that cannot be decoded is like an empty
    /// sequence, and is replaced by the next write.
    fileprivate mutating func take(_ content: KeyedRecord.Content?, of key: KeyedRecord.Key) {
        let stored = content.flatMap { try? StoredSequence($0.value) }
        change(key, owner: stored?.owner ?? "") { entry in
            (entry.content, entry.number, entry.refused) = (content, stored?.number ?? 0, stored?.refused ?? 0)
        }
    }

    /// Ends the turn of a refusal.
    fileprivate mutating func end(_ waiting: ClientSequences.Waiting, isWritten: Bool) {
        let stored = waiting.write.content.flatMap { try? StoredSequence($0.value) }
        change(waiting.key, owner: stored?.owner ?? "") { entry in
            guard entry.deciding == waiting.turn else { return }
            entry.deciding = nil
            guard isWritten, let stored else { return }
            (entry.number, entry.refused, entry.content) = (stored.number, stored.refused, waiting.write.content)
        }
    }
}
