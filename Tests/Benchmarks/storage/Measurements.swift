import Glibc
import ListModel
import ListStore
import PostgreSQLJournal
import SQLiteJournal

/// Measures the commits of one writer and of 64 writers, as multiples of the syncs of the disk.
func measureCommits(_ folder: String, seconds span: Double, _ report: inout Report) throws {
    let scratch = try Scratch(in: folder)
    let bench = try BenchStore(SQLiteJournal(directory: scratch.path))
    try makeLists(bench)
    var ratios: (lone: [Double], many: [Double]) = ([], [])
    for round in 0..<3 {
        let raw = try syncs(scratch, span)
        let lone = try commits(bench, writers: 1, span)
        let many = try commits(bench, writers: writers, span)
        report.note("round \(round + 1): \(Int(raw)) raw syncs, \(Int(lone)) and \(Int(many)) commits a second")
        ratios.lone.append(lone / raw)
        ratios.many.append(many / raw)
    }
    bench.store.stop()
    report.line("commits of one writer to raw syncs", median(ratios.lone), atLeast: 0.7)
    report.line("commits of 64 writers to raw syncs", median(ratios.many), atLeast: 12)
}

/// Measures the commits of 64 writers in a database, for a comparison with other programs there. Prints their number per
/// second.
///
/// - Parameter url: The database. Lists that an earlier measurement has made there are used again.
func measureCommits(in url: String, seconds span: Double) throws {
    let journal = try PostgreSQLJournal(url: url) { .random(in: 0 ... .max) }
    let bench = try BenchStore(journal)
    try makeLists(bench)
    print(Int(try commits(bench, writers: writers, span)))
    bench.store.stop()
}

private let writers = 64

/// Makes a list for each writer, unless it is there.
private func makeLists(_ bench: BenchStore) throws {
    let created = Countdown()
    let missing = try (0..<writers).map(BenchStore.list).filter { try bench.store.list($0) == nil }
    for id in missing { try bench.create(id, items: 10) { created.add() } }
    created.wait(for: missing.count)
}

/// The number of appends per second of 200 bytes, each with its own sync.
private func syncs(_ scratch: Scratch, _ span: Double) throws -> Double {
    let descriptor = open("\(scratch.path)/raw", O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw Failure.system("open", errno) }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 7, count: 200)
    var count = 0
    let start = now()
    while now() - start < span {
        guard pwrite(descriptor, block, block.count, off_t(count * block.count)) == block.count,
            fdatasync(descriptor) == 0
        else { throw Failure.system("fdatasync", errno) }
        count += 1
    }
    return Double(count) / (now() - start)
}

/// The number of stars per second. Each writer has a list, and waits for its last star.
private func commits(_ bench: BenchStore, writers: Int, _ span: Double) throws -> Double {
    let done = Countdown()
    let lists = try (0..<writers).map(BenchStore.list)
    let start = now()
    var sent = 0
    var known = 0
    while now() - start < span {
        // Works as a loop does: all free writers write, and share a batch.
        bench.store.gather {
            while sent < known + writers {
                try? bench.star(lists[sent % writers], sent % 10) { done.add() }
                sent += 1
            }
        }
        known = done.wait(for: known + 1)
    }
    done.wait(for: sent)
    return Double(sent) / (now() - start)
}

/// Measures the time of a start, as a multiple of the time to read the file.
func measureStart(_ folder: String, rows: Int, _ report: inout Report) throws {
    let scratch = try Scratch(in: folder)
    let lists = rows / 200
    let bench = try BenchStore(SQLiteJournal(directory: scratch.path))
    let done = Countdown()
    let ids = try (0..<lists).map(BenchStore.list)
    for id in ids { try bench.create(id, items: 10) { done.add() } }
    // A batch has each list once, so that no two writes share a row.
    for round in 0..<rows / lists - 1 {
        bench.store.gather { for id in ids { try? bench.star(id, round % 10) { done.add() } } }
        done.wait(for: lists * (round + 2))
    }
    bench.store.stop()
    var bytes = 0
    let times = try BesideReading(scratch) { ready in
        var opened: BenchStore?
        try ready()
        let time = try seconds { opened = try BenchStore(SQLiteJournal(directory: scratch.path)) }
        // A start that put off finding its lists would be no start.
        guard opened?.store.lists(after: nil, limit: 2).count == 2 else { throw Failure.refused("a list") }
        opened?.store.stop()
        bytes = try scratch.read("liststate.db").bytes
        return (time, nil)
    }
    report.note("\(rows) rows, \(bytes >> 20) MiB")
    times.tell("a start", atMost: 4, &report)
}

/// The time of work that needs a whole file, compared with the time to read the file: once from the disk, and once from
/// the system's memory.
private struct BesideReading {
    private var (cold, warm) = (Times(), Times())

    private struct Times {
        var did: [Double] = []
        /// Reading the file, and reading the same bytes with SQLite.
        var file: [Double] = []
        var bytes: [Double] = []
    }

    /// The seconds of the work, and of reading its bytes with SQLite if that can be done alone.
    typealias Seconds = (did: Double, bytes: Double?)

    /// - Parameter body: Does the work. It calls its argument just before each measured span.
    init(_ scratch: Scratch, _ body: (() throws -> Void) throws -> Seconds) throws {
        let name = "liststate.db"
        for _ in 0..<9 {
            try scratch.forget(name)
            cold.file.append(try scratch.read(name).seconds)
            Self.note(try body { try scratch.forget(name) }, &cold)
            warm.file.append(try scratch.read(name).seconds)
            Self.note(try body {}, &warm)
        }
    }

    private static func note(_ seconds: Seconds, _ times: inout Times) {
        times.did.append(seconds.did)
        if let bytes = seconds.bytes { times.bytes.append(bytes) }
    }

    /// The goal is for the file on the disk, as after a restart of the machine.
    func tell(_ what: String, atMost goal: Double, _ report: inout Report) {
        for (place, times) in [("disk", cold), ("memory", warm)] {
            report.note("from the \(place): \(milliseconds(times.did)), reading the file \(milliseconds(times.file))")
            guard !times.bytes.isEmpty else { continue }
            report.note("  reading its bytes by the engine \(milliseconds(times.bytes))")
        }
        for (place, times) in [("memory", warm), ("disk", cold)] where place == "memory" || !times.bytes.isEmpty {
            report.note("\(what) to reading the file from the \(place): \(ratio(times.did, times.file))")
        }
        if cold.bytes.isEmpty {
            report.line("\(what) to reading the file from the disk", ratio(cold.did, cold.file), atMost: goal)
        } else {
            report.line("\(what) to reading its bytes from the disk", ratio(cold.did, cold.bytes), atMost: goal)
        }
    }

    /// The median of the ratios of each round, because a slow phase of the machine affects both parts of a round.
    private func ratio(_ did: [Double], _ read: [Double]) -> Double { rounded(median(zip(did, read).map(/))) }
    private func milliseconds(_ times: [Double]) -> String { "\(rounded(median(times) * 1_000)) ms" }
}

/// Measures a long list: its size on the disk, the time to load it, and the time that writes wait for its compaction.
func measureLongList(_ folder: String, items: Int, _ report: inout Report) throws {
    let scratch = try Scratch(in: folder)
    let id = try BenchStore.list(0)
    let kept = 100
    let journal = try SQLiteJournal(directory: scratch.path)
    let bench = try BenchStore(journal, compaction: .init(rows: 1 << 40, bytes: 1 << 40), versionsMax: kept)
    let done = Countdown()
    try bench.create(id, items: items) { done.add() }
    done.wait(for: 1)
    // The list is one record of the log now. The first compaction removes it.
    _ = try compact(bench, id, "the record that made the list", &report)
    for round in 1...11_000 / 100 {
        bench.store.gather { for item in 0..<100 { try? bench.star(id, item) { done.add() } } }
        done.wait(for: 1 + 100 * round)
    }
    let most = try compact(bench, id, "11,000 versions", &report)
    report.line("most that a write waits beside compaction, in ms", most * 1_000, atMost: 100)
    // Removes the free pages that the record and the previous snapshot have left.
    try journal.shrink()
    bench.store.stop()

    report.note("\(items) items, \(try scratch.read("liststate.db").bytes >> 20) MiB")
    let times = try BesideReading(scratch) { ready in
        let journal = try SQLiteJournal(directory: scratch.path)
        let opened = try BenchStore(journal, versionsMax: kept)
        defer { opened.store.stop() }
        // Opening has read the file already, so `ready` drops it from memory again for a cold round.
        try ready()
        var count = 0
        let bytes = try seconds {
            _ = try journal.load(
                id, after: nil, snapshot: { count += $0.chunks.count }, entry: { _ in count += 1 })
        }
        guard count > kept else { throw Failure.refused("the bytes of a list") }
        try ready()
        return (try seconds { _ = try opened.store.list(id) }, bytes)
    }
    times.tell("loading", atMost: 3, &report)
    let bytes = try scratch.read("liststate.db").bytes
    report.line(
        "bytes an item on disk, over its content", Double(bytes - items * BenchStore.contentBytes) / Double(items),
        atMost: 55)
}

/// The longest time in seconds that a write waits during a compaction.
private func compact(_ bench: BenchStore, _ id: ListID, _ what: String, _ report: inout Report) throws -> Double {
    let alone = try latencies(bench, id, until: { $0 >= 1_000 })
    let isDone = Countdown()
    var beside: [Double] = []
    let time = try seconds {
        let compactor = try start {
            _ = try? bench.store.compact()
            isDone.add()
        }
        beside = try latencies(bench, id, until: { _ in isDone.isDone })
        pthread_join(compactor, nil)
    }
    report.note("a snapshot in the place of \(what) takes \(rounded(time)) s, beside \(beside.count) writes")
    for (name, times) in [("alone", alone), ("beside it", beside)] {
        let sorted = times.sorted().map { "\(rounded($0 * 1_000)) ms" }
        let count = sorted.count
        report.note(
            "  a write waits \(name): median \(sorted[count / 2]), 99 % \(sorted[count * 99 / 100]), most \(sorted[count - 1])"
        )
    }
    return beside.max() ?? 0
}

/// The seconds that each of several writes waits, one write after another.
private func latencies(_ bench: BenchStore, _ id: ListID, until isEnough: (Int) -> Bool) throws -> [Double] {
    var all: [Double] = []
    repeat {
        let done = Countdown()
        all.append(
            try seconds {
                try bench.star(id, all.count % 1_000) { done.add() }
                done.wait(for: 1)
            })
    } while !isEnough(all.count)
    return all
}

private func start(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
    let box = Unmanaged.passRetained(Body(body))  // Released by the thread.
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { context in
            guard let context else { return nil }
            Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
    guard code == 0 else { throw Failure.system("pthread_create", code) }
    return thread
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

extension Countdown {
    var isDone: Bool { wait(for: 0) > 0 }
}
