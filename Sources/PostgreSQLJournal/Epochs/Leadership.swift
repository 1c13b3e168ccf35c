internal import Threads

/// The server that is known to lead, and until when that is believed.
///
/// A host that was stopped for a while, or that is cut off, may have a server that led before. It goes on to answer reads
/// until it is told that it does not lead any more, but no standby confirms its commits. So a read counts only shortly
/// after a commit that the standby has.
final class Leadership: Sendable {
    private let last = Locked<(server: Cluster, time: ContinuousClock.Instant)?>(nil)
    private let belief: Duration

    /// - Parameter belief: The time for which a server leads, from the beginning of a commit that its standby has.
    init(belief: Duration) { self.belief = belief }

    /// Lets a server be believed for a while. Does nothing if it is, and will be for some time, or has no standby.
    ///
    /// - Parameter commit: Makes a commit on that server that waits for the standby.
    /// - Throws: The error of `commit`; nothing has changed then.
    func confirm(_ server: Cluster, by commit: () throws(Session.Failure) -> Void) throws(Session.Failure) {
        let now = ContinuousClock.now
        guard !leads(server, at: now + belief / 2) else { return }
        try commit()
        note(server, at: now)
    }

    /// Whether what a server has answered until now is not old.
    func leads(_ server: Cluster) -> Bool { leads(server, at: .now) }

    func leads(_ server: Cluster, at time: ContinuousClock.Instant) -> Bool {
        guard server.hasStandby else { return true }
        return last.withLock { last in last.map { $0.server.isSame(as: server) && time - $0.time < belief } ?? false }
    }

    /// Notes that a server led at a time.
    func note(_ server: Cluster, at time: ContinuousClock.Instant) {
        last.withLock { last in
            if last.map({ server.isAfter($0.server) && $0.time < time }) ?? true { last = (server, time) }
        }
    }
}
