internal import ListDiff
internal import ListModel
internal import ListStore
internal import Threads
internal import Microhttpd

/// The events of one stream: how far its client has been told of each list, and what the client is told next.
///
/// The stream keeps no queue for a client that reads slowly. When the client can take more, it gets the net change from
/// its resume point to the head.
final class EventStream: ContentSource {
    /// A list and how far the client has been told of it.
    struct Followed {
        let list: ListActor
        let live: LiveList
        /// The revision of the newest resume point, at which the next event begins; nil before the first reset.
        var resumePoint: Int?
        /// The query whose rows the client saw before the first event; nil if the stream shows the same query.
        var previous: RowQuery?
        /// The index of the list among the lists of a subscription.
        var index = 0

        /// The update that a worker makes for this stream; nil if there is none.
        private var order: LiveList.Order?

        init(list: ListActor, live: LiveList, resumePoint: Int?) {
            self.list = list
            self.live = live
            self.resumePoint = resumePoint
        }

        /// Nil if a worker makes the update.
        mutating func update(_ rows: RowQuery) throws(NoRoom) -> LiveUpdate? {
            try live.promptUpdate(of: list, since: resumePoint, rows, previous: previous, as: .event, &order)
        }
    }

    private let rows: RowQuery
    private let standingRight: StandingRight
    private var followed: [Followed]
    /// How the resume point names versions.
    private let naming: Naming
    /// Tells when the subscription to which resume points refer is on the disk; nil once it is.
    private(set) var keeping: Keeping?
    /// The indexes in the subscription of those lists that the client knows to be gone.
    private var goneIndexes: [Int] = []
    /// The bytes that are sent before anything else. The last element is sent first.
    private var pending: [[UInt8]]
    /// The index in `followed` of the list that is looked at first. It moves on, so that a busy list does not hold up
    /// the others.
    private var turn = 0
    private var isOver = false
    /// Returns a random number below its argument, so that clients that are sent away at once do not all come back at
    /// once.
    private let spread: @Sendable (Int) -> Int
    /// The update that is being sent. Other streams that need the same update find it as long as this reference holds
    /// it.
    private var current: LiveUpdate?

    /// A stream of one list, which ends with the list.
    ///
    /// - Parameter previous: The query whose rows the client sees now.
    init(
        _ followed: Followed, _ rows: RowQuery, previous: RowQuery?, _ standingRight: StandingRight,
        spread: @escaping @Sendable (Int) -> Int
    ) {
        self.standingRight = standingRight
        self.rows = rows
        self.spread = spread
        self.followed = [followed]
        self.followed[0].previous = previous == rows ? nil : previous
        naming = .version
        pending = [EventText.retry]
    }

    /// A stream of many lists.
    ///
    /// - Parameter missing: The names of the lists that do not exist.
    init(
        _ followed: [Followed], missing: [ListID], _ rows: RowQuery, _ standingRight: StandingRight,
        spread: @escaping @Sendable (Int) -> Int
    ) {
        self.standingRight = standingRight
        self.rows = rows
        self.spread = spread
        self.followed = followed
        naming = .vector
        pending = []
        let resumePoint = resumePoint()
        pending = missing.reversed().flatMap { [EventText.gone($0), resumePoint] } + [EventText.retry]
    }

    /// A stream of the lists of a subscription.
    ///
    /// - Parameters:
    ///   - followed: The lists that exist, each with its index in the subscription.
    ///   - missing: The indexes of the lists that do not exist.
    ///   - known: The indexes of those lists that the client knows to be gone.
    ///   - keeping: Tells when the subscription is on the disk; nil if it is already.
    init(
        _ lists: FollowedLists, _ followed: [Followed], missing: [Int], known: Set<Int>, keeping: Keeping?,
        _ standingRight: StandingRight, spread: @escaping @Sendable (Int) -> Int
    ) {
        self.standingRight = standingRight
        rows = lists.rows
        self.spread = spread
        self.followed = followed
        naming = .tokens(lists)
        self.keeping = keeping
        goneIndexes = missing.filter(known.contains)
        pending = []
        var told: [[UInt8]] = [EventText.retry]
        for index in missing where !known.contains(index) {
            goneIndexes.append(index)
            told += [resumePoint(), EventText.gone(lists.names[index].list)]
        }
        pending = told.reversed()
    }

    enum Naming {
        /// The version of the only list.
        case version
        /// The versions of all lists, by their names.
        case vector
        case tokens(FollowedLists)
    }

    deinit {
        for one in followed { one.live.leave(rows) }
    }

    var groups: [WakeGroup] {
        followed.map(\.live.group) + (keeping.map { [$0.group] } ?? []) + [standingRight.group]
    }

    func next(_ occasion: Occasion) -> ContentStep {
        if !isOver, !standingRight.isStill() { return refused() }
        if let keeping {
            switch keeping.outcome {
            case nil where occasion != .stopping: return occasion == .due ? .send(EventText.comment) : .wait
            case nil, .kept: self.keeping = nil
            case .failed(let code):
                self.keeping = nil
                return .send(sentAway(.unavailable, code, forSeconds: Keeping.retrySeconds))
            }
        }
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
            do throws(NoRoom) {
                guard let bytes = try news(at: index) else { continue }
                turn = index + 1
                return .send(bytes)
            } catch {
                // The client knows its resume point. It comes back for the net change.
                return .send(sentAway(.limit, .overloaded, forSeconds: Problem.retrySeconds))
            }
        }
        return occasion == .due ? .send(EventText.comment) : .wait
    }

    private func takePending() -> [UInt8]? {
        let bytes = pending.popLast()
        if bytes != nil, pending.isEmpty { pending = [] }  // Frees the storage: many streams only wait.
        return bytes
    }

    /// The next bytes about a list; nil if the client knows its newest state.
    private func news(at index: Int) throws(NoRoom) -> [UInt8]? {
        let one = followed[index]
        let (revision, isGone) = one.list.standing
        if isGone { return gone(at: index) }
        guard one.resumePoint != revision || one.previous != nil else { return nil }
        guard let update = try followed[index].update(rows) else { return nil }
        current = update
        if one.resumePoint == nil { standingRight.place?.note(wholeListBytes: update.bytes.count) }
        followed[index].resumePoint = update.end
        followed[index].previous = nil
        pending.append(update.bytes)
        if case .version = naming { return update.resumePoint }
        return resumePoint()
    }

    private func gone(at index: Int) -> [UInt8] {
        let one = followed.remove(at: index)
        one.live.leave(rows)
        // Others have replaced the list. The client comes back at once.
        guard !one.list.isReplaced else { return sentAway(.unavailable, .unavailable, forSeconds: 1) }
        let event = EventText.gone(one.list.id)
        if case .version = naming {
            isOver = true
            return event
        }
        goneIndexes.append(one.index)
        pending.append(event)
        return resumePoint()
    }

    /// Ends the stream for a reason that will pass. Returns the first bytes of the end.
    private func sentAway(_ reason: EventText.Reason, _ code: ProblemCode, forSeconds seconds: Int) -> [UInt8] {
        isOver = true
        pending = [EventText.bye(reason, code, afterSeconds: seconds)]
        return EventText.retry(milliseconds: seconds * 1_000 + spread(seconds * 1_000))
    }

    /// Ends the stream because its client has lost the right. What is still to be sent is not sent.
    private func refused() -> ContentStep {
        isOver = true
        keeping = nil
        let seconds = EventText.retryMilliseconds / 1_000
        pending = [EventText.bye(.access, standingRight.refusal?.code ?? .unauthenticated, afterSeconds: seconds)]
        return .send(EventText.retry)
    }

    /// The resume point that comes before an event of a stream of many lists.
    private func resumePoint() -> [UInt8] {
        guard case .tokens(let lists) = naming else {
            let versions = followed.compactMap { one in
                one.resumePoint.map { (one.list.id, one.list.version(at: $0)) }
            }
            return EventText.resumePoint(ResumeVector(versions).description)
        }
        var places: [Int: ResumeToken.Place] = [:]
        for index in goneIndexes { places[index] = .gone }
        for one in followed {
            guard let revision = one.resumePoint, case let version = one.list.version(at: revision),
                version != lists.names[one.index].version
            else { continue }
            places[one.index] = .at(version)
        }
        return EventText.resumePoint(ResumeToken(places).text(since: lists.bases))
    }
}

/// Tells a stream when its subscription is on the disk, so that resume points outlive the process.
final class Keeping: Sendable {
    enum Outcome {
        case kept
        case failed(ProblemCode)
    }

    let group = WakeGroup()
    private let state = Locked<Outcome?>(nil)

    static let retrySeconds = 5

    /// Nil until the outcome is known.
    var outcome: Outcome? { state.withLock { $0 } }

    func end(_ outcome: Outcome) {
        state.withLock { $0 = outcome }
        group.wake()
    }
}
