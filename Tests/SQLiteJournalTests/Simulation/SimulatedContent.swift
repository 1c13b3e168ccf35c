import TestSupport

/// The bytes of a simulated file: as a process sees them, and as they will be after a power loss.
struct SimulatedContent: Sendable {
    /// What was done since the last sync.
    private enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case cut(size: Int)
    }

    /// What reads return.
    private(set) var seen: [UInt8] = []
    private var synced: [UInt8] = []
    private var changes: [Change] = []

    /// A sector gets on the disk whole or not at all; the mark of acknowledged commits rests on that.
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

    /// Fails to synchronize: some of the changes get on the disk, and the system tries none of them again, though
    /// reads still return them.
    ///
    /// - Returns: How many writes were torn.
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

    /// Any of the changes are on the disk, in whole or in part, and nothing else is left.
    ///
    /// - Returns: How many writes were torn.
    mutating func losePower(_ random: inout SeededGenerator) -> Int {
        let torn = loseChanges(&random)
        seen = synced
        return torn
    }

    /// Whether the change was torn.
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
            // The file has become longer, but what is there now is what was there before: anybody's.
            let count = offset + bytes.count - synced.count
            guard count > 0, random.once(in: 4) else { return false }
            synced.overwrite((0..<count).map { _ in UInt8(random.below(256)) }, at: synced.count)
            return true
        case (.write, _):
            return false
        }
    }

    /// Lets some of the sectors of a write get on the disk, or all up to some byte; whether it has more than one.
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
    /// Writes over what is there, after zeros where nothing was.
    fileprivate mutating func overwrite(_ bytes: [UInt8], at offset: Int) {
        if offset + bytes.count > count { resize(to: offset + bytes.count) }
        // Byte by byte takes a hundred times as long in a debug build.
        withUnsafeMutableBytes { buffer in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: $0) }
        }
    }

    fileprivate mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) }
        if size > count { append(contentsOf: [UInt8](repeating: 0, count: size - count)) }
    }
}
