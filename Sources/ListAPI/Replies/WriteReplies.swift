internal import Access
internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd
internal import Texts

/// The request of a write, as far as its answer needs it.
struct Asked: Sendable {
    let list: ListID
    let addressed: Addressed
    let isDryRun: Bool
    let view: View
    let wantsMinimal: Bool
    let endpoint: Endpoint
    let trace: Trace
    let caller: Caller
    /// Nil if the list has no other writers.
    let retry: WriteRetry?
    /// The client's own number of the write; nil if it has none.
    let number: WriteNumber?

    private let intent: WriteIntent

    init(_ write: Write, _ list: ListID, _ addressed: Addressed, _ call: Call) {
        self.list = list
        self.addressed = addressed
        isDryRun = write.isDryRun
        view = write.view
        wantsMinimal = call.preferences.wantsMinimal
        endpoint = call.endpoint
        trace = call.trace
        caller = call.caller
        retry = call.retry
        number = write.number
        intent = write.intent
    }

    /// The item with this id as an operation of the request gives it; nil if that operation inserts no such item.
    ///
    /// - Parameter index: The index of the operation in the request.
    func item(_ id: ItemID, inOperation index: Int) -> NewItem? {
        switch intent {
        case .operation(let operation): operation.items.first { $0.id == id }
        case .operations(let operations) where operations.indices.contains(index):
            operations[index].items.first { $0.id == id }
        case .operations, .reorder, .undo, .redo, .restore: nil
        }
    }

    /// Whether the client sent a list of operations, so that a problem can name the one that failed.
    var hasOperations: Bool { endpoint == .postTransaction }

    /// The path of the list or item that the write created; nil if the write created nothing that `Location` is sent
    /// for.
    func location(of result: WriteResult) -> ByteText? {
        guard !isDryRun else { return nil }
        let list = result.keptList ?? list
        // A sample that is installed creates a list too, but only `PUT` and `POST` of a list answer 201.
        if result.kind == .created { return endpoint.takesList ? "/v1/lists/\(list)" : nil }
        guard endpoint == .postItems, let item = result.details.first?.created.first else { return nil }
        // The id can stand in a path as it is: the server makes ids of characters that need no percent-encoding.
        return "/v1/lists/\(list)/items/\(item)"
    }
}

extension Operation {
    /// The items that the operation may insert. Some of them may be in the list already.
    fileprivate var items: [NewItem] {
        switch self {
        case .appendSections(let sections), .insertSections(let sections, _): sections.flatMap(\.items)
        case .appendItems(let items, _), .insertItems(let items, _), .replaceChildren(_, let items): items
        case .applySnapshot(let snapshot): snapshot.sections.flatMap(\.items)
        case .applySectionSnapshot(let section): section.items
        case .deleteSections, .reloadSections, .moveSection, .updateSection, .updateList, .deleteItems,
            .deleteAllItems, .moveItem, .updateItem, .reconfigureItems, .reloadItems, .setStarred, .toggleStar,
            .setExpanded:
            []
        }
    }
}

extension API {
    /// Hands a write to its list.
    func submit(_ write: Write, to list: ListID, _ addressed: Addressed, _ call: Call) throws(Problem) -> Answer {
        _ = try call.mustNotExist()
        return try answer(store.submit(list, write), Asked(write, list, addressed, call), call)
    }

    /// The answer to a write that its list may have refused, because only the list knows which right the write takes.
    func answer(_ submission: Submission, _ asked: Asked, _ call: Call) throws(Problem) -> Answer {
        if case .failure(.notPermitted(let needed)) = submission.result {
            noteRefused(call.caller.refusal(of: needed.right), call.head)
        }
        if case .failure(.holdingFull) = submission.result { (call.head.visitor as? Visit)?.noteFullHolding() }
        return try answer(submission, asked)
    }

    /// The answer to a write. It is sent at once if there is nothing to wait for, otherwise when the write is durable.
    ///
    /// The bytes are made before the wait, so that the thread that settles a batch only hands them over. The log is told
    /// of the answer when it is sent, because the write may be decided again. The loop tells it, so that a log that takes
    /// no more holds no other writes.
    ///
    /// - Throws: `forWorker` if the write is to be done again as a long one.
    func answer(_ submission: Submission, _ asked: Asked) throws(Problem) -> Answer {
        guard !submission.isBusy else { throw .forWorker }
        if submission.isContended { return whenLocked(asked) }
        if asked.number != nil, case .failure(let error) = submission.result {
            return numberedRefusal(error, asked, after: submission.durability)
        }
        let (response, tell) =
            switch submission.result {
            case .success(let result): unsentResponse(to: result, asked)
            case .failure(let error): unsentResponse(to: problem(error, asked), asked.trace)
            }
        guard let durability = submission.durability else {
            tell?()
            return .send(response)
        }
        return .later { [trace = asked.trace, retry = asked.retry, list = asked.list] resumption in
            durability.whenDone { outcome in
                switch outcome {
                case .success: resumption.resume(with: response, telling: tell)
                case .failure(.moved) where self.run(retry, on: list, resumption, trace): break
                case .failure(let error):
                    let (refusal, tell) = self.unsentResponse(to: Problem(error), trace)
                    resumption.resume(with: refusal, telling: tell)
                }
            }
        }
    }

    /// Has a write decided again when its list is locked.
    private func whenLocked(_ asked: Asked) -> Answer {
        .later { [self, trace = asked.trace, retry = asked.retry, list = asked.list] resumption in
            guard !run(retry, on: list, resumption, trace) else { return }
            let (refusal, tell) = unsentResponse(to: Problem(JournalError.moved), trace)
            resumption.resume(with: refusal, telling: tell)
        }
    }

    /// Returns the problem that answers a refused write. If the list does not have an item or a section of the write,
    /// the detail names the id that was probably meant.
    func problem(_ error: StoreError, _ asked: Asked) -> Problem {
        if case .noSuchList(let list) = error { return noSuchList(list, asked.caller) }
        let problem = Problem(error, asked)
        guard case .model(let refusal, _) = error, let list = try? find(asked.list) else { return problem }
        return list.read { suggesting(problem, for: refusal, in: $0, asked.endpoint) }
    }

    /// The problem of an id that the list does not have, with the id that was probably meant, or with the call that
    /// makes it.
    func suggesting(
        _ problem: Problem, for refusal: ModelError, in list: isolated ListActor, _ endpoint: Endpoint
    ) -> Problem {
        var problem = problem
        switch refusal {
        case .unknownItem(let id):
            if let meant = id.rawValue.slips.first(where: { list.contains(ItemID(unchecked: $0)) }) {
                problem.detail += " Did you mean \"\(meant)\"?"
            } else if [.getItem, .patchItem].contains(endpoint), let making = Problem.making(id) {
                problem.detail += " \(making)"
            }
        case .unknownSection(let id):
            guard let meant = id.rawValue.slips.first(where: { list.contains(SectionID(unchecked: $0)) }) else { break }
            problem.detail += " Did you mean \"\(meant)\"?"
            if endpoint == .deleteSection { problem.detail += " Deleting a section deletes its items, too." }
        default: break
        }
        return problem
    }

    private func unsentResponse(
        to result: WriteResult, _ asked: Asked
    ) -> (response: Response, tell: Telling) {
        let id = asked.trace.sentID ?? configuration.requestID()
        let location = asked.location(of: result)
        let isDeletion = result.kind == .deleted && !asked.isDryRun
        let isMinimal = isDeletion || asked.wantsMinimal && !asked.isDryRun && result.isPlain(namedBy: location)
        let version = VersionText(result.version)
        var fields = isMinimal ? [] : writtenFields
        if !isDeletion && result.version.revision > 0 { fields.append(version) }
        if isMinimal && !isDeletion {
            fields.append(Response.Field("Preference-Applied", "return=minimal"))
        }
        if let location { fields.append(Response.Field("Location", location)) }
        if let number = asked.number, !asked.isDryRun { fields.append(number.field) }
        if result.isReplay { fields.append(Response.Field("Idempotency-Replayed", "true")) }
        fields.append(asked.trace, id: id)
        let status: HTTPResponse.Status = location != nil ? .created : isMinimal ? .noContent : .ok
        let trace = asked.trace
        var tell: Telling = nil
        if configuration.observesSuccesses { tell = { [self] in observe(trace, id: id, status, nil) } }
        let body =
            isMinimal
            ? []
            : result.body(
                list: result.keptList ?? asked.list, view: asked.view, isDryRun: asked.isDryRun,
                namesList: asked.endpoint == .postList, version: version)
        return (Response(status: status, fields: fields, body: body), tell)
    }
}

/// The fields of the result of a write. No cache keeps it, so there are no fields for caches.
private let writtenFields: Response.Fields = [
    Response.Field("Content-Type", MediaType.json), Response.Field("X-Content-Type-Options", "nosniff"),
]

extension WriteResult {
    /// Whether a client needs no body: every operation was applied, and no warning tells more than effects that the
    /// client asked for.
    ///
    /// - Parameter location: The `Location` of the answer, which names what was created.
    fileprivate func isPlain(namedBy location: ByteText?) -> Bool {
        warnings.allSatisfy(\.tellsOfRequest) && missed == nil && outcomes.allSatisfy { $0 == .applied }
            && details.allSatisfy { $0.reparented.isEmpty && ($0.created.isEmpty || location != nil) }
    }
}
