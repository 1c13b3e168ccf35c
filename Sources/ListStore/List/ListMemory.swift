internal import Synchronization
import Threads

/// The memory that all lists take, by an estimate.
final class ListMemory: Sendable {
    /// Nil if there is no bound.
    private let bytesMax: Int?
    /// Whether lists can leave memory, because they are in the journal.
    private let canLeave: Bool
    private let bytes = Atomic<Int>(0)

    init(bytesMax: Int?, canLeave: Bool) {
        self.bytesMax = bytesMax
        self.canLeave = canLeave
    }

    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// The bytes of lists that are to leave; 0 if there is room. An eighth more goes than has to, so that the work is
    /// done for many lists at once.
    var excess: Int {
        guard canLeave, let bytesMax, case let bytes = bytes.load(ordering: .relaxed), bytes > bytesMax else {
            return 0
        }
        return bytes - bytesMax + bytesMax / 8
    }

    /// Whether a list may not grow, because no other can leave for it.
    ///
    /// - Parameter count: The bytes by which the list would grow.
    func refuses(_ count: Int) -> Bool {
        guard !canLeave, let bytesMax, count > 0 else { return false }
        return bytes.load(ordering: .relaxed) + count > bytesMax
    }
}

extension ListActor {
    /// Releases lists. If they are long, another thread does it, because it takes long and others wait for this one.
    static func free(_ lists: [ListActor]) {
        guard lists.contains(where: { $0.isLong }) else { return }
        try? Thread { withExtendedLifetime(lists) {} }.detach()
    }
}
