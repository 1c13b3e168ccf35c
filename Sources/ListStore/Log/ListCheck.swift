public import ListModel
import Threads

/// Checks, without a store, that the records of a list can be decoded, and salvages damaged snapshots.
public enum ListCheck {
    /// A fault in the records of a list whose checksums are right.
    public struct Fault: Sendable {
        public let list: ListID
        public let error: JournalError
        /// The number of good entries behind its snapshot; nil if the snapshot cannot be decoded.
        public let entriesBefore: Int?
    }

    /// Builds the list from its records in a journal, and drops it again.
    ///
    /// - Returns: Nil if nothing is wrong.
    /// - Throws: `JournalError` if the journal cannot be read.
    public static func fault(of list: ListID, in journal: any Journal) throws(JournalError) -> Fault? {
        try ListReplay.fault(of: list, in: journal, shared)
    }

    /// Reads a list from a journal, and checks that it can be built from its records.
    ///
    /// - Returns: Nil if the journal has no such list.
    /// - Throws: `.corrupt` if the list is damaged or cannot be built; otherwise as `Journal.load`.
    static func whole(_ list: ListID, in journal: any Journal) throws(JournalError) -> WholeList? {
        try ListReplay.whole(list, of: journal, shared)
    }

    private static var shared: StoreShared {
        let limits = Store.Limits(
            itemsMax: .max, sectionsMax: .max, contentBytesMax: .max, historyVersionsMax: .max, historyBytesMax: .max,
            receiptsMax: nil, receiptAgeMax: .max)
        let receipts = Receipts(countMax: 0, ageMax: .max, bytesMax: 0, of: .unbounded)
        let clocks = StoreClocks(start: 0, newestReceipt: nil, time: { 0 }, uptime: { 0 }, milliseconds: { 0 })
        return StoreShared(
            limits: limits, queue: nil, compactor: nil, receipts: receipts,
            sequences: ClientSequences(limits, queue: nil, isShared: false, clock: clocks.receipts),
            intents: nil, clocks: clocks,
            memory: ListMemory(bytesMax: nil, canLeave: false, within: .unbounded))
    }

    /// Makes a snapshot of the readable chunks of a damaged one.
    ///
    /// - Parameters:
    ///   - position: The number of entries that it stands for.
    ///   - count: The number of chunks that it had.
    ///   - chunk: Returns the chunk of a number, from 0; nil if that cannot be read.
    /// - Returns: The new chunks, the number of items in them, and the number of old chunks that are lost wholly or in
    ///   part; nil if no list can be made of them.
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
