import Glibc

// The costs of lists, as ratios within one run: to the standard library, to swift-collections, to an array and a
// dictionary, and of a million items to a thousand.
//
//     ListsBenchmark [--quick]      smaller lists and fewer rounds

let arguments = CommandLine.arguments.dropFirst()
if let kind = arguments.first, let ids = MemoryRun(rawValue: kind), let count = arguments.last.flatMap({ Int($0) }) {
    ids.measure(count: count)
    exit(0)
}
guard arguments.allSatisfy({ $0 == "--quick" }) else {
    print("usage: lists [--quick]")
    exit(2)
}

let sizes = arguments.isEmpty ? Sizes.full : Sizes.quick
var table = Table()
print("CPU time of one thread, medians of \(sizes.rounds) rounds that take turns")
measureMemory(sizes, &table)
measureWholeLists(sizes, &table)
measureNetChanges(sizes, &table)
measureMoves(sizes, &table)
measureReader(sizes, &table)
let law = measureScaleLaw(sizes, &table)
print(table.isMissed ? "\na goal was missed" : "\nall goals reached")
print(law)
exit(table.isMissed ? 1 : 0)
