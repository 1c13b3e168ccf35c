import Synchronization
import Threads

extension Store {
    /// Whether writes can succeed. It is false after the disk has failed, and while the journal is away.
    public var isAcceptingWrites: Bool { !(shared.queue?.isPoisoned ?? false) && !isAway }

    /// Whether the journal cannot be reached now.
    public var isAway: Bool { journal?.isAway ?? false }

    /// What a store has now.
    public struct Figures: Sendable {
        /// All lists, in memory or not.
        public var lists: Int
        public var listsInMemory: Int
        /// The deleted lists that can be restored.
        public var deletedLists: Int
        /// The lists that were found to be unreadable.
        public var damagedLists: Int
        /// The answers that are kept for retries.
        public var receipts: Int
        public var subscriptions: Int
        /// The sequences of clients.
        public var sequences: Int
        /// The entries that wait for the next batch.
        public var queuedEntries: Int
        /// The versions that this store has made since its start.
        public var versions: Int
    }

    /// Has somebody told of each batch of writes from now on.
    ///
    /// - Returns: False if there is no journal, so that there are no batches.
    @discardableResult
    public func watchCommits(_ watch: CommitWatch) -> Bool {
        shared.queue?.journal.watch.withLock { $0 = watch }
        return shared.queue != nil
    }

    public var figures: Figures {
        let (lists, inMemory, deleted, damaged) = catalogue.withLock {
            ($0.count, $0.countInMemory, $0.retired.count, $0.damaged.count)
        }
        return Figures(
            lists: lists, listsInMemory: inMemory, deletedLists: deleted, damagedLists: damaged,
            receipts: shared.receipts.count, subscriptions: subscriptions.count,
            sequences: shared.sequences.count,
            queuedEntries: shared.queue?.pendingCount ?? 0, versions: shared.versions.value)
    }
}

/// Is told how long the journal took for each batch of writes.
public struct CommitWatch: Sendable {
    let nanoseconds: @Sendable () -> UInt64
    let note: @Sendable (_ nanoseconds: UInt64, _ hasFailed: Bool) -> Void

    /// - Parameters:
    ///   - nanoseconds: A clock that only goes forward.
    ///   - note: It is called on the thread that writes, and must return at once. A write that found no room has failed,
    ///     as has one of which nobody knows.
    public init(
        nanoseconds: @escaping @Sendable () -> UInt64, note: @escaping @Sendable (UInt64, _ hasFailed: Bool) -> Void
    ) {
        self.nanoseconds = nanoseconds
        self.note = note
    }
}

/// The number of versions that a store has made since its start.
final class VersionCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}

extension JournalEntry.Kind {
    /// Whether a version is readable once the entry is durable that was not before.
    var makesVersion: Bool {
        switch self {
        case .create, .append, .revive: true
        case .delete, .retire, .receiptOnly: false
        }
    }
}
