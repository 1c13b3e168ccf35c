import Foundation
import TestSupport

/// Counts the calls by which processes change files in some folders. One chosen call can fail, end its process, or
/// wait.
///
/// The work is done by a C library that is loaded into the process first: `Tests/Shims/filecalls.c`. This class and the
/// library share a file of numbers, the board.
final class FileCalls {
    enum Fault {
        /// The call is not made. It returns this error.
        case fails(Int32)
        /// The call is not made. It and every later call that takes room on the disk return this error, as on a full
        /// disk.
        case hasNoRoom(Int32)
        case isKilled
        /// The call waits until `openGate()` is called, and is then made.
        case waits
        /// The call waits in the same way, is then not made, and returns this error. Only calls that take room on the disk
        /// are counted.
        case waitsAndFails(Int32)
        /// The call and every later sync wait in the same way, and are then made.
        case holdsSyncs
    }

    /// The places of the numbers on the board.
    private enum Place: Int, CaseIterable {
        case count, faultAt, fault, number, struck, gate, onlyRoom, locks, syncs
    }

    private let folders: [String]
    private let board: TemporaryFolder
    private let numbers: UnsafeMutablePointer<Int>
    /// The number of calls that are recorded one by one.
    private static let callsMax = 4_096
    private static let size = (Place.allCases.count + callsMax) * MemoryLayout<Int>.stride

    /// - Parameter folders: Prefixes of the paths of the files that are watched.
    init(under folders: String...) throws {
        self.folders = folders
        board = try TemporaryFolder()
        let path = board.path + "/board"
        try Data(count: Self.size).write(to: URL(filePath: path))
        let file = open(path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        guard let shared = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), shared != MAP_FAILED
        else { throw CocoaError(.fileReadUnknown) }
        numbers = shared.bindMemory(to: Int.self, capacity: Place.allCases.count + Self.callsMax)
    }

    deinit { munmap(numbers, Self.size) }

    /// The library cannot be used under a sanitizer, which has to be loaded first.
    static var isPossible: Bool {
        ["TSAN_OPTIONS", "ASAN_OPTIONS"].allSatisfy { ProcessInfo.processInfo.environment[$0] == nil }
    }

    /// The environment of a process that is watched.
    func environment() throws -> [String: String] {
        [
            "LD_PRELOAD": try Self.library.get(), "FILECALLS_BOARD": board.path + "/board",
            "FILECALLS_UNDER": folders.joined(separator: ":"),
        ]
    }

    /// The numbers of calls, of tries to take a lock, and of syncs so far.
    var count: Int { self[.count] }
    var lockCount: Int { self[.locks] }
    var syncCount: Int { self[.syncs] }
    /// The numbers of those calls that were the first or the last call of their function on files of one name.
    var firstAndLast: Set<Int> {
        var (first, last): ([Int: Int], [Int: Int]) = ([:], [:])
        for call in 1...max(1, min(count, Self.callsMax)) {
            let place = numbers[Place.allCases.count + call - 1]
            if first[place] == nil { first[place] = call }
            last[place] = call
        }
        return Set(first.values).union(last.values)
    }
    /// How often the fault has happened.
    var struckCount: Int { self[.struck] }

    /// Plans a fault and sets all counts to 0. The process may make calls meanwhile: the fault is for the call of that
    /// number after all of it is planned.
    ///
    /// - Parameter call: The number of the call that fails, counted from 1 after this.
    func plan(_ fault: Fault, at call: Int) {
        for place in Place.allCases where place != .count { self[place] = 0 }
        // No fault is for a call with such a number.
        self[.count] = 1 << 40
        defer { self[.count] = 0 }
        self[.faultAt] = call
        switch fault {
        case .fails(let number): (self[.number], self[.fault]) = (Int(number), 1)
        case .hasNoRoom(let number): (self[.number], self[.onlyRoom], self[.fault]) = (Int(number), 1, 2)
        case .isKilled: self[.fault] = 3
        case .waits: self[.fault] = 4
        case .waitsAndFails(let number): (self[.number], self[.fault]) = (Int(number), 5)
        case .holdsSyncs: self[.fault] = 6
        }
    }

    /// Ends the fault. Calls are made as usual from now on.
    func endFault() { plan(.fails(0), at: 0) }

    func openGate() { self[.gate] = 1 }

    /// Waits until `condition` holds.
    func wait(until condition: (FileCalls) -> Bool) {
        while !condition(self) { usleep(1_000) }
    }

    /// Reads from memory and writes to it each time, because another process does too.
    private subscript(place: Place) -> Int {
        @inline(never) get { UnsafeRawPointer(numbers + place.rawValue).loadUnaligned(as: Int.self) }
        @inline(never) set { numbers[place.rawValue] = newValue }
    }

    private static let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Shims/filecalls.c")

    /// The library, compiled once for all tests. It stays in the system's folder for temporary files, and no test
    /// removes it.
    private static let library = Result<String, any Error> {
        let path = FileManager.default.temporaryDirectory.appending(path: "filecalls-\(getpid()).so").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["gcc", "-O1", "-shared", "-fPIC", "-o", path, source.path, "-ldl"]
        try compiler.runAlone()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return path
    }
}
