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

    /// `GET /readyz`: succeeds if writes can succeed. The answer names the lists that are known to be damaged; they do
    /// no harm to others.
    func getReadiness(_ call: Call) throws(Problem) -> Answer {
        guard !store.isAway else { throw Problem(.away("the last try failed")).because("storage_away") }
        guard store.isAcceptingWrites else {
            throw Problem(.unavailable, "The disk has failed; restart the server.").retrying(afterSeconds: 5)
                .because("disk_failed")
        }
        let unreadable = store.damagedLists(limit: Self.unreadableMax)
        guard !unreadable.isEmpty else { return getHealth(call) }
        return .send(read(readinessBody(unreadable: unreadable), .json, to: call))
    }
}

extension Problem {
    /// The same problem with the reason why the server is not ready.
    fileprivate func because(_ reason: StaticString) -> Problem {
        var problem = self
        problem.reason = reason
        return problem
    }
}
