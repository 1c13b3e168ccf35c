import Glibc
import ListStore
import TestSupport

/// The data of a simulated disk, the part of it that is safe, and the next fault.
struct SimulatedDiskState: Sendable {
    /// A fault of one of the next calls.
    enum Fault: CaseIterable {
        case powerLoss, kill, writeError, syncError, readError
    }

    /// Counts of what has happened.
    struct Counts: Sendable, Equatable {
        var powerLosses = 0
        var kills = 0
        var tornWrites = 0
        var full = 0
        var errors = 0
        /// A hash of all calls, by which two runs are compared.
        var trace: UInt64 = 0

        /// The number of faults that can make an operation fail.
        var faults: Int { powerLosses + kills + full + errors }
    }

    private var random: SeededGenerator
    private let isLying: Bool
    var contents: [SimulatedContent] = []
    /// The files by their names: as a process sees them, and as they are after a power loss.
    private(set) var names: [String: Int] = [:]
    private var syncedNames: [String: Int] = [:]
    /// The changes of names since the last sync of the folder. Each change is done as a whole or not at all.
    private var namings: [[String: Int?]] = []
    private var fault: (kind: Fault, calls: Int)?
    var room: Int?
    private(set) var isDown = false
    private var hasPower = true
    private(set) var process = 0
    private(set) var counts = Counts()

    init(seed: UInt64, isLying: Bool) {
        random = SeededGenerator(seed: seed)
        self.isLying = isLying
    }

    // MARK: Faults

    mutating func plan(_ fault: Fault?, after calls: Int) { self.fault = fault.map { ($0, calls) } }

    mutating func end(losingPower: Bool) {
        guard !isDown else { return }
        (isDown, hasPower) = (true, !losingPower)
        if losingPower { counts.powerLosses += 1 } else { counts.kills += 1 }
    }

    mutating func restart() {
        if !hasPower { losePower() }
        process += 1
        (isDown, hasPower, fault) = (false, true, nil)
    }

    private mutating func losePower() {
        for naming in namings where random.once(in: 2) { land(naming) }
        namings = []
        names = syncedNames
        for index in contents.indices { counts.tornWrites += contents[index].losePower(&random) }
    }

    private mutating func land(_ naming: [String: Int?]) {
        for (name, file) in naming { syncedNames[name] = file }
    }

    private enum Call: UInt64 {
        case read, write, cut, synchronize, name
    }

    private enum Course {
        case goesOn, fails
        /// The power fails, or the process is killed, during the call.
        case isCutOff
    }

    /// The first step of every call.
    private mutating func begin(_ call: Call, _ number: Int) -> Course {
        guard !isDown else { return .fails }
        counts.trace = (counts.trace ^ call.rawValue ^ UInt64(truncatingIfNeeded: number) << 3) &* 0x100_0000_01B3
        guard let (kind, calls) = fault else { return .goesOn }
        guard calls <= 0 else {
            fault = (kind, calls - 1)
            return .goesOn
        }
        switch (kind, call) {
        case (.powerLoss, _), (.kill, _): end(losingPower: kind == .powerLoss)
        case (.readError, .read), (.syncError, .synchronize): counts.errors += 1
        case (.writeError, .write), (.writeError, .cut), (.writeError, .name): counts.errors += 1
        default: return .goesOn
        }
        fault = nil
        return isDown ? .isCutOff : .fails
    }

    private static let error = JournalError.io("simulated")

    // MARK: Names

    /// - Parameter path: The path of the file; nil for a file without a name.
    mutating func open(_ path: String?, _ flags: Int32) throws(JournalError) -> Int {
        if let path, let file = names[path] {
            if flags & O_TRUNC != 0 { try cut(file, to: 0) }
            return file
        }
        guard flags & O_CREAT != 0 else { throw Self.error }
        if let path { try name([path: contents.count]) }
        contents.append(SimulatedContent())
        return contents.count - 1
    }

    /// Gives names to files, or removes names.
    mutating func name(_ naming: [String: Int?]) throws(JournalError) {
        guard begin(.name, naming.count) == .goesOn else { throw Self.error }
        for (name, file) in naming { names[name] = file }
        namings.append(naming)
    }

    /// A sync of the folder that fails is tried again, because the file system's journal has the names.
    mutating func synchronizeNames() throws(JournalError) {
        guard begin(.synchronize, -1) == .goesOn else { throw Self.error }
        landNames()
    }

    // MARK: Contents

    mutating func read(_ file: Int, _ count: Int, at offset: Int) throws(JournalError) -> [UInt8] {
        guard begin(.read, offset) == .goesOn else { throw Self.error }
        let end = min(contents[file].seen.count, offset + count)
        return offset < end ? Array(contents[file].seen[offset..<end]) : []
    }

    mutating func write(_ file: Int, _ bytes: [UInt8], at offset: Int) throws(JournalError) {
        guard !bytes.isEmpty else { return }
        let growth = max(0, offset + bytes.count - contents[file].seen.count)
        switch begin(.write, offset &+ bytes.count << 32) {
        case .fails: throw Self.error
        case .isCutOff:
            // The write reaches the end of some page of the system's memory.
            let end = (offset + random.below(bytes.count + SimulatedContent.sector)) / SimulatedContent.sector
            let part = Array(bytes.prefix(max(0, end * SimulatedContent.sector - offset)))
            if !part.isEmpty { contents[file].write(part, at: offset) }
            throw Self.error
        case .goesOn: break
        }
        let lacking = max(0, growth - (room ?? growth))
        let part = lacking == 0 ? bytes : Array(bytes.dropLast(lacking))
        if !part.isEmpty { contents[file].write(part, at: offset) }
        room = room.map { max(0, $0 - growth) }
        guard lacking > 0 else { return }
        counts.full += 1
        throw .full
    }

    mutating func cut(_ file: Int, to size: Int) throws(JournalError) {
        guard begin(.cut, size) == .goesOn else { throw Self.error }
        contents[file].cut(to: size)
    }

    mutating func synchronize(_ file: Int) throws(JournalError) {
        switch begin(.synchronize, file) {
        case .goesOn: if !isLying { contents[file].synchronize() }
        case .fails:
            if !isDown { counts.tornWrites += contents[file].loseChanges(&random) }
            throw Self.error
        case .isCutOff: throw Self.error
        }
    }

    /// When a new file is synchronized, the system makes its name durable too.
    mutating func landNames() {
        guard !isLying else { return }
        for naming in namings { land(naming) }
        namings = []
    }
}
