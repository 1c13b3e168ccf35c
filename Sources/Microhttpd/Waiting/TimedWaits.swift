/// Waits that only their time ends, by that time.
///
/// The look at all exchanges comes too seldom for them. All that became due since the look before would be answered at
/// once, and the other clients would wait for it.
struct TimedWaits<Wait> {
    /// The waits that become due in the same milliseconds, in the slot of these modulo the number of slots.
    private var slots: [[Wait]]
    /// The number of the first slot that is still to be taken. The slots are numbered from the start of the clock.
    private var next: UInt64 = 0
    private var count = 0

    private static var slotMilliseconds: UInt64 { 4 }
    private static var slotCount: UInt64 { 1024 }
    /// The longest wait, in milliseconds.
    static var longest: UInt64 { slotMilliseconds * (slotCount - 1) }

    init() { slots = Array(repeating: [], count: Int(Self.slotCount)) }

    /// Adds a wait, unless it is longer than `longest`. It is due at the start of a slot, and never too early.
    ///
    /// - Parameters:
    ///   - due: The time at which the wait is over, in milliseconds of the clock.
    ///   - now: The time at which it begins. It never goes back.
    mutating func add(_ wait: Wait, due: UInt64, now: UInt64) {
        if count == 0 { next = now / Self.slotMilliseconds }
        let slot = max((due + Self.slotMilliseconds - 1) / Self.slotMilliseconds, next)
        guard slot - next < Self.slotCount else { return }
        slots[Self.index(of: slot)].append(wait)
        count += 1
    }

    /// Takes a wait that is due; nil if there is none.
    mutating func take(now: UInt64) -> Wait? {
        while count > 0, next <= now / Self.slotMilliseconds {
            if let wait = slots[Self.index(of: next)].popLast() {
                count -= 1
                return wait
            }
            next += 1
        }
        return nil
    }

    /// The milliseconds until the next wait is due, but at most `limit`.
    func rest(now: UInt64, atMost limit: UInt64) -> UInt64 {
        guard count > 0 else { return limit }
        var slot = next
        while slot - next < Self.slotCount, slot * Self.slotMilliseconds < now + limit {
            guard slots[Self.index(of: slot)].isEmpty else { return max(slot * Self.slotMilliseconds, now) - now }
            slot += 1
        }
        return limit
    }

    private static func index(of slot: UInt64) -> Int { Int(slot % slotCount) }
}
