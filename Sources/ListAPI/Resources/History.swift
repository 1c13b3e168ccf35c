internal import Access
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd

extension API {
    private static let transactionsDefault = 100

    /// `GET /v1/lists/{list}/transactions`, newest first. The cursor is the version of the last transaction on the
    /// page.
    func listTransactions(_ call: Call) throws(Problem) -> Answer {
        let limit = try call.query.limit(at: call.endpoint) ?? Self.transactionsDefault
        let id = try call.listID()
        let before = try transactionCursor(call)
        let list = try list(of: call)
        let read = list.read(call.pace) { list in
            Result { () throws(UnknownVersion) in
                (list.version, try list.transactions(before: before, limit: limit))
            }
        }
        switch read {
        case .failure(.gone):
            throw Problem(
                .versionGone, "No transactions before the cursor are kept. Leave cursor out to begin with the newest.")
        case .failure(.ahead): throw .notACursor
        case .success(let (version, (page, hasMore))):
            var fields = headFields
            if hasMore, let last = page.last {
                fields.append(.next("/v1/lists/\(id)/transactions?limit=\(limit)&cursor=\(last.version)"))
            }
            return versioned(version, call, fields) { transactionsBody(page) }
        }
    }

    private func transactionCursor(_ call: Call) throws(Problem) -> Version? {
        guard let text = call.query[.cursor] else { return nil }
        guard let version = Version(text) else { throw .notACursor }
        return version
    }

    /// `POST /v1/lists/{list}/transactions`
    func postTransaction(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.transactionBody(body) }
        let write = try write(.operations(body.value), body, call)
        return try submit(write, to: call.listID(), .list, call)
    }

    /// `POST /v1/lists/{list}/undo`
    func undo(_ call: Call) throws(Problem) -> Answer {
        try reverse(call) { .undo($0) }
    }

    /// `POST /v1/lists/{list}/redo`
    func redo(_ call: Call) throws(Problem) -> Answer {
        try reverse(call) { .redo($0) }
    }

    /// `POST /v1/lists/{list}/restore`
    func restoreList(_ call: Call) throws(Problem) -> Answer {
        let list = try call.listID()
        let body = try decodeOptional(call) { decoder, body throws(WireError) in try decoder.restoreBody(body) }
        let write = try write(.operations([]), body, call)
        _ = try call.mustNotExist()
        return try answer(store.restore(list, body.value, write), Asked(write, list, .list, call))
    }

    private func reverse(_ call: Call, _ intent: (Version?) -> WriteIntent) throws(Problem) -> Answer {
        let body = try decodeOptional(call) { decoder, body throws(WireError) in try decoder.reversalBody(body) }
        return try submit(try write(intent(body.value), body, call), to: call.listID(), .list, call)
    }
}
