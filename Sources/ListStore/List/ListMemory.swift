internal import Synchronization
import Threads

/// The memory that all lists take, by an estimate.
final class ListMemory: Sendable {
    /// Nil if there is no bound.
    private let bytesMax: Int?
    /// Whether lists can leave memory, because they are in the journal.
    let canLeave: Bool
    private let bytes = Atomic<Int>(0)
    /// The bytes up to which nobody looks for lists that could leave, because all of them are in use.
    private let inUse = Atomic<Int>(0)
    /// The memory of the whole process.
    private let budget: MemoryBudget
    /// The bytes that the budget knows.
    private let told = Atomic<Int>(0)

    init(bytesMax: Int?, canLeave: Bool, within budget: MemoryBudget) {
        self.bytesMax = bytesMax
        self.canLeave = canLeave
        self.budget = budget
    }

    deinit { budget.count(-told.load(ordering: .relaxed), .lists) }

    func add(_ count: Int) { tell(bytes.add(count, ordering: .relaxed).newValue) }

    /// Tells the budget, if it is worth it. Each of two threads that do so at once tells what is new since the other one.
    private func tell(_ now: Int) {
        guard abs(now - told.load(ordering: .relaxed)) >= MemoryBudget.step else { return }
        budget.count(now - told.exchange(now, ordering: .relaxed), .lists)
    }

    /// The bytes of lists that are to leave; 0 if there is room. A sixteenth more goes than has to, so that the work is
    /// done for many lists at once.
    ///
    /// - Parameter wanted: The bytes that other uses of memory want.
    func excess(wanted: Int = 0) -> Int {
        guard canLeave, let bytesMax else { return 0 }
        let bytes = bytes.load(ordering: .relaxed)
        let excess = max(bytes - bytesMax, min(bytes, max(wanted, budget.excess)))
        guard excess > 0 else {
            if inUse.load(ordering: .relaxed) > 0 { inUse.store(0, ordering: .relaxed) }
            return 0
        }
        guard bytes > inUse.load(ordering: .relaxed) else { return 0 }
        return excess + bytesMax / 16
    }

    /// Notes that a look at all lists has not made room. The next look is due when they have grown by a sixteenth.
    func noteAllInUse() {
        inUse.store(bytes.load(ordering: .relaxed) + (bytesMax ?? 0) / 16, ordering: .relaxed)
    }

    /// The bytes that have to go so that what has been refused has room.
    func takeWanted() -> Int { budget.takeWanted() }

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
        let rows = lists.reduce(0) { $0 + $1.mostRows.load(ordering: .relaxed) }
        guard rows > Write.briefRowsMax || lists.contains(where: { $0.isLong }) else { return }
        try? Thread { withExtendedLifetime(lists) {} }.detach()
    }
}
