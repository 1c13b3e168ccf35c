internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Threads

/// A write that is decided again if others have written to its list first. Only the last answer is sent.
final class WriteRetry: Sendable {
    private let head: KeptHead
    private let body: [UInt8]
    /// The time after which the write is not decided again.
    let end: ContinuousClock.Instant

    /// - Parameter earlier: The retry that the request is; nil if this is the first time.
    init(_ request: Request, after earlier: WriteRetry?) {
        head = earlier?.head ?? request.head.kept
        body = earlier?.body ?? request.body.bytes
        end = earlier?.end ?? ContinuousClock.now + .seconds(Self.secondsMax)
    }

    var request: Request { Request(head: RequestHead(head), body: body) }
    var isOver: Bool { ContinuousClock.now >= end }

    private static let secondsMax = 5
}

extension API {
    /// Lets a worker decide a write again. The list takes over what others have written first. If others write to it again
    /// and again, the write waits until the list is locked.
    ///
    /// - Returns: Whether the write is decided again. The resumption is then used up.
    func run(_ retry: WriteRetry?, on list: ListID, _ resumption: Resumption, _ trace: Trace) -> Bool {
        guard let retry, !retry.isOver, let workers else { return false }
        store.whenLocked(list, until: retry.end) { [self] locked in
            switch locked {
            case .success(let decision):
                if decision.isHere, let answer = briefAnswer(to: retry) {
                    decision.end()
                    return resumption.resume(with: answer)
                }
                workers.run(Errand(of: retry.request.head, router)) { [self] in
                    let answer = answer(to: retry.request, .long, .unknown, retry)
                    decision.end()
                    resumption.resume(with: answer)
                }
            case .failure(let error):
                let (refusal, tell) = unsentResponse(to: Problem(error), trace)
                resumption.resume(with: refusal, telling: tell)
            }
        }
        return true
    }

    /// The answer to a write that is decided again; nil if that takes long.
    private func briefAnswer(to retry: WriteRetry) -> Answer? {
        let request = retry.request
        guard request.body.bytes.count <= Self.bodyBytesOnLoopMax else { return nil }
        return attempt(request, request.head.visitor as? Visit, .brief, .unknown, retry)
    }
}
