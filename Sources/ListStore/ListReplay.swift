import ListModel

/// Makes a list of what a journal holds of it.
struct ListReplay {
    private let id: ListID
    private let shared: StoreShared
    private var list: ListActor?
    private var reader = SnapshotReader()
    private var snapshotBytes = 0
    #if PLANTED_FAULTS
        private var swapped = SwappedRecords()
    #endif

    /// - Returns: Nil if the journal has no such list.
    static func run(_ journal: any Journal, _ id: ListID, _ shared: StoreShared) throws -> ListActor? {
        var replay = ListReplay(id: id, shared: shared)
        try journal.read(id, snapshot: { try replay.add($0) }, entry: { try replay.add($0) })
        #if PLANTED_FAULTS
            for last in replay.swapped.rest(of: id) { try replay.append(last, bytes: 0) }
            if Fault.isPlanted(.revivesDeletedAtRestart) { replay.list?.enter { $0.reviveDeleted() } }
        #endif
        return replay.list
    }

    private init(id: ListID, shared: StoreShared) {
        self.id = id
        self.shared = shared
    }

    private mutating func add(_ part: SnapshotPart) throws(Store.MalformedRecord) {
        do {
            for chunk in part.chunks {
                try reader.add(chunk)
                snapshotBytes += chunk.count
            }
            guard part.isLast else { return }
            list = try ListActor(id: id, shared: shared, reader, bytes: snapshotBytes)
            reader = SnapshotReader()
        } catch {
            throw Store.MalformedRecord(list: id, after: nil)
        }
    }

    private mutating func add(_ entry: JournalEntry) throws(Store.MalformedRecord) {
        guard let record = try? Record(entry.bytes) else { throw malformed }
        switch record {
        case .create(let epoch, let transaction):
            let list = ListActor(id: id, epoch: epoch, shared: shared)
            try replay(transaction, on: list, creates: true, bytes: entry.bytes.count)
            self.list = list
        case .append(let transaction):
            #if PLANTED_FAULTS
                if Fault.isPlanted(.swapsRecordsAtReplay) {
                    for next in swapped.pass(transaction, of: id) { try append(next, bytes: entry.bytes.count) }
                    return
                }
            #endif
            try append(transaction, bytes: entry.bytes.count)
        case .delete:
            list = nil
        case .renew(let epoch):
            guard let list else { throw malformed }
            self.list = ListActor(renewing: list, epoch: epoch)
        }
    }

    private func append(_ transaction: Record.Transaction, bytes: Int) throws(Store.MalformedRecord) {
        guard let list else { throw malformed }
        try replay(transaction, on: list, creates: false, bytes: bytes)
    }

    private func replay(
        _ transaction: Record.Transaction, on list: ListActor, creates: Bool, bytes: Int
    ) throws(Store.MalformedRecord) {
        let result: Result<Void, Store.MalformedRecord> = list.enter { list in
            do throws(Store.MalformedRecord) {
                return .success(try list.replay(transaction, creates: creates, bytes: bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private var malformed: Store.MalformedRecord {
        Store.MalformedRecord(list: id, after: list?.durableRevision)
    }
}
