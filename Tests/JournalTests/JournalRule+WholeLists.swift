import ListModel
import ListStore
import TestSupport

extension JournalHarness {
    /// Writes lists as another journal has them.
    @discardableResult
    fileprivate func take(_ lists: WholeList...) throws -> [CommitOutcome] {
        guard let journal = journal as? any TakesWholeLists else {
            throw BrokenRule(description: "takes no whole lists")
        }
        return try journal.write(lists)
    }
}

/// A list with a snapshot of one text, and entries. The first entry makes the list if there is no snapshot.
private func whole(_ list: String = "a", snapshot: (text: String, covered: Int)? = nil, _ texts: String...) -> WholeList
{
    var whole = WholeList(ListID(list)!)
    if let (text, covered) = snapshot {
        whole.add(
            SnapshotPart(list: whole.list, position: covered, first: 0, chunks: [Array(text.utf8)], isLast: true))
    }
    for text in texts {
        let kind: JournalEntry.Kind = whole.position == 0 ? .create : text == "out" ? .retire : .append
        whole.add(JournalEntry(list: whole.list, kind: kind, bytes: Array(text.utf8), receipt: nil))
    }
    return whole
}

private func place(_ outcome: CommitOutcome?) throws -> LogPlace {
    guard case .written(let place?) = outcome else { throw BrokenRule(description: "was not written") }
    return place
}

extension JournalRule {
    /// Lists of another journal.
    static let wholeLists: [JournalRule] = [
        JournalRule("a whole list keeps the positions of its entries") { journal in
            let end = try place(journal.take(whole(snapshot: ("1-3", 3), "4", "5")).first)
            try expect(end.position, 5, "the end")
            for time in ["", ", later"] {
                let found = try journal.place()
                try expect(found?.position, 5, "the end of the log\(time)")
                try expect(try journal.read(), ["[1-3]", "4", "5"], "the list\(time)")
                let fourth = found.map { LogPlace(life: $0.life, position: 4) }
                try expect(try journal.read(after: fourth), ["5"], "behind the fourth entry\(time)")
                let second = found.map { LogPlace(life: $0.life, position: 2) }
                try expect(journalError { _ = try journal.read(after: second) }, .moved, "behind the second\(time)")
                try journal.reopen()
            }
            let found = try journal.place()
            let sixth = try journal.write("6", if: found.map { .isAt($0) } ?? .isNew)
            try expect(sixth == .moved, false, "whether a sixth entry has moved")
            try expect(try journal.read(), ["[1-3]", "4", "5", "6"], "the list at the end")
        },
        JournalRule("a whole list without a snapshot is as one that was written") { journal in
            let end = try place(journal.take(whole("a", "1", "2")).first)
            let next = LogPlace(life: end.life, position: 3)
            try expect(try journal.write("3", if: .isAt(end)), .written(next), "a third entry")
            try expect(try journal.read(), ["1", "2", "3"], "the list")
            try journal.reopen()
            try expect(try journal.read(), ["1", "2", "3"], "the list, later")
        },
        JournalRule("a whole list may be a snapshot alone") { journal in
            try journal.take(whole("a", snapshot: ("1-3", 3)), whole("b", snapshot: ("1-9", 9)), whole("c", "1"))
            for _ in 1...2 {
                try expect(try journal.read("a"), ["[1-3]"], "a")
                try expect(try journal.read("b"), ["[1-9]"], "b")
                try expect(try journal.read("c"), ["1"], "c")
                try expect(try journal.place("b")?.position, 9, "the end of b")
                while try !journal.journal.removeSome(all: true) {}
                try journal.reopen()
            }
            try journal.write("4", to: "a")
            try journal.write("end", to: "b", .delete)
            try journal.make("b", "new")
            try journal.reopen()
            try expect(try journal.read("a"), ["[1-3]", "4"], "a at the end")
            try expect(try journal.read("b"), ["new"], "b at the end")
        },
        JournalRule("a whole list is not written where a list is, and others are") { journal in
            try journal.make("a", "old")
            let place = try journal.make("b", "old")
            try journal.write("out", to: "b", .retire, if: .isAt(place))
            let outcomes = try journal.take(
                whole("a", "1"), whole("b", snapshot: ("1-3", 3), "4"), whole("c", "1"), whole("d", "1"),
                whole("d", "2"))
            try expect(outcomes.map { $0 == .moved }, [true, true, false, false, true], "which have moved")
            try expect(try journal.read("a"), ["old"], "a")
            try expect(try journal.read("b"), ["old", "out"], "b")
            try expect(try journal.read("c"), ["1"], "c")
            try expect(try journal.read("d"), ["1"], "d")
        },
        JournalRule("a whole list can be a deleted one") { journal in
            try journal.take(whole("a", snapshot: ("1-3", 3), "4", "out"), whole("b", "1"))
            for _ in 1...2 {
                try expect(try journal.retired(), ["a"], "deleted lists")
                try expect(try journal.lists(), ["a", "b"], "lists")
                try journal.reopen()
            }
            let retired = try journal.journal.retired().first
            try expect(retired?.place.position, 5, "its end")
            try expect(retired.map { String(decoding: $0.bytes, as: UTF8.self) }, "out", "its last entry")
            try journal.write("back", .revive, if: retired.map { .isAt($0.place) } ?? .isNew)
            try expect(try journal.retired(), [], "deleted lists at the end")
            try expect(try journal.read(), ["[1-3]", "4", "out", "back"], "the list at the end")
        },
        JournalRule("a whole list has a life of its own") { journal in
            let old = try journal.make("a", "1", "2")
            try journal.write("end", .delete, if: .isAt(old))
            let new = try place(journal.take(whole("a", snapshot: ("1-3", 3), "4")).first)
            try expect(new.life == old.life, false, "whether both lives have one number")
            try expect(try journal.write("late", if: .isAt(old)), .moved, "an entry of the old life")
            for _ in 1...2 {
                try expect(try journal.read(), ["[1-3]", "4"], "the list")
                while try !journal.journal.removeSome(all: true) {}
                try journal.reopen()
            }
        },
        JournalRule("a snapshot takes the place of that of a whole list") { journal in
            try journal.take(whole(snapshot: ("1-3", 3), "4", "5", "6"))
            try journal.cover(5, "1-5")
            for _ in 1...2 {
                try expect(try journal.read(), ["[1-5]", "6"], "the list")
                while try !journal.journal.removeSome(all: true) {}
                try journal.reopen()
            }
        },
        JournalRule("a whole list may be long") { journal in
            var list = WholeList(ListID("a")!)
            let chunks = (0..<90).map { [UInt8](repeating: UInt8($0), count: 48 << 10) }
            for first in stride(from: 0, to: 90, by: 30) {
                list.add(
                    SnapshotPart(
                        list: list.list, position: 1 << 40, first: first, chunks: Array(chunks[first..<first + 30]),
                        isLast: first == 60))
            }
            let lengths = [1, 700_000, 2, 3 << 20, 0, 800_000, 9] + Array(repeating: 5, count: 300)
            for (index, length) in lengths.enumerated() {
                let bytes = [UInt8](repeating: UInt8(index % 251), count: length)
                list.add(JournalEntry(list: list.list, kind: .append, bytes: bytes, receipt: nil))
            }
            // The reference keeps an entry for each position.
            guard !(journal.journal is MemoryJournal) else { return }
            let outcome = try journal.take(list).first
            for _ in 1...2 {
                var found = WholeList(list.list)
                let end = try journal.journal.load(
                    list.list, after: nil, snapshot: { found.add($0) }, entry: { found.add($0) })
                try expect(end?.position, list.position, "the end")
                try expect(found == list, true, "whether the list is the same")
                while try !journal.journal.removeSome(all: true) {}
                try journal.reopen()
            }
            try expect(try place(outcome).position, (1 << 40) + lengths.count, "the end that was told")
        },
    ]
}
