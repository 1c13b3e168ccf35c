public import ListModel
public import ListStore
internal import Threads

/// A journal in a PostgreSQL database, which any number of stores share.
///
/// Each store has its sessions: two for commits, one for those whose lists are locked first, one that listens, one for
/// hints, one for snapshots and removal, and some for reads. So a read waits for no commit, and nobody waits for the
/// upkeep. The places of lists are read by sessions of their own, so that the check of a read does not wait for long
/// lists. `Schema` has the tables.
public final class PostgreSQLJournal: TakesWholeLists, LocksLists {
    private let connector: Connector
    private let readers: SessionPool
    private let placeReaders: SessionPool
    private let renewer: Renewer
    private let placeRenewer: Renewer
    /// Those of which no batch is in flight.
    private let committers: Locked<[Committer]>
    private let lockingCommitter: Locked<Committer>
    private let upkeep: Locked<Upkeep>
    private let hints: Locked<Hints>

    private struct Hints: Sendable {
        /// Nil before `open` and after `close`.
        var listener: Listener?
        var waiting: [Listener.Hint] = []
        var isClosed = false
    }

    /// The settings of the server that are off, so that a crash can lose answered writes: of `fsync`, `full_page_writes`
    /// and `synchronous_commit`.
    public let unsafeSettings: [String]
    /// Whether commits wait for a standby (`synchronous_standby_names`).
    public let hasStandby: Bool
    /// Whether answered writes may be missing: the tables were restored, or are on a standby that may have lacked some. The
    /// lists go on in new epochs then.
    public let mayMissCommits: Bool
    private let announcer: Announcer
    private let heardRows = HeardRows()

    /// Opens the journal in a database, and makes the tables if they are not there.
    ///
    /// - Parameters:
    ///   - url: `postgres://…`, as libpq takes it. It may hold a password, which no error repeats.
    ///   - random: Returns random numbers.
    /// - Throws: `.away` if the database cannot be reached or refuses, `.io` if libpq cannot be loaded or takes the URL
    ///   for none, `.otherFormat` if the tables are of a later format.
    public convenience init(url: String, random: @escaping @Sendable () -> UInt64) throws(JournalError) {
        try self.init(url: url, schema: "liststate", patience: Connector.Patience(), random: random)
    }

    /// Opens the journal as `init(url:random:)` does, but makes and changes no tables.
    ///
    /// - Throws: As `init(url:random:)`; `.io` if the tables are not there.
    public convenience init(reading url: String, random: @escaping @Sendable () -> UInt64) throws(JournalError) {
        try self.init(
            url: url, schema: "liststate", patience: Connector.Patience(), mayMigrate: false, random: random)
    }

    /// - Parameters:
    ///   - schema: Letters, digits and `_`.
    ///   - mayMigrate: Whether the tables may be made, or brought to this program's format.
    init(
        url: String, schema: String, patience: Connector.Patience, mayMigrate: Bool = true,
        random: @escaping @Sendable () -> UInt64
    ) throws(JournalError) {
        connector = Connector(try ConnectionString(url), schema: schema, patience: patience, random: random)
        let isThere: Bool
        do throws(Session.Failure) {
            let session = try connector.connectUnchecked()
            if mayMigrate { try Schema.migrate(session, schema) }
            isThere = try Schema.found(by: session) != nil
            mayMissCommits = isThere ? try connector.check(session) : false
            hasStandby = connector.hasStandby
            unsafeSettings = try session.run(.unsafeSettings).compactMap { $0[0].bytes }.map {
                String(decoding: $0, as: UTF8.self)
            }
        } catch {
            throw error.harmless
        }
        guard isThere else { throw .io("no server has kept lists in the database") }
        readers = SessionPool(connector, sessionsMax: 8)
        placeReaders = SessionPool(connector, sessionsMax: 2)
        renewer = Renewer(readers: readers, random: random)
        placeRenewer = Renewer(readers: placeReaders, random: random)
        let connector = connector
        let announcer = Announcer(connector, store: Int(random() >> 2), random: random)
        committers = Locked((0..<Self.committersMax).map { _ in Committer(connector, announcer, random: random) })
        lockingCommitter = Locked(Committer(connector, announcer, random: random))
        upkeep = Locked(Upkeep(connector, random: random))
        hints = Locked(Hints())
        self.announcer = announcer
    }

    deinit { close() }

    // MARK: Writing

    /// While a batch waits for the disk and the way back, the server works on another one.
    public var commitsAtOnce: Int { Self.committersMax }

    private static let committersMax = 2

    public func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        guard !connector.isClosing else { throw .closed }
        let committer = committers.wait(until: { !$0.isEmpty }) { $0.removeLast() }
        defer { committers.change { $0.append(committer) } }
        return try committer.commit(commits)
    }

    public var locker: (any LocksLists)? { self }

    public func commit(
        locking wanted: WantedLocks, _ decide: (any LockedLists) -> [Commit]
    ) throws(JournalError) -> [CommitOutcome] {
        guard !connector.isClosing else { throw .closed }
        return try lockingCommitter.withLock { committer throws(JournalError) in
            try committer.commit(locking: wanted, decide)
        }
    }

    // MARK: Reading

    public func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        try readers.read { session, hasBegun in
            try session.forEachRow(.receipts, [.integer(receiptsMax), .integer(since)]) { row in
                hasBegun = true
                guard let key = row[0].bytes else { return }
                // A damaged receipt is as good as none: its client may try again.
                if let one = Receipt(key, row[1...]) { try receipt(one) }
            }
        }
        try startHints()
    }

    public func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
        let name = id.map { Array($0.rawValue.utf8) } ?? []
        return try readers.rows(.lists, [.text(name), .integer(limit)]).compactMap { row in
            row[0].bytes.flatMap { ListID(ByteText(decoding: $0)) }
        }
    }

    public func retired() throws -> [RetiredList] {
        try renewer.rows(.retired, column: 5).compactMap { row in
            guard let (list, place) = LogPlace.named(row),
                let last = LogRow(row[6...], of: place.life)?.entries(of: list)?.last
            else { return nil }
            return RetiredList(list: list, place: place, bytes: last.bytes)
        }
    }

    public func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] {
        let rows = try placeRenewer.rows(.places, [.texts(lists.map { Array($0.rawValue.utf8) })], column: 5)
        let places = Dictionary(rows.compactMap(LogPlace.named)) { first, _ in first }
        return lists.map { places[$0] }
    }

    public func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        while true {
            do { return try read(list, after: place, snapshot: snapshot, entry: entry) } catch ListLoad.Doubt.isOld {
                try renewer.renew([Array(list.rawValue.utf8)])
            } catch ListLoad.Doubt.lacksEntries(let generation) {
                try readers.change(.beginGeneration, [.integer(generation)])
                throw JournalError.moved
            }
        }
    }

    private func read(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        try readers.read { session, hasBegun in
            var load = ListLoad(list, after: place)
            try session.forEachRow(
                .load, [.text(Array(list.rawValue.utf8)), .integer(place?.position ?? -1)]
            ) { row in
                let piece = try load.take(row)
                hasBegun = true
                switch piece {
                case .chunk(let part): try snapshot(part)
                case .entries(let entries): for each in entries { try entry(each) }
                case nil: break
                }
            }
            return try load.end()
        }
    }

    public func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?] {
        do {
            return try readers.read { session, _ in try session.tails(after: places) }
        } catch let error as JournalError {
            throw error
        } catch {
            throw .away("\(error)")
        }
    }

    public func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? {
        guard let row = try readers.rows(.receipt, [.bytes(key)]).first else { return nil }
        if let receipt = Receipt(key, row[...]) { return receipt }
        // Its client may try again, but not beside a row that nobody can read.
        try readers.change(.removeDamagedReceipt, [.bytes(key), .integer(row[1].integer ?? 0)])
        return nil
    }

    // MARK: Snapshots and removal

    public func write(_ part: SnapshotPart) throws(JournalError) {
        guard !connector.isClosing else { throw .closed }
        try upkeep.withLock { upkeep throws(JournalError) in try upkeep.write(part) }
    }

    public func removeSome(all: Bool) throws(JournalError) -> Bool {
        guard !connector.isClosing else { throw .closed }
        return try upkeep.withLock { upkeep throws(JournalError) in try upkeep.removeSome() }
    }

    public func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        guard !connector.isClosing else { throw .closed }
        return try upkeep.withLock { upkeep throws(JournalError) in
            try upkeep.trimReceipts(keepNewest: keepNewest, olderThan: olderThan)
        }
    }

    public func settleRecovery() throws(JournalError) {}

    public func holdings() throws(JournalError) -> [ByteText: Holding] {
        var holdings: [ByteText: Holding] = [:]
        for row in try readers.rows(.holdings, []) {
            guard let creator = row[0].bytes else { continue }
            holdings[ByteText(decoding: creator)] = Holding(
                lists: row[1].integer ?? 0, items: row[2].integer ?? 0, bytes: row[3].integer ?? 0)
        }
        return holdings
    }

    // MARK: Records

    public func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? {
        let rows = try readers.rows(.record, [.integer(Int(key.kind.rawValue)), .bytes(key.bytes)])
        guard let row = rows.first else { return nil }
        guard let record = KeyedRecord(row, of: key.kind) else {
            let damage = JournalError.corrupt("A record of the kind \(key.kind.rawValue) is damaged.")
            // Without the access book everybody would be let in.
            guard key.kind != .access else { throw damage }
            // What is lost of others may be made again, but not beside a row that nobody can read.
            try readers.change(
                .removeDamagedRecord,
                [.integer(Int(key.kind.rawValue)), .bytes(key.bytes), .integer(row[2].integer ?? 0)])
            // The writes of a client would be numbered anew without a word. So that is told once.
            guard !key.kind.tellsOfLog else { throw damage }
            return nil
        }
        return record.content
    }

    public func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord] {
        // A key may have no bytes.
        let rows = try readers.rows(
            .records,
            [.integer(Int(kind.rawValue)), .bytes(key ?? []), .integer(limit), .integer(key == nil ? 0 : 1)])
        return rows.compactMap { KeyedRecord($0, of: kind) }
    }

    public func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
        guard !connector.isClosing else { throw .closed }
        for one in records { try one.requireFitting() }
        return try upkeep.withLock { upkeep throws(JournalError) in try upkeep.keep(records) }
    }

    // MARK: Whole lists

    public func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        guard !connector.isClosing else { throw .closed }
        let outcomes = try upkeep.withLock { upkeep throws(JournalError) in try upkeep.write(lists) }
        announcer.tell(zip(lists, outcomes).filter(\.1.isWritten).map(\.0.list))
        return outcomes
    }

    // MARK: Others

    public var isShared: Bool { true }
    public var isAway: Bool { connector.isAway }

    public func onHint(_ hint: @escaping @Sendable ([ListID]) -> Void) {
        hints.withLock { hints in
            hints.listener == nil ? hints.waiting.append(hint) : hints.listener?.add(hint)
        }
    }

    public func heard(after place: ListPlace) -> Tail? { heardRows.take(place.list)?.opened(after: place) }

    private func startHints() throws(JournalError) {
        try hints.withLock { hints throws(JournalError) in
            guard hints.listener == nil, !hints.isClosed else { return }
            do throws(ThreadError) {
                hints.listener = try Listener(connector, store: announcer.store, rows: heardRows)
                try announcer.start()
            } catch {
                throw .io("pthread_create: error \(error.code)")
            }
            for hint in hints.waiting { hints.listener?.add(hint) }
            hints.waiting = []
        }
    }

    public func close() {
        connector.close()
        let listener = hints.withLock { hints in
            defer { (hints.listener, hints.isClosed) = (nil, true) }
            return hints.listener
        }
        listener?.stop()
        announcer.stop()
        readers.close()
        placeReaders.close()
        committers.wait(until: { $0.count == Self.committersMax }) { committers in
            for committer in committers { committer.close() }
        }
        lockingCommitter.withLock { $0.close() }
        upkeep.withLock { $0.close() }
    }
}

extension Receipt {
    /// A receipt as it was read; nil if it is damaged.
    ///
    /// - Parameter cells: Its time, its checksum and its bytes.
    fileprivate init?(_ key: [UInt8], _ cells: ArraySlice<Cell>) {
        let cells = Array(cells)
        guard cells.count == 3, let time = cells[0].integer, let checksum = cells[1].integer,
            let bytes = cells[2].bytes,
            Checksum.of(receipt: key, time, bytes) == checksum
        else { return nil }
        self.init(key: key, time: time, bytes: bytes)
    }
}
