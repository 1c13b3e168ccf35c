internal import Threads

/// The pages of a database that a copy still has to take, while checkpoints change more of them.
///
/// A copy takes all pages once (the first round), and then the pages that checkpoints have written meanwhile (the last
/// round). During the last round checkpoints are put off: commits stay in the write-ahead log, so the copied image
/// stands still. If the log grows too long, a checkpoint runs all the same, and the copy takes the pages that it
/// changes again.
final class CopiedPages: Sendable {
    private struct State {
        /// The first page that has never been taken.
        var next = 1
        var count: Int
        /// The last page of the first round, which does not go on to pages that were added since it began.
        let last: Int
        /// The pages before `next` that have changed since they were taken.
        var changed: Set<Int> = []
        /// The changed pages that are taken next. The first one is at the end.
        var queue: [Int] = []
        /// For pages that the log has and the database does not have yet, their offsets in the log. It is used in the
        /// last round only.
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
        /// The offset of the page in the log, if it is a single page that the database does not have yet.
        var frame: Int?
    }

    private let state: Locked<State>

    /// - Parameter count: The number of pages of the database.
    init(count: Int) { state = Locked(State(count: count, last: count)) }

    /// Whether the copied image must stand still.
    var isLastRound: Bool { state.withLock { $0.phase == .last } }

    /// Whether the copy has ended.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// The number of pages of the image, and an estimate of those still to be taken; 0 only if none are.
    var counts: (all: Int, left: Int) {
        state.withLock { ($0.count, $0.count + 1 - $0.next + $0.changed.count + $0.queue.count) }
    }

    /// The next pages to take; nil if this round has none left. The caller reads them after this has returned.
    func take(atMost most: Int) -> Batch? {
        state.withLock { state in
            let last = min(state.last, state.count)
            guard state.next > last else {
                let next = min(last + 1, state.next + most)
                defer { state.next = next }
                return Batch(pages: state.next..<next)
            }
            // In the first round changed pages wait. They go on changing, so taking them might never end.
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

    /// Notes the pages that a checkpoint may have written. It is called after the checkpoint, even if that failed.
    func note(changed pages: some Sequence<Int>, count: Int) {
        state.withLock { state in
            state.change(pages, count: count)
            state.frames = [:]
            if state.phase == .last { state.phase = .first }
        }
    }

    /// Begins the last round. The image is the database, with the pages of the log in the place of its own.
    func standStill(with frames: [Int: Int], count: Int) {
        state.withLock { state in
            // Pages that only the log has are noted as changed, so that they are taken too.
            state.changed.formUnion(state.next..<max(state.next, count + 1))
            state.next = count + 1
            state.change(frames.keys, count: count)
            state.frames = frames
            if state.phase == .first { state.phase = .last }
        }
    }

    /// Ends the copy. Anyone may call this.
    func end() { state.withLock { $0.phase = .over } }
}
