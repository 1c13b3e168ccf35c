import ListModel
import ListStore
import TestSupport

extension JournalRule {
    /// Lists that end, begin anew, are deleted and restored.
    static let lives: [JournalRule] = [
        JournalRule("a list that has ended is not there") { journal in
            let place = try journal.make()
            try expect(try journal.write("end", .delete, if: .isAt(place)), .written(nil), "the end")
            try expect(try journal.read(), nil, "the list")
            try expect(try journal.place(), nil, "its place")
            try expect(try journal.lists(), [], "all lists")
            try expect(try journal.write("2", if: .isAt(place)), .moved, "an entry behind the end")
            try journal.reopen()
            try expect(try journal.read(), nil, "the list, later")
        },
        JournalRule("a list that is made anew has another life") { journal in
            let old = try journal.make("a", "1", "2")
            try journal.write("end", .delete, if: .isAt(old))
            let new = try journal.make("a", "3", "4")
            try expect(new.life == old.life, false, "whether both lives have one number")
            try expect(try journal.write("late", if: .isAt(old)), .moved, "an entry of the old life")
            try expect(try journal.read(), ["3", "4"], "entries")
        },
        JournalRule("a list can end and begin anew in one batch") { journal in
            let place = try journal.make()
            let outcomes = try journal.journal.commit([
                journal.commit(["end"], .delete, if: .isAt(place)), journal.commit(["new"], .create, if: .isNew),
            ])
            try expect(outcomes[0], .written(nil), "the end")
            try expect(outcomes[1] == .moved, false, "whether the beginning has moved")
            try expect(try journal.read(), ["new"], "entries")
        },
        JournalRule("a new life does not begin if the end of the old one has moved") { journal in
            let place = try journal.make()
            try journal.write("2")
            let outcomes = try journal.journal.commit([
                journal.commit(["end"], .delete, if: .isAt(place)), journal.commit(["new"], .create, if: .isNew),
            ])
            try expect(outcomes, [.moved, .moved], "outcomes")
            try expect(try journal.read(), ["1", "2"], "entries")
        },
        JournalRule("a deleted list can be restored") { journal in
            let place = try journal.make()
            guard case .written(let end?) = try journal.write("out", .retire, if: .isAt(place)) else {
                throw BrokenRule(description: "was not deleted")
            }
            let retired = try journal.journal.retired()
            try expect(retired.map(\.place), [end], "places of deleted lists")
            try expect(retired.map { String(decoding: $0.bytes, as: UTF8.self) }, ["out"], "their last entries")
            try journal.reopen()
            try expect(try journal.retired(), ["a"], "deleted lists, later")
            let later = try journal.place()
            try expect(later?.position, 2, "the end of the log")
            try journal.write("back", .revive, if: later.map { .isAt($0) } ?? .unconditional)
            try expect(try journal.retired(), [], "deleted lists at the end")
            try expect(try journal.read(), ["1", "out", "back"], "entries")
        },
        JournalRule("of a restoration and an end one is first") { journal in
            let place = try journal.make()
            guard case .written(let end?) = try journal.write("out", .retire, if: .isAt(place)) else {
                throw BrokenRule(description: "was not deleted")
            }
            try journal.write("back", .revive, if: .isAt(end))
            try expect(try journal.write("end", .delete, if: .isAt(end)), .moved, "the end")
            try expect(try journal.read(), ["1", "out", "back"], "entries")
        },
        JournalRule("a list is made in the place of a deleted one") { journal in
            let place = try journal.make()
            try journal.write("out", .retire, if: .isAt(place))
            try expect(try journal.write("new", .create, if: .isNew) == .moved, false, "whether it has moved")
            try expect(try journal.read(), ["new"], "entries")
            try expect(try journal.retired(), [], "deleted lists")
        },
        JournalRule("lists come in pages, in the order of their ids") { journal in
            let names = (0..<25).map { "l\($0)" } + ["z", "a", "l-1"]
            for name in names.shuffled() { try journal.make(name) }
            try journal.write("end", to: "l7", .delete)
            try journal.write("out", to: "l8", .retire)
            let wanted = names.filter { $0 != "l7" }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            var found: [String] = []
            while true {
                let page = try journal.lists(after: found.last, limit: 4)
                found += page
                guard page.count == 4, found.count < 100 else { break }
            }
            try expect(found, wanted, "all pages")
        },
    ]

    /// Receipts.
    static let receipts: [JournalRule] = [
        JournalRule("a receipt is kept with its commit") { journal in
            try journal.write("1", .create, if: .isNew, receipt: Receipt("key", time: 5, "done"))
            try expect(try journal.journal.receipt(Array("key".utf8))?.text, "done", "the receipt")
            try expect(try journal.journal.receipt(Array("other".utf8)), nil, "the receipt of another key")
            try expect(try journal.reopen().map(\.text), ["done"], "receipts, later")
        },
        JournalRule("a commit that has moved leaves no receipt") { journal in
            let place = try journal.make()
            try journal.write("2")
            try journal.write("late", if: .isAt(place), receipt: Receipt("key", time: 5))
            try expect(try journal.journal.receipt(Array("key".utf8)), nil, "the receipt")
            try expect(try journal.reopen(), [], "receipts, later")
        },
        JournalRule("a receipt alone leaves the place as it is, and moves as others do") { journal in
            let place = try journal.make()
            let outcome = try journal.write("", .receiptOnly, if: .isAt(place), receipt: Receipt("key", time: 5))
            try expect(outcome, .written(place), "the outcome")
            try expect(try journal.read(), ["1"], "entries")
            try journal.write("2")
            let late = try journal.write("", .receiptOnly, if: .isAt(place), receipt: Receipt("late", time: 6))
            try expect(late, .moved, "the outcome at an old place")
            try expect(try journal.reopen().count, 1, "receipts, later")
        },
        JournalRule("a receipt outlives its list") { journal in
            try journal.write("1", .create, if: .isNew, receipt: Receipt("key", time: 5))
            try journal.write("end", .delete)
            try expect(try journal.reopen().count, 1, "receipts")
        },
        JournalRule("the newest receipt of a key counts") { journal in
            try journal.make()
            for (time, text) in [(5, "old"), (6, "new")] {
                try journal.write("", .receiptOnly, receipt: Receipt("key", time: time, text))
            }
            try expect(try journal.journal.receipt(Array("key".utf8))?.text, "new", "the receipt")
        },
        JournalRule("a request that others have answered is not answered again") { journal in
            // One store alone knows all keys by itself.
            for _ in 0..<2 { journal.journal.onHint { _ in } }
            guard journal.journal.isShared else { return }
            let place = try journal.make()
            try journal.write("1", to: "b", .create, if: .isNew, receipt: Receipt("key", time: 5, "first"))
            let outcomes = try journal.journal.commit([
                journal.commit(["2"], to: "c", .create, if: .isNew, Receipt("key", time: 6, "second")),
                journal.commit(["2"], to: "a", if: .isAt(place), Receipt("other key", time: 6, "other")),
                journal.commit(["2"], to: "d", .create, if: .isNew, Receipt("other key", time: 6, "another")),
            ])
            try expect(outcomes.map { $0 == .moved }, [true, false, true], "which have moved")
            try expect(try journal.lists(), ["a", "b"], "lists")
            try expect(try journal.journal.receipt(Array("key".utf8))?.text, "first", "the answer")
            try expect(try journal.journal.receipt(Array("other key".utf8))?.text, "other", "the other answer")
            let end = try journal.place()
            let late = try journal.write(
                "", .receiptOnly, if: end.map { .isAt($0) } ?? .isNew, receipt: Receipt("key", time: 7, "late"))
            try expect(late, .moved, "an answer alone")
        },
        JournalRule("the oldest receipts are trimmed") { journal in
            try journal.make()
            for number in 1...9 { try journal.write("", .receiptOnly, receipt: Receipt("\(number)", time: number)) }
            while try !journal.journal.trimReceipts(keepNewest: 6, olderThan: 0) {}
            try expect(try journal.reopen().map(\.time), Array(4...9), "the newest six")
            while try !journal.journal.trimReceipts(keepNewest: 6, olderThan: 7) {}
            try expect(try journal.reopen().map(\.time), [7, 8, 9], "those that are not too old")
            try expect(try journal.reopen(receiptsMax: 2).map(\.time), [8, 9], "two of them")
            try expect(try journal.reopen(since: 9).map(\.time), [9], "those since a time")
        },
    ]
}
