import Glibc
import Threads
import Texts

/// SIGTERM and SIGINT. One thread waits for them, and they are blocked in all others.
struct StopSignals {
    private var set = sigset_t()

    /// Blocks the signals in this thread and in every thread that it starts from now on.
    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether a signal has come. It is told once.
    var hasCome: Bool {
        var set = set
        var noTime = timespec()
        return sigtimedwait(&set, nil, &noTime) > 0
    }

    /// Returns when the first signal comes. The next one ends the process at once.
    func wait() {
        var set = set
        var received: Int32 = 0
        while sigwait(&set, &received) != 0 {}
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}

/// Writes bytes to the standard error. Waits for whoever reads it. What cannot be written is lost.
@Sendable func writeToStandardError(_ bytes: [UInt8]) { writeAll(bytes, to: STDERR_FILENO) }

/// Writes bytes to standard output, all of them. Waits for whoever reads it.
///
/// - Throws: `.output` if they cannot be written.
func writeToStandardOutput(_ bytes: [UInt8]) throws(Failure) {
    if let number = writeAll(bytes, to: STDOUT_FILENO) { throw .output(number) }
}

/// Writes bytes to a file or a pipe. What cannot be written is lost.
///
/// - Returns: The number of the error; nil if all is written.
@discardableResult func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 || errno == EINTR else { return errno }
        rest = rest.dropFirst(max(count, 0))
    }
    return nil
}

/// Blots an argument of the command line out, so that lists of processes do not show a password in it.
func hideArgument(_ secret: String) {
    let bytes = Array(secret.utf8)
    for index in 0..<Int(CommandLine.argc) {
        guard let argument = CommandLine.unsafeArgv[index] else { continue }
        let count = strlen(argument)
        let isSecret = count >= bytes.count && memcmp(argument + count - bytes.count, bytes, bytes.count) == 0
        if isSecret { memset(argument + count - bytes.count, 0x78, bytes.count) }
    }
}

var coreCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

/// The bytes of memory that the process may take: those of the machine, of its container, or of its address space
/// (`ulimit -v`), whichever is least.
var memoryBytes: Int {
    let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    // The files of cgroup v2 and v1, as they are seen from within a container.
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    return ([machine, addressSpaceBytes] + files.map(bytes(inFile:))).compactMap { $0 }.min() ?? machine
}

/// Nil if the file is not there, or has no number: without a limit it says "max".
private func bytes(inFile path: String) -> Int? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 32)
    guard fgets(&text, 32, file) != nil, case let limit = strtol(text, nil, 10), limit > 0 else { return nil }
    return limit
}

/// The bytes of the address space that are left for memory. Stacks and the maps of the allocator take their part of the
/// space long before they take memory. Nil if there is no limit.
private var addressSpaceBytes: Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int.max) else {
        return nil
    }
    let bytes = Int(limit.rlim_cur)
    return max(bytes / 4, bytes - 256 << 20)
}

/// The seconds for which the process has used a processor.
var processorSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let (user, system) = (usage.ru_utime, usage.ru_stime)
    return Double(user.tv_sec + system.tv_sec) + Double(user.tv_usec + system.tv_usec) / 1e6
}

/// The bytes of memory that the process has now (proc(5), `statm`); 0 if the system does not tell.
var residentBytes: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard fgets(&text, 128, file) != nil else { return 0 }
    return text.withUnsafeMutableBufferPointer { text in
        // The first number is the whole address space, and the second the memory.
        guard let start = text.baseAddress, let space = strchr(start, 0x20) else { return 0 }
        return strtol(space, nil, 10) * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// The file descriptors that the process has open; 0 if the system does not tell.
var openFileCount: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = -3  // `.`, `..` and the folder itself.
    while readdir(folder) != nil { count += 1 }
    return max(count, 0)
}

/// The most file descriptors that the process may have open.
var openFilesMax: UInt {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
}

/// Nanoseconds of a clock that only goes forward.
@Sendable func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Seconds since 1970.
@Sendable func currentTime() -> Int { time(nil) }

/// Milliseconds since 1970.
@Sendable func currentMilliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
}

/// Seconds since the machine was started, including the time in which it slept.
@Sendable func uptime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
}

/// The same in milliseconds.
@Sendable func uptimeMilliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

/// Milliseconds of the monotonic clock, as the system has last noted it. They may be some milliseconds late, and cost less
/// than the exact time.
@Sendable func roughMilliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

/// Runs work on a thread of its own, after so many milliseconds, and again after those that it returns, until it returns
/// nil. Returns whether there is such a thread.
@Sendable func repeatOnThread(_ milliseconds: Int, _ work: @escaping @Sendable () -> Int?) -> Bool {
    let thread = try? Thread {
        var next: Int? = milliseconds
        while let pause = next {
            sleep(milliseconds: pause)
            next = work()
        }
    }
    thread?.detach()
    return thread != nil
}

func sleep(milliseconds: Int) {
    var wanted = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    var rest = timespec()
    while nanosleep(&wanted, &rest) != 0 && errno == EINTR { wanted = rest }
}

/// Thirteen random characters of `[a-z0-9]`, which nobody can predict.
@Sendable func randomToken() -> ByteText {
    let digits = String(UInt64.random(in: .min ... .max), radix: 36)
    return ByteText(String(repeating: "0", count: 13 - digits.utf8.count) + digits)
}

/// Makes the ids of requests. They differ from each other and from those of other processes.
///
/// An id is unique but not secret: whoever has seen one can predict the next.
final class RequestNames: Sendable {
    private let prefix = Array("\(randomToken())-".utf8)
    private let count = Locked(0)

    func next() -> ByteText {
        var rest = count.withLock { count in
            count += 1
            return count
        }
        // The buffer holds the longest number. Its digits are written in reverse.
        let name = String(unsafeUninitializedCapacity: prefix.count + 13) { name in
            var end = name.initialize(fromContentsOf: prefix)
            repeat {
                name.initializeElement(at: end, to: Self.digits[rest % 36])
                rest /= 36
                end += 1
            } while rest > 0
            return end
        }
        return ByteText(name)
    }

    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
}

/// Limits how long one read or one write of a socket may wait.
func limitWaits(of descriptor: Int32, seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
}

/// Writes a line to standard output without buffering, also if that is a pipe.
///
/// - Throws: `.output` if it cannot be written.
func printLine(_ line: String) throws(Failure) { try writeToStandardOutput(Array((line + "\n").utf8)) }
