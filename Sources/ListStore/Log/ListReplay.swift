import ListModel

/// Builds a list from its records in a journal.
struct ListReplay {
    private let id: ListID
    private let shared: StoreShared
    private var list: ListActor?
    private var reader = SnapshotReader()
    private var snapshotBytes = 0
    private var parts = RecordParts()
    /// The number of entries without a revision, since the last entry that made one.
    private var lost = 0
    /// Whether others use the list meanwhile.
    private var isInUse = false
    /// The number of entries that have been replayed.
    private var entryCount = 0
    private var isPastSnapshot = true

    /// - Returns: Nil if the journal has no such list.
    static func run(_ journal: any Journal, _ id: ListID, _ shared: StoreShared) throws -> ListActor? {
        var replay = ListReplay(id: id, shared: shared)
        guard let place = try replay.read(journal) else { return nil }
        replay.noteEnd()
        replay.list?.line.move(to: place)
        replay.list?.line.show()
        return replay.list
    }

    /// - Parameter list: A list in memory. The replay goes on from its newest version.
    init(of list: ListActor) {
        self.init(id: list.id, shared: list.shared)
        self.list = list
        isInUse = true
    }

    /// Carries out an entry that others have written.
    ///
    /// - Returns: False if the entry begins a new epoch. Nothing is carried out then.
    mutating func follow(_ entry: JournalEntry) throws(Store.MalformedRecord) -> Bool {
        let record = try? Record(entry.bytes)
        if case .renew? = record { return false }
        try add(record, of: entry)
        return true
    }

    /// Tells the list how many entries stand behind its newest version.
    func noteEnd() {
        let ahead = lost
        list?.enter { $0.entriesAhead = ahead }
    }

    /// As `run`, but throws `.corrupt` if a record cannot be decoded.
    static func list(_ id: ListID, of journal: any Journal, _ shared: StoreShared) throws(JournalError) -> ListActor? {
        do { return try run(journal, id, shared) } catch let error as JournalError {
            throw error
        } catch let error as Store.MalformedRecord {
            throw damage(error)
        } catch {
            throw .io("\(error)")
        }
    }

    /// The first fault in the records of a list; nil if all of them can be decoded.
    static func fault(
        of id: ListID, in journal: any Journal, _ shared: StoreShared
    ) throws(JournalError) -> ListCheck.Fault? {
        var replay = ListReplay(id: id, shared: shared)
        do { _ = try replay.read(journal) } catch let error as Store.MalformedRecord {
            return ListCheck.Fault(
                list: id, error: damage(error), entriesBefore: replay.isPastSnapshot ? replay.entryCount : nil)
        } catch let error as JournalError {
            throw error
        } catch {
            throw .io("\(error)")
        }
        return nil
    }

    /// Reads a list as it is in a journal, and checks that its records can be decoded.
    ///
    /// - Returns: Nil if the journal has no such list.
    /// - Throws: `.corrupt` if a record cannot be decoded; otherwise as `Journal.load`.
    static func whole(
        _ id: ListID, of journal: any Journal, _ shared: StoreShared
    ) throws(JournalError) -> WholeList? {
        for _ in 0..<triesMax {
            var replay = ListReplay(id: id, shared: shared)
            var whole = WholeList(id)
            do {
                let place = try journal.load(
                    id, after: nil,
                    snapshot: { part in
                        whole.add(part)
                        try replay.add(part)
                    },
                    entry: { entry in
                        whole.add(entry)
                        try replay.add(entry)
                    })
                guard place != nil else { return nil }
                whole.holding = replay.list?.held?.stored
                return whole
            } catch JournalError.moved {
                continue
            } catch let error as JournalError {
                throw error
            } catch let error as Store.MalformedRecord {
                throw damage(error)
            } catch {
                throw .io("\(error)")
            }
        }
        throw .away("list \(id) is compacted again and again")
    }

    private static func damage(_ error: Store.MalformedRecord) -> JournalError {
        let place = error.after.map { "after version \($0)" } ?? "at its beginning"
        return .corrupt("list \(error.list.rawValue) has a record \(place) that this program did not write")
    }

    /// Reads the whole list. It begins anew if parts of the list were removed meanwhile, because a snapshot stands for
    /// them now.
    private mutating func read(_ journal: any Journal) throws -> LogPlace? {
        for _ in 0..<Self.triesMax {
            do {
                return try journal.load(id, after: nil, snapshot: { try add($0) }, entry: { try count($0) })
            } catch JournalError.moved {
                self = ListReplay(id: id, shared: shared)
            }
        }
        throw JournalError.away("list \(id) is compacted again and again")
    }

    private static let triesMax = 100

    private mutating func count(_ entry: JournalEntry) throws(Store.MalformedRecord) {
        try add(entry)
        entryCount += 1
    }

    private init(id: ListID, shared: StoreShared) {
        self.id = id
        self.shared = shared
    }

    private mutating func add(_ part: SnapshotPart) throws(Store.MalformedRecord) {
        isPastSnapshot = false
        do {
            for chunk in part.chunks {
                try reader.add(chunk)
                snapshotBytes += chunk.count
            }
            guard part.isLast else { return }
            list = try ListActor(id: id, shared: shared, reader, bytes: snapshotBytes)
            reader = SnapshotReader()
            isPastSnapshot = true
        } catch {
            throw Store.MalformedRecord(list: id, after: nil)
        }
    }

    private mutating func add(_ entry: JournalEntry) throws(Store.MalformedRecord) {
        try add(try? Record(entry.bytes), of: entry)
    }

    /// - Parameter record: The record of the entry; nil if its bytes are none.
    private mutating func add(_ record: Record?, of entry: JournalEntry) throws(Store.MalformedRecord) {
        guard let record else { throw malformed }
        if case .retire = record {
            guard entry.kind == .retire else { throw malformed }
        } else {
            guard entry.kind != .retire else { throw malformed }
        }
        guard case .part(let bytes, let rest) = record else {
            // A repair may have cut off the rest of a long record.
            if parts.count > 0 { lost += parts.count }
            parts = RecordParts()
            return try add(record, bytes: entry.bytes.count)
        }
        if !parts.isNext(rest: rest) {
            lost += parts.count
            parts = RecordParts()
        }
        guard let whole = parts.add(bytes, rest: rest) else { return }
        lost += parts.count - 1
        parts = RecordParts()
        guard let record = try? Record(whole) else { throw malformed }
        try add(record, bytes: whole.count)
    }

    private mutating func add(_ record: Record, bytes: Int) throws(Store.MalformedRecord) {
        switch record {
        case .create(let epoch, let transaction):
            let list = ListActor(id: id, epoch: epoch, creator: transaction.caller, shared: shared)
            try replay(transaction, on: list, creates: true, bytes: bytes)
            self.list = list
        case .append(let transaction):
            try append(transaction, bytes: bytes)
        case .delete:
            list = nil
        case .retire:
            guard let list else { throw malformed }
            list.enter { $0.stage = .retiring }
            lost += 1
        case .renew(let epoch):
            guard let list else { throw malformed }
            self.list = ListActor(renewing: list, epoch: epoch, lost: lost)
            lost = 0
        case .part: throw malformed
        }
    }

    private mutating func append(_ transaction: Record.Transaction, bytes: Int) throws(Store.MalformedRecord) {
        guard let list else { throw malformed }
        try replay(transaction, on: list, creates: false, bytes: bytes)
    }

    private mutating func replay(
        _ transaction: Record.Transaction, on list: ListActor, creates: Bool, bytes: Int
    ) throws(Store.MalformedRecord) {
        let extra = lost
        lost = 0
        list.enter { $0.stage = .open }
        // A short entry may touch every row of a long list. Readers get a copy then, which costs as much as the history.
        let mayBeLong = list.isLong && !transaction.edits.visit(rowsMax: Write.briefRowsMax)
        let isLong = isInUse && (mayBeLong || bytes > Write.briefBytesMax)
        let pace: Write.Pace = isLong ? .long : .ordinary
        let result: Result<Int, Store.MalformedRecord> = list.enter(at: pace, busy: .success(0)) { list in
            do throws(Store.MalformedRecord) {
                return .success(try list.replay(transaction, creates: creates, bytes: bytes, extra: extra))
            } catch {
                return .failure(error)
            }
        }
        list.durable.settle(try result.get())
    }

    private var malformed: Store.MalformedRecord {
        Store.MalformedRecord(list: id, after: list?.durableRevision)
    }
}
