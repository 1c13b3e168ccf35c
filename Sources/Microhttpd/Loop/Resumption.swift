/// The right to answer one suspended request, once, from any thread.
///
/// The first use wins; later ones are ignored, as is a use after the server has cut the connection.
/// Any number of resumptions between two turns of the loop wake it up once.
public struct Resumption: Sendable {
    private let ticket: Ticket

    init(_ exchange: Exchange, on loop: EventLoop) {
        ticket = Ticket(exchange, loop)
    }

    /// - Parameter telling: It is called on the thread of the loop, before the response is sent. So the caller does not
    ///   wait for it. It is not called if the resumption has been used, or the loop has ended.
    public func resume(with response: Response, telling: (@Sendable () -> Void)? = nil) {
        ticket.use(.done(.send(response)), telling)
    }

    /// Answers as if the handler had returned this answer.
    public func resume(with answer: sending Answer) {
        if case .later(let start) = answer { return start(self) }
        ticket.use(.done(answer))
    }

    /// Has the loop ask for the answer on its own thread, where the head of the request is still valid.
    ///
    /// So nothing of the head has to be kept meanwhile.
    ///
    /// - Parameter ask: It is called once, or not at all if the client has gone.
    public func resume(asking ask: @escaping @Sendable (RequestHead) -> Answer) { ticket.use(.asked(ask)) }
}

/// An answer that comes from another thread, or the way to it.
enum LaterAnswer {
    case done(Answer)
    case asked((RequestHead) -> Answer)
}

/// A suspended exchange on its way back to its loop.
///
/// - Safety: `@unchecked` is sound because other threads only carry the reference to `exchange` and give `answer` away;
///   the loop alone looks into them, on its own thread.
struct Return: @unchecked Sendable {
    let exchange: Exchange
    let serial: UInt
    /// Nil if no answer will come; the connection is then closed.
    let answer: LaterAnswer?
    /// It is called before the answer is sent.
    var tell: (@Sendable () -> Void)?
}

/// - Safety: `@unchecked` is sound because `exchange` is only carried, and `isUsed` is touched only under the lock of
///   the loop's mailbox.
final class Ticket: @unchecked Sendable {
    fileprivate let exchange: Exchange
    private let serial: UInt
    private let loop: EventLoop
    private var isUsed = false

    init(_ exchange: Exchange, _ loop: EventLoop) {
        self.exchange = exchange
        serial = exchange.serial
        self.loop = loop
    }

    deinit {
        // Nothing else refers to the ticket any more, so it can be read without the lock.
        if !isUsed { loop.post(Return(exchange: exchange, serial: serial, answer: nil)) }
    }

    func use(_ answer: LaterAnswer, _ tell: (@Sendable () -> Void)? = nil) {
        loop.post(Return(exchange: exchange, serial: serial, answer: answer, tell: tell), with: self)
    }

    /// Whether this is the first use. The caller must hold the lock of the mailbox.
    func takeFirstUse() -> Bool {
        defer { isUsed = true }
        return !isUsed
    }
}
