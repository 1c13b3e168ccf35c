internal import CMalloc
internal import Glibc
internal import Synchronization
import Threads

/// The memory that all lists take, by an estimate.
final class ListMemory: Sendable {
    /// Nil if there is no bound.
    private let bytesMax: Int?
    /// Whether lists can leave memory, because they are in the journal.
    let canLeave: Bool
    private let bytes = Atomic<Int>(0)
    var byteCount: Int { bytes.load(ordering: .relaxed) }
    /// The bytes up to which nobody looks for lists that could leave, because all of them are in use.
    private let inUse = Atomic<Int>(0)
    /// The most bytes since memory was last given back to the system.
    private let most = Atomic<Int>(0)
    /// The bytes that have left since then.
    private let left = Atomic<Int>(0)
    private let isGivingBack = Atomic<Bool>(false)
    /// Whether the store has stopped, so that its process is about to end or to open it again.
    private let isStopped = Atomic<Bool>(false)

    init(bytesMax: Int?, canLeave: Bool) {
        self.bytesMax = bytesMax
        self.canLeave = canLeave
    }

    func add(_ count: Int) {
        let now = bytes.add(count, ordering: .relaxed).newValue
        if count > 0 {
            if now > most.load(ordering: .relaxed) { most.store(now, ordering: .relaxed) }
        } else {
            left.subtract(count, ordering: .relaxed)
            if hasShrunk || isWorn { giveBack() }
        }
    }

    /// Gives no memory back to the system from now on.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The bytes of lists that are to leave; 0 if there is room. A sixteenth more goes than has to, so that the work is
    /// done for many lists at once.
    var excess: Int {
        guard canLeave, let bytesMax else { return 0 }
        let bytes = bytes.load(ordering: .relaxed)
        guard bytes > bytesMax else {
            if inUse.load(ordering: .relaxed) > 0 { inUse.store(0, ordering: .relaxed) }
            return 0
        }
        guard bytes > inUse.load(ordering: .relaxed) else { return 0 }
        return bytes - bytesMax + bytesMax / 16
    }

    /// Notes that a look at all lists has not made room. The next look is due when they have grown by a sixteenth.
    func noteAllInUse() {
        inUse.store(bytes.load(ordering: .relaxed) + (bytesMax ?? 0) / 16, ordering: .relaxed)
    }

    /// Whether a list may not grow, because no other can leave for it.
    ///
    /// - Parameter count: The bytes by which the list would grow.
    func refuses(_ count: Int) -> Bool {
        guard !canLeave, let bytesMax, count > 0 else { return false }
        return bytes.load(ordering: .relaxed) + count > bytesMax
    }
}

// MARK: - Giving memory back

extension ListMemory {
    /// Whether so many lists have come and gone that the memory between them is worth giving back.
    private var isWorn: Bool {
        bytesMax.map { left.load(ordering: .relaxed) > max(Self.leftMin, 4 * $0) } ?? false
    }

    private static let leftMin = 128 << 20

    private var hasShrunk: Bool {
        Self.isShrunk(from: most.load(ordering: .relaxed), to: bytes.load(ordering: .relaxed))
    }

    /// Whether so many bytes are free that their pages are worth giving back to the system. The allocator keeps them.
    static func isShrunk(from most: Int, to bytes: Int) -> Bool { most - bytes > max(32 << 20, most / 4) }

    /// Gives free memory back to the system, on a thread of its own and seldom, because the allocator has locks for which
    /// other threads wait meanwhile.
    private func giveBack() {
        guard !isStopped.load(ordering: .relaxed), !isGivingBack.exchange(true, ordering: .relaxed) else { return }
        do throws(ThreadError) {
            try Thread { [self] in
                repeat {
                    sleep(1)  // A list is counted no more shortly before its memory is free.
                    guard !isStopped.load(ordering: .relaxed) else { return }
                    most.store(bytes.load(ordering: .relaxed), ordering: .relaxed)
                    left.store(0, ordering: .relaxed)
                    malloc_trim(0)
                    sleep(9)
                } while hasShrunk || isWorn
                isGivingBack.store(false, ordering: .relaxed)
            }.detach()
        } catch {
            isGivingBack.store(false, ordering: .relaxed)
        }
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
