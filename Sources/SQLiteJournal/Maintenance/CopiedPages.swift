internal import Threads

/// Which pages of a database a copy still has to take, while checkpoints go on changing them.
///
/// A copy takes all pages once, then those that checkpoints have written meanwhile. In that last round checkpoints are
/// put off: what is committed then goes into the log, and the image that is copied stands still. A log that has grown
/// too long for that is moved all the same, and the pages that this changes are taken again.
final class CopiedPages: Sendable {
    private struct State {
        /// The first page that has never been taken.
        var next = 1
        var count: Int
        /// The last page of the first round, which does not run after a file that grows.
        let last: Int
        /// Pages before `next` that have changed since they were taken.
        var changed: Set<Int> = []
        /// Those of them whose turn it is, the first one last.
        var queue: [Int] = []
        /// Where in the log pages are that the database does not have yet; looked at in the last round only.
        var frames: [Int: Int] = [:]
        var phase = Phase.first

        mutating func change(_ pages: some Sequence<Int>, count: Int) {
            self.count = count
            next = min(next, count + 1)
            changed = changed.union(pages.lazy.filter { [next] in $0 < next }).filter { $0 <= count }
            queue.removeAll { $0 > count }
        }
    }

    private enum Phase {
        case first, last, over
    }

    /// Pages that follow one another.
    struct Batch: Sendable {
        let pages: Range<Int>
        /// Where the page is in the log, if it is a single one that the database does not have yet.
        var frame: Int?
    }

    private let state: Locked<State>

    /// - Parameter count: Pages of the database.
    init(count: Int) { state = Locked(State(count: count, last: count)) }

    /// Whether the image that is copied must stand still.
    var isLastRound: Bool { state.withLock { $0.phase == .last } }

    /// Whether nobody makes the copy any more.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Pages of the image, and about how many are still to be taken; 0 only if none are.
    var counts: (all: Int, left: Int) {
        state.withLock { ($0.count, $0.count + 1 - $0.next + $0.changed.count + $0.queue.count) }
    }

    /// The next pages to take; nil if none are left in this round. Whoever takes them reads them after this has
    /// returned.
    func take(atMost most: Int) -> Batch? {
        state.withLock { state in
            let last = min(state.last, state.count)
            guard state.next > last else {
                let next = min(last + 1, state.next + most)
                defer { state.next = next }
                return Batch(pages: state.next..<next)
            }
            // Taken one by one while they go on changing, they might never come to an end.
            guard state.phase == .last else { return nil }
            if state.queue.isEmpty {
                state.queue = state.changed.sorted(by: >)
                state.changed = []
            }
            guard let first = state.queue.popLast() else { return nil }
            if let frame = state.frames[first] { return Batch(pages: first..<first + 1, frame: frame) }
            var end = first + 1
            while end < first + most, state.queue.last == end, state.frames[end] == nil {
                state.queue.removeLast()
                end += 1
            }
            return Batch(pages: first..<end)
        }
    }

    /// Notes, after a checkpoint or one that failed on the way, which pages it may have written.
    func note(changed pages: some Sequence<Int>, count: Int) {
        state.withLock { state in
            state.change(pages, count: count)
            state.frames = [:]
            if state.phase == .last { state.phase = .first }
        }
    }

    /// Begins the last round: the image is the database, with pages of the log in the place of its own.
    func standStill(with frames: [Int: Int], count: Int) {
        state.withLock { state in
            // Pages that only the log has are taken by their names, too.
            state.changed.formUnion(state.next..<max(state.next, count + 1))
            state.next = count + 1
            state.change(frames.keys, count: count)
            state.frames = frames
            if state.phase == .first { state.phase = .last }
        }
    }

    /// Ends the copy, whoever makes it.
    func end() { state.withLock { $0.phase = .over } }
}
