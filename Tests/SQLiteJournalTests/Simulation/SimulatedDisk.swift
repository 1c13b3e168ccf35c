import Glibc
import ListStore
import Threads

@testable import SQLiteJournal

/// A disk in memory that fails as disks do: it forgets what was not synchronized, tears writes, is full, returns
/// errors, and loses power at any call.
///
/// As hostile as POSIX allows: what was written since the last sync gets on the disk in any part and any order, and so
/// do names until their folder was synchronized; what a failed sync has lost is not tried again. Only sectors are
/// whole, and bytes beside those written stay as they are, as SQLite assumes as well ("powersafe overwrite").
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

    /// - Parameter isLying: Whether a sync does nothing, and says that it did.
    init(seed: UInt64, isLying: Bool = false) {
        state = Locked(SimulatedDiskState(seed: seed, isLying: isLying))
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        vfs = "simulated-\(number)"
    }

    /// What happened so far.
    var counts: SimulatedDiskState.Counts { state.withLock { $0.counts } }
    /// Whether the process that uses the disk has been killed, or the power is off.
    var isDown: Bool { state.withLock { $0.isDown } }

    // MARK: Faults

    /// Lets something happen after so many more calls; nil lets nothing happen.
    func plan(_ fault: SimulatedDiskState.Fault?, after calls: Int = 0) {
        state.withLock { $0.plan(fault, after: calls) }
    }

    /// Lets files grow by so many bytes only; nil lets them grow.
    func limit(to room: Int?) { state.withLock { $0.room = room } }

    /// Ends the process that uses the disk: from now on its calls fail.
    func end(losingPower: Bool) { state.withLock { $0.end(losingPower: losingPower) } }

    /// Begins anew after an end, with what is left.
    func restart() { state.withLock { $0.restart() } }

    /// The index of the log of a database, which those who have it open in this process share.
    func walIndex(_ path: String) -> SimulatedWalIndex {
        let process = state.withLock { $0.process }
        return walIndexes.withLock { indexes in
            if let known = indexes[path], known.process == process, let index = known.index { return index }
            let index = SimulatedWalIndex()
            indexes[path] = WeakIndex(index: index, process: process)
            return index
        }
    }

    // MARK: Syncs that take long

    /// Lets syncs wait from now on, or no more.
    func hold(syncs isHeld: Bool) { gate.hold(isHeld) }

    /// Waits until a sync waits, or `end` says that there will be none; returns whether one does.
    func waitForSync(until end: @escaping @Sendable () -> Bool) -> Bool { gate.waitForArrival(until: end) }

    /// Lets the sync go on that waits.
    func letOneSyncPass() { gate.letOnePass() }

    /// Lets whoever waits for a sync ask again whether there will be one.
    func wakeWhoWaitsForSync() { gate.wake() }

    // MARK: Files

    func open(_ path: String, _ flags: Int32) throws(JournalError) -> any DiskFile {
        try openFile(path, flags)
    }

    /// - Parameter path: Nil for a file without a name.
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

/// A file of a simulated disk, or its folder, as one process has it open.
struct SimulatedFile: DiskFile {
    fileprivate let state: Locked<SimulatedDiskState>
    /// Nil for the folder.
    fileprivate let file: Int?
    fileprivate let process: Int
    fileprivate let gate: SyncGate

    /// Runs `body` if the process still is.
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

    /// As `synchronize()`, and makes the file's name safe as well.
    func synchronizeWithName() throws(JournalError) {
        try synchronize()
        state.withLock { $0.landNames() }
    }

    /// One process at a time is all there is.
    func lockAlone() throws(JournalError) {}
}

/// Where syncs wait if they are to.
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
