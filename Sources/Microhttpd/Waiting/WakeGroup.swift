internal import Threads

/// Exchanges, on any loops, that wait for the same thing to happen.
///
/// An example: three streams a, b, c on loop 1 and a stream d on loop 2 follow the same list, so the list's group has
/// two parts, (a b c) and (d). `wake()` is called after each of two quick writes:
///
///     first call    Each part is put into the mailbox of its loop. A loop that sleeps is called.
///     second call   Both parts lie in their mailboxes already, so nothing is done.
///     loop 1        takes its part from the mailbox, and asks c, then b, then a for new events.
///     loop 2        takes its part from the mailbox, and asks d.
///
/// Each stream is asked once and sends the events of both writes. If the group is woken again when only c was asked, b
/// and a are asked first, and then all three again. A part is dropped when its last member leaves.
public final class WakeGroup: Sendable {
    private let parts = Locked<[WakeGroupPart]>([])
    /// Whether `Server.figures` tells how long the news takes from a wake to the last member.
    private let isTimed: Bool

    public convenience init() { self.init(isTimed: false) }

    private init(isTimed: Bool) { self.isTimed = isTimed }

    /// A group whose members get news that somebody waits for.
    public static var timed: WakeGroup { WakeGroup(isTimed: true) }

    /// The time of the clock by which news is timed, in microseconds.
    public static var now: UInt64 { monotonicMicroseconds() }

    /// Has every member asked for its answer or content, each on its own loop. Returns at once, from any thread.
    ///
    /// A member that is asked sees everything that happened before the call. Any number of calls between two turns of
    /// a loop ask once.
    ///
    /// - Parameter since: The time at which the news was there, by `WakeGroup.now`; nil for now.
    public func wake(since: UInt64? = nil) {
        let parts = parts.withLock { $0 }
        guard !parts.isEmpty else { return }
        let since = isTimed ? since ?? Self.now : nil
        for part in parts { part.loop.post(part, since: since) }
    }

    /// Whether no exchange waits in the group.
    public var isEmpty: Bool { parts.withLock { $0.isEmpty } }

    /// The part with the members on `loop`. To be called on the thread of that loop.
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
    /// The number of members, from the first on, that are still to be asked.
    private var unasked = 0
    /// Whether the part is among the woken parts of its loop.
    private(set) var isBeingAsked = false
    /// Whether the part was woken again while its members were being asked.
    private var isWokenAgain = false
    /// Whether the part is in the mailbox of its loop.
    var isCalled = false
    /// The time of the oldest news for which the part is in the mailbox; nil if nobody wants to know.
    var calledSince: UInt64?
    /// The times of the news that members are being asked for, and of that for which they are asked again.
    private var (since, sinceAgain): (UInt64?, UInt64?) = (nil, nil)
    /// Whether a member has got anything since the last lag was told.
    var hasDelivered = false

    fileprivate init(of group: WakeGroup, on loop: EventLoop) {
        self.group = group
        self.loop = loop
    }

    func add(_ subscription: Subscription) {
        subscription.places.append(Subscription.Place(part: self, index: members.count))
        members.append(subscription)
    }

    /// - Parameter index: The index of the member; the last member takes its place.
    func remove(at index: Int) {
        let last = members.removeLast()
        if index < members.count {
            members[index] = last
            last.move(in: self, to: index)
        }
        // Members are asked from the last to the first, so a moved one may be asked twice, but is never left out.
        unasked = min(unasked, members.count)
        if members.isEmpty { group.drop(self) }
    }

    /// Every member is to be asked from now on.
    ///
    /// If the members are being asked already, the rest of them is asked before all are asked again. Otherwise the
    /// first members of a part that is woken all the time would never be asked.
    ///
    /// - Returns: Whether it was not being asked.
    ///
    /// - Parameter since: The time of the news; nil if nobody wants to know.
    func beginAsking(since: UInt64?) -> Bool {
        guard !isBeingAsked else {
            isWokenAgain = true
            sinceAgain = sinceAgain ?? since
            return false
        }
        isBeingAsked = true
        self.since = since
        unasked = members.count
        return true
    }

    /// The next member to be asked; nil if all have been.
    ///
    /// - Parameter reached: Gets the time of news for which the last member has been asked.
    func takeUnasked(_ reached: inout [ReachedPart]) -> Subscription? {
        if unasked == 0 {
            if let since { reached.append(ReachedPart(part: self, since: since)) }
            (since, sinceAgain) = (sinceAgain, nil)
            if isWokenAgain {
                isWokenAgain = false
                unasked = members.count
            }
        }
        guard unasked > 0 else {
            isBeingAsked = false
            return nil
        }
        unasked -= 1
        return members[unasked]
    }
}

/// A part all of whose members have been asked for news.
struct ReachedPart {
    let part: WakeGroupPart
    /// The time of the news.
    let since: UInt64
}

/// The woken groups of a loop whose members are still to be asked. In each lap up to 128 members of each group are
/// asked.
struct WokenParts {
    /// The last of `lap` is the next in turn.
    private var lap: [WakeGroupPart] = []
    private var nextLap: [WakeGroupPart] = []
    /// How many members of the one in turn have been asked in this lap.
    private var asked = 0
    /// The parts that have been asked in this turn.
    private var reached: [ReachedPart] = []

    private static let askedMax = 128

    var isEmpty: Bool { lap.isEmpty && nextLap.isEmpty }

    /// All members of `part` are to be asked.
    ///
    /// - Parameter since: The time of the news; nil if nobody wants to know.
    mutating func add(_ part: WakeGroupPart, since: UInt64?) {
        if part.beginAsking(since: since) { nextLap.append(part) }
    }

    /// Whether news has reached the last member of a part.
    var hasReached: Bool { !reached.isEmpty }

    /// The times of the news that has reached the last member of a part. News that no member wanted is not among them.
    mutating func takeReached() -> [UInt64] {
        guard hasReached else { return [] }
        defer {
            for one in reached { one.part.hasDelivered = false }
            reached.removeAll(keepingCapacity: true)
        }
        return reached.filter(\.part.hasDelivered).map(\.since)
    }

    /// The next member to be asked; nil if all have been.
    mutating func takeUnasked() -> Subscription? {
        while !isEmpty {
            if lap.isEmpty { swap(&lap, &nextLap) }
            let part = lap[lap.count - 1]
            if asked < Self.askedMax, let subscription = part.takeUnasked(&reached) {
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
