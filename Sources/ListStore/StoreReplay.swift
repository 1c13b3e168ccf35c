import ListModel

/// Makes the lists of what a journal holds.
final class StoreReplay {
    var lists: [ListID: ListActor] = [:]
    /// Snapshots of which not all chunks have been read, and how many bytes have.
    private var readers: [ListID: (reader: SnapshotReader, bytes: Int)] = [:]
    private let shared: StoreShared
    #if PLANTED_FAULTS
        private var swapped = SwappedRecords()
    #endif

    init(shared: StoreShared) { self.shared = shared }

    func run(_ journal: any Journal, _ limits: Store.Limits) throws {
        try journal.replay(
            snapshot: add, entry: add, receipt: keep, receiptsMax: limits.receiptsMax,
            since: shared.clock() - limits.receiptAgeMax)
        #if PLANTED_FAULTS
            for list in lists.values {
                for last in swapped.rest(of: list.id) { try replay(last, on: list, creates: false, bytes: 0) }
                if Fault.isPlanted(.revivesDeletedAtRestart) { list.enter { $0.reviveDeleted() } }
            }
        #endif
    }

    private func keep(_ receipt: Receipt) {
        #if PLANTED_FAULTS
            if Fault.isPlanted(.forgetsKeysAtRestart) { return }
        #endif
        guard let kept = try? KeptAnswer(receipt.bytes) else { return }
        let key = ReceiptKey(scope: receipt.key, request: kept.request)
        shared.receipts.keep(key, time: receipt.time, bytes: receipt.bytes)
    }

    private func add(_ part: SnapshotPart) throws(Store.MalformedRecord) {
        var (reader, bytes) = readers.removeValue(forKey: part.list) ?? (SnapshotReader(), 0)
        do {
            for chunk in part.chunks {
                try reader.add(chunk)
                bytes += chunk.count
            }
            guard part.isLast else { return readers[part.list] = (reader, bytes) }
            lists[part.list] = try ListActor(id: part.list, shared: shared, reader, bytes: bytes)
        } catch {
            throw Store.MalformedRecord(list: part.list, after: nil)
        }
    }

    private func add(_ entry: JournalEntry) throws(Store.MalformedRecord) {
        guard entry.kind != .receiptOnly else { return }
        guard let record = try? Record(entry.bytes) else { throw malformed(entry.list) }
        switch record {
        case .create(let epoch, let transaction):
            let list = ListActor(id: entry.list, epoch: epoch, shared: shared)
            try replay(transaction, on: list, creates: true, bytes: entry.bytes.count)
            lists[entry.list] = list
        case .append(let transaction):
            guard let list = lists[entry.list] else { throw malformed(entry.list) }
            #if PLANTED_FAULTS
                if Fault.isPlanted(.swapsRecordsAtReplay) {
                    for next in swapped.pass(transaction, of: entry.list) {
                        try replay(next, on: list, creates: false, bytes: entry.bytes.count)
                    }
                    return
                }
            #endif
            try replay(transaction, on: list, creates: false, bytes: entry.bytes.count)
        case .delete:
            lists[entry.list] = nil
        case .renew(let epoch):
            guard let list = lists[entry.list] else { throw malformed(entry.list) }
            lists[entry.list] = ListActor(renewing: list, epoch: epoch)
        }
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

    private func malformed(_ list: ListID) -> Store.MalformedRecord {
        Store.MalformedRecord(list: list, after: lists[list]?.durableRevision)
    }
}
