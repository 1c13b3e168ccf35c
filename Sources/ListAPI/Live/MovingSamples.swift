internal import ListDiff
internal import ListModel
internal import ListStore
internal import SampleLists
internal import Texts
internal import Threads

/// The samples that the server moves by itself while somebody follows their lists.
///
///     still ──a follower comes, the list changes, or it is told to run──▶ ticking
///     ticking ──nobody follows, or there is nothing to do──▶ still
///
/// Nothing waits for a time while a sample is still. What follows from a change, such as a switch that was turned, is
/// done at once, between two ticks.
final class MovingSamples: Sendable {
    private struct Motion {
        weak var live: LiveList?
        var isTicking = false
        /// Whether the sample was told to run. It stays told while nobody looks, until it has nothing to do.
        var isRunning = false
        var isSettling = false
        /// Counts followers, changes and calls to run. Whoever finds nothing to do looks again if there was some.
        var news = 0
        /// The newest revision when the last tick was over; 0 before the first one.
        var seen = 0
    }

    private let motions = Locked<[Sample: Motion]>([:])
    private let store: Store
    private let repeating: API.Configuration.Repeating

    /// History shows who has made the step.
    static let label: ByteText = "Step of the server"

    init(_ store: Store, _ repeating: @escaping API.Configuration.Repeating) {
        self.store = store
        self.repeating = repeating
    }

    /// Notes that somebody follows a list from now on.
    func noteFollower(of list: ListID, _ live: LiveList) {
        guard let sample = Self.sample(of: list) else { return }
        note(sample) { $0.live = live }
    }

    /// The closure that is to be told of changes of a list; nil if they are nothing to a sample.
    func observer(of list: ListID) -> (@Sendable () -> Void)? {
        guard let sample = Self.sample(of: list), sample.movesByItself else { return nil }
        return { [weak self] in self?.note(sample) { _ in } }
    }

    /// Has a sample move by itself until there is nothing to do, or stops it.
    func run(_ sample: Sample, _ isRunning: Bool) { note(sample) { $0.isRunning = isRunning } }

    private static func sample(of list: ListID) -> Sample? {
        guard let sample = Sample(rawText: list.rawValue), sample.moves else { return nil }
        return sample
    }

    /// Begins what a follower, a change or a call to run gives reason for. It returns at once, and waits for no list.
    private func note(_ sample: Sample, _ change: (inout Motion) -> Void) {
        guard let pause = sample.stepMilliseconds else { return }
        let (settles, ticks) = motions.withLock { motions in
            var motion = motions[sample] ?? Motion()
            change(&motion)
            motion.news += 1
            let isFollowed = motion.live?.isFollowed == true
            let settles = isFollowed && sample.movesByItself && !motion.isSettling
            let ticks = isFollowed && (sample.movesByItself || motion.isRunning) && !motion.isTicking
            if settles { motion.isSettling = true }
            if ticks { motion.isTicking = true }
            motions[sample] = motion
            return (settles, ticks)
        }
        if settles, !repeating(0, { [weak self] in self?.settle(sample) }) { set(sample) { $0.isSettling = false } }
        if ticks, !repeating(pause, { [weak self] in self?.tick(sample) }) { set(sample) { $0.isTicking = false } }
    }

    private func set(_ sample: Sample, _ change: (inout Motion) -> Void) {
        motions.withLock { change(&$0[sample, default: Motion()]) }
    }

    /// Does what follows from changes of clients, and again if there was news meanwhile.
    private func settle(_ sample: Sample) -> Int? {
        let news = motions.withLock { $0[sample]?.news }
        if let head = head(of: sample) { submit(sample.consequences(in: head.state), to: head) }
        return motions.withLock { motions in
            let isOver = motions[sample]?.news == news
            if isOver { motions[sample]?.isSettling = false }
            return isOver ? nil : 0
        }
    }

    /// Makes a step. Returns the milliseconds to the next one; nil if there is none.
    private func tick(_ sample: Sample) -> Int? {
        guard let pause = sample.stepMilliseconds, let news = newsIfItGoesOn(sample) else { return nil }
        let head = head(of: sample)
        if let head {
            let isMoved = isMovedByOthers(sample, head)
            set(sample) { $0.seen = head.version.revision + (isMoved ? 0 : 1) }
            if isMoved { return pause }
        }
        // The seed differs from step to step, because with one seed the sample would return to an earlier state.
        let operations = head.map { sample.ownStep(from: $0.state, seed: UInt64($0.version.revision)) } ?? []
        guard let head, !operations.isEmpty else { return rest(sample, unlessThereIsMoreThan: news) ? nil : pause }
        submit(operations, to: head)
        return pause
    }

    /// The number of news; nil if nobody follows any more, or if the sample was stopped. It is then still.
    private func newsIfItGoesOn(_ sample: Sample) -> Int? {
        motions.withLock { motions in
            guard var motion = motions[sample] else { return nil }
            let goesOn = motion.live?.isFollowed == true && (sample.movesByItself || motion.isRunning)
            motion.isTicking = goesOn
            motions[sample] = motion
            return goesOn ? motion.news : nil
        }
    }

    /// Lets a sample be still that has nothing to do. False if there were news meanwhile.
    private func rest(_ sample: Sample, unlessThereIsMoreThan news: Int) -> Bool {
        motions.withLock { motions in
            guard var motion = motions[sample] else { return true }
            guard motion.news == news else { return false }
            (motion.isTicking, motion.isRunning) = (false, false)
            motions[sample] = motion
            return true
        }
    }

    /// Whether another server of the same store has made a step since the last tick of this one.
    private func isMovedByOthers(_ sample: Sample, _ head: ListSnapshot) -> Bool {
        guard store.isShared else { return false }
        let revision = head.version.revision
        let seen = motions.withLock { $0[sample]?.seen ?? 0 }
        guard revision > seen, seen > 0 else { return false }
        return store.loaded(head.id)?.read { $0.note(of: revision) }?.label == Self.label
    }

    private func head(of sample: Sample) -> ListSnapshot? {
        guard let id = ListID(ByteText(sample.id)), let list = store.loaded(id), list.isReadable else { return nil }
        return list.read { $0.snapshot() }
    }

    /// Writes a step on the state that it was computed from. If it is refused, the next tick tries again.
    private func submit(_ operations: [Operation], to head: ListSnapshot) {
        guard !operations.isEmpty else { return }
        _ = store.submit(head.id, Write(.operations(operations), base: head.version, label: Self.label))
    }
}
