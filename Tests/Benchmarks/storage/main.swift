import CMalloc
import Glibc

// The costs of lists on a disk, as ratios within one run: to plain syncs, and to reading the same bytes.
//
//     StorageBenchmark [--quick] [--folder PATH]      smaller stores; the folder for them (default: the current one)
//     StorageBenchmark --store URL --seconds NUMBER   only prints the commits per second of 64 writers in a database

var arguments = Array(CommandLine.arguments.dropFirst())
func take(_ option: String, from arguments: inout [String]) -> String? {
    guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(index...index + 1) }
    return arguments[index + 1]
}
let folder = take("--folder", from: &arguments) ?? "."
let database = take("--store", from: &arguments)
let span = take("--seconds", from: &arguments).flatMap(Double.init)
let parts = ["commits", "start", "long-list"]
guard arguments.allSatisfy({ $0 == "--quick" || parts.contains($0) }) else {
    print("usage: StorageBenchmark [--quick] [--folder PATH] [\(parts.joined(separator: "] ["))]")
    print("       StorageBenchmark --store URL --seconds NUMBER")
    exit(2)
}
let isQuick = arguments.contains("--quick")
let wanted = Set(arguments.filter(parts.contains))
func isWanted(_ part: String) -> Bool { wanted.isEmpty || wanted.contains(part) }
// Memory that is freed stays in the process, so that each round finds as much as the one before. Otherwise rounds pay for
// new pages, as many as the allocator happened to give back.
for arena in ["arena.0", "arenas"] {
    var never = -1
    mallctl("\(arena).dirty_decay_ms", nil, nil, &never, MemoryLayout.size(ofValue: never))
}
if let database {
    do { try measureCommits(in: database, seconds: span ?? 3) } catch { end("\(error)") }
    exit(0)
}
var report = Report()
do {
    if isWanted(parts[0]) { try measureCommits(folder, seconds: isQuick ? 1 : 3, &report) }
    if isWanted(parts[1]) { try measureStart(folder, rows: isQuick ? 80_000 : 800_000, &report) }
    if isWanted(parts[2]) { try measureLongList(folder, items: isQuick ? 100_000 : 1_000_000, &report) }
} catch {
    end("\(error)")
}
print(report.isMissed ? "\na goal was missed" : "\nall goals reached")
exit(report.isMissed ? 1 : 0)
