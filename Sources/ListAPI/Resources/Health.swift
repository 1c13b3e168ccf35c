internal import JSONValue
internal import ListStore
internal import Microhttpd

extension API {
    /// `GET /healthz`: the process answers.
    func getHealth(_ call: Call) -> Answer { .send(health(call.trace, wantsGzip: call.head.wantsGzip)) }

    func health(_ trace: Trace, wantsGzip: Bool) -> Response {
        let body: JSONValue = ["status": "ok"]
        return read(body.bytes, .json, version: nil, wantsGzip: wantsGzip, trace)
    }

    private static let unreadableMax = 100

    /// `GET /readyz`: writes can succeed. It names lists that are known to be damaged: they harm no other.
    func getReadiness(_ call: Call) throws(Problem) -> Answer {
        guard store.isAcceptingWrites else {
            throw Problem(.unavailable, "The disk has failed; restart the server.").retrying(afterSeconds: 5)
        }
        let unreadable = store.damagedLists(limit: Self.unreadableMax)
        guard !unreadable.isEmpty else { return getHealth(call) }
        return .send(read(readinessBody(unreadable: unreadable), .json, to: call))
    }
}
