internal import Gzip
internal import HTTPTypes
internal import JSONValue
internal import ListModel
internal import Microhttpd
internal import Texts

extension API {
    /// The answer to a read: as gzip if the client wants that and it is worth it.
    ///
    /// - Parameters:
    ///   - version: Of the list that it is about, if it is about one.
    ///   - coding: Makes the gzip; nil if it is not worth it.
    func read(
        _ body: [UInt8], _ fields: [Response.Field] = .json, version: VersionText? = nil, to call: Call,
        coding: ([UInt8]) -> [UInt8]? = worthwhileGzip
    ) -> Response {
        read(body, fields, version: version, wantsGzip: call.head.wantsGzip, call.trace, coding: coding)
    }

    /// The same for a call whose head may be gone.
    func read(
        _ body: [UInt8], _ fields: [Response.Field], version: VersionText?, wantsGzip: Bool, _ trace: Trace,
        coding: ([UInt8]) -> [UInt8]? = worthwhileGzip
    ) -> Response {
        let coded = wantsGzip ? coding(body) : nil
        var fields = fields
        if let version { fields.append(version, isCoded: coded != nil) }
        if coded != nil { fields.append(.gzip) }
        fields.append(trace, id: trace.sentID)
        return Response(status: .ok, fields: fields, body: coded ?? body)
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

    /// Tells of a read that succeeds; writes and problems are told of where they are made, and a poll when it ends.
    func observe(_ answer: Answer, to head: RequestHead) {
        guard head.method == .get || head.method == .head || head.method == .options else { return }
        let status: HTTPResponse.Status
        switch answer {
        case .send(let response): status = response.status
        case .sendPrepared(_, let sent): status = sent
        case .stream: status = .ok
        case .later, .wait: return
        }
        guard status.code < 400 else { return }
        observeSuccess(Trace(head, origins: configuration.origins), status)
    }

    func observeSuccess(_ trace: Trace, _ status: HTTPResponse.Status) {
        guard configuration.observesSuccesses else { return }
        observe(trace, id: trace.sentID ?? "-", status, nil)
    }

    func observe(_ trace: Trace, id: ByteText, _ status: HTTPResponse.Status, _ problem: Problem?) {
        guard let observe = configuration.observe, let method = trace.method else { return }
        observe(
            Configuration.Event(
                requestID: id, method: method, path: trace.path, status: status, code: problem?.code,
                cause: problem?.cause))
    }
}

/// From here on a body is long enough for gzip: a shorter one fits a packet anyway.
private let codedBytesMin = 1024

/// Nil if the body had better go out as it is.
func worthwhileGzip(_ body: [UInt8]) -> [UInt8]? {
    body.count < codedBytesMin ? nil : gzip(body)
}

extension Response.Field {
    static let gzip = Response.Field("Content-Encoding", "gzip")
}
