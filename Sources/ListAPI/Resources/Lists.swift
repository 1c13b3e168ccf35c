internal import Access
internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd
internal import Texts

extension API {
    private static let pageSizeDefault = 100

    /// `GET /v1/lists`. The cursor is the id of the last list on the page.
    func listLists(_ call: Call) throws(Problem) -> Answer {
        let limit = try call.query.limit(at: call.endpoint) ?? Self.pageSizeDefault
        let filter = try call.query.textFilter(.filter)
        let cursor = try cursor(call)
        let isDeleted = try call.query.flag(.deleted)
        let seen = call.seenLists
        let call = try checkedPage(call, after: isDeleted ? nil : cursor, isDeleted: isDeleted, among: seen)
        guard !isDeleted else { return listDeletedLists(filter, after: cursor, limit: limit, call) }
        // The ids of lists that the caller may not see cost a little, so no more are looked through than is needed.
        let looksMax = seen == nil || filter != nil ? Self.looksMax : min(limit, Self.looksMax)
        let (lists, last) = store.lists(
            after: cursor, limit: limit, looksMax: looksMax, bytesMax: Self.readBytesMax, among: seen
        ) { list in
            guard let filter, !filter.matches(list.id.rawValue) else { return true }
            guard case .readable(let summary) = list else { return false }
            return filter.matches(summary.title)
        }
        let next: ByteText? = last.map { last in
            let filter = filter == nil ? "" : "filter=\(sentFilter(call))&" as ByteText
            return "/v1/lists?\(filter)limit=\(limit)&cursor=\(last)"
        }
        return page(stamp(of: lists), next: next, to: call) { listsBody(lists) }
    }

    /// Checks a page of lists, unless the client takes it as it is in memory. The caller can wait.
    ///
    /// - Parameter seen: The lists that the caller may read; nil for all.
    /// - Returns: The call, with what is known of the page then.
    /// - Throws: `unavailable` if the storage cannot be asked.
    private func checkedPage(
        _ call: Call, after cursor: ListID?, isDeleted: Bool, among seen: SeenLists?
    ) throws(Problem) -> Call {
        guard call.freshness == .unknown else { return call }
        var call = call
        let age =
            isDeleted
            ? store.millisecondsSinceDeletedWereCurrent
            : store.millisecondsSincePageWasCurrent(after: cursor, limit: Self.looksMax, among: seen)
        if let staleMax = call.head.staleSecondsMax, let age, age <= staleMax * 1_000 {
            call.freshness = .aged(seconds: age / 1_000)
            return call
        }
        do throws(JournalError) {
            try isDeleted
                ? store.checkDeletedLists()
                : store.checkPage(after: cursor, limit: Self.looksMax + 1, among: seen)
        } catch {
            throw Problem(checking: error)
        }
        call.freshness = .current
        return call
    }

    /// How many lists a request looks at, and the number of bytes after which it reads no further list from the disk.
    /// The bounds are there because the loop's other requests wait meanwhile.
    private static let looksMax = 1000
    private static let readBytesMax = 2 << 20

    /// `GET /v1/lists?deleted=true`
    private func listDeletedLists(
        _ filter: TextFilter?, after cursor: ListID?, limit: Int, _ call: Call
    ) -> Answer {
        let seesAll = call.caller.readsAll
        var lists = store.deletedLists(after: cursor, limit: filter == nil && seesAll ? limit + 1 : .max)
        if !seesAll { lists.removeAll { !call.caller.sees($0.id) } }
        if let filter { lists.removeAll { !filter.matches($0.id.rawValue) && !filter.matches($0.title) } }
        let shown = lists.prefix(limit)
        var next: ByteText?
        if lists.count > limit {
            let filter = filter == nil ? "" : "&filter=\(sentFilter(call))" as ByteText
            next = "/v1/lists?deleted=true\(filter)&limit=\(limit)&cursor=\(lists[limit - 1].id)"
        }
        return page(stamp(of: shown), next: next, to: call) { deletedListsBody(shown) }
    }

    /// The filter as a link carries it.
    private func sentFilter(_ call: Call) -> ByteText {
        Page.linked(call.head.query.first { formDecoded($0.name) == "filter" }?.value ?? "")
    }

    private func cursor(_ call: Call) throws(Problem) -> ListID? {
        guard let text = call.query[.cursor] else { return nil }
        guard let id = ListID(text) else { throw .notACursor }
        return id
    }

    /// `GET /v1/lists/{list}`: the snapshot of the head or of an older version, or a page of either.
    func getList(_ call: Call) throws(Problem) -> Answer {
        let query = try call.query.rows()
        let at = try call.query.version(.at)
        let page = try Page(call.query, call.head.query)
        if query == RowQuery(), at == nil, page == nil {
            guard let published = try published(try call.listID()) else {
                throw noSuchList(try call.listID(), call.caller)
            }
            return versioned(published.version, call, coding: { _ in published.codedBody }) { published.body }
        }
        let list = try list(of: call)
        let snapshot = try snapshot(of: list, at: at, call)
        let resolved = try self.resolved(query, at: snapshot, call)
        // A window whose anchor is not in the snapshot lies elsewhere once history goes on.
        let fields = at != nil && resolved == query ? Response.Fields.lastingJSON : headFields
        guard let page else {
            return versioned(snapshot.version, call, fields) {
                resolved.isWhole ? snapshot.body(resolved) : snapshot.body(viewedRows(resolved, in: snapshot, of: list))
            }
        }
        guard resolved.isWhole else {
            let rows = viewedRows(resolved, in: snapshot, of: list)
            return try send(page, of: rows, snapshot, fields, call) { snapshot.body(rows, page: $0) }
        }
        let rows = WholeRows(snapshot.state, resolved.view)
        return try send(page, of: rows, snapshot, fields, call) { snapshot.body(rows, page: $0) }
    }

    /// The rows that a query asks for. If the search is long, they are kept for the next pages.
    private func viewedRows(_ query: RowQuery, in snapshot: ListSnapshot, of list: ListActor) -> ViewedRows {
        guard !query.isIndexed, list.isLongToSearch, let live = liveList(of: list) else {
            return ViewedRows(query, of: snapshot.state)
        }
        return live.recentRows.rows(of: query, in: snapshot, of: list)
    }

    private func send(
        _ page: Page, of source: some RowSource, _ snapshot: ListSnapshot, _ fields: Response.Fields, _ call: Call,
        _ body: @escaping @Sendable (Range<Int>) -> [UInt8]
    ) throws(Problem) -> Answer {
        let rows = try page.rows(of: source)
        let link = page.next(after: rows, of: source, snapshot)
        return versioned(snapshot.version, call, fields + (link.map { [$0] } ?? [])) { body(rows) }
    }

    /// The query with an anchor that the list still has.
    private func resolved(_ query: RowQuery, at snapshot: ListSnapshot, _ call: Call) throws(Problem) -> RowQuery {
        guard let anchor = query.window?.anchor else { return query }
        guard let resolved = try list(of: call).read(call.pace, body: { $0.resolved(query, at: snapshot) }) else {
            throw .noSuchItem(anchor)
        }
        return resolved
    }

    /// `POST /v1/lists`: creates a list. If the body names no id, the server makes one.
    func postList(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(
            call, inOnePass: { $0.newListBody(whole: $1, levels: $2) },
            orElse: { decoder, body throws(WireError) in try decoder.newListBody(body) })
        guard call.number == nil || body.value.id != nil else {
            throw Problem(
                .badClientSequence,
                "A sequence belongs to a list. Choose the id of the new list, or send an Idempotency-Key instead.")
        }
        guard let list = body.value.id ?? ListID(configuration.identifier()) else { throw .noSuchList }
        let write = try write(.operations([.applySnapshot(body.value.snapshot)]), body, call)
        _ = try call.mustNotExist()
        try requireAny([.create], on: list, call.caller)
        return try answer(store.create(list, write, mustNotExist: true), Asked(write, list, .list, call), call)
    }

    /// `PUT /v1/lists/{list}`
    func putList(_ call: Call) throws(Problem) -> Answer {
        let list = try call.listID()
        let body = try decode(
            call, inOnePass: { $0.snapshotBody(whole: $1, levels: $2, list: list) },
            orElse: { decoder, body throws(WireError) in try decoder.snapshotBody(body, list: list) })
        var write = try write(.operations([.applySnapshot(body.value)]), body, call)
        write.isSnapshot = true
        let submission = store.create(list, write, mustNotExist: try call.mustNotExist())
        return try answer(submission, Asked(write, list, .list, call), call)
    }

    /// `PATCH /v1/lists/{list}`
    func patchList(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.listPatchBody(body) }
        let write = try write(.operations([.updateList(body.value)]), body, call)
        return try submit(write, to: call.listID(), .list, call)
    }

    /// `DELETE /v1/lists/{list}`
    func deleteList(_ call: Call) throws(Problem) -> Answer {
        let list = try call.listID()
        let body = try plainBody(call)
        let write = try write(.operations([]), body, call)
        _ = try call.mustNotExist()
        return try answer(
            store.delete(list, write, purges: try call.query.flag(.purge)), Asked(write, list, .list, call))
    }
}

// MARK: - Reading a list

extension API {
    /// The list that the path names, as readers may see it.
    ///
    /// - Throws: `not_found` if there is no such list, `unavailable` if it cannot be read, `forWorker` if the pace is
    ///   brief and the list is not in memory.
    func list(of call: Call) throws(Problem) -> ListActor {
        let id = try call.listID()
        guard let list = try find(id, call.pace) else { throw noSuchList(id, call.caller) }
        return list
    }

    /// The problem of a list that does not exist. Its text says if the list was deleted and can be restored.
    ///
    /// - Parameter caller: It is told of no list that it may not read.
    func noSuchList(_ id: ListID, _ caller: Caller) -> Problem {
        guard !store.isDeleted(id) else {
            return Problem(.notFound, "The list was deleted; POST /v1/lists/\(id)/restore brings it back.")
        }
        var problem = Problem.noSuchList
        let near = (id.rawValue.slips + plurals(of: id.rawValue)).lazy.compactMap { ListID($0) }
        if let meant = near.first(where: { caller.sees($0) && self.store.contains($0) }) {
            problem.detail += " Did you mean \(meant)?"
        }
        return problem
    }

    /// Names that a singular may have been meant for.
    private func plurals(of name: ByteText) -> [ByteText] {
        guard name.utf8.count <= 32 else { return [] }
        return [[name, "s"].joined()] + (name.dropping(suffix: "y").map { [[$0, "ies"].joined()] } ?? [])
    }

    /// As `list(of:)`, but nil if there is no such list.
    func find(_ id: ListID, _ pace: Write.Pace = .ordinary) throws(Problem) -> ListActor? {
        do throws(StoreError) { return try store.list(id, pace) } catch { throw Problem(reading: error) }
    }

    /// The snapshot of the list that the path names, at a version or at the durable head.
    func snapshot(_ call: Call, at version: Version? = nil) throws(Problem) -> ListSnapshot {
        try snapshot(of: list(of: call), at: version, call)
    }

    private func snapshot(of list: ListActor, at version: Version?, _ call: Call) throws(Problem) -> ListSnapshot {
        guard let version else { return list.read { $0.snapshot() } }
        return try snapshot(of: list, at: version, named: .at, call)
    }

    /// - Parameter parameter: The query parameter that names the version.
    func snapshot(of list: ListActor, at version: Version, named parameter: QueryParameter, _ call: Call)
        throws(Problem) -> ListSnapshot
    {
        let past = list.read(call.pace) { list in Result { () throws(UnknownVersion) in try list.snapshot(at: version) }
        }
        switch past {
        case .success(let snapshot): return snapshot
        case .failure(.gone):
            throw Problem(
                .versionGone, "That version is no longer kept. Leave \(parameter.rawValue) out for the present.")
        case .failure(.ahead):
            throw Problem(
                .notFound, "The list has not come to that version yet. Leave \(parameter.rawValue) out for the present."
            )
        }
    }

    /// The answer to a read of a list: 304 if the client has this version, otherwise 200 with the body.
    ///
    /// - Parameters:
    ///   - fields: The fields besides those of the version; nil for those of an answer that tells of the head.
    ///   - coding: Makes the gzip; returns nil if gzip is not worth it.
    func versioned(
        _ version: Version, _ call: Call, _ fields: Response.Fields? = nil,
        coding: ([UInt8]) -> [UInt8]? = worthwhileGzip, _ body: () -> [UInt8]
    ) -> Answer {
        let version = VersionText(version)
        var fields = fields ?? headFields
        guard call.head.ifNoneMatch?.matches(version.plain) == true else {
            return .send(read(body(), fields, version: version, to: call, coding: coding))
        }
        fields.append(call.freshness)
        fields.append(version, isCoded: wouldBeCoded(version.coded, call) { coding(body()) != nil })
        fields.append(call.trace, id: call.trace.sentID)
        return .send(Response(status: .notModified, fields: fields, body: []))
    }

    /// Whether the 200 in place of this 304 would be gzip. A client that names the tag of a coded answer was sent one
    /// before, so nothing needs to be compressed to find out.
    ///
    /// - Parameter coded: The tag of the coded answer.
    func wouldBeCoded(_ coded: ByteText, _ call: Call, _ isWorthwhile: () -> Bool) -> Bool {
        guard call.head.wantsGzip else { return false }
        let tags = call.head.fields(.ifNoneMatch).flatMap { $0.split(at: ",").map(\.trimmed) }
        let isKnown = tags.contains { $0.hasSuffix(coded) }
        return isKnown || isWorthwhile()
    }
}
