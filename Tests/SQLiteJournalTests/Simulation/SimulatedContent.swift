import TestSupport

/// The bytes of a simulated file, as a process sees them and as they will be after a power loss.
struct SimulatedContent: Sendable {
    /// A change since the last sync.
    private enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case cut(size: Int)
    }

    /// The bytes that reads return.
    private(set) var seen: [UInt8] = []
    private var synced: [UInt8] = []
    private var changes: [Change] = []

    /// A sector reaches the disk as a whole or not at all. The acknowledged mark depends on that.
    static let sector = 512

    mutating func write(_ bytes: [UInt8], at offset: Int) {
        seen.overwrite(bytes, at: offset)
        changes.append(.write(offset: offset, bytes: bytes))
    }

    mutating func cut(to size: Int) {
        seen.resize(to: size)
        changes.append(.cut(size: size))
    }

    mutating func synchronize() {
        for change in changes {
            switch change {
            case .write(let offset, let bytes): synced.overwrite(bytes, at: offset)
            case .cut(let size): synced.resize(to: size)
            }
        }
        changes = []
    }

    /// Fails to synchronize. Some of the changes reach the disk. The system tries the others never again, although
    /// reads still return them.
    ///
    /// - Returns: The number of torn writes.
    mutating func loseChanges(_ random: inout SeededGenerator) -> Int {
        defer { changes = [] }
        switch random.below(4) {
        case 0: return 0
        case 1:
            synchronize()
            return 0
        default: return changes.reduce(0) { $0 + (land($1, &random) ? 1 : 0) }
        }
    }

    /// Loses power. Any of the changes are on the disk, as a whole or in part, and all others are lost.
    ///
    /// - Returns: The number of torn writes.
    mutating func losePower(_ random: inout SeededGenerator) -> Int {
        let torn = loseChanges(&random)
        seen = synced
        return torn
    }

    /// Brings a change to the disk, or not. Returns whether it was torn.
    private mutating func land(_ change: Change, _ random: inout SeededGenerator) -> Bool {
        switch (change, random.below(4)) {
        case (.cut(let size), 0...1):
            synced.resize(to: size)
            return false
        case (.cut, _):
            return false
        case (.write(let offset, let bytes), 0):
            synced.overwrite(bytes, at: offset)
            return false
        case (.write(let offset, let bytes), 1):
            return tear(bytes, at: offset, &random)
        case (.write(let offset, let bytes), 2):
            // The file has its new length, but at its end are old bytes of the disk.
            let count = offset + bytes.count - synced.count
            guard count > 0, random.once(in: 4) else { return false }
            synced.overwrite((0..<count).map { _ in UInt8(random.below(256)) }, at: synced.count)
            return true
        case (.write, _):
            return false
        }
    }

    /// Brings some sectors of a write, or all bytes up to a place, to the disk. Returns false for a write within one
    /// sector.
    private mutating func tear(_ bytes: [UInt8], at offset: Int, _ random: inout SeededGenerator) -> Bool {
        let end = offset + bytes.count
        guard offset / Self.sector < (end - 1) / Self.sector else { return false }
        guard !random.once(in: 3) else {
            synced.overwrite(Array(bytes.prefix(random.below(bytes.count))), at: offset)
            return true
        }
        var start = offset
        while start < end {
            let next = min(end, (start / Self.sector + 1) * Self.sector)
            if random.once(in: 2) { synced.overwrite(Array(bytes[(start - offset)..<(next - offset)]), at: start) }
            start = next
        }
        return true
    }
}

extension [UInt8] {
    /// Overwrites bytes, after filling a gap behind the end with zeros.
    fileprivate mutating func overwrite(_ bytes: [UInt8], at offset: Int) {
        if offset + bytes.count > count { resize(to: offset + bytes.count) }
        // Copying byte by byte takes a hundred times as long in a debug build.
        withUnsafeMutableBytes { buffer in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: $0) }
        }
    }

    fileprivate mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) }
        if size > count { append(contentsOf: [UInt8](repeating: 0, count: size - count)) }
    }
}
