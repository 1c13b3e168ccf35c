import CMalloc
import Foundation
import Glibc
import ListModel

/// A process of its own that makes a list and prints its memory.
enum MemoryRun: String {
    case shortIDs = "--memory-of-short-ids"
    case longIDs = "--memory-of-long-ids"

    private func name(_ index: Int) -> ItemID {
        switch self {
        case .shortIDs: return BenchList.name(index)
        case .longIDs:
            let digits = String(index)
            let number = String(repeating: "0", count: 12 - digits.count) + digits
            // The array has no spare room, like a decoded one. An appended one has.
            return ItemID(unchecked: .init(decoding: Array("6f9619ff-8b86-d011-b42d-\(number)".utf8)))
        }
    }

    /// Prints the growth of the resident set and of the allocated memory, in bytes.
    func measure(count: Int) {
        let before = (resident: Self.residentBytes(), allocated: Self.allocatedBytes())
        let list = BenchList(count: count, naming: name)
        // Memory that was only needed to make the list goes back to the system.
        mallctl("arena.\(MALLCTL_ARENAS_ALL).purge", nil, nil, nil, 0)
        print(Self.residentBytes() - before.resident, Self.allocatedBytes() - before.allocated)
        withExtendedLifetime(list) {}
    }

    private static func residentBytes() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        let pages = fields.flatMap { $0.count > 1 ? Int($0[1]) : nil }
        return (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func allocatedBytes() -> Int {
        // The figures are those of the last time that this number was set.
        var epoch: UInt64 = 1
        mallctl("epoch", nil, nil, &epoch, MemoryLayout.size(ofValue: epoch))
        var (allocated, size) = (0, MemoryLayout<Int>.size)
        mallctl("stats.allocated", &allocated, &size, nil, 0)
        return allocated
    }

    func run(count: Int) -> (resident: Int, allocated: Int)? {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [rawValue, String(count)]
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return nil }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let figures = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        return figures.count == 2 ? (figures[0], figures[1]) : nil
    }
}

func measureMemory(_ sizes: Sizes, _ table: inout Table) {
    table.head("memory, \(BenchList.contentBytes) bytes of content an item", ["bytes", "goal"])
    for (run, what, goal) in [
        (MemoryRun.shortIDs, "13-byte ids", Goal.atMost(250)), (.longIDs, "36-byte ids", nil),
    ] {
        guard let bytes = run.run(count: sizes.large) else {
            table.check(false, "\(what): no figure")
            continue
        }
        func overContent(_ bytes: Int) -> Double {
            Double(bytes) / Double(sizes.large) - Double(BenchList.contentBytes)
        }
        // Resident memory that is not allocated lies between the items, where making the list has left it free.
        table.line(
            "\(grouped(sizes.large)) items, \(what), an item over content", [decimal(overContent(bytes.resident))],
            overContent(bytes.resident), goal, "\(decimal(overContent(bytes.allocated))) of it allocated")
    }
}
