internal import HTTPTypes
internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Texts

// Refusals of writes that clients have numbered. A refusal that says something about the request uses its number up: it
// is written, and a retry gets it again. So a client that sends its writes in their order always comes to the next one,
// and a request that arrives late does nothing.

extension API {
    /// The answer to a numbered write that was refused before it came to its list.
    ///
    /// - Throws: The problem if it uses no number up.
    func usingUp(_ call: Call, for problem: Problem) throws(Problem) -> Answer {
        guard let number = call.number, problem.usesUpNumber, let list = try? call.listID(),
            let isDryRun = try? call.query.flag(.dryRun), !isDryRun
        else { throw problem }
        do throws(StoreError) { try store.checkNumber(number, of: list, call.pace) } catch {
            if case .journal(let failure) = error { throw Problem(failure) }
            guard case .outOfSequence(let reason) = error else { throw .forWorker }
            return .send(known(reason, number, call.trace))
        }
        return refuse(problem, number, of: list, call.trace, call.retry, after: nil)
    }

    /// The answer to a numbered write that the store has refused.
    func numberedRefusal(_ error: StoreError, _ asked: Asked, after durability: Durability?) -> Answer {
        if let number = asked.number, case .outOfSequence(let reason) = error {
            return .send(known(reason, number, asked.trace))
        }
        return refuse(
            problem(error, asked), asked.isDryRun ? nil : asked.number, of: asked.list, asked.trace, asked.retry,
            after: durability)
    }

    /// The answer to a write whose number is not the next one.
    private func known(_ reason: OutOfSequence, _ number: WriteNumber, _ trace: Trace) -> Response {
        switch reason {
        case .appliedBefore: return appliedBefore(number, trace)
        case .refusedBefore(let bytes):
            guard let kept = bytes.flatMap(KeptRefusal.init) else { break }
            return replayed(kept, number, trace)
        case .gap, .unknown, .otherRequest, .inFlight: break
        }
        return response(to: Problem(reason), trace)
    }

    /// The answer to a retry whose write was applied, and whose answer is no longer kept.
    private func appliedBefore(_ number: WriteNumber, _ trace: Trace) -> Response {
        let id = trace.sentID ?? configuration.requestID()
        var fields: Response.Fields = [number.field, Self.replayedField]
        fields.append(trace, id: id)
        observe(trace, id: id, .noContent, nil)
        return Response(status: .noContent, fields: fields, body: [])
    }

    private func replayed(_ kept: KeptRefusal, _ number: WriteNumber, _ trace: Trace) -> Response {
        let id = trace.sentID ?? configuration.requestID()
        var fields = Response.Fields.content(MediaType.problem)
        fields.append(number.field)
        fields.append(Self.replayedField)
        fields.append(trace, id: id)
        observe(trace, id: id, kept.code.status, Problem(kept.code, ""))
        return Response(status: kept.code.status, fields: fields, body: kept.body(requestID: id))
    }

    private static let replayedField = Response.Field("Idempotency-Replayed", "true")

    /// The answer with a problem, once its number is used up, if it is one that uses a number up.
    ///
    /// - Parameters:
    ///   - number: Nil for a dry run.
    ///   - durability: What the refusal rests on; nil if it rests on nothing that waits for the disk.
    private func refuse(
        _ problem: Problem, _ number: WriteNumber?, of list: ListID, _ trace: Trace, _ retry: WriteRetry?,
        after durability: Durability?
    ) -> Answer {
        .later { [self] resumption in
            let send: @Sendable (Problem) -> Void = { [self] problem in
                let (response, tell) = unsentResponse(to: problem, trace)
                resumption.resume(with: response, telling: tell)
            }
            let refuse: @Sendable () -> Void = { [self] in
                guard let number, problem.usesUpNumber else { return send(problem) }
                let kept = KeptRefusal(problem, path: trace.path)
                store.refuse(number, of: list, answer: kept.bytes) { outcome in
                    var problem = problem
                    switch outcome {
                    case .done: problem.fields[.clientSequence] = "\(number.number)"
                    case .overtaken: problem = Problem(.inFlight)
                    case .failed: break
                    }
                    send(problem)
                }
            }
            guard let durability else { return refuse() }
            durability.whenDone { outcome in
                switch outcome {
                case .success: refuse()
                case .failure(.moved) where self.run(retry, on: list, resumption, trace): break
                case .failure(let error): send(Problem(error))
                }
            }
        }
    }
}

extension WriteNumber {
    /// The field of an answer after which the number is used up.
    var field: Response.Field { Response.Field("Client-Sequence", "\(number)") }
}

/// A refusal as it is kept for retries.
private struct KeptRefusal {
    let code: ProblemCode
    /// The problem with an empty `requestId`.
    private let body: [UInt8]

    /// A longer body is kept without its list of errors.
    private static let bodyBytesMax = 8 << 10

    init(_ problem: Problem, path: ByteText) {
        var problem = problem
        // The list may have moved on when the retry comes.
        (problem.head, problem.missed) = (nil, nil)
        code = problem.code
        let whole = problem.body(path: path, requestID: "")
        problem.faults = []
        body = whole.count <= Self.bodyBytesMax ? whole : problem.body(path: path, requestID: "")
    }

    /// The problem as the answer to a retry.
    func body(requestID: ByteText) -> [UInt8] {
        // No text of the problem has the member, because quotes are escaped in texts.
        guard let place = body.firstRange(of: Problem.member(requestID: "")) else { return body }
        return body[..<place.lowerBound] + Problem.member(requestID: requestID) + body[place.upperBound...]
    }

    var bytes: [UInt8] { Array(code.rawValue.utf8) + [0] + body }

    /// Nil if another version of the server has kept it, with a code that this one does not know.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: 0),
            let code = ProblemCode.allCases.first(where: { bytes[..<end].elementsEqual($0.rawValue.utf8) })
        else { return nil }
        (self.code, body) = (code, Array(bytes[(end + 1)...]))
    }
}

extension Problem {
    /// Whether the problem says something about the request that waiting does not change. Not so are problems of access,
    /// because rights come and go, and of the number itself.
    var usesUpNumber: Bool {
        guard !isForWorker, !hidesList else { return false }
        return switch code {
        case .notJSON, .notReorderable, .notFound, .unknownItem, .unknownSection, .noSections, .itemExists,
            .sectionExists, .listExists, .destinationInList, .anchorElsewhere, .selfMove, .cycle, .notATree,
            .invalidDifference, .invalidFinal, .staleBase, .unknownBase, .nothingToUndo, .madeAnew, .notDeleted,
            .versionGone, .preconditionFailed, .tooManyLists, .quotaReached, .tooManyItems, .tooManySections,
            .tooManyOperations, .contentTooLarge, .transactionTooLarge, .invalid, .invalidID, .partialSnapshot:
            true
        case .badRequest, .badPath, .badIdempotencyKey, .badClientSequence, .unauthenticated, .forbidden,
            .foreignOrigin, .methodNotAllowed, .notAcceptable, .tokenExists, .keyInFlight, .sequenceGap,
            .sequenceRefused, .bodyTooLarge, .tooManyTokens, .targetTooLong, .unsupportedMediaType, .expectationFailed,
            .keyReused, .tooManyRequests, .tooManyConnectionsOfAddress, .headTooLarge, .internalError, .notImplemented,
            .unavailable, .tooManyStreams, .tooManyQueries, .tooManyConnections, .overloaded, .stopping, .diskFull,
            .memoryFull:
            false
        }
    }
}
