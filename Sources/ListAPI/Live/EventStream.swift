internal import ListDiff
internal import ListModel
internal import ListStore
internal import Microhttpd

/// The events of one stream: where its client is in each list that it follows, and what to tell it next.
///
/// A client that reads slowly is behind and has no queue: when it can take more, it gets the net change from where it is.
final class EventStream: ContentSource {
    /// A list and how far the client has been told of it.
    struct Followed {
        let list: ListActor
        let live: LiveList
        /// The revision of the newest resume point, from which the next event leads on; nil before the first reset.
        var resumePoint: Int?
        /// What the client saw before the first event, if that is something else than what it is to see.
        var previous: RowQuery?

        func update(_ rows: RowQuery) -> LiveUpdate {
            live.update(of: list, since: resumePoint, rows, previous: previous)
        }
    }

    private let rows: RowQuery
    private var followed: [Followed]
    /// Whether the resume point names the versions of many lists.
    private let isVector: Bool
    /// To be sent before anything else, the last first.
    private var pending: [[UInt8]]
    /// The place in `followed` of the list that is looked at first, so that a busy one does not hold up the others.
    private var turn = 0
    private var isOver = false
    /// A number below another one, by chance, so that not all come back at once who are told to at once.
    private let spread: @Sendable (Int) -> Int
    /// What is being sent: as long as somebody sends it, it need not be made again for others.
    private var current: LiveUpdate?

    /// A stream of one list, which ends with it.
    ///
    /// - Parameter previous: What the client sees, if that is something else than `rows`.
    init(
        _ followed: Followed, _ rows: RowQuery, previous: RowQuery?, spread: @escaping @Sendable (Int) -> Int
    ) {
        self.rows = rows
        self.spread = spread
        self.followed = [followed]
        self.followed[0].previous = previous == rows ? nil : previous
        isVector = false
        pending = [EventText.retry]
    }

    /// A stream of many lists.
    ///
    /// - Parameter missing: The names of those that do not exist.
    init(
        _ followed: [Followed], missing: [ListID], _ rows: RowQuery, spread: @escaping @Sendable (Int) -> Int
    ) {
        self.rows = rows
        self.spread = spread
        self.followed = followed
        isVector = true
        let resumePoint = Self.resumePoint(of: followed)
        pending = missing.reversed().flatMap { [EventText.gone($0), resumePoint] } + [EventText.retry]
    }

    deinit {
        for one in followed { one.live.leave(rows) }
    }

    var groups: [WakeGroup] { followed.map(\.live.group) }

    func next(_ occasion: Occasion) -> ContentStep {
        if let bytes = takePending() { return .send(bytes) }
        current = nil
        if isOver { return .end }
        if occasion == .stopping {
            isOver = true
            pending.append(EventText.shutdown)
            let least = EventText.retryMilliseconds
            return .send(EventText.retry(milliseconds: least + spread(least)))
        }
        for offset in followed.indices {
            let index = (turn + offset) % followed.count
            guard let bytes = news(at: index) else { continue }
            turn = index + 1
            return .send(bytes)
        }
        return occasion == .due ? .send(EventText.comment) : .wait
    }

    private func takePending() -> [UInt8]? {
        let bytes = pending.popLast()
        if bytes != nil, pending.isEmpty { pending = [] }  // There are many streams, and most of them wait.
        return bytes
    }

    /// What the client does not know of a list; nil if it knows all.
    private func news(at index: Int) -> [UInt8]? {
        let one = followed[index]
        let (revision, isGone) = one.list.standing
        if isGone { return gone(at: index) }
        guard one.resumePoint != revision || one.previous != nil else { return nil }
        let update = one.update(rows)
        current = update
        followed[index].resumePoint = update.end
        followed[index].previous = nil
        #if PLANTED_FAULTS
            if Fault.strikes(.dropsEvents, every: 17) { return nil }
        #endif
        pending.append(update.event)
        return isVector ? Self.resumePoint(of: followed) : update.resumePoint
    }

    private func gone(at index: Int) -> [UInt8] {
        let one = followed.remove(at: index)
        one.live.leave(rows)
        let event = EventText.gone(one.list.id)
        guard isVector else {
            isOver = true
            return event
        }
        pending.append(event)
        return Self.resumePoint(of: followed)
    }

    /// The line that comes before an event of one of many lists.
    private static func resumePoint(of followed: [Followed]) -> [UInt8] {
        let versions = followed.compactMap { one in one.resumePoint.map { (one.list.id, one.list.version(at: $0)) } }
        return EventText.resumePoint(ResumeVector(versions).description)
    }
}
