import Threads
public import Texts

/// The stored bodies of requests to follow lists. Each has a name that nobody can guess, so that its client can come
/// back with the name alone. No list depends on them.
///
/// Subscriptions outlive the process if there is a journal. They are bounded by count, bytes and age. Those that were
/// used longest ago go first.
public final class Subscriptions: Sendable {
    public struct Limits: Sendable {
        public var countMax: Int
        /// The most bytes of all subscriptions together.
        public var bytesMax: Int
        /// The seconds without use for which a subscription is kept.
        public var ageMax: Int

        public init(countMax: Int = 10_000, bytesMax: Int = 64 << 20, ageMax: Int = 7 * 86_400) {
            self.countMax = countMax
            self.bytesMax = bytesMax
            self.ageMax = ageMax
        }
    }

    fileprivate struct Kept: Sendable {
        /// The number of the subscription in the journal.
        let number: Int
        let bytes: [UInt8]
        /// The time of the last use, in seconds since 1970.
        var used: Int
        /// The time of the last use that the journal has.
        var noted: Int
    }

    fileprivate struct State: Sendable {
        var kept: [ByteText: Kept] = [:]
        var byteCount = 0
        var last = 0
        /// The subscriptions to write, by name, and those to remove, by number.
        var added: Set<ByteText> = []
        var removed: [Int] = []
        var waiting: [Waiting] = []
        /// Whether a thread writes.
        var isWriting = false
        var isStopping = false

        var hasWork: Bool { !added.isEmpty || !removed.isEmpty || !waiting.isEmpty }
    }

    fileprivate struct Waiting: Sendable {
        let added: Added
        let completion: @Sendable (Added, JournalError?) -> Void
    }

    /// A subscription that has been added.
    public struct Added: Sendable {
        public let name: ByteText
        /// The time until which the subscription is kept if nobody uses it, in seconds since 1970.
        public let until: Int
    }

    public let limits: Limits
    private let clock: @Sendable () -> Int
    private let token: @Sendable () -> ByteText
    private let state = Locked(State())
    /// Nil if nothing outlives the process.
    private let queue: CommitQueue?

    /// The seconds after a noted use in which further uses are not noted in the journal.
    private static let useInterval = 3_600

    /// - Parameters:
    ///   - stored: The subscriptions that the journal has.
    ///   - token: Returns a random text of letters and digits.
    init(
        _ stored: [StoredSubscription], _ limits: Limits, queue: CommitQueue?, clock: @escaping @Sendable () -> Int,
        token: @escaping @Sendable () -> ByteText
    ) {
        self.limits = limits
        self.queue = queue
        self.clock = clock
        self.token = token
        state.withLock { state in
            for one in stored {
                state.last = max(state.last, one.number)
                let old = state.kept.updateValue(
                    Kept(number: one.number, bytes: one.bytes, used: one.used, noted: one.used), forKey: one.name)
                state.byteCount += one.bytes.count - (old?.bytes.count ?? 0)
                if let old { state.removed.append(old.number) }
            }
        }
    }

    deinit { stop() }

    /// Keeps a body under a new name.
    ///
    /// - Parameter completion: It is called once, on any thread: without an error once the journal has the body, or if
    ///   there is no journal; with the error if the journal failed or the store has stopped.
    @discardableResult
    public func add(
        _ bytes: [UInt8], completion: @escaping @Sendable (Added, JournalError?) -> Void
    ) -> Added {
        let now = clock()
        // The name is long enough that nobody can guess it.
        var name: ByteText = ""
        while name.utf8.count < 24 { name = "\(name)\(token())" }
        let added = Added(name: name, until: now + limits.ageMax)
        let isWritten = state.change { state in
            state.makeRoom(for: bytes.count, limits, now: now)
            state.last += 1
            state.kept[added.name] = Kept(number: state.last, bytes: bytes, used: now, noted: now)
            state.byteCount += bytes.count
            guard queue != nil, !state.isStopping else { return false }
            state.added.insert(added.name)
            state.waiting.append(Waiting(added: added, completion: completion))
            return true
        }
        isWritten ? write() : completion(added, queue == nil ? nil : .closed)
        return added
    }

    /// The body under a name; nil if there is none, or it is too old. The call is noted as a use of the subscription.
    public func find(_ name: ByteText) -> [UInt8]? {
        let now = clock()
        let bytes: [UInt8]? = state.change { state in
            guard let found = state.kept[name] else { return nil }
            guard found.used + limits.ageMax >= now else {
                state.remove(name)
                return nil
            }
            state.kept[name]?.used = max(found.used, now)
            if now >= found.noted + Self.useInterval {
                state.kept[name]?.noted = now
                state.added.insert(name)
            }
            return found.bytes
        }
        write()
        return bytes
    }

    /// The number of subscriptions.
    var count: Int { state.withLock { $0.kept.count } }

    /// Waits until everything is written that is to be written. Later changes are not written.
    func stop() {
        state.change { $0.isStopping = true }
        state.wait(until: { !$0.isWriting }) { _ in }
    }

    /// Starts a thread that writes, if there is something to write and no thread does so.
    private func write() {
        guard let queue else { return state.withLock { ($0.added, $0.removed) = ([], []) } }
        let isDue = state.change { state in
            guard state.hasWork, !state.isWriting, !state.isStopping else { return false }
            state.isWriting = true
            return true
        }
        guard isDue else { return }
        let state = state
        do throws(ThreadError) {
            try Thread { while Self.writeSome(state, queue) {} }.detach()
        } catch {
            while Self.writeSome(state, queue) {}
        }
    }

    /// - Returns: Whether there may be more. If not, no thread writes any more.
    private static func writeSome(_ state: Locked<State>, _ queue: CommitQueue) -> Bool {
        let work = state.change { state in
            defer { (state.added, state.removed, state.waiting) = ([], [], []) }
            let added = state.added.compactMap { name in
                state.kept[name].map {
                    StoredSubscription(number: $0.number, name: name, used: $0.used, bytes: $0.bytes)
                }
            }
            state.isWriting = state.hasWork
            return (added: added, removed: state.removed, waiting: state.waiting, isThere: state.hasWork)
        }
        guard work.isThere else { return false }
        var failure: JournalError?
        do throws(JournalError) {
            try queue.perform { journal throws(JournalError) in
                try journal.keep(work.added, removing: work.removed)
            }
        } catch {
            failure = error
        }
        for one in work.waiting { one.completion(one.added, failure) }
        return true
    }
}

extension Subscriptions.State {
    fileprivate mutating func remove(_ name: ByteText) {
        guard let gone = kept.removeValue(forKey: name) else { return }
        byteCount -= gone.bytes.count
        // This includes one that was never written, because removing a number that is not there does nothing.
        removed.append(gone.number)
        added.remove(name)
    }

    /// - Complexity: O(*n* log *n*) if there is no room. A sixteenth then goes, so that the next ones find room.
    fileprivate mutating func makeRoom(for bytes: Int, _ limits: Subscriptions.Limits, now: Int) {
        guard kept.count >= limits.countMax || byteCount + bytes > limits.bytesMax else { return }
        let (count, size) = (limits.countMax - limits.countMax / 16 - 1, limits.bytesMax - limits.bytesMax / 16 - bytes)
        for (name, one) in kept.sorted(by: { ($0.value.used, $0.value.number) < ($1.value.used, $1.value.number) }) {
            guard kept.count > count || byteCount > size || one.used + limits.ageMax < now else { return }
            remove(name)
        }
    }
}
