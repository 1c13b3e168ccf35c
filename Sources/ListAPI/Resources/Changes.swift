internal import Access
internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd

extension API {
    /// `GET /v1/lists/{list}/changes`: answers at once, waits for a change, or opens a stream.
    func getChanges(_ call: Call) throws(Problem) -> Answer {
        let wanted = try WantedChanges(call)
        let id = try call.listID()
        let list = try list(of: call)
        let end = try wanted.until.map { version throws(Problem) in
            try snapshot(of: list, at: version, named: .until, call)
        }
        try requireAnchor(of: list, wanted.rows, at: end, call)
        guard !call.head.wantsEvents else { return try follow(list, wanted, call) }
        // A client that waits comes back after each change. The live list keeps the rows that it has seen.
        let live = wanted.wait > 0 ? liveList(of: list) : nil
        let answer = list.catchup(
            since: wanted.since, upTo: end, wanted.previous, wanted.rows, isReload: wanted.isReload,
            among: live?.queries, pace: call.pace)
        guard !answer.isHistoryLost || !call.preferences.isStrict else { throw .historyLost }
        if let since = wanted.since, answer.catchup.isNothing, let live {
            let place = try streamPlace(call)
            guard live.admitPoll(wanted.rows, queriesMax: configuration.queriesPerListMax) else {
                throw tooManyQueries
            }
            moving?.noteFollower(of: list.id, live)
            list.look(for: wanted.rows, among: live.queries)
            let known = answer.catchup.version.revision
            return .wait(longPoll(list, live, since: since.revision, upTo: known, wanted, place, call))
        }
        let version = VersionText(answer.catchup.version)
        let fields = fields(of: wanted, isEmpty: answer.catchup.isNothing)
        return .send(read(body(answer, id), fields, version: version, to: call))
    }

    /// The fields of an answer that is not a stream.
    ///
    /// - Parameters:
    ///   - isEmpty: Whether nothing has changed. A shared cache would let others wait for changes that are there.
    ///   - hasWaited: Whether the client has waited for that.
    private func fields(of wanted: WantedChanges, isEmpty: Bool, hasWaited: Bool = false) -> Response.Fields {
        let fields: Response.Fields
        if wanted.isPinned {
            fields = .lastingJSON
        } else if isEmpty {
            fields = hasWaited ? .uncachedJSON : .json
        } else {
            fields = headFields
        }
        return fields + wanted.preferenceFields
    }

    /// - Throws: `not_found` if neither the list nor its history knows the anchor of the window.
    private func requireAnchor(
        of list: ListActor, _ rows: RowQuery, at end: ListSnapshot?, _ call: Call
    ) throws(Problem) {
        guard let anchor = rows.window?.anchor else { return }
        guard list.read(call.pace, body: { $0.resolved(rows, at: end ?? $0.snapshot()) != nil }) else {
            throw .noSuchItem(anchor)
        }
    }

    /// The answer is made after the head of the request is gone, so the closures hold copies of everything that they
    /// need.
    private func longPoll(
        _ list: ListActor, _ live: LiveList, since base: Int, upTo known: Int, _ wanted: WantedChanges,
        _ place: StreamPlace?, _ call: Call
    ) -> AnswerWait {
        let (wantsGzip, trace, client, actor) = (call.head.wantsGzip, call.trace, call.head.client, call.caller.actor)
        let standingRight = StandingRight(configuration.gate, call.book, call.caller, to: [list.id], place)
        let poll = LongPoll(
            list, live, since: base, upTo: known, wanted.rows, standingRight, as: .body(isCoded: wantsGzip),
            answer: { [self] update in
                observeSuccess(trace, .ok)
                let fields = fields(of: wanted, isEmpty: update.kind == .nothing, hasWaited: true)
                // The list may have been for everybody when the client began to wait.
                let isPrivate = isPrivate(list.id, in: configuration.gate.book)
                return read(
                    update.bytes, isPrivate ? fields.forOneReader : fields, version: VersionText(update.version),
                    wantsGzip: wantsGzip, trace
                ) { _ in update.codedBytes }
            },
            refusal: { [self] problem in
                noteRefused(problem, trace, from: client, by: actor)
                return response(to: problem, trace)
            })
        return AnswerWait(
            for: poll, in: poll.groups, milliseconds: UInt64(wanted.wait) * 1000,
            silenceSeconds: configuration.heartbeatSeconds)
    }

    /// A reset to the head uses the published answer that all readers get, because after a restart every client may
    /// need a reset.
    private func body(_ answer: ViewCatchup, _ list: ListID) -> [UInt8] {
        guard case .reset(let snapshot) = answer.catchup, answer.query == RowQuery(),
            let published = try? published(list), published.version == snapshot.version
        else { return answer.catchup.body(list: list, answer.query, answer.rows) }
        return resetBody(list: list, to: published.version, snapshot: published.body)
    }
}

// MARK: - Streams

extension API {
    /// `GET /v1/changes`: one stream for many lists.
    func followLists(_ call: Call) throws(Problem) -> Answer {
        let rows = try call.query.rows()
        let names = try call.query.followedNames(most: followedListsMax)
        let resumed = call.head.field(.lastEventID).map { ResumeVector($0) }
        let isHead = call.head.method == .head
        let place = isHead ? nil : try streamPlace(call)
        let (followed, missing) = try self.followed(names, rows, call, admits: !isHead) { index in
            resumed.map { $0.version(of: names[index]) } ?? names[index].version
        }
        guard !isHead else { return .send(streamHead(call)) }
        return stream(
            EventStream(
                followed, missing: missing.map { names[$0].list }, rows,
                standingRight(call, to: followed, place), spread: configuration.spread), call)
    }

    /// The lists of `GET /v1/changes` that the caller may read.
    func listsOfQuery(_ call: Call) throws(Problem) -> [ListID] {
        call.seen(try call.query.followedNames(most: followedListsMax))
    }

    /// Admits a stream to lists.
    ///
    /// - Parameters:
    ///   - admits: False only checks whether the lists and their history are there.
    ///   - since: Returns the version that the client knows of the list with this index in `names`.
    /// - Returns: The lists, and the indexes of those that do not exist.
    func followed(
        _ names: [FollowedName], _ rows: RowQuery, _ call: Call, admits: Bool = true, since: (Int) -> Version?
    ) throws(Problem) -> (lists: [EventStream.Followed], missing: [Int]) {
        var followed: [EventStream.Followed] = []
        var missing: [Int] = []
        do throws(Problem) {
            for (index, name) in names.enumerated() {
                guard call.caller.sees(name.list), let list = try find(name.list) else {
                    missing.append(index)
                    continue
                }
                let since = since(index)
                try requireHistory(of: list, since: since, call)
                guard admits else { continue }
                var one = try self.followed(list, rows, since: since)
                one.index = index
                followed.append(one)
            }
        } catch {
            for one in followed { one.live.leave(rows) }
            throw error
        }
        return (followed, missing)
    }

    private func follow(_ list: ListActor, _ wanted: WantedChanges, _ call: Call) throws(Problem) -> Answer {
        // The version in `Last-Event-ID` is newer than `since`, which the client knew when it began.
        let resumed = call.head.field(.lastEventID)
        let since = resumed.map { Version($0) } ?? wanted.since
        // A client that reconnects has the rows of the new filter already.
        let isResumed = resumed != nil
        try requireHistory(of: list, since: since, call)
        guard call.head.method != .head else { return .send(streamHead(call)) }
        let place = try streamPlace(call)
        let followed = try self.followed(list, wanted.rows, since: wanted.isReload ? nil : since)
        let previous = isResumed ? nil : wanted.previous
        let standingRight = standingRight(call, to: [followed], place)
        return stream(
            EventStream(followed, wanted.rows, previous: previous, standingRight, spread: configuration.spread), call)
    }

    /// - Throws: `version_gone` if the client has sent `handling=strict` and the history since `version` is no longer
    ///   kept.
    func requireHistory(
        of list: ListActor, since version: Version?, _ call: Call
    ) throws(Problem) {
        guard call.preferences.isStrict, let version else { return }
        guard list.read(body: { $0.knows(version) }) else { throw .historyLost }
    }

    /// The right of a stream to go on.
    func standingRight(
        _ call: Call, to followed: [EventStream.Followed], _ place: StreamPlace?
    ) -> StandingRight {
        StandingRight(configuration.gate, call.book, call.caller, to: followed.map(\.list.id), place)
    }

    /// The place of a stream or poll among those of its client.
    func streamPlace(_ call: Call) throws(Problem) -> StreamPlace? {
        try StreamPlace.taken(by: call.caller, call.head, configuration.quotas)
    }

    func liveList(of list: ListActor) -> LiveList? {
        LiveList.of(
            list, publishedFields, workers, within: configuration.memory,
            makeRoom: { [weak self] in self?.makeRoomForRefused() }, changed: moving?.observer(of: list.id))
    }

    /// Admits a stream to a list.
    ///
    /// - Parameter version: The version that the client knows. The client starts over if that is nil, of another epoch
    ///   or ahead of the list.
    /// - Throws: `too_many_streams` or `too_many_queries`.
    func followed(
        _ list: ListActor, _ rows: RowQuery, since version: Version?
    ) throws(Problem) -> EventStream.Followed {
        guard let live = liveList(of: list) else { throw tooManyStreams }
        let (streamsMax, queriesMax) = (configuration.streamsPerListMax, configuration.queriesPerListMax)
        switch live.admit(rows, streamsMax: streamsMax, queriesMax: queriesMax) {
        case .admitted: list.look(for: rows, among: live.queries)
        case .tooManyStreams: throw tooManyStreams
        case .tooManyQueries: throw tooManyQueries
        }
        moving?.noteFollower(of: list.id, live)
        let isKnown = version.map { $0.epoch == list.epoch && $0.revision <= list.standing.revision } ?? false
        return EventStream.Followed(list: list, live: live, resumePoint: isKnown ? version?.revision : nil)
    }

    private var tooManyStreams: Problem {
        Problem(.tooManyStreams, "The limit streamsPerListMax allows at most \(configuration.streamsPerListMax).")
            .retrying(afterSeconds: 5)
    }

    private var tooManyQueries: Problem {
        Problem(.tooManyQueries, "The limit queriesPerListMax allows at most \(configuration.queriesPerListMax).")
            .retrying(afterSeconds: 5)
    }

    func stream(_ source: EventStream, _ call: Call, others: Response.Fields = []) -> Answer {
        let head = streamHead(call, others)
        return .stream(
            ContentStream(
                head: isPrivate(call) ? head.replacingFields(\.forOneReader) : head, source, in: source.groups,
                silenceMilliseconds: UInt64(configuration.heartbeatSeconds) * 1000))
    }

    /// The head of a stream, without the fields that tell shared caches to leave it alone.
    func streamHead(_ call: Call, _ others: Response.Fields = []) -> Response {
        var fields = eventFields + others
        if call.preferences.isStrict { fields.append(Response.Field("Preference-Applied", "handling=strict")) }
        fields.append(call.trace, id: call.trace.sentID)
        return Response(status: .ok, fields: fields, body: [])
    }

    /// The answer to a request for a stream that is refused for now: a stream that ends at once and says when to come
    /// back. After any other answer `EventSource` would never connect again.
    ///
    /// - Returns: Nil if the problem will not pass by itself, or if the client has not asked for a stream.
    func farewell(_ problem: Problem, to head: RequestHead, _ trace: Trace) -> Response? {
        guard let reason = passing[problem.code], head.wantsEvents,
            (try? router.resource(at: trace.path))?.endpoint(head.method)?.streams == true
        else { return nil }
        let id = trace.sentID ?? configuration.requestID()
        var fields = eventFields
        fields.append(trace, id: id)
        observe(trace, id: id, problem.status, problem)
        let seconds = problem.fields[.retryAfter].flatMap { Int($0) } ?? EventText.retryMilliseconds / 1_000
        let retry = EventText.retry(milliseconds: seconds * 1_000 + configuration.spread(seconds * 1_000))
        return Response(
            status: .ok, fields: fields,
            body: retry + EventText.bye(reason, problem.code, afterSeconds: seconds))
    }
}

/// The greatest number of lists that one stream follows.
let followedListsMax = 100

/// Tells proxies neither to hold events back nor to change them.
private let eventFields: Response.Fields = [
    Response.Field("Content-Type", MediaType.eventStream),
    Response.Field("Cache-Control", "no-cache, no-transform"),
    Response.Field("Vary", "Accept, Accept-Encoding, Prefer"),
    Response.Field("X-Accel-Buffering", "no"),
    Response.Field("X-Content-Type-Options", "nosniff"),
]

// MARK: - Parameters

/// The parameters of a request for changes.
private struct WantedChanges {
    let since: Version?
    /// The version to which the answer leads; nil for the head.
    let until: Version?
    let rows: RowQuery
    /// The query that the client sent when it was at `since`.
    let previous: RowQuery
    let isReload: Bool
    /// The number of seconds for which the answer may wait for a change.
    let wait: Int
    /// The fields of an answer that is not a stream, as far as they are due to `Prefer`.
    let preferenceFields: Response.Fields

    /// Whether neither version of the answer ever changes, and so neither the way between them.
    var isPinned: Bool { since != nil && until != nil }

    init(_ call: borrowing Call) throws(Problem) {
        since = try call.query.version(.since)
        until = try call.query.until(isStream: call.head.wantsEvents)
        rows = try call.query.rows()
        previous = try call.query.previousRows(than: rows)
        isReload = try call.query.isReload()
        let asked = try call.query.wait()
        let preferred = until == nil ? call.preferences.wait : nil
        wait = call.head.method == .head ? 0 : min(asked ?? preferred ?? 0, Query.waitMax)
        var applied: [ByteText] = call.preferences.isStrict ? ["handling=strict"] : []
        if asked == nil, preferred != nil { applied.append("wait=\(wait)") }
        preferenceFields =
            applied.isEmpty ? [] : [Response.Field("Preference-Applied", applied.joined(separator: ", "))]
    }
}

extension RequestHead {
    /// Whether the client asks for a stream of events rather than JSON.
    var wantsEvents: Bool {
        let values = fields(.accept)
        guard !values.isEmpty else { return false }
        let ranges = MediaRanges(values.joined(separator: ","))
        let (events, json) = (ranges.weight(of: MediaType.eventStream), ranges.weight(of: MediaType.json))
        // If both have the same weight, the one that the client names wins.
        return events > json
            || events > 0 && events == json && ranges.names(MediaType.eventStream)
                && !ranges.names(MediaType.json)
    }
}

/// The problems that pass by themselves. They are due neither to the request nor to the list.
private let passing: [ProblemCode: EventText.Reason] = [
    .stopping: .shutdown, .unavailable: .unavailable, .tooManyStreams: .limit, .tooManyQueries: .limit,
    .tooManyConnections: .limit, .tooManyConnectionsOfAddress: .limit, .tooManyRequests: .limit, .overloaded: .limit,
]

extension Problem {
    fileprivate static var historyLost: Problem {
        Problem(
            .versionGone, "The history since that version is no longer kept. Leave since out to get the whole list.")
    }
}

extension Catchup {
    /// Whether the client has everything already.
    fileprivate var isNothing: Bool {
        switch self {
        case .changes(let changes, _, _, _): changes.isEmpty
        case .reset: false
        }
    }
}
