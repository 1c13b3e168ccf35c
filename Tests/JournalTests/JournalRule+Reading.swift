import ListModel
import ListStore
import TestSupport
import Threads

extension JournalRule {
    /// Reading, as a whole or behind a place.
    static let reading: [JournalRule] = [
        JournalRule("the entries behind a place are read") { journal in
            let first = try journal.make()
            for number in 2...5 { try journal.write("\(number)") }
            try expect(try journal.read(after: first), ["2", "3", "4", "5"], "behind the first entry")
            let third = LogPlace(life: first.life, position: 3)
            try expect(try journal.read(after: third), ["4", "5"], "behind the third")
            let end = LogPlace(life: first.life, position: 5)
            try expect(try journal.read(after: end), [], "behind the last")
            let beyond = LogPlace(life: first.life, position: 6)
            try expect(journalError { _ = try journal.read(after: beyond) }, .moved, "behind what is not there")
        },
        JournalRule("nothing is read behind a place of another life") { journal in
            let old = try journal.make("a", "1", "2")
            try journal.write("end", .delete)
            try expect(try journal.read(after: old), nil, "a list that has ended")
            try journal.make("a", "1", "2", "3")
            try expect(journalError { _ = try journal.read(after: old) }, .moved, "a list that was made anew")
        },
        JournalRule("the entries behind places of several lists are read at once") { journal in
            let lists = ["b", "a", "c", "d"]
            let places = try lists.map { ListPlace(ListID($0)!, try journal.make($0)) }
            for text in ["2", "3"] { try journal.write(text, to: "a") }
            try journal.write("4", to: "b")
            try journal.write("end", to: "c", .delete)
            try journal.make("c", "other", "5")
            let nobody = ListPlace(ListID("nobody")!, places[0].place)
            let beyond = ListPlace(ListID("d")!, LogPlace(life: places[3].place.life, position: 9))
            let tails = try journal.journal.tails(after: places + [nobody, beyond])
            let texts = tails.map { $0?.entries.map { String(decoding: $0.bytes, as: UTF8.self) } }
            try expect(texts, [["4"], ["2", "3"], nil, [], nil, nil], "the entries of each")
            for (index, list) in lists.enumerated() where list != "c" {
                try expect(tails[index]?.end, try journal.place(list), "the place after those of \(list)")
            }
            try expect(try journal.journal.tails(after: []).count, 0, "those of no lists")
        },
        JournalRule("hints name the lists that others write to") { journal in
            // Nobody else writes to some journals.
            guard journal.journal.isShared || journal.journal is MemoryJournal else { return }
            let (mine, others) = (Locked<[ListID]>([]), Locked<[ListID]>([]))
            // A hint without lists stands for all of them.
            let all = [ListID("a")!, ListID("b")!]
            for told in [mine, others] {
                journal.journal.onHint { lists in told.change { $0 += lists.isEmpty ? all : lists } }
            }
            let other = try journal.other()
            for list in ["a", "b"] {
                _ = try other.commit([journal.commit(["1"], to: list, .create, if: .isNew)])
            }
            for lists in [mine, others] {
                let isOver = { (told: [ListID]) in Set(told.map(\.rawValue)) == ["a", "b"] }
                let told = lists.wait(until: isOver, seconds: 2) { Set($0.map(\.rawValue)) }
                try expect(told, ["a", "b"], "the lists that one is told of")
            }
        },
    ]

    /// Snapshots, and the removal of what they stand for.
    static let snapshots: [JournalRule] = [
        JournalRule("a snapshot stands for its entries") { journal in
            let first = try journal.make()
            for number in 2...5 { try journal.write("\(number)") }
            try journal.cover(3, "1-3", life: first.life)
            try expect(try journal.read(), ["[1-3]", "4", "5"], "the list")
            while try !journal.journal.removeSome(all: true) {}
            try expect(try journal.read(), ["[1-3]", "4", "5"], "the list, after the removal")
            try journal.reopen()
            try expect(try journal.read(), ["[1-3]", "4", "5"], "the list, later")
            try expect(try journal.place()?.position, 5, "the end of the log")
        },
        JournalRule("a follower behind a snapshot has to read the whole list") { journal in
            let first = try journal.make()
            for number in 2...5 { try journal.write("\(number)") }
            try journal.cover(3, "1-3", life: first.life)
            while try !journal.journal.removeSome(all: true) {}
            try expect(journalError { _ = try journal.read(after: first) }, .moved, "behind the first entry")
            let third = LogPlace(life: first.life, position: 3)
            try expect(try journal.read(after: third), ["4", "5"], "behind the snapshot")
        },
        JournalRule("an unfinished snapshot stands for nothing") { journal in
            try journal.make("a", "1", "2", "3")
            let part = SnapshotPart(list: ListID("a")!, position: 2, first: 0, chunks: [[65]], isLast: false)
            try journal.journal.write(part)
            try expect(try journal.read(), ["1", "2", "3"], "the list")
        },
        JournalRule("a snapshot with a gap stands for nothing") { journal in
            try journal.make("a", "1", "2", "3")
            let list = ListID("a")!
            let first = SnapshotPart(list: list, position: 2, first: 0, chunks: [[65]], isLast: false)
            try journal.journal.write(first)
            let third = SnapshotPart(list: list, position: 2, first: 2, chunks: [[67]], isLast: true)
            try journal.journal.write(third)
            let last = SnapshotPart(list: list, position: 2, first: 1, chunks: [[67]], isLast: true)
            try journal.journal.write(last)
            try expect(try journal.read(), ["1", "2", "3"], "the list")
        },
        JournalRule("the parts of two snapshots are not mixed") { journal in
            try journal.make("a", "1", "2", "3", "4")
            func write(_ number: Int, _ position: Int, _ first: Int, _ text: String, isLast: Bool = false) throws {
                try journal.journal.write(
                    SnapshotPart(
                        list: ListID("a")!, position: position, first: first, chunks: [Array(text.utf8)],
                        isLast: isLast, number: number))
            }
            try write(7, 3, 0, "1-")
            try write(8, 2, 0, "1+")
            try write(7, 3, 1, "3", isLast: true)
            try write(8, 2, 1, "2", isLast: true)
            guard let found = try journal.read() else { throw BrokenRule(description: "no list") }
            let allowed = [["1", "2", "3", "4"], ["[1+]", "[2]", "3", "4"], ["[1-]", "[3]", "4"]]
            try expect(allowed.contains(found), true, "whether the list is whole: \(found)")
        },
        JournalRule("a snapshot of a life that is over is of no use") { journal in
            let old = try journal.make("a", "1", "2", "3")
            try journal.write("end", .delete)
            try journal.make("a", "4", "5", "6")
            try journal.cover(2, "1-2", life: old.life)
            try expect(try journal.read(), ["4", "5", "6"], "the list")
        },
        JournalRule("a list is read whole while others write and compact it") { journal in
            let shared = journal.journal
            let list = ListID("a")!
            let place = try journal.make("a", "1")
            let isDone = Locked(false)
            let thread = try Thread {
                for number in 2...120 {
                    let entry = JournalEntry(list: list, kind: .append, bytes: Array("\(number)".utf8), receipt: nil)
                    _ = try? shared.commit([Commit(entry, .unconditional)])
                    guard number.isMultiple(of: 10) else { continue }
                    let chunks = [Array("\(number)".utf8)]
                    let part = SnapshotPart(
                        list: list, life: place.life, position: number, first: 0, chunks: chunks, isLast: true)
                    try? shared.write(part)
                    while (try? shared.removeSome(all: true)) == false {}
                }
                isDone.withLock { $0 = true }
            }
            defer { thread.join() }
            // The last read comes after the last write.
            var (isLast, reads) = (false, 0)
            while !isLast, reads < 2_000 {
                isLast = isDone.withLock { $0 }
                reads += 1
                var numbers: [Int] = []
                let number = { (bytes: [UInt8]) in Int(String(decoding: bytes, as: UTF8.self)) ?? 0 }
                do {
                    let end = try shared.load(
                        list, after: nil, snapshot: { numbers = $0.chunks.map(number) },
                        entry: { numbers.append(number($0.bytes)) })
                    try expect(numbers, Array((numbers.first ?? 0)...(end?.position ?? 0)), "the list")
                } catch JournalError.moved {}
            }
        },
    ]

    /// Work of other threads beside commits.
    static let besides: [JournalRule] = [
        JournalRule("other work beside commits changes nothing about them") { journal in
            let shared = journal.journal
            let first = try journal.make()
            let list = ListID("a")!
            let isDone = Locked(false)
            let works: [@Sendable () throws -> Void] = [
                {
                    guard let end = try shared.places(of: [list])[0], end.position > 2 else { return }
                    let (position, number) = (end.position - 2, end.position)
                    for (index, text) in ["to", "\(position)"].enumerated() {
                        try shared.write(
                            SnapshotPart(
                                list: list, life: end.life, position: position, first: index,
                                chunks: [Array(text.utf8)], isLast: index == 1, number: number))
                    }
                }, { _ = try shared.removeSome(all: true) },
                { _ = try shared.trimReceipts(keepNewest: 3, olderThan: 0) },
                {
                    let place = LogPlace(life: first.life, position: 50)
                    try shared.keep([StoredSummary(list: list, place: place, bytes: [1])])
                },
            ]
            let failures = Locked<[String]>([])
            let threads = try works.map { work in
                try Thread {
                    while !isDone.withLock({ $0 }) {
                        do { try work() } catch { failures.withLock { $0.append("\(error)") } }
                    }
                }
            }
            defer {
                isDone.withLock { $0 = true }
                for thread in threads { thread.join() }
            }
            for number in 2...100 {
                let place = LogPlace(life: first.life, position: number - 1)
                let receipt = Receipt("\(number)", time: number)
                var outcome = CommitOutcome.locked
                while outcome == .locked {
                    outcome = try journal.write("\(number)", if: .isAt(place), receipt: receipt)
                }
                try expect(outcome == .moved, false, "whether entry \(number) has moved")
            }
            isDone.withLock { $0 = true }
            try expect(failures.withLock { $0 }, [], "failures")
            for _ in 1...2 {
                // The snapshot has two chunks: a word, and the number of the last entry that it stands for.
                guard let found = try journal.read() else { throw BrokenRule(description: "no list") }
                let covered = found.first == "[to]" ? Int(found[1].dropFirst().dropLast()) ?? -1 : 0
                let rest = (covered + 1)...100
                try expect(Array(found.drop { $0.hasPrefix("[") }), rest.map { "\($0)" }, "entries")
                try journal.reopen()
            }
            while try !journal.journal.trimReceipts(keepNewest: 3, olderThan: 0) {}
            try expect(try journal.reopen().map(\.time), [98, 99, 100], "receipts")
        }
    ]
}
