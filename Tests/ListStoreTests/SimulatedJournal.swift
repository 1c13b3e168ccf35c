import ListModel
import ListStore
import Locks
import TestSupport

/// A journal on a simulated disk, which is full now and then, or fails so that nobody knows what it has.
///
/// It keeps to what `Journal` promises and to no more: a failed batch is there as a whole or not at all, and parts of a
/// snapshot that was not finished are forgotten by a crash.
final class SimulatedJournal: Journal {
    struct List: Sendable {
        /// What the snapshot stands for; chunks are empty without one.
        var covered = 0
        var chunks: [[UInt8]] = []
        /// Entries since, and those before that have not been removed yet.
        var entries: [JournalEntry] = []
        var removed = 0
        var isEnded = false

        var position: Int { removed + entries.count }
    }

    /// What outlives a crash.
    struct Disk: Sendable {
        var lists: [ListID: List] = [:]
        var receipts: [Receipt] = []
    }

    private struct State: Sendable {
        var disk: Disk
        var parts: [ListID: [[UInt8]]] = [:]
        var random: SeededGenerator
        var isBroken = false
    }

    private let state: Locked<State>

    init(_ disk: Disk, seed: UInt64) { state = Locked(State(disk: disk, random: SeededGenerator(seed: seed))) }

    var disk: Disk { state.withLock { $0.disk } }

    /// Carries out what is written, or fails.
    private func write(_ body: (inout State) -> Void) throws(JournalError) {
        let failure: JournalError? = state.withLock { state in
            guard !state.isBroken else { return .io("broken") }
            switch state.random.below(60) {
            case 0...3: return .full
            case 4:
                state.isBroken = true
                if state.random.once(in: 2) { body(&state) }
                return .io("broke")
            default:
                body(&state)
                return nil
            }
        }
        if let failure { throw failure }
    }

    func append(_ batch: [JournalEntry]) throws(JournalError) {
        try write { state in
            for var entry in batch {
                if let receipt = entry.receipt { state.disk.receipts.append(receipt) }
                entry.receipt = nil
                switch entry.kind {
                case .create: state.disk.lists[entry.list] = List(entries: [entry])
                case .append: state.disk.lists[entry.list]?.entries.append(entry)
                case .delete: state.disk.lists[entry.list] = nil
                case .receiptOnly: break
                }
            }
        }
    }

    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws -> [ListID] {
        let disk = disk
        for each in disk.receipts where each.time >= since { try receipt(each) }
        return Array(disk.lists.keys)
    }

    func read(
        _ id: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
    ) throws {
        guard let list = disk.lists[id] else { return }
        for (number, chunk) in list.chunks.enumerated() {
            try snapshot(
                SnapshotPart(
                    list: id, position: list.covered, first: number, chunks: [chunk],
                    isLast: number == list.chunks.count - 1))
        }
        for each in list.entries.dropFirst(list.covered - list.removed) { try entry(each) }
    }

    func write(_ part: SnapshotPart) throws(JournalError) {
        try write { state in
            guard let list = state.disk.lists[part.list], part.position <= list.position else { return }
            let before = part.first == 0 ? [] : state.parts[part.list] ?? []
            guard before.count == part.first else { return }
            state.parts[part.list] = before + part.chunks
            guard part.isLast else { return }
            state.disk.lists[part.list]?.covered = part.position
            state.disk.lists[part.list]?.chunks = state.parts.removeValue(forKey: part.list) ?? []
        }
    }

    /// One list at a time, and not all of it.
    func removeSome() throws(JournalError) -> Bool {
        let isDone = Locked(true)
        try write { state in
            for (id, list) in state.disk.lists where list.removed < list.covered {
                let count = min(list.covered - list.removed, 3)
                state.disk.lists[id]?.entries.removeFirst(count)
                state.disk.lists[id]?.removed += count
                return isDone.withLock { $0 = false }
            }
        }
        return isDone.withLock { $0 }
    }

    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool { true }
    func settleRecovery() throws(JournalError) {}
    func close() {}
}
