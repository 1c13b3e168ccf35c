internal import HTTPTypes
internal import JSONValue
internal import ListModel
internal import Microhttpd

extension API {
    /// A success that says something in JSON.
    func json(_ body: [UInt8], _ fields: [Response.Field] = .json, to call: Call) -> Response {
        var fields = fields
        fields.append(call.trace, id: call.trace.sentID)
        return Response(status: .ok, fields: fields, body: body)
    }

    /// A problem, with a name for the request by which it is found in the log.
    func response(to problem: Problem, _ trace: Trace) -> Response {
        let id = trace.sentID ?? configuration.requestID()
        var fields = [Response.Field].content(MediaType.problem)
        fields.append(trace, id: id)
        observe(trace, id: id, problem.status, problem)
        return Response(
            status: problem.status, fields: fields, others: problem.fields,
            body: problem.body(path: trace.path, requestID: id))
    }

    func observe(_ trace: Trace, id: String, _ status: HTTPResponse.Status, _ problem: Problem?) {
        guard let observe = configuration.observe, let method = trace.method else { return }
        observe(
            Configuration.Event(
                requestID: id, method: method, path: trace.path, status: status, code: problem?.code,
                cause: problem?.cause))
    }
}
