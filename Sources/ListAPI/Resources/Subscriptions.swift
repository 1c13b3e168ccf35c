internal import Access
internal import HTTPTypes
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd
internal import SHA256
internal import Texts

// Streams of many lists whose parameters come in a body. A client that reconnects sends the subscription's name
// instead.

extension API {
    /// `POST /v1/changes`: answers with the stream, or with its address (`respond-async`).
    func postChanges(_ call: Call) throws(Problem) -> Answer {
        guard !call.body.isEmpty else {
            throw Problem(.invalid, "A body is needed: send one such as \(call.endpoint.exampleBody).")
        }
        guard call.body.bytes.count <= WantedLists.bytesMax else {
            throw .exceeded(.bodyTooLarge, Problem.Limit(name: "subscriptionBytesMax", value: WantedLists.bytesMax))
        }
        let isLater = call.preferences.respondsAsync
        guard isLater || call.head.wantsEvents else {
            throw Problem(
                .notAcceptable,
                """
                To get the stream, send the header Accept: \(MediaType.eventStream). To get its address instead, send \
                the header Prefer: respond-async.
                """
            )
        }
        let wanted = try WantedLists(call.body.bytes, decoder)
        try requireSeen(wanted.names, call.caller)
        var bases: [Version?] = []
        for name in wanted.names {
            let list = call.caller.sees(name.list) ? try find(name.list) : nil
            if let list { try requireHistory(of: list, since: name.version, call) }
            bases.append(list.map { $0.base(of: name) })
        }
        let stored = FollowedLists.stored(call.body.bytes, since: bases)
        guard !isLater else { return subscribe(stored, call) }
        let lists = FollowedLists(wanted.names, wanted.rows, since: bases)
        let source = try source(lists, resuming: nil, keeping: Keeping(), call)
        let added = store.subscriptions.add(stored, owner: call.caller.sharer) { [keeping = source.keeping] _, error in
            keeping?.end(error.map { .failed(Problem($0).code) } ?? .kept)
        }
        let location = Response.Field("Content-Location", Self.location(added))
        return stream(source, call, others: [location])
    }

    /// - Throws: As for a hidden list if the caller may read none of these. Otherwise whoever may read nothing could take
    ///   the room of others.
    private func requireSeen(_ names: [FollowedName], _ caller: Caller) throws(Problem) {
        guard !names.contains(where: { caller.sees($0.list) }) else { return }
        throw caller.kind == .anonymous ? .noToken : .hiddenList
    }

    private func subscribe(_ stored: [UInt8], _ call: Call) -> Answer {
        let (trace, isStrict, sharer) = (call.trace, call.preferences.isStrict, call.caller.sharer)
        return .later { [self] resumption in
            store.subscriptions.add(stored, owner: sharer) { [self] added, error in
                if let error { return resumption.resume(with: response(to: Problem(error), trace)) }
                let location = Self.location(added)
                var fields = Response.Fields.json
                fields.append(Response.Field("Location", location))
                let applied: ByteText = isStrict ? "respond-async, handling=strict" : "respond-async"
                fields.append(Response.Field("Preference-Applied", applied))
                fields.append(trace, id: trace.sentID ?? configuration.requestID())
                let body = subscriptionBody(location, until: added.until)
                resumption.resume(with: Response(status: .created, fields: fields, body: body))
            }
        }
    }

    private static func location(_ added: Subscriptions.Added) -> ByteText { "/v1/changes/\(added.name)" }

    /// `GET /v1/changes/{subscription}`
    func getSubscription(_ call: Call) throws(Problem) -> Answer {
        guard let stored = try call.arguments.first.flatMap(stored), let lists = FollowedLists(stored: stored, decoder)
        else {
            throw Problem(.notFound, "There is no such subscription, or it has expired: POST /v1/changes makes one.")
        }
        let source = try source(lists, resuming: call.head.field(.lastEventID), keeping: nil, call)
        guard call.head.method != .head else { return .send(streamHead(call)) }
        return stream(source, call)
    }

    /// The lists of `POST /v1/changes` that the caller may read; none if the request will be refused anyway.
    func listsOfBody(_ call: Call) throws(Problem) -> [ListID] {
        guard call.body.bytes.count <= WantedLists.bytesMax else { return [] }
        return (try? WantedLists(call.body.bytes, decoder)).map { call.seen($0.names) } ?? []
    }

    /// The lists of `GET /v1/changes/{subscription}` that the caller may read; none if there is no such subscription.
    func listsOfSubscription(_ call: Call) throws(Problem) -> [ListID] {
        guard let stored = try call.arguments.first.flatMap(stored) else { return [] }
        return FollowedLists(stored: stored, decoder).map { call.seen($0.names) } ?? []
    }

    private func stored(_ name: ByteText) throws(Problem) -> [UInt8]? {
        do throws(JournalError) { return try store.subscriptions.find(name) } catch { throw Problem(error) }
    }

    /// - Parameter lastEventID: The resume point of the client; nil to begin where the subscription began.
    private func source(
        _ lists: FollowedLists, resuming lastEventID: ByteText?, keeping: Keeping?, _ call: Call
    ) throws(Problem) -> EventStream {
        let place = call.head.method == .head ? nil : try streamPlace(call)
        let token = lastEventID.flatMap { ResumeToken($0, since: lists.bases) }
        // An id that is not a token of this subscription does not say what the client has, so the client starts over.
        let isLost = lastEventID != nil && token == nil
        let known = lists.names.indices.filter { token?.places[$0] == .gone }
        let (followed, missing) = try self.followed(lists.names, lists.rows, call) { index in
            switch token?.places[index] {
            case .at(let version): version
            case .gone: nil
            case nil: isLost ? nil : lists.names[index].version
            }
        }
        return EventStream(
            lists, followed, missing: missing, known: Set(known), keeping: keeping,
            standingRight(call, to: followed, place), spread: configuration.spread)
    }
}

extension Caller {
    /// The name by which subscriptions of the caller are counted; empty if nobody has begun to use tokens.
    ///
    /// It is short and does not show the actor, because it becomes a part of an address.
    fileprivate var sharer: ByteText {
        guard !isEverybody else { return "" }
        let digits = Array("0123456789abcdef".utf8)
        let bytes = sha256(parts: [Array(actor.utf8)]).prefix(8)
        return ByteText(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension ListActor {
    /// The version at which a stream of the list begins: the client's version if the list knows it, otherwise the head.
    fileprivate nonisolated func base(of name: FollowedName) -> Version {
        let (head, _) = standing
        guard let version = name.version, version.epoch == epoch, version.revision <= head else {
            return version(at: head)
        }
        return version
    }
}

/// The body with the address of a subscription and the time until which it is kept.
private func subscriptionBody(_ location: ByteText, until: Int) -> [UInt8] {
    JSONSplicer.object(capacity: 128) { splicer in
        splicer.member("\"location\":", location)
        splicer.key("\"until\":")
        splicer.time(until)
    }
}
