internal import Glibc

/// A few threads for work that would hold up others.
///
/// Each piece of work is a job for a client, on a subject. Clients take turns, and so do the subjects of a client. Jobs
/// that are *alone* on their subject are done one at a time, and those of each client in their order. So many jobs that
/// would wait for the same thing take up one thread.
///
/// An example with two threads: client `a` asks for twelve long pages of one list, and two of them are begun. Then `b`
/// asks for something short. It is not held up: there are a few more threads for those who have nothing at work.
///
/// The threads begin with the first work, and end after `stop()`. They have a lower priority than those that hand the
/// work over.
///
/// The compiler makes a copy of it for the types of each caller's clients and subjects. Without that, a short read took
/// twice as many instructions.
public final class WorkerPool<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    public typealias Work = @Sendable () -> Void

    @usableFromInline let state: Locked<WorkerState<Client, Subject>>

    /// - Parameter threads: At least 1. There are up to three times as many, for clients and subjects that would have
    ///   none.
    @inlinable
    public init(threads: Int) { state = Locked(WorkerState(threadsMin: threads)) }

    /// Hands work over, and returns at once.
    ///
    /// If the system cannot start a single thread, the work is done before this returns.
    ///
    /// - Parameters:
    ///   - client: Nil for work that is done for nobody in particular.
    ///   - subject: Nil for work that is about nothing in particular.
    ///   - isAlone: Whether no other work that is alone may be done on the subject meanwhile. Without a subject it
    ///     means nothing.
    @inlinable
    public func run(for client: Client?, on subject: Subject?, isAlone: Bool, _ work: @escaping Work) {
        let job = Job(client: client, subject: subject, isAlone: isAlone, work: work)
        let mustStart = state.change { state in
            state.add(job)
            return state.needsThread
        }
        if mustStart { start() }
    }

    /// The pieces of work that no thread has begun.
    @inlinable
    public var waitingCount: Int { state.withLock { $0.waitingCount } }

    @inlinable
    func start() {
        let isDone = state.withLock { state in
            guard state.needsThread else { return true }
            do throws(ThreadError) {
                try Thread { [self] in work() }.detach()
                state.threads += 1
                return true
            } catch {
                return state.threads > 0
            }
        }
        if !isDone { while let job = state.withLock({ $0.take() }) { finish(job) } }
    }

    /// Lets the threads end when no work is left. Does not wait for that.
    public func stop() { state.change { $0.isStopping = true } }

    @inlinable
    func work() {
        giveWay()
        while let (job, mustStart) = take() {
            if mustStart { start() }
            finish(job)
        }
    }

    /// Waits for a job.
    ///
    /// - Returns: The job, and whether another thread should be started. Nil if the thread is to end.
    @inlinable
    func take() -> (Job<Client, Subject>, Bool)? {
        state.withLock { $0.idle += 1 }
        return state.wait(until: { $0.canTake || $0.isStopping && $0.isEmpty }) { state in
            state.idle -= 1
            guard let job = state.take() else {
                state.threads -= 1
                return nil
            }
            return (job, state.needsThread)
        }
    }

    @inlinable
    func finish(_ job: Job<Client, Subject>) {
        job.work()
        state.change { $0.end(job) }
    }
}

/// Gives this thread a lower priority than the others have.
@usableFromInline
func giveWay() {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)  // On Linux it is that of this thread alone.
}

/// A piece of work, with the client for whom it is done and the thing that it is about.
@usableFromInline
struct Job<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    @usableFromInline let client: Client?
    @usableFromInline let subject: Subject?
    @usableFromInline let isAlone: Bool
    @usableFromInline let work: @Sendable () -> Void

    @inlinable
    init(client: Client?, subject: Subject?, isAlone: Bool, work: @escaping @Sendable () -> Void) {
        (self.client, self.subject, self.isAlone, self.work) = (client, subject, isAlone, work)
    }
}

/// The jobs that wait, and the counts of those that are being done.
@usableFromInline
struct WorkerState<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    @usableFromInline typealias Job = Threads.Job<Client, Subject>

    @usableFromInline let threadsMin: Int
    @usableFromInline var idle = 0
    @usableFromInline var threads = 0
    @usableFromInline var isStopping = false

    @usableFromInline var waiting = Turns<Client?, Turns<Subject?, [Job]>>()
    @usableFromInline var waitingCount = 0
    @usableFromInline var running: Running<Client, Subject>

    @inlinable
    init(threadsMin: Int) {
        self.threadsMin = threadsMin
        running = Running(threadsMin: threadsMin)
    }

    @inlinable
    var isEmpty: Bool { waitingCount == 0 }

    @inlinable
    mutating func add(_ job: Job) {
        waitingCount += 1
        waiting.add(to: job.client, orNew: Turns()) { subjects in
            subjects.add(to: job.subject, orNew: []) { $0.append(job) }
        }
    }

    /// Whether another thread should be started.
    @inlinable
    var needsThread: Bool { idle < waitingCount && threads < 3 * threadsMin && canTake }

    @inlinable
    var canTake: Bool {
        waiting.contains { client, subjects in
            running.mayBegin(client) && subjects.contains { _, jobs in jobs.first.map(running.mayBegin) ?? false }
        }
    }

    @inlinable
    mutating func take() -> Job? {
        let counts = running
        let job = waiting.next { client, subjects -> (Job, Bool)? in
            guard counts.mayBegin(client) else { return nil }
            let job = subjects.next { _, jobs -> (Job, Bool)? in
                jobs.first.map(counts.mayBegin) == true ? (jobs.removeFirst(), jobs.isEmpty) : nil
            }
            return job.map { ($0, subjects.isEmpty) }
        }
        guard let job else { return nil }
        waitingCount -= 1
        running.begin(job)
        return job
    }

    @inlinable
    mutating func end(_ job: Job) { running.end(job) }
}

/// The jobs that are being done.
@usableFromInline
struct Running<Client: Hashable & Sendable, Subject: Hashable & Sendable>: Sendable {
    @usableFromInline let threadsMin: Int
    @usableFromInline var all = 0
    @usableFromInline var byClient: [Client?: Int] = [:]
    @usableFromInline var bySubject: [Client?: [Subject?: Int]] = [:]
    /// The subjects of the jobs that are alone on theirs.
    @usableFromInline var alone: Set<Subject> = []

    @inlinable
    init(threadsMin: Int) { self.threadsMin = threadsMin }

    /// Whether there may be a thread for a client. The last ones are kept for those who have none.
    @inlinable
    func mayBegin(_ client: Client?) -> Bool {
        all < 2 * threadsMin || all < 3 * threadsMin && byClient[client] == nil
    }

    @inlinable
    func mayBegin(_ job: Job<Client, Subject>) -> Bool {
        if job.isAlone, let subject = job.subject, alone.contains(subject) { return false }
        guard all >= threadsMin, byClient[job.client] != nil else { return mayBegin(job.client) }
        return all < 2 * threadsMin && bySubject[job.client]?[job.subject] == nil
    }

    @inlinable
    mutating func begin(_ job: Job<Client, Subject>) {
        if job.isAlone, let subject = job.subject { alone.insert(subject) }
        count(job, 1)
    }

    @inlinable
    mutating func end(_ job: Job<Client, Subject>) {
        if job.isAlone, let subject = job.subject { alone.remove(subject) }
        count(job, -1)
    }

    @inlinable
    mutating func count(_ job: Job<Client, Subject>, _ change: Int) {
        let (client, subject) = (job.client, job.subject)
        all += change
        byClient[client] = sum(byClient[client], change)
        bySubject[client, default: [:]][subject] = sum(bySubject[client]?[subject], change)
        if byClient[client] == nil { bySubject[client] = nil }
    }

    /// Nil stands for 0.
    @inlinable
    func sum(_ count: Int?, _ change: Int) -> Int? {
        let sum = (count ?? 0) + change
        return sum == 0 ? nil : sum
    }
}
