import ListModel
internal import Texts

/// How much of a list's log nobody needs before a snapshot is written in its place.
struct LogGrowth: Sendable {
    var rows: Int
    var bytes: Int
}

/// How a list is kept in the journal; estimates, by which it is decided when a snapshot is worth its writing.
struct LogShare {
    /// The entries that the snapshot on the disk stands for; 0 if there is none.
    var covered = 0
    /// Bytes of what the list begins with on the disk: the snapshot, or the record that made the list.
    var startBytes = 0
    /// Bytes of the entries since.
    var entryBytes = 0
    /// Bytes of the record that made the list since the start; 0 if it was there before.
    var creationBytes = 0

    mutating func replayed(_ bytes: Int, creates: Bool) {
        if creates { startBytes = bytes } else { entryBytes += bytes }
    }
}

/// Until when versions were the newest, kept coarsely: one mark for all of a 64th of the age that is kept.
struct VersionAges {
    /// The last version that was the newest until about `time`.
    private var marks: [(revision: Int, time: Int)] = []

    /// Notes that `revision` was the newest version until `time`.
    ///
    /// A time in the future is from a clock that has come back since, and is left out: the next mark, which is later
    /// in truth, stands for the version as well.
    ///
    /// - Parameter ageMax: Seconds for which a version is kept after it was the newest.
    /// - Returns: The revision before which all are older than that. A clock that goes back makes nothing older.
    mutating func note(_ revision: Int, at time: Int, now: Int, ageMax: Int) -> Int {
        guard time <= now else { return 0 }
        let span = ageMax / 64
        if let last = marks.last, time - last.time <= span {
            marks[marks.count - 1].revision = revision
        } else {
            marks.append((revision, time))
        }
        let fresh = marks.firstIndex { $0.time + span >= time - ageMax } ?? marks.endIndex
        guard fresh > 0 else { return 0 }
        marks.removeFirst(fresh - 1)
        return marks[0].revision + 1
    }
}

/// A list as it was when a snapshot of it was begun.
struct SnapshotPlan: Sendable {
    /// The head, and what leads back from it to what is to be written.
    var head: ListState
    var deltas: ArraySlice<Delta>
    var epoch: ByteText
    var revision: Int
    var renewals: Int
    /// Whose transaction made the revision, where that is known.
    var note: TransactionNote?
    /// About how many bytes of entries it stands for.
    var entryBytes: Int

    var position: Int { revision + renewals }
}

extension ListActor {
    /// An empty list at revision 0, which nobody sees until its first commit.
    init(id: ListID, epoch: ByteText, shared: StoreShared) {
        let state = ListState(ListProperties(title: id.rawValue))
        self.init(id: id, epoch: epoch, shared: shared, state: state, revision: 0, renewals: 0)
    }

    /// What stands for a list that cannot be read.
    init(id: ListID, epoch: ByteText, shared: StoreShared, damage: JournalError) {
        let state = ListState(ListProperties(title: id.rawValue))
        self.init(id: id, epoch: epoch, shared: shared, state: state, revision: 0, renewals: 0, damage: damage)
    }

    /// The list as `other` left it, in a new epoch: nobody can go back to what was before.
    ///
    /// - Parameter lost: Entries of records that are not whole.
    init(renewing other: ListActor, epoch: ByteText, lost: Int = 0) {
        let (head, note, log, extra) = other.enter { list in
            let head = list.snapshotWithoutHistory()
            let note = list.history.note(of: head.version.revision)?.withoutReversal
            return (head, note, list.log, list.extraEntries.count(upTo: .max))
        }
        self.init(
            id: other.id, epoch: epoch, shared: other.shared, state: head.state, revision: head.version.revision,
            renewals: other.renewals + extra + lost + 1, note: note)
        enter { $0.log = log }
    }

    /// The list as a snapshot of so many bytes has it.
    init(id: ListID, shared: StoreShared, _ reader: SnapshotReader, bytes: Int) throws(ByteReader.Malformed) {
        let (head, state) = try reader.whole()
        self.init(
            id: id, epoch: head.epoch, shared: shared, state: state, revision: head.revision, renewals: head.renewals,
            note: head.note)
        enter { $0.log = LogShare(covered: head.revision + head.renewals, startBytes: bytes, entryBytes: 0) }
    }

    /// Tells readers that a commit is durable, and the compactor if the log has grown.
    nonisolated func settle(_ kind: JournalEntry.Kind, _ revision: Int, logged bytes: Int) {
        switch kind {
        case .create, .revive: durable.settle(revision)
        case .append:
            guard let compactor = shared.compactor else { return durable.settle(revision) }
            if durable.settle(revision, logged: bytes, look: compactor.look) { compactor.look(at: self) }
        case .delete:
            durable.end()
            shared.compactor?.noteEnd()
        case .retire: durable.end()
        case .receiptOnly: break
        }
    }

    /// The oldest version that history still needs, to be written as a snapshot, if that is worth it.
    ///
    /// What is older than that nobody can ask for; what is newer stays in the log, so that history is there again after
    /// a restart, with who did what.
    ///
    /// - Parameter growth: Nil if any entry is too many.
    func planSnapshot(_ growth: LogGrowth?) -> SnapshotPlan? {
        log.entryBytes += durable.takeLoggedBytes()
        let (durable, oldest) = (durableRevision, history.oldest)
        let renewals = self.renewals + extraEntries.count(upTo: oldest)
        let rows = oldest + renewals - log.covered
        // The record that made a list is as good as a snapshot, and says who made it.
        guard stage == .open, isReadable, oldest <= durable, rows > 0, !history.beginsWithCreation,
            let deltas = history.deltas(since: oldest)
        else { return nil }
        let all = durable + self.renewals + extraEntries.count(upTo: durable) - log.covered
        let bytes = log.entryBytes / all * rows
        if let growth {
            guard rows >= growth.rows || bytes >= growth.bytes else { return nil }
            // A long list is not written again for a few changes: what is read at a start at most doubles.
            guard rows * Self.rowCost + bytes >= log.startBytes / 2 else { return nil }
        }
        return SnapshotPlan(
            head: state, deltas: deltas, epoch: epoch, revision: oldest, renewals: renewals,
            note: history.oldestNote, entryBytes: bytes)
    }

    /// Bytes of a snapshot that are read in the time that it takes to carry out an entry.
    private static let rowCost = 256

    func noteSnapshot(_ plan: SnapshotPlan, bytes: Int) {
        log.covered = plan.position
        log.startBytes = bytes
        log.entryBytes = max(0, log.entryBytes - plan.entryBytes)
    }
}
