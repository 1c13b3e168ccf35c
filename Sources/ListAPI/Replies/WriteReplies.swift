internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Microhttpd

/// A write on its way back: what was asked, and of what.
struct Asked: Sendable {
    let list: ListID
    let addressed: Addressed
    let isDryRun: Bool
    let view: View
    let wantsMinimal: Bool
    /// Whether the client sent operations, so that it can be told which one failed.
    let hasOperations: Bool
    let trace: Trace

    init(_ write: Write, _ list: ListID, _ addressed: Addressed, _ call: Call) {
        self.list = list
        self.addressed = addressed
        isDryRun = write.isDryRun
        view = write.view
        wantsMinimal = call.preferences.wantsMinimal
        hasOperations = call.endpoint == .postTransaction
        trace = call.trace
    }
}

extension API {
    /// Hands a write to its list.
    func submit(_ write: Write, to list: ListID, _ addressed: Addressed, _ call: Call) throws(Problem) -> Answer {
        _ = try call.mustNotExist()
        return answer(store.submit(list, write), Asked(write, list, addressed, call))
    }

    /// The answer to a write: at once if there is nothing to wait for, otherwise when the disk has it.
    ///
    /// The bytes are made before, so that the thread that settles a batch only hands them over.
    func answer(_ submission: Submission, _ asked: Asked) -> Answer {
        let response: Response
        switch submission.result {
        case .success(let result): response = self.response(to: result, asked)
        case .failure(let error):
            response = self.response(to: Problem(error, asked), asked.trace)
        }
        guard let durability = submission.durability else { return .send(response) }
        return .later { [trace = asked.trace] resumption in
            durability.whenDone { outcome in
                switch outcome {
                case .success: resumption.resume(with: response)
                case .failure(let error): resumption.resume(with: self.response(to: Problem(error), trace))
                }
            }
        }
    }

    private func response(to result: WriteResult, _ asked: Asked) -> Response {
        let id = asked.trace.sentID ?? configuration.requestID()
        // A sample that is installed creates a list too, but only PUT names it as a creation.
        let isCreation = result.kind == .created && !asked.isDryRun && asked.trace.method == .put
        let isMinimal = result.kind == .deleted || asked.wantsMinimal && !asked.isDryRun && result.isPlain
        let version = VersionText(result.version)
        var fields: [Response.Field] = []
        fields.reserveCapacity(8)
        if !isMinimal { fields.append(contentsOf: writtenFields) }
        if result.kind != .deleted && result.version.revision > 0 { fields.append(version) }
        if isMinimal && result.kind != .deleted {
            fields.append(Response.Field("Preference-Applied", "return=minimal"))
        }
        if isCreation { fields.append(Response.Field("Location", "/v1/lists/\(asked.list)")) }
        if result.isReplay { fields.append(Response.Field("Idempotency-Replayed", "true")) }
        fields.append(asked.trace, id: id)
        let status: HTTPResponse.Status = isCreation ? .created : isMinimal ? .noContent : .ok
        if configuration.observesSuccesses { observe(asked.trace, id: id, status, nil) }
        let body =
            isMinimal
            ? [] : result.body(list: asked.list, view: asked.view, isDryRun: asked.isDryRun, version: version)
        return Response(status: status, fields: fields, body: body)
    }
}

/// What the result of a write says of its body; nobody keeps it, so nothing is said of that.
private let writtenFields = [
    Response.Field("Content-Type", MediaType.json), Response.Field("X-Content-Type-Options", "nosniff"),
]

extension WriteResult {
    /// Whether there is nothing to tell but that it was done.
    fileprivate var isPlain: Bool {
        warnings.isEmpty && missed == nil && outcomes.allSatisfy { $0 == .applied }
    }
}
