import ListModel

// A restored list keeps its state, its history and its epoch. It gets a new actor, because readers of the old one have
// been told that the list is gone.

/// A list as it was when it was deleted. A restore goes on from there.
struct RetiredState: Sendable {
    let id: ListID
    let head: Version
    let creator: ByteText?
    fileprivate let state: ListState
    fileprivate let history: History
    fileprivate let ages: VersionAges
    fileprivate let log: LogShare
    fileprivate let extraEntries: ExtraEntries
    fileprivate let entriesAhead: Int
    fileprivate let renewals: Int
    fileprivate let line: LogEnd

    /// The list's share in the holding of its creator if it goes on.
    var holding: Holding { Holding(lists: 1, items: state.itemCount, bytes: state.presentBytes) }
}

extension ListActor {
    /// The list as it was when it was deleted; nil if it has not been deleted, or cannot be restored.
    var retired: RetiredState? {
        guard stage == .retiring else { return nil }
        return RetiredState(
            id: id, head: head, creator: creator, state: state, history: history, ages: ages, log: loggedShare,
            extraEntries: extraEntries, entriesAhead: entriesAhead, renewals: renewals, line: line)
    }

    /// The restored list. Nobody sees it until its first commit.
    init(reviving retired: RetiredState, shared: StoreShared) {
        self.init(
            id: retired.id, epoch: retired.head.epoch, creator: retired.creator, shared: shared, state: retired.state,
            revision: 0, renewals: retired.renewals, line: retired.line)
        enter { list in
            list.history = retired.history
            list.ages = retired.ages
            list.log = retired.log
            list.extraEntries = retired.extraEntries
            list.entriesAhead = retired.entriesAhead
        }
    }

    /// The facts about the list that the server tells while it is deleted.
    var retirement: Retirement {
        Retirement(
            time: shared.clocks.time(), version: head, title: state.properties.title, counts: state.counts,
            bytes: keptBytes)
    }

    private var loggedShare: LogShare {
        log.entryBytes += durable.takeLoggedBytes()
        return log
    }

    /// About how many bytes the list takes while it is deleted.
    private var keptBytes: Int {
        guard shared.queue == nil else { return storedBytes }
        let items = state.sectionHandles.reduce(0) { sum, section in
            state.rows(of: section).reduce(sum) { $0 + Self.itemBytes + state[$1].content.byteCount }
        }
        return items + history.bytes
    }

    /// The bytes that the list takes in the journal.
    var storedBytes: Int {
        let log = loggedShare
        return (log.startBytes > 0 ? log.startBytes : log.creationBytes) + log.entryBytes
    }

    /// About how many bytes an item takes without its content.
    private static let itemBytes = 128
}
