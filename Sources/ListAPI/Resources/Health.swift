internal import Access
internal import JSONValue
internal import ListStore
internal import Microhttpd

extension API {
    /// `GET /healthz`: succeeds as long as the process answers.
    func getHealth(_ call: Call) -> Answer { .send(health(call.trace, wantsGzip: call.head.wantsGzip)) }

    func health(_ trace: Trace, wantsGzip: Bool) -> Response {
        let body: JSONValue = ["status": "ok"]
        return read(body.bytes, .json, version: nil, wantsGzip: wantsGzip, trace)
    }

    private static let unreadableMax = 100
    /// So long a server may not know the newest access book and still be ready.
    private static let bookUnreadSecondsMax = 60

    /// Whether `GET /readyz` succeeds.
    public var isReady: Bool { unreadiness == nil }

    /// The problem that says why the server is not ready; nil if it is.
    private var unreadiness: Problem? {
        guard !store.isAway else { return Problem(.away("the last try failed")).because("storage_away") }
        guard store.isAcceptingWrites else {
            return Problem(.unavailable, "The disk has failed; restart the server.").retrying(afterSeconds: 5)
                .because("disk_failed")
        }
        if let seconds = configuration.gate.bookUnreadSeconds, seconds > Self.bookUnreadSecondsMax {
            return Problem.unknownRights(forSeconds: seconds)
        }
        return nil
    }

    /// `GET /readyz`: succeeds if writes can succeed, and by rights that are known. The answer counts the lists that are
    /// known to be damaged, and names them to whoever administers all; they do no harm to others.
    func getReadiness(_ call: Call) throws(Problem) -> Answer {
        if let unreadiness { throw unreadiness }
        let count = store.damagedListCount
        guard count > 0 else { return getHealth(call) }
        // Nobody is asked who they are here, so a token that is wrong is as none.
        let caller = call.book.map { knownCaller(of: call.head, call.head.visitor as? Visit, in: $0) } ?? .everybody
        let mayKnow = caller?.administersAll == true
        let body = readinessBody(
            unreadable: mayKnow ? store.damagedLists(limit: Self.unreadableMax) : [], count: mayKnow ? nil : count)
        let isSame = call.book?.withoutToken.isEverybody ?? true
        return .send(read(body, isSame ? .json : Response.Fields.json.forOneReader, to: call))
    }
}

extension Problem {
    fileprivate static func unknownRights(forSeconds seconds: Int) -> Problem {
        Problem(
            .unavailable,
            """
            The tokens and their rights could not be read for \(seconds) seconds, so what others have changed since is not \
            known. The log has the cause.
            """
        )
        .retrying(afterSeconds: 5).because("tokens_unread")
    }

    /// The same problem with the reason why the server is not ready.
    fileprivate func because(_ reason: StaticString) -> Problem {
        var problem = self
        problem.reason = reason
        return problem
    }
}
