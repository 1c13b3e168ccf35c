import Threads
public import Texts

/// What clients have asked to follow, kept under names that nobody can guess, so that they can come back with a name
/// alone. No list depends on any of it.
///
/// It outlives the process where there is a journal. Bounded by count, bytes and age: what was used longest ago goes
/// first.
public final class Subscriptions: Sendable {
    public struct Limits: Sendable {
        public var countMax: Int
        /// Of all of them together.
        public var bytesMax: Int
        /// Seconds without use.
        public var ageMax: Int

        public init(countMax: Int = 10_000, bytesMax: Int = 64 << 20, ageMax: Int = 7 * 86_400) {
            self.countMax = countMax
            self.bytesMax = bytesMax
            self.ageMax = ageMax
        }
    }

    fileprivate struct Kept: Sendable {
        /// Its number in the journal.
        let number: Int
        let bytes: [UInt8]
        /// Seconds since 1970.
        var used: Int
        /// What the journal knows of that.
        var noted: Int
    }

    fileprivate struct State: Sendable {
        var kept: [ByteText: Kept] = [:]
        var byteCount = 0
        var last = 0
        /// To be written, by name, and to be removed, by number.
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

    /// What is kept under a new name.
    public struct Added: Sendable {
        public let name: ByteText
        /// Until then it is kept if it is not used; in seconds since 1970.
        public let until: Int
    }

    public let limits: Limits
    private let clock: @Sendable () -> Int
    private let token: @Sendable () -> ByteText
    private let state = Locked(State())
    /// Nil if nothing outlives the process.
    private let queue: CommitQueue?

    /// A use is noted in the journal when the last one that was is so many seconds old.
    private static let useInterval = 3_600

    /// - Parameters:
    ///   - stored: What the journal holds.
    ///   - token: A random text of letters and digits.
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

    /// Keeps something under a new name.
    ///
    /// - Parameter completion: Called once, from any thread, when it outlives the process, or with why it does not.
    @discardableResult
    public func add(
        _ bytes: [UInt8], completion: @escaping @Sendable (Added, JournalError?) -> Void
    ) -> Added {
        let now = clock()
        // As long as it takes that nobody can guess it.
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

    /// What is kept under a name, which counts as a use of it; nil if there is nothing, or nothing any more.
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

    /// How many there are.
    var count: Int { state.withLock { $0.kept.count } }

    /// Waits until all is written that is to be; what comes later is not.
    func stop() {
        state.change { $0.isStopping = true }
        state.wait(until: { !$0.isWriting }) { _ in }
    }

    /// Lets a thread write what is to be written, if there is anything and none does.
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

    /// - Returns: Whether there may be more; if not, nobody writes any more.
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
        // Also of one that has not been written yet: removing what is not there does nothing.
        removed.append(gone.number)
        added.remove(name)
    }

    /// - Complexity: O(*n* log *n*) when it is full, and then a sixteenth goes, so that the next ones find room.
    fileprivate mutating func makeRoom(for bytes: Int, _ limits: Subscriptions.Limits, now: Int) {
        guard kept.count >= limits.countMax || byteCount + bytes > limits.bytesMax else { return }
        let (count, size) = (limits.countMax - limits.countMax / 16 - 1, limits.bytesMax - limits.bytesMax / 16 - bytes)
        for (name, one) in kept.sorted(by: { ($0.value.used, $0.value.number) < ($1.value.used, $1.value.number) }) {
            guard kept.count > count || byteCount > size || one.used + limits.ageMax < now else { return }
            remove(name)
        }
    }
}
