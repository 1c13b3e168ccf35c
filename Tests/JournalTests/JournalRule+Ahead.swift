import ListModel
import ListStore
import TestSupport
import Threads

extension JournalHarness {
    /// Writes texts ahead as the parts of a record. Returns the entry, and nil if the journal takes every record whole.
    func writeAhead(
        _ parts: String..., to list: String = "a", as kind: JournalEntry.Kind = .append
    ) throws -> JournalEntry? {
        guard let ahead = journal.ahead else { return nil }
        let name = try ahead.write(ahead: parts.map { Array($0.utf8) })
        var entry = JournalEntry(list: ListID(list)!, kind: kind, bytes: name, receipt: nil)
        entry.isAhead = true
        return entry
    }

    @discardableResult
    fileprivate func write(
        _ entry: JournalEntry, if condition: Commit.Condition = .unconditional
    ) throws -> CommitOutcome {
        try journal.commit([Commit(entry, condition)])[0]
    }

    fileprivate func tidy() throws { while try !journal.removeSome(all: true) {} }
}

extension JournalRule {
    /// Records that are written ahead.
    static let ahead: [JournalRule] = [
        JournalRule("a record that was written ahead is read whole") { journal in
            guard let first = try journal.writeAhead("one ", "two ", "three", as: .create) else { return }
            guard case .written(let place?) = try journal.write(first, if: .isNew) else {
                throw BrokenRule(description: "was not made")
            }
            try expect(place.position, 1, "one entry")
            try journal.write("2", if: .isAt(place))
            guard let third = try journal.writeAhead("3.1 ", "3.2") else { return }
            try journal.write(third)
            let wanted = ["one two three", "2", "3.1 3.2"]
            try expect(try journal.read(), wanted, "entries")
            try expect(try journal.read(after: place), Array(wanted[1...]), "behind the first")
            try journal.tidy()
            try journal.reopen()
            try journal.tidy()
            try expect(try journal.read(), wanted, "entries, later")
        },
        JournalRule("each entry gets its own record") { journal in
            try journal.make("a")
            try journal.make("b")
            guard let first = try journal.writeAhead("a1 ", "a2"), let second = try journal.writeAhead("b1", to: "b"),
                let third = try journal.writeAhead("a3 ", "a4")
            else { return }
            try journal.write(second)
            var commit = Commit(first, .unconditional)
            commit.entries += [third]
            try expect(try journal.journal.commit([commit])[0] == .moved, false, "whether both have moved")
            try expect(try journal.read("a"), ["1", "a1 a2", "a3 a4"], "a")
            try expect(try journal.read("b"), ["1", "b1"], "b")
        },
        JournalRule("a record stays while its entry may come") { journal in
            let place = try journal.make("a", "1", "2", "3")
            guard let entry = try journal.writeAhead("4.1 ", "4.2") else { return }
            try journal.cover(2, "1-2", life: place.life)
            try journal.make("b")
            try journal.write("end", to: "b", .delete)
            try journal.tidy()
            try journal.write(entry, if: .isAt(place))
            try journal.tidy()
            try expect(try journal.read(), ["[1-2]", "3", "4.1 4.2"], "the list")
        },
        JournalRule("a record is for one entry") { journal in
            let place = try journal.make()
            guard let entry = try journal.writeAhead("2.1 ", "2.2") else { return }
            try journal.write(entry, if: .isAt(place))
            try expect(try journal.write(entry), .moved, "the same record again")
            journal.journal.ahead?.forget(ahead: entry.bytes)
            try journal.tidy()
            try expect(try journal.read(), ["1", "2.1 2.2"], "entries")
        },
        JournalRule("a commit whose record was given up has moved") { journal in
            let place = try journal.make()
            guard let entry = try journal.writeAhead("2.1 ", "2.2") else { return }
            journal.journal.ahead?.forget(ahead: entry.bytes)
            try expect(try journal.write(entry, if: .isAt(place)), .moved, "the outcome")
            try journal.tidy()
            try expect(try journal.read(), ["1"], "entries")
            try expect(try journal.place(), place, "the end")
        },
        JournalRule("a commit that has moved leaves its record for another") { journal in
            let place = try journal.make()
            guard let entry = try journal.writeAhead("3.1 ", "3.2") else { return }
            try journal.write("2")
            try expect(try journal.write(entry, if: .isAt(place)), .moved, "at an old place")
            try journal.write(entry)
            try expect(try journal.read(), ["1", "2", "3.1 3.2"], "entries")
        },
        JournalRule("a record without an entry is gone with the process") { journal in
            try journal.make()
            guard let entry = try journal.writeAhead("2.1 ", "2.2") else { return }
            try journal.reopen()
            try journal.tidy()
            try expect(try journal.write(entry), .moved, "its entry")
            guard let other = try journal.writeAhead("2.3 ", "2.4") else { return }
            try journal.write(other)
            try journal.reopen()
            try expect(try journal.read(), ["1", "2.3 2.4"], "entries")
        },
        JournalRule("a snapshot stands for a record that was written ahead") { journal in
            guard let first = try journal.writeAhead("1.1 ", "1.2", as: .create) else { return }
            try journal.write(first, if: .isNew)
            guard let second = try journal.writeAhead("2.1 ", "2.2") else { return }
            try journal.write(second)
            try journal.cover(1, "1")
            try journal.tidy()
            for _ in 1...2 {
                try expect(try journal.read(), ["[1]", "2.1 2.2"], "the list")
                try journal.reopen()
            }
            try journal.write("end", .delete)
            try journal.tidy()
            try journal.reopen()
            try expect(try journal.read(), nil, "the list at the end")
        },
        JournalRule("records of several threads are written at a time") { journal in
            let shared = journal.journal
            guard let ahead = shared.ahead else { return }
            let failures = Locked<[String]>([])
            let threads = try ["a", "b", "c"].map { name in
                try Thread {
                    for number in 1...20 {
                        do {
                            let parts = (1...4).map { Array("\(name)\(number).\($0) ".utf8) }
                            var entry = JournalEntry(
                                list: ListID(name)!, kind: number == 1 ? .create : .append,
                                bytes: try ahead.write(ahead: parts), receipt: nil)
                            entry.isAhead = true
                            _ = try shared.commit([Commit(entry, .unconditional)])
                            _ = try shared.removeSome(all: true)
                        } catch { failures.withLock { $0.append("\(error)") } }
                    }
                }
            }
            for thread in threads { thread.join() }
            try expect(failures.withLock { $0 }, [], "failures")
            for name in ["a", "b", "c"] {
                let wanted = (1...20).map { number in (1...4).map { "\(name)\(number).\($0) " }.joined() }
                try expect(try journal.read(name), wanted, name)
            }
        },
    ]
}
