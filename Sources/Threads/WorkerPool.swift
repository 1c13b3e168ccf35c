internal import Glibc

/// A few threads for work that would hold up others.
///
/// Work of one lane is done one piece at a time, in order. So many pieces that would wait for the same thing take up one
/// thread. The lanes take turns, and work without a lane goes among them in the order in which it comes.
///
/// The threads begin with the first work, and end after `stop()`. They have a lower priority than those that hand the work over.
public final class WorkerPool<Lane: Hashable & Sendable>: Sendable {
    public typealias Work = @Sendable () -> Void

    private struct Piece: Sendable {
        let lane: Lane?
        let work: Work
    }

    private struct State: Sendable {
        /// The pieces that can be done now, at most one of each lane.
        var ready: [Piece] = []
        /// The pieces that wait for the one before in their lane. A lane is here as long as a piece of it is ready or at
        /// work.
        var lanes: [Lane: [Work]] = [:]
        var idle = 0
        var threads = 0
        var isStopping = false
    }

    private let state = Locked(State())
    private let threadsMax: Int

    /// - Parameter threads: At least 1.
    public init(threads: Int) { threadsMax = threads }

    /// Hands work over, and returns at once.
    ///
    /// If the system cannot start a single thread, the work is done before this returns.
    ///
    /// - Parameter lane: Nil for work that needs no turn.
    public func run(in lane: Lane?, _ work: @escaping Work) {
        let mustStart = state.change { state in
            if let lane {
                guard state.lanes[lane] == nil else {
                    state.lanes[lane]?.append(work)
                    return false
                }
                state.lanes[lane] = []
            }
            state.ready.append(Piece(lane: lane, work: work))
            return state.ready.count > state.idle && state.threads < threadsMax
        }
        if mustStart { start() }
    }

    private func start() {
        let isDone = state.withLock { state in
            guard state.threads < threadsMax else { return true }
            do throws(ThreadError) {
                try Thread { [self] in work() }.detach()
                state.threads += 1
                return true
            } catch {
                return state.threads > 0
            }
        }
        if !isDone { while let piece = takeNow() { finish(piece) } }
    }

    /// Lets the threads end when no work is left. Does not wait for that.
    public func stop() { state.change { $0.isStopping = true } }

    private func work() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)  // On Linux it is that of this thread alone.
        while let piece = take() { finish(piece) }
    }

    private func take() -> Piece? {
        state.withLock { $0.idle += 1 }
        return state.wait(until: { !$0.ready.isEmpty || $0.isStopping && $0.lanes.isEmpty }) { state in
            state.idle -= 1
            return state.ready.isEmpty ? nil : state.ready.removeFirst()
        }
    }

    private func takeNow() -> Piece? {
        state.withLock { $0.ready.isEmpty ? nil : $0.ready.removeFirst() }
    }

    private func finish(_ piece: Piece) {
        piece.work()
        guard let lane = piece.lane else { return }
        state.change { state in
            guard let next = state.lanes[lane]?.first else {
                state.lanes[lane] = nil
                return
            }
            state.lanes[lane]?.removeFirst()
            state.ready.append(Piece(lane: lane, work: next))
        }
    }
}
