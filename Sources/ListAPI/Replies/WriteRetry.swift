internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Threads

/// A write that is decided again if others have written to its list first. Only the last answer is sent.
final class WriteRetry: Sendable {
    private let head: KeptHead
    private let body: [UInt8]
    /// The time after which the write is not decided again.
    private let end: ContinuousClock.Instant

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
    /// Lets a worker decide a write again. The list takes over what others have written first.
    ///
    /// - Returns: Whether the write is decided again. The resumption is then used up.
    func run(_ retry: WriteRetry?, _ resumption: Resumption) -> Bool {
        guard let retry, !retry.isOver, let workers else { return false }
        workers.run(Errand(of: retry.request.head, router)) { [self] in
            resumption.resume(with: answer(to: retry.request, .long, .unknown, retry))
        }
        return true
    }
}
