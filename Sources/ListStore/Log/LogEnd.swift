internal import Synchronization

/// The end of the log of one life of a list, as far as this store knows it.
///
/// Commits of the list are written only if the log still ends there. So the list never builds on a state that others
/// have changed. A restored list goes on with the log of the deleted one.
///
/// The commit queue moves the end, and so does a list that takes over what others wrote. The list waits for its own
/// commits first, so the two never meet.
final class LogEnd: Sendable {
    private let life: Atomic<Int>
    private let position: Atomic<Int>
    private let generation: Atomic<Int>
    private let token: Atomic<Int>
    /// The position up to which readers see the entries. It is behind while a commit is being settled.
    private let shown: Atomic<Int>
    /// The last time at which readers were known to see all entries of the journal, in milliseconds of the store's clock.
    private let current = Atomic<Int>(.min)
    /// The index that the list's commit has in the batch that is being written, or one that it had in an earlier batch.
    private let index = Atomic<Int>(0)

    /// The number of no life: the list begins with the next commit.
    private static let isNew = -1
    /// The number of no batch: the token is not known.
    private static let noToken = -1

    /// - Parameter place: Nil if the list begins with the next commit.
    init(_ place: LogPlace? = nil) {
        life = Atomic(place?.life ?? Self.isNew)
        position = Atomic(place?.position ?? 0)
        generation = Atomic(place?.generation ?? 0)
        token = Atomic(place?.token ?? Self.noToken)
        shown = Atomic(place?.position ?? 0)
    }

    /// The place; nil if the list has not begun.
    var place: LogPlace? {
        let life = life.load(ordering: .acquiring)
        guard life != Self.isNew else { return nil }
        let (generation, token) = (generation.load(ordering: .relaxed), token.load(ordering: .relaxed))
        return LogPlace(
            life: life, position: position.load(ordering: .relaxed), generation: generation,
            token: token == Self.noToken ? nil : token)
    }

    /// The condition under which the next commit is written.
    var condition: Commit.Condition { place.map { .isAt($0) } ?? .isNew }

    /// The index of the list's commit in a batch; nil if the batch does not have one yet. A batch is made by one thread.
    ///
    /// - Parameter lines: The ends of the lists of the batch so far.
    func index(in lines: [LogEnd?]) -> Int? {
        let index = index.load(ordering: .relaxed)
        return index < lines.count && lines[index] === self ? index : nil
    }

    /// Notes the index of the list's commit in a batch.
    func note(index: Int) { self.index.store(index, ordering: .relaxed) }

    func move(to place: LogPlace) {
        generation.store(place.generation, ordering: .relaxed)
        token.store(place.token ?? Self.noToken, ordering: .relaxed)
        position.store(place.position, ordering: .relaxed)
        life.store(place.life, ordering: .releasing)
    }
}

// MARK: - Readers

extension LogEnd {
    /// Notes that readers see all entries up to the end.
    func show() { shown.store(position.load(ordering: .relaxed), ordering: .releasing) }

    /// The place up to which readers see the entries; nil if the list has not begun.
    var shownPlace: LogPlace? {
        let shown = shown.load(ordering: .acquiring)
        guard var place else { return nil }
        if place.position != shown { (place.position, place.token) = (shown, nil) }
        return place
    }

    /// Whether readers see all entries up to a place. A list that has not begun covers nil, which stands for no list.
    func covers(_ wanted: LogPlace?) -> Bool {
        let shown = shown.load(ordering: .acquiring)
        guard let place, let wanted else { return place == nil && wanted == nil }
        guard place.life == wanted.life, place.generation == wanted.generation else { return false }
        guard shown == wanted.position, place.position == shown else { return shown >= wanted.position }
        return !LogPlace.hasMoved(from: place, to: wanted)
    }

    /// Whether a commit up to a place is written, but readers do not see it yet: it is being settled at this moment.
    func isAboutToCover(_ wanted: LogPlace?) -> Bool {
        let shown = shown.load(ordering: .acquiring)
        guard let place, let wanted, place.life == wanted.life, place.generation == wanted.generation else {
            return false
        }
        return place.position >= wanted.position && shown < wanted.position
    }

    /// Notes that readers saw all entries of the journal at a time, in milliseconds of the store's clock.
    func noteCurrent(at time: Int) {
        if current.load(ordering: .relaxed) < time { current.max(time, ordering: .relaxed) }
    }

    /// The last such time; nil if there is none.
    var currentTime: Int? {
        let time = current.load(ordering: .relaxed)
        return time == .min ? nil : time
    }
}
