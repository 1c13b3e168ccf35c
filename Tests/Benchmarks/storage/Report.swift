import Glibc

/// Prints figures, and remembers whether a goal was missed.
struct Report {
    private(set) var isMissed = false

    mutating func line(_ what: String, _ figure: Double, atLeast goal: Double) {
        show(what, figure, "≥ \(goal)", figure >= goal)
    }

    mutating func line(_ what: String, _ figure: Double, atMost goal: Double) {
        show(what, figure, "≤ \(goal)", figure <= goal)
    }

    func note(_ what: String) {
        print("    " + what)
        fflush(nil)
    }

    private mutating func show(_ what: String, _ figure: Double, _ goal: String, _ isReached: Bool) {
        if !isReached { isMissed = true }
        print("\(what): \(rounded(figure)) (\(goal)) \(isReached ? "ok" : "MISSED")")
        fflush(nil)
    }
}

func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

/// The seconds of `body` by the wall clock.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return now() - start
}

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ samples: [Double]) -> Double { samples.sorted()[samples.count / 2] }

/// A new folder, which is removed at the end.
final class Scratch {
    let path: String

    init(in parent: String) throws {
        var template = Array("\(parent)/store-benchmark-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure.system("mkdtemp", errno) }
        path = String(cString: made)
    }

    deinit {
        for name in ["liststate.db", "liststate.db-wal", "acknowledged", "lock", "raw"] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    /// Makes the system drop its cached pages of a file.
    func forget(_ name: String) throws {
        let descriptor = open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { throw Failure.system("open", errno) }
        defer { close(descriptor) }
        // Pages that are not on the disk yet would stay in memory.
        guard fsync(descriptor) == 0 else { throw Failure.system("fsync", errno) }
        let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        guard code == 0 else { throw Failure.system("posix_fadvise", code) }
    }

    /// The seconds that reading a file takes, and its length in bytes.
    func read(_ name: String) throws -> (seconds: Double, bytes: Int) {
        let descriptor = open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { throw Failure.system("open", errno) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var total = 0
        let time = seconds {
            while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 { total += count }
        }
        return (time, total)
    }
}

/// Ends the benchmark because it has failed.
func end(_ why: String) -> Never {
    print("the benchmark failed: \(why)")
    exit(1)
}

enum Failure: Error {
    case system(String, Int32)
    case refused(String)
}
