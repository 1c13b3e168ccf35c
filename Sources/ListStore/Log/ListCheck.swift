public import ListModel

/// Whether what a journal holds of a list is a list, and what can be made of it if not: without a store.
public enum ListCheck {
    /// What is wrong with a list although its checksums are right.
    public struct Fault: Sendable {
        public let list: ListID
        public let error: JournalError
        /// The entries behind its snapshot that make sense; nil if the snapshot does not.
        public let entriesBefore: Int?
    }

    /// Makes the list of what a journal holds of it, and forgets it again.
    ///
    /// - Returns: Nil if nothing is wrong.
    /// - Throws: If the journal cannot be read.
    public static func fault(of list: ListID, in journal: any Journal) throws(JournalError) -> Fault? {
        try ListReplay.fault(of: list, in: journal, shared)
    }

    private static var shared: StoreShared {
        let limits = Store.Limits(
            itemsMax: .max, sectionsMax: .max, contentBytesMax: .max, historyVersionsMax: .max, historyBytesMax: .max,
            receiptsMax: nil, receiptAgeMax: .max)
        let receipts = Receipts(countMax: 0, ageMax: .max, bytesMax: 0)
        let clocks = StoreClocks(start: 0, newestReceipt: nil, time: { 0 }, uptime: { 0 })
        return StoreShared(
            limits: limits, queue: nil, compactor: nil, receipts: receipts, intents: nil, clocks: clocks)
    }

    /// Makes a snapshot of those chunks of one that can be read.
    ///
    /// - Parameters:
    ///   - position: The entries that it stands for.
    ///   - count: How many chunks there were.
    ///   - chunk: The chunk of a number, from 0; nil if that cannot be read.
    /// - Returns: Its chunks, how many items are in them, and how many chunks are lost, in part or whole; nil if
    ///   nothing can be made of them.
    public static func salvage(
        _ list: ListID, position: Int, count: Int, chunk: (Int) -> [UInt8]?
    ) -> (chunks: [[UInt8]], itemCount: Int, lost: Int)? {
        var salvage = SnapshotSalvage(list, position: position)
        var (lost, isNext) = (0, true)
        for number in 0..<count {
            isNext = chunk(number).map { salvage.add($0, isNext: isNext) } ?? false
            if !isNext { lost += 1 }
        }
        guard lost < count, let (chunks, itemCount) = salvage.finish() else { return nil }
        return (chunks, itemCount, lost)
    }
}
