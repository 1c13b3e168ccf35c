internal import Locks

/// Exchanges, on any loops, that wait for the same thing to happen.
public final class WakeGroup: Sendable {
    private let parts = Locked<[WakeGroupPart]>([])

    public init() {}

    /// Asks every member for what it waits for, each on its own loop; returns at once, from any thread.
    ///
    /// What a member is asked after this call sees all that happened before it. Any number of calls between two turns
    /// of a loop ask once.
    public func wake() {
        for part in parts.withLock({ $0 }) { part.loop.post(part) }
    }

    /// Whether nobody waits.
    public var isEmpty: Bool { parts.withLock { $0.isEmpty } }

    /// The members on `loop`. On its thread.
    func part(on loop: EventLoop) -> WakeGroupPart {
        parts.withLock { parts in
            if let part = parts.first(where: { $0.loop === loop }) { return part }
            let part = WakeGroupPart(of: self, on: loop)
            parts.append(part)
            return part
        }
    }

    fileprivate func drop(_ part: WakeGroupPart) {
        parts.withLock { $0.removeAll { $0 === part } }
    }
}

/// The members of a group on one loop.
///
/// - Safety: `@unchecked` is sound because the members are touched only on the loop's thread, and `isCalled` only under
///   the lock of the loop's mailbox.
final class WakeGroupPart: @unchecked Sendable {
    let loop: EventLoop
    private let group: WakeGroup
    private var members: [Subscription] = []
    /// How many members, from the first on, are still to be asked.
    private var unasked = 0
    /// Whether it lies in the mailbox.
    var isCalled = false

    fileprivate init(of group: WakeGroup, on loop: EventLoop) {
        self.group = group
        self.loop = loop
    }

    func add(_ subscription: Subscription) {
        subscription.places.append(Subscription.Place(part: self, index: members.count))
        members.append(subscription)
    }

    /// - Parameter index: That of the member; the last member takes its place.
    func remove(at index: Int) {
        let last = members.removeLast()
        if index < members.count {
            members[index] = last
            last.move(in: self, to: index)
        }
        // Asked from the last to the first, so whoever was moved is either behind the mark or asked twice.
        unasked = min(unasked, members.count)
        if members.isEmpty { group.drop(self) }
    }

    /// From now on every member is to be asked.
    func beginAsking() { unasked = members.count }

    /// The next member to be asked; nil if all have been.
    func takeUnasked() -> Subscription? {
        guard unasked > 0 else { return nil }
        unasked -= 1
        return members[unasked]
    }
}
