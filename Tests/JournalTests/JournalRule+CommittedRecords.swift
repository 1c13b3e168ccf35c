import ListModel
import ListStore
import TestSupport

extension JournalRule {
    /// Keyed records that are written with commits.
    static let committedRecords: [JournalRule] = [
        JournalRule("a record is written with its commit") { journal in
            let outcome = try journal.journal.commit([journal.commit(["1"], .isNew, .create, [("a", nil, "1")])])
            try expect(outcome.map(\.isWritten), [true], "outcomes")
            try expect(try journal.kept("a"), "1", "the record")
            let place = try journal.place().map { Commit.Condition.isAt($0) } ?? .isNew
            try expect(
                try journal.journal.commit([journal.commit(["2"], place, .append, [("a", "1", "2")])])[0].isWritten,
                true, "whether the next is written")
            try expect(try journal.kept("a"), "2", "the record, changed")
            try journal.reopen()
            try expect(try journal.kept("a"), "2", "the record, later")
            try expect(try journal.read(), ["1", "2"], "entries")
        },
        JournalRule("a commit that has moved leaves its record as it is") { journal in
            let place = try journal.make()
            try journal.write("2")
            let outcome = try journal.journal.commit([
                journal.commit(["late"], .isAt(place), .append, [("a", nil, "1")])
            ])
            try expect(outcome, [.moved], "the outcome")
            try journal.reopen()
            try expect(try journal.kept("a"), nil, "the record")
        },
        JournalRule("a record alone leaves the place as it is, and outlives its list") { journal in
            let place = try journal.make()
            let alone = journal.commit([""], .isAt(place), .receiptOnly, [("a", nil, "1")])
            try expect(try journal.journal.commit([alone]), [.written(place)], "the outcome")
            try journal.write("end", .delete)
            try journal.reopen()
            try expect(try journal.kept("a"), "1", "the record")
        },
        JournalRule("several records of a key in a commit rest on each other") { journal in
            let place = try journal.make()
            var commit = journal.commit(["2"], .isAt(place), .append, [("a", nil, "1")])
            commit.entries += journal.commit(["3"], .isAt(place), .append, [("a", "1", "2")]).entries
            commit.entries += journal.commit(["4"], .isAt(place), .append, [("a", "2", "3")]).entries
            try expect(try journal.journal.commit([commit])[0].isWritten, true, "whether it was written")
            try expect(try journal.kept("a"), "3", "the record")
            try journal.reopen()
            try expect(try journal.kept("a"), "3", "the record, later")
        },
        JournalRule("a commit whose record others have changed is not written") { journal in
            // One store alone knows all records by itself.
            for _ in 0..<2 { journal.journal.onHint { _ in } }
            guard journal.journal.isShared else { return }
            let place = try journal.make()
            let others: [(String, String?, String)] = [("new", nil, "1"), ("changed", nil, "1"), ("free", nil, "1")]
            let made = try journal.journal.commit([journal.commit(["1"], to: "b", .isNew, .create, others)])
            try expect(made[0].isWritten, true, "whether another list is made")
            let rows: [(list: String, record: (String, String?, String), isWritten: Bool)] = [
                ("a", ("new", nil, "2"), false), ("c", ("new", nil, "2"), false), ("a", ("changed", "0", "2"), false),
                ("d", ("gone", "1", "2"), false), ("c", ("changed", "0", "2"), false), ("a", ("free", "1", "2"), true),
                ("c", ("fresh", nil, "1"), true),
            ]
            for (list, record, isWritten) in rows {
                let condition = list == "a" ? Commit.Condition.isAt(place) : .isNew
                let kind: JournalEntry.Kind = list == "a" ? .append : .create
                let outcome = try journal.journal.commit([journal.commit(["x"], to: list, condition, kind, [record])])
                try expect(outcome[0].isWritten, isWritten, "\(list) \(record)")
            }
            // In one batch, the others are written.
            let end = try journal.place().map { Commit.Condition.isAt($0) } ?? .isNew
            let outcomes = try journal.journal.commit([
                journal.commit(["y"], to: "e", .isNew, .create, [("new", nil, "3")]),
                journal.commit(["y"], to: "a", end, .append, [("free", "1", "3")]),
                journal.commit(["y"], to: "f", .isNew, .create, [("other", nil, "1")]),
            ])
            try expect(outcomes.map(\.isWritten), [false, false, true], "a batch")
            try expect(try journal.lists(), ["a", "b", "c", "f"], "lists")
            try expect(try journal.read(), ["1", "x"], "entries")
            for (key, value) in [("new", "1"), ("changed", "1"), ("free", "2"), ("fresh", "1"), ("other", "1")] {
                try expect(try journal.kept(key), value, key)
            }
            try expect(try journal.kept("gone"), nil, "one that was never there")
        },
        JournalRule("a record of a locked list is written with it, or has moved") { journal in
            guard journal.journal.locker != nil, journal.journal.isShared else { return }
            let place = try journal.make()
            let first = try journal.lock("a") { _ in [journal.commit(["2"], .isAt(place), .append, [("a", nil, "1")])] }
            try expect(first.map(\.isWritten), [true], "outcomes")
            let end = try journal.place().map { Commit.Condition.isAt($0) } ?? .isNew
            let late = try journal.lock("a") { _ in [journal.commit(["3"], end, .append, [("a", nil, "2")])] }
            try expect(late.map(\.isWritten), [false], "outcomes of a late one")
            try expect(try journal.read(), ["1", "2"], "entries")
            try expect(try journal.kept("a"), "1", "the record")
        },
        JournalRule("a damaged record is told once, and is written anew with the next commit") { journal in
            guard let damage = journal.damage else { return }
            let place = try journal.make()
            let first = try journal.journal.commit([
                journal.commit(["2"], .isAt(place), .append, [("a", nil, "1"), ("b", nil, "1")])
            ])
            try expect(first.map(\.isWritten), [true], "outcomes")
            try damage(KeyedRecord.Key(.sequence, Array("a".utf8)))
            let other = try journal.other()
            let key = KeyedRecord.Key(.sequence, Array("a".utf8))
            try expect((try? other.record(key)) == nil, true, "the damaged record, elsewhere")
            try expect(try other.record(key), nil, "the same the next time")
            let end = try journal.place().map { Commit.Condition.isAt($0) } ?? .isNew
            let again = journal.commit(["3"], end, .append, [("a", nil, "2"), ("b", "1", "2")])
            try expect(try journal.journal.commit([again]).map(\.isWritten), [true], "outcomes of the next")
            try expect(try journal.read(), ["1", "2", "3"], "entries")
            for key in ["a", "b"] { try expect(try journal.kept(key), "2", "the record \(key)") }
        },
    ]
}

extension JournalHarness {
    /// A commit with records, each with the value that it has before; nil if it is not there.
    fileprivate func commit(
        _ texts: [String], to list: String = "a", _ condition: Commit.Condition, _ kind: JournalEntry.Kind,
        _ records: [(key: String, before: String?, value: String)]
    ) -> Commit {
        var commit = commit(texts, to: list, kind, if: condition)
        commit.entries[0].records = records.map { key, before, value in
            let content = { (text: String) in KeyedRecord.Content(used: 5, value: Array(text.utf8)) }
            return RecordWrite(
                KeyedRecord.Key(.sequence, Array(key.utf8)), .isStill(before.map(content)), content(value))
        }
        return commit
    }

    fileprivate func kept(_ key: String) throws -> String? {
        try journal.record(KeyedRecord.Key(.sequence, Array(key.utf8))).map {
            String(decoding: $0.value, as: UTF8.self)
        }
    }
}
