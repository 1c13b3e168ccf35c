import Glibc
import ListStore
import Threads

@testable import SQLiteJournal

/// A disk in memory that fails as real disks do. It loses data that was not synchronized, tears writes, runs full,
/// returns errors, and loses power at any call.
///
/// It is as hostile as POSIX allows. Data written since the last sync reaches the disk in any part and any order, and
/// so do names until their folder is synchronized. Data that a failed sync has lost is not written again. Only two
/// things are sure, which SQLite assumes too ("powersafe overwrite"): a sector is written as a whole, and bytes beside
/// a write stay unchanged.
final class SimulatedDisk: Disk {
    private static let count = Locked(0)
    private let state: Locked<SimulatedDiskState>
    let vfs: String?
    private let walIndexes = Locked<[String: WeakIndex]>([:])
    private let gate = SyncGate()

    private struct WeakIndex: Sendable {
        weak var index: SimulatedWalIndex?
        let process: Int
    }

    /// - Parameter isLying: Whether a sync does nothing but reports success.
    init(seed: UInt64, isLying: Bool = false) {
        state = Locked(SimulatedDiskState(seed: seed, isLying: isLying))
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        vfs = "simulated-\(number)"
    }

    /// Counts of everything that has happened so far.
    var counts: SimulatedDiskState.Counts { state.withLock { $0.counts } }
    /// Whether the process that uses the disk has been killed, or the power is off.
    var isDown: Bool { state.withLock { $0.isDown } }

    // MARK: Faults

    /// Plans a fault after a number of further calls; nil plans none.
    func plan(_ fault: SimulatedDiskState.Fault?, after calls: Int = 0) {
        state.withLock { $0.plan(fault, after: calls) }
    }

    /// Limits the bytes by which files may still grow; nil removes the limit.
    func limit(to room: Int?) { state.withLock { $0.room = room } }

    /// Ends the process that uses the disk. Its later calls fail.
    func end(losingPower: Bool) { state.withLock { $0.end(losingPower: losingPower) } }

    /// Starts again after an end, with the data that is left.
    func restart() { state.withLock { $0.restart() } }

    /// The index of the log of a database. All connections of this process share it.
    func walIndex(_ path: String) -> SimulatedWalIndex {
        let process = state.withLock { $0.process }
        return walIndexes.withLock { indexes in
            if let known = indexes[path], known.process == process, let index = known.index { return index }
            let index = SimulatedWalIndex()
            indexes[path] = WeakIndex(index: index, process: process)
            return index
        }
    }

    // MARK: Slow syncs

    /// Holds all later syncs, or ends the hold.
    func hold(syncs isHeld: Bool) { gate.hold(isHeld) }

    /// Waits until a sync is held, or until `end` says that there will be none. Returns whether one is held.
    func waitForSync(until end: @escaping @Sendable () -> Bool) -> Bool { gate.waitForArrival(until: end) }

    /// Lets one held sync go on.
    func letOneSyncPass() { gate.letOnePass() }

    /// Wakes `waitForSync`, so that it asks `end` again.
    func wakeWhoWaitsForSync() { gate.wake() }

    // MARK: Files

    func open(_ path: String, _ flags: Int32) throws(JournalError) -> any DiskFile {
        try openFile(path, flags)
    }

    /// - Parameter path: The path of the file; nil for a file without a name.
    func openFile(_ path: String?, _ flags: Int32) throws(JournalError) -> SimulatedFile {
        try state.withLock { state throws(JournalError) in
            let file = flags & O_DIRECTORY != 0 ? nil : try state.open(path, flags)
            return SimulatedFile(state: self.state, file: file, process: state.process, gate: gate)
        }
    }

    func exists(_ path: String) -> Bool { state.withLock { $0.names[path] != nil } }
    func isLink(_ path: String) -> Bool { false }

    func remove(_ path: String) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            guard state.names[path] != nil else { return }
            try state.name([path: nil])
        }
    }

    func rename(_ path: String, to target: String) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            guard let file = state.names[path] else { throw .io("rename \(path)") }
            try state.name([path: nil, target: file])
        }
    }

    func makeDirectory(_ path: String) throws(JournalError) {}
}

/// A file or the folder of a simulated disk, as one process has it open.
struct SimulatedFile: DiskFile {
    fileprivate let state: Locked<SimulatedDiskState>
    /// The number of the file; nil for the folder.
    fileprivate let file: Int?
    fileprivate let process: Int
    fileprivate let gate: SyncGate

    /// Runs `body` if the process still exists.
    private func call<Result: Sendable>(
        _ body: (inout SimulatedDiskState, Int) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { state throws(JournalError) in
            guard let file, process == state.process else { throw .io("not open") }
            return try body(&state, file)
        }
    }

    func size() throws(JournalError) -> Int {
        try call { state, file throws(JournalError) in state.contents[file].seen.count }
    }

    func identity() throws(JournalError) -> FileIdentity {
        try call { _, file throws(JournalError) in FileIdentity(inode: file, birth: 0) }
    }

    func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8] {
        try call { state, file throws(JournalError) in try state.read(file, count, at: offset) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(JournalError) {
        try call { state, file throws(JournalError) in try state.write(file, bytes, at: offset) }
    }

    func cut(to size: Int) throws(JournalError) {
        try call { state, file throws(JournalError) in try state.cut(file, to: size) }
    }

    func synchronize() throws(JournalError) {
        gate.pass()
        guard file != nil else {
            return try state.withLock { state throws(JournalError) in try state.synchronizeNames() }
        }
        try call { state, file throws(JournalError) in try state.synchronize(file) }
    }

    /// As `synchronize()`. The name of the file becomes durable too.
    func synchronizeWithName() throws(JournalError) {
        try synchronize()
        state.withLock { $0.landNames() }
    }

    /// There is only one process at a time, so there is nothing to lock.
    func lockAlone() throws(JournalError) {}
}

/// The gate at which syncs wait while they are held.
final class SyncGate: Sendable {
    private let state = Locked((isHeld: false, waiting: 0, tickets: 0))

    func pass() {
        state.change { $0.waiting += 1 }
        state.wait(until: { !$0.isHeld || $0.tickets > 0 }) { state in
            state.waiting -= 1
            if state.isHeld { state.tickets -= 1 }
        }
    }

    func hold(_ isHeld: Bool) { state.change { ($0.isHeld, $0.tickets) = (isHeld, 0) } }
    func letOnePass() { state.change { $0.tickets += 1 } }
    func wake() { state.change { _ in } }

    func waitForArrival(until end: () -> Bool) -> Bool {
        state.wait(until: { ($0.waiting > 0 && $0.tickets == 0) || end() }) { $0.waiting > 0 }
    }
}
