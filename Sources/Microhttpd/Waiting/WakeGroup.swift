internal import Threads

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
    /// Whether it is among the woken parts of its loop.
    private(set) var isBeingAsked = false
    /// Whether it has been woken again since its members began to be asked.
    private var isWokenAgain = false
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

    /// From now on every member is to be asked: after those that still are, if it is being asked already, for one that
    /// is woken all the time would never come to its first members otherwise.
    ///
    /// - Returns: Whether it was not being asked.
    func beginAsking() -> Bool {
        guard !isBeingAsked else {
            isWokenAgain = true
            return false
        }
        isBeingAsked = true
        unasked = members.count
        return true
    }

    /// The next member to be asked; nil if all have been.
    func takeUnasked() -> Subscription? {
        if unasked == 0, isWokenAgain {
            isWokenAgain = false
            unasked = members.count
        }
        guard unasked > 0 else {
            isBeingAsked = false
            return nil
        }
        unasked -= 1
        return members[unasked]
    }
}

/// The woken groups of a loop, some of whose members are still to be asked: a few of one group, then of the next.
struct WokenParts {
    /// The last of `lap` is the next in turn.
    private var lap: [WakeGroupPart] = []
    private var nextLap: [WakeGroupPart] = []
    /// How many members of the one in turn have been asked in this lap.
    private var asked = 0

    private static let askedMax = 128

    var isEmpty: Bool { lap.isEmpty && nextLap.isEmpty }

    /// All members of `part` are to be asked.
    mutating func add(_ part: WakeGroupPart) {
        if part.beginAsking() { nextLap.append(part) }
    }

    /// The next member to be asked; nil if all have been.
    mutating func takeUnasked() -> Subscription? {
        while !isEmpty {
            if lap.isEmpty { swap(&lap, &nextLap) }
            let part = lap[lap.count - 1]
            if asked < Self.askedMax, let subscription = part.takeUnasked() {
                asked += 1
                return subscription
            }
            lap.removeLast()
            asked = 0
            if part.isBeingAsked { nextLap.append(part) }
        }
        return nil
    }
}
