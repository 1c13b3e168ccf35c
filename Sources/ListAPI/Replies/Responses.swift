internal import Gzip
internal import HTTPTypes
internal import ListWire
internal import Microhttpd
internal import Texts

extension API {
    /// The answer to a read, as gzip if the client accepts gzip and it is worth it.
    ///
    /// - Parameters:
    ///   - version: The version of the list that the answer is about; nil if it is about none.
    ///   - coding: Makes the gzip; returns nil if gzip is not worth it.
    func read(
        _ body: [UInt8], _ fields: Response.Fields = .json, version: VersionText? = nil, to call: Call,
        coding: ([UInt8]) -> [UInt8]? = worthwhileGzip
    ) -> Response {
        var fields = fields
        fields.append(call.freshness)
        return read(body, fields, version: version, wantsGzip: call.head.wantsGzip, call.trace, coding: coding)
    }

    /// The same for an answer that is made after the head of the request is gone.
    func read(
        _ body: [UInt8], _ fields: Response.Fields, version: VersionText?, wantsGzip: Bool, _ trace: Trace,
        coding: ([UInt8]) -> [UInt8]? = worthwhileGzip
    ) -> Response {
        let coded = wantsGzip ? coding(body) : nil
        var fields = fields
        if let version { fields.append(version, isCoded: coded != nil) }
        if coded != nil { fields.append(.gzip) }
        fields.append(trace, id: trace.sentID)
        return Response(status: .ok, fields: fields, body: coded ?? body)
    }

    /// The answer with a problem. It carries the id of the request, by which the problem is found in the log.
    func response(to problem: Problem, _ trace: Trace) -> Response {
        let (response, tell) = unsentResponse(to: problem, trace)
        tell?()
        return response
    }

    /// Tells the log of an answer when it is sent; nil if the log is not told of it.
    typealias Telling = (@Sendable () -> Void)?

    /// The same for an answer that may not be sent.
    func unsentResponse(to problem: Problem, _ trace: Trace) -> (response: Response, tell: Telling) {
        let id = trace.sentID ?? configuration.requestID()
        var fields = Response.Fields.content(MediaType.problem)
        fields.append(trace, id: id)
        let response = Response(
            status: problem.status, fields: fields, others: problem.fields,
            body: problem.body(path: trace.path, requestID: id))
        return (response, { [self] in observe(trace, id: id, problem.status, problem) })
    }

    /// Tells `observe` of a read that succeeds. Writes and problems are reported where their answers are made, and a
    /// long poll when it ends.
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
        observeSuccess(Trace(head, configuration), status)
    }

    func observeSuccess(_ trace: Trace, _ status: HTTPResponse.Status) {
        guard configuration.observesSuccesses else { return }
        observe(trace, id: trace.sentID ?? "-", status, nil)
    }

    func observe(_ trace: Trace, id: ByteText, _ status: HTTPResponse.Status, _ problem: Problem?) {
        if let problem { trace.record?.note(problem.code) }
        guard let observe = configuration.observe else { return }
        observe(
            Configuration.Event(
                requestID: id, method: trace.method, path: trace.path, status: status, code: problem?.code,
                cause: problem?.cause))
    }
}

/// The least length of a body that is sent as gzip. A shorter body fits into one packet anyway.
private let codedBytesMin = 1024

/// The body as gzip; nil if gzip does not make it shorter.
func worthwhileGzip(_ body: [UInt8]) -> [UInt8]? {
    body.count < codedBytesMin ? nil : gzip(body)
}

extension Response.Field {
    static let gzip = Response.Field("Content-Encoding", "gzip")
}
