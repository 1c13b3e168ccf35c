import Foundation
import TestSupport

/// Counts the calls by which processes change files under some folders, and lets one of them fail, end its process or
/// wait.
///
/// A library in C that is loaded into the process before its own: `Tests/Shims/filecalls.c`. Both sides see one board.
final class FileCalls {
    enum Fault {
        /// The call is not made and answers with this error.
        case fails(Int32)
        /// So does every later one that takes room on the disk, as on one that is full.
        case hasNoRoom(Int32)
        case isKilled
        /// The call is made once `openGate()` has been called.
        case waits
        /// The call waits for that as well, is not made and answers with this error.
        case waitsAndFails(Int32)
        /// So does every synchronization from there on wait; then it is made.
        case holdsSyncs
    }

    /// Where numbers are on the board.
    private enum Place: Int, CaseIterable {
        case count, faultAt, fault, number, struck, gate, onlyRoom, locks, syncs
    }

    private let folders: [String]
    private let board: TemporaryFolder
    private let numbers: UnsafeMutablePointer<Int>
    /// As many calls say what they were.
    private static let callsMax = 4_096
    private static let size = (Place.allCases.count + callsMax) * MemoryLayout<Int>.stride

    /// - Parameter folders: Names that the paths of watched files begin with.
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

    /// Not under a sanitizer, which wants to be the first to be loaded.
    static var isPossible: Bool {
        ["TSAN_OPTIONS", "ASAN_OPTIONS"].allSatisfy { ProcessInfo.processInfo.environment[$0] == nil }
    }

    /// What makes a process one of those that are watched.
    func environment() throws -> [String: String] {
        [
            "LD_PRELOAD": try Self.library.get(), "FILECALLS_BOARD": board.path + "/board",
            "FILECALLS_UNDER": folders.joined(separator: ":"),
        ]
    }

    /// Calls so far, tries to take a lock, and synchronizations.
    var count: Int { self[.count] }
    var lockCount: Int { self[.locks] }
    var syncCount: Int { self[.syncs] }
    /// The numbers of the calls so far that were the first or the last of their function on files of one name.
    var firstAndLast: Set<Int> {
        var (first, last): ([Int: Int], [Int: Int]) = ([:], [:])
        for call in 1...max(1, min(count, Self.callsMax)) {
            let place = numbers[Place.allCases.count + call - 1]
            if first[place] == nil { first[place] = call }
            last[place] = call
        }
        return Set(first.values).union(last.values)
    }
    /// How often the fault has struck.
    var struckCount: Int { self[.struck] }

    /// - Parameter call: The number of the call, from 1; it is counted from here.
    func plan(_ fault: Fault, at call: Int) {
        for place in Place.allCases { self[place] = 0 }
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

    /// Lets everything be as it is without faults.
    func endFault() { plan(.fails(0), at: 0) }

    func openGate() { self[.gate] = 1 }

    /// Returns once `condition` holds of what the processes do.
    func wait(until condition: (FileCalls) -> Bool) {
        while !condition(self) { usleep(1_000) }
    }

    /// Another process writes it, so it is read anew each time.
    private subscript(place: Place) -> Int {
        get { UnsafeRawPointer(numbers + place.rawValue).loadUnaligned(as: Int.self) }
        set { numbers[place.rawValue] = newValue }
    }

    private static let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Shims/filecalls.c")

    /// Compiled once for all tests; removed by nobody, for it goes with the system's temporary files.
    private static let library = Result<String, any Error> {
        let path = FileManager.default.temporaryDirectory.appending(path: "filecalls-\(getpid()).so").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["gcc", "-O1", "-shared", "-fPIC", "-o", path, source.path, "-ldl"]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return path
    }
}
