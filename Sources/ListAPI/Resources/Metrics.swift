internal import HTTPTypes
internal import Microhttpd
internal import Threads

extension API {
    /// `GET /metrics`: what the server has done and has now, as Prometheus reads it.
    func getMetrics(_ call: Call) -> Answer { .send(read(configuration.metrics(), .metrics, to: call)) }

    /// The method and the template of the route with each number of `RequestHead.note(route:)`.
    public static let routes: [Int: (method: String, template: String)] = Dictionary(
        uniqueKeysWithValues: Endpoint.allCases.map { ($0.number, ($0.method.rawValue, $0.template)) })

    /// The work that waits for a worker.
    public var waitingWork: Int { workers?.waitingCount ?? 0 }
}

extension Response.Fields {
    /// The fields of metrics, which are another answer each time.
    static let metrics = content("text/plain; version=0.0.4; charset=utf-8", caching: "no-store")
}

extension RequestHead {
    /// Has the answer counted as one of an endpoint.
    func note(_ endpoint: Endpoint) { note(route: endpoint.number) }
}

extension Endpoint {
    /// 0 stands for requests that reach no endpoint.
    var number: Int { rawValue + 1 }
}
