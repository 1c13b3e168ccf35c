import ListStore
import Testing

@testable import SQLiteJournal

/// Single cases of the faults that the simulation makes at random.
@Suite struct RestartDurabilityTests {
    /// The calls of a batch at which the process ends. A batch has fewer.
    static let calls = 0..<16

    /// A commit may be only in the system's memory, where the next start reads it.
    @Test("What a start has read outlives a power loss", arguments: [SimulatedDiskState.Fault.kill, .syncError])
    func read(_ fault: SimulatedDiskState.Fault) throws {
        var found: Set<Int> = []
        for calls in Self.calls {
            let disk = SimulatedDisk(seed: UInt64(calls))
            let vfs = SimulatedVFS(disk)
            defer { withExtendedLifetime(vfs) {} }
            try write(disk, fault, after: calls)
            disk.end(losingPower: false)
            disk.restart()
            let read = try entries(disk, endsWell: false)
            disk.restart()
            #expect(try entries(disk, endsWell: true) == read, "after \(calls) calls")
            found.insert(read.count)
        }
        #expect(found.contains(2))
    }

    /// A journal that did not wait for the disk may leave a mark of commits that are missing. When the doubt is
    /// settled, that mark must be gone.
    @Test("A start that has settled what is missing is never refused later", arguments: UInt64(0)..<32)
    func settled(seed: UInt64) throws {
        let disk = SimulatedDisk(seed: seed)
        let vfs = SimulatedVFS(disk)
        defer { withExtendedLifetime(vfs) {} }
        let lives = [(SQLiteJournal.Durability.async, 4, false), (.sync, 0, true), (.sync, 0, false)]
        for (durability, entries, mayMissCommits) in lives {
            let journal = try SQLiteJournal(directory: "/store", durability: durability, pageSize: 512, on: disk)
            #expect(journal.recovery.mayMissCommits == mayMissCommits)
            _ = try journal.replayed()
            try journal.settleRecovery()
            for _ in 0..<entries { try journal.append([JournalEntry("a", .create, "entry")]) }
            disk.end(losingPower: true)
            journal.close()
            disk.restart()
        }
    }

    /// The lists have no new epochs yet.
    @Test func aStartThatCameToNothingSettlesNothing() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        try SQLiteJournal(directory: folder.path).close()
        try folder.write("may-miss-commits", [])
        for (mayMissCommits, isUsed) in [(true, false), (true, true), (false, false)] {
            let journal = try SQLiteJournal(directory: folder.path, durability: .async)
            #expect(journal.recovery.mayMissCommits == mayMissCommits)
            _ = try journal.replayed()
            if isUsed { try journal.settleRecovery() }
            journal.close()
        }
    }

    /// Writes an entry, and another one during which the fault happens.
    private func write(_ disk: SimulatedDisk, _ fault: SimulatedDiskState.Fault, after calls: Int) throws {
        let journal = try SQLiteJournal(directory: "/store", pageSize: 512, on: disk)
        defer { journal.close() }
        _ = try journal.replayed()
        try journal.append([JournalEntry("a", .create, "first")])
        disk.plan(fault, after: calls)
        try? journal.append([JournalEntry("a", .append, "second")])
        disk.end(losingPower: false)
    }

    /// Reads the entries. The power fails afterwards unless the process ends well.
    private func entries(_ disk: SimulatedDisk, endsWell: Bool) throws -> [String] {
        let journal = try SQLiteJournal(directory: "/store", pageSize: 512, on: disk)
        defer { journal.close() }
        let entries = try journal.replayed().entries.map { String(decoding: $0.bytes, as: UTF8.self) }
        if !endsWell { disk.end(losingPower: true) }
        return entries
    }
}
