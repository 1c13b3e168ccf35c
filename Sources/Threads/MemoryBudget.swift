internal import Synchronization

/// The memory that the parts of a process take together, by their own estimates, and the bound on the sum.
///
/// An example with a bound of 768 MiB: lists take 400 MiB, receipts 60, and unsent answers 100. A body of 20 MiB, which
/// counts four times, is still taken. A second one is not, because long things may fill only seven eighths of the bound,
/// which are 672 MiB. A short one is taken: what is left is for short requests.
///
/// Most parts count the bytes that they have, and tell the budget in steps (`MemoryShare`), so that counting costs other
/// threads nothing. So the sum is right up to a step for each part. What many threads make at once is taken before it is
/// made (`take`), and then counted exactly (`MemoryClaim`).
public final class MemoryBudget: Sendable {
    public enum Use: Int, CaseIterable, Sendable {
        /// Lists in memory, with their histories and what is kept for their readers.
        case lists
        case receipts
        /// The sequences of clients.
        case sequences
        case subscriptions
        case connections
        /// Bodies from their first byte to the answer, with the memory that reading them takes.
        case bodies
        /// Work that takes much more memory than its request has bytes.
        case work
        /// Answers that clients have not read yet.
        case answers
    }

    /// A budget without a bound.
    public static let unbounded = MemoryBudget(bytesMax: .max)

    /// The bytes from which on something is long.
    public static let longBytes = 64 << 10
    /// The growth in bytes of which a part tells the budget.
    public static let step = 256 << 10

    public let bytesMax: Int
    /// The bytes up to which there is room for something long.
    private let longMax: Int
    private let total = Atomic<Int>(0)
    private let counts = Use.allCases.map { _ in Count() }
    /// The most bytes for which there was no room since the last `takeWanted()`.
    private let wanted = Atomic<Int>(0)

    private final class Count: Sendable {
        let bytes = Atomic<Int>(0)
    }

    public init(bytesMax: Int) {
        self.bytesMax = bytesMax
        longMax = bytesMax / 8 * 7
    }

    /// The bytes that all uses take, as far as they have told.
    public var bytes: Int { total.load(ordering: .relaxed) }

    public func bytes(of use: Use) -> Int { counts[use.rawValue].bytes.load(ordering: .relaxed) }

    /// Notes that a use takes more bytes, or less.
    public func count(_ growth: Int, _ use: Use) {
        counts[use.rawValue].bytes.add(growth, ordering: .relaxed)
        total.add(growth, ordering: .relaxed)
    }

    /// Whether something that takes so many bytes, with those that it has already, may take `growth` more. If not, these
    /// bytes are wanted.
    public func hasRoom(for growth: Int, of size: Int) -> Bool {
        guard bytes > most(of: size) - growth else { return true }
        if size >= Self.longBytes { wanted.max(growth, ordering: .relaxed) }
        return false
    }

    /// Notes that something of so many bytes is there, if it has room. Of several threads that come at once, only as many
    /// get room as there is.
    ///
    /// - Returns: False if there is no room. Then nothing is noted, and the bytes are wanted.
    public func take(_ size: Int, _ use: Use) -> Bool {
        let before = total.add(size, ordering: .relaxed).oldValue
        guard before > most(of: size) - size else {
            counts[use.rawValue].bytes.add(size, ordering: .relaxed)
            return true
        }
        total.subtract(size, ordering: .relaxed)
        if size >= Self.longBytes { wanted.max(size, ordering: .relaxed) }
        return false
    }

    private func most(of size: Int) -> Int { size < Self.longBytes ? bytesMax : longMax }

    /// Whether something of this size has no room even if it is alone.
    public func neverHasRoom(for size: Int) -> Bool { size > longMax }

    /// Whether not even short requests have room.
    public var isFull: Bool { bytes > bytesMax }

    /// The bytes beyond those up to which there is room for something long; 0 if there is room.
    public var excess: Int { max(0, bytes - longMax) }

    /// The bytes that have to go so that what was wanted has room. From now on nothing is wanted.
    public func takeWanted() -> Int {
        let wanted = wanted.exchange(0, ordering: .relaxed)
        return wanted > longMax ? 0 : max(0, bytes - longMax + wanted)
    }
}

/// The bytes that one part of a process takes for one use. Only one thread at a time counts with it.
public struct MemoryShare: Sendable {
    private let budget: MemoryBudget
    private let use: MemoryBudget.Use
    public private(set) var bytes = 0
    /// The bytes that the budget knows.
    private var told = 0

    public init(of budget: MemoryBudget, for use: MemoryBudget.Use) {
        self.budget = budget
        self.use = use
    }

    public mutating func add(_ growth: Int) {
        bytes += growth
        guard abs(bytes - told) >= MemoryBudget.step else { return }
        budget.count(bytes - told, use)
        told = bytes
    }

    /// Takes nothing any more.
    public mutating func end() {
        budget.count(-told, use)
        (bytes, told) = (0, 0)
    }
}

/// Bytes that count for as long as the claim lives. Whoever keeps the bytes keeps the claim beside them.
public final class MemoryClaim: Sendable {
    private let budget: MemoryBudget
    private let use: MemoryBudget.Use
    private let bytes: Int

    /// Counts bytes that are there already.
    public init(_ bytes: Int, of budget: MemoryBudget, for use: MemoryBudget.Use) {
        (self.bytes, self.budget, self.use) = (bytes, budget, use)
        budget.count(bytes, use)
    }

    /// Nil if there is no room for so many bytes.
    public init?(taking bytes: Int, of budget: MemoryBudget, for use: MemoryBudget.Use) {
        guard budget.take(bytes, use) else { return nil }
        (self.bytes, self.budget, self.use) = (bytes, budget, use)
    }

    deinit { budget.count(-bytes, use) }
}
