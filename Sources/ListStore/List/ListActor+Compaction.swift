import ListDiff
import ListModel
internal import Texts

/// Estimates of the space that a list takes in the journal. They decide when a snapshot is worth its writing.
struct LogShare {
    /// The number of entries that the snapshot on the disk stands for; 0 if there is no snapshot.
    var covered = 0
    /// The number of bytes of the start of the list on the disk: the snapshot, or the record that made the list.
    var startBytes = 0
    /// The number of bytes of the entries after that start.
    var entryBytes = 0
    /// The number of bytes of the record that made the list since the server started; 0 if the list was there before.
    var creationBytes = 0

    mutating func replayed(_ bytes: Int, creates: Bool) {
        if creates { startBytes = bytes } else { entryBytes += bytes }
    }
}

/// The times until which versions were the newest. They are coarse: one mark covers a 64th of the age that is kept.
struct VersionAges {
    /// The last version that was the newest until about `time`.
    private var marks: [(revision: Int, time: Int)] = []

    /// Notes that `revision` was the newest version until `time`.
    ///
    /// A time in the future comes from a clock that was set back since. It is left out, and the next mark covers the
    /// version as well.
    ///
    /// - Parameter ageMax: Seconds for which a version is kept after it was the newest.
    /// - Returns: The first revision that is young enough: all before it are older than `ageMax`. A clock that is set
    ///   back makes no version older.
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
    /// The head, and the deltas that lead back from it to the state to be written.
    var head: ListState
    var deltas: ArraySlice<Delta>
    var epoch: ByteText
    var revision: Int
    var renewals: Int
    /// The note of the transaction that made the revision, if it is known.
    var note: TransactionNote?
    /// About how many bytes of entries the snapshot stands for.
    var entryBytes: Int

    var position: Int { revision + renewals }
}

extension ListActor {
    /// An empty list at revision 0, which nobody sees until its first commit.
    ///
    /// - Parameters:
    ///   - creator: The actor that makes the list, if it is known.
    ///   - damage: Why the list cannot be read, if it stands in for such a list.
    ///   - line: The log of the list, if it has one.
    init(
        id: ListID, epoch: ByteText, creator: ByteText?, shared: StoreShared, damage: JournalError? = nil,
        line: LogEnd = LogEnd()
    ) {
        self.init(
            id: id, epoch: epoch, creator: creator, shared: shared, state: Self.initialState(of: id), revision: 0,
            renewals: 0, damage: damage, line: line)
    }

    /// The state of a list before its first version.
    static func initialState(of id: ListID) -> ListState { ListState(ListProperties(title: id.rawValue)) }

    /// The list as `other` left it, in a new epoch. Nobody can go back to older versions.
    ///
    /// - Parameter lost: Entries of records that are not whole.
    init(renewing other: ListActor, epoch: ByteText, lost: Int = 0) {
        let (head, note, log, extra) = other.enter { list in
            let head = list.snapshotWithoutHistory()
            let note = list.history.note(of: head.version.revision)?.withoutReversal
            return (head, note, list.log, list.extraEntries.count(upTo: .max))
        }
        self.init(
            id: other.id, epoch: epoch, creator: other.creator, shared: other.shared, state: head.state,
            revision: head.version.revision, renewals: other.renewals + extra + lost + 1, note: note)
        enter { $0.log = log }
    }

    /// The list that a stored snapshot of `bytes` bytes holds.
    init(id: ListID, shared: StoreShared, _ reader: SnapshotReader, bytes: Int) throws(ByteReader.Malformed) {
        let (head, state) = try reader.whole()
        self.init(
            id: id, epoch: head.epoch, creator: head.creator, shared: shared, state: state, revision: head.revision,
            renewals: head.renewals, note: head.note)
        enter { $0.log = LogShare(covered: head.revision + head.renewals, startBytes: bytes, entryBytes: 0) }
    }

    /// Tells readers that a commit is durable, and the compactor if the log has grown.
    nonisolated func settle(_ kind: JournalEntry.Kind, _ revision: Int, logged bytes: Int) {
        if kind.makesVersion { shared.versions.add() }
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

    /// Plans a snapshot of the oldest version that history still needs; nil if it is not worth its writing.
    ///
    /// Nobody can ask for an older version. Newer versions stay in the log, so that history is there again after a
    /// restart, with its notes.
    ///
    /// - Parameter growth: The growth that makes a snapshot worth its writing; nil if any entry does.
    func planSnapshot(_ growth: Store.Compaction?) -> SnapshotPlan? {
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
            // A long list is not written again for a few changes. The bytes that a start reads at most double.
            guard rows * Self.rowCost + bytes >= log.startBytes / 2 else { return nil }
        }
        return SnapshotPlan(
            head: state, deltas: deltas, epoch: epoch, revision: oldest, renewals: renewals,
            note: history.oldestNote, entryBytes: bytes)
    }

    /// The bytes of a snapshot that are read in the time that it takes to carry out one entry.
    private static let rowCost = 256

    func noteSnapshot(_ plan: SnapshotPlan, bytes: Int) {
        log.covered = plan.position
        log.startBytes = bytes
        log.entryBytes = max(0, log.entryBytes - plan.entryBytes)
    }
}
