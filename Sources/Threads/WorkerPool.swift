internal import Glibc

/// A few threads for work that would hold up others.
///
/// Each piece of work is done for a client, on a subject. Clients take turns, and so do the subjects of a client. Work
/// that is *alone* on its subject is done one piece at a time, in the order of each client. So many pieces that would
/// wait for the same thing take up one thread.
///
/// An example with two threads: client `a` asks for twelve long pages of one list, and two of them are begun. Then `b`
/// asks for something short. It is not held up: there are a few more threads for those who have nothing at work.
///
/// The threads begin with the first work, and end after `stop()`. They have a lower priority than those that hand the
/// work over.
public final class WorkerPool<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    public typealias Work = @Sendable () -> Void

    private let state: Locked<WorkerState<Client, Subject>>

    /// - Parameter threads: At least 1. There are up to three times as many, for clients and subjects that would have
    ///   none.
    public init(threads: Int) { state = Locked(WorkerState(threadsMin: threads)) }

    /// Hands work over, and returns at once.
    ///
    /// If the system cannot start a single thread, the work is done before this returns.
    ///
    /// - Parameters:
    ///   - client: Nil for work that is done for nobody in particular.
    ///   - subject: Nil for work that is about nothing in particular.
    ///   - isAlone: Whether no other piece that is alone may be at work on the subject meanwhile. Without a subject it
    ///     means nothing.
    public func run(for client: Client?, on subject: Subject?, isAlone: Bool, _ work: @escaping Work) {
        let piece = Piece(client: client, subject: subject, isAlone: isAlone, work: work)
        let mustStart = state.change { state in
            state.add(piece)
            return state.needsThread
        }
        if mustStart { start() }
    }

    private func start() {
        let isDone = state.withLock { state in
            do throws(ThreadError) {
                try Thread { [self] in work() }.detach()
                state.threads += 1
                return true
            } catch {
                return state.threads > 0
            }
        }
        if !isDone { while let piece = state.withLock({ $0.take() }) { finish(piece) } }
    }

    /// Lets the threads end when no work is left. Does not wait for that.
    public func stop() { state.change { $0.isStopping = true } }

    private func work() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)  // On Linux it is that of this thread alone.
        while let piece = take() { finish(piece) }
    }

    private func take() -> Piece<Client, Subject>? {
        state.withLock { $0.idle += 1 }
        return state.wait(until: { $0.canTake || $0.isStopping && $0.isEmpty }) { state in
            state.idle -= 1
            return state.take()
        }
    }

    private func finish(_ piece: Piece<Client, Subject>) {
        piece.work()
        state.change { $0.end(piece) }
    }
}

/// A piece of work, with the client for whom it is done and the thing that it is about.
private struct Piece<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    let client: Client?
    let subject: Subject?
    let isAlone: Bool
    let work: @Sendable () -> Void
}

/// The work that waits, and the counts of the work that is being done.
private struct WorkerState<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    typealias Piece = Threads.Piece<Client, Subject>

    let threadsMin: Int
    var idle = 0
    var threads = 0
    var isStopping = false

    /// The pieces that can be done now. Of the pieces that are alone on their subject, it is at most one.
    private var ready = Turns<Client?, Turns<Subject?, [Piece]>>()
    private var readyCount = 0
    /// The pieces that wait for another one on their subject. A subject is here as long as a piece that is alone on it is
    /// ready or at work.
    private var waiting: [Subject: Turns<Client?, [Piece]>] = [:]
    private var running: Running<Client, Subject>

    init(threadsMin: Int) {
        self.threadsMin = threadsMin
        running = Running(threadsMin: threadsMin)
    }

    var isEmpty: Bool { readyCount == 0 && waiting.isEmpty }

    mutating func add(_ piece: Piece) {
        guard piece.isAlone, let subject = piece.subject else { return makeReady(piece) }
        guard waiting[subject] == nil else {
            waiting[subject]?.add(to: piece.client, orNew: []) { $0.append(piece) }
            return
        }
        waiting[subject] = Turns()
        makeReady(piece)
    }

    private mutating func makeReady(_ piece: Piece) {
        readyCount += 1
        ready.add(to: piece.client, orNew: Turns()) { subjects in
            subjects.add(to: piece.subject, orNew: []) { $0.append(piece) }
        }
    }

    /// Whether another thread should be started.
    var needsThread: Bool { idle < readyCount && threads < 3 * threadsMin && (threads < threadsMin || canTake) }

    var canTake: Bool {
        ready.contains { client, subjects in subjects.contains { subject, _ in running.mayBegin(client, subject) } }
    }

    mutating func take() -> Piece? {
        let counts = running
        let piece = ready.next { client, subjects in
            let piece = subjects.next { subject, pieces in
                counts.mayBegin(client, subject) ? (pieces.removeFirst(), pieces.isEmpty) : nil
            }
            return piece.map { ($0, subjects.isEmpty) }
        }
        guard let piece else { return nil }
        readyCount -= 1
        running.count(piece, 1)
        return piece
    }

    mutating func end(_ piece: Piece) {
        running.count(piece, -1)
        guard piece.isAlone, let subject = piece.subject else { return }
        let next = waiting[subject]?.next { _, pieces in (pieces.removeFirst(), pieces.isEmpty) }
        guard let next else { return waiting[subject] = nil }
        makeReady(next)
    }
}

/// The numbers of pieces that are being done.
private struct Running<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    let threadsMin: Int
    private var all = 0
    private var byClient: [Client?: Int] = [:]
    private var bySubject: [Client?: [Subject?: Int]] = [:]

    init(threadsMin: Int) { self.threadsMin = threadsMin }

    /// Whether there is a thread for work of a client on a subject. The last ones are kept for those who have none.
    func mayBegin(_ client: Client?, _ subject: Subject?) -> Bool {
        if all < threadsMin { return true }
        if all < 2 * threadsMin, bySubject[client]?[subject] == nil { return true }
        return all < 3 * threadsMin && byClient[client] == nil
    }

    mutating func count(_ piece: Piece<Client, Subject>, _ change: Int) {
        let (client, subject) = (piece.client, piece.subject)
        all += change
        byClient[client] = sum(byClient[client], change)
        bySubject[client, default: [:]][subject] = sum(bySubject[client]?[subject], change)
        if byClient[client] == nil { bySubject[client] = nil }
    }

    /// Nil stands for 0.
    private func sum(_ count: Int?, _ change: Int) -> Int? {
        let sum = (count ?? 0) + change
        return sum == 0 ? nil : sum
    }
}
