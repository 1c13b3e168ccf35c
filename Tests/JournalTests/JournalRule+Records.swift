import ListModel
import ListStore
import TestSupport
import Threads

extension JournalRule {
    /// Keyed records.
    static let records: [JournalRule] = [
        JournalRule("a record is replaced as a whole, and removed by its key") { journal in
            try journal.keep([.write("a", 5, "1"), .write("b", 5, "2"), .write("d", 0, "")])
            try journal.keep([.write("b", 6, "3"), .write("c", 6, "4"), .remove("a"), .remove("never there")])
            let wanted = ["b 6 3", "c 6 4", "d 0 "]
            try expect(try journal.records(), wanted, "records")
            try expect(try journal.record("b"), "6 3", "one of them")
            try expect(try journal.record("a"), nil, "one that was removed")
            try expect(try journal.record("e"), nil, "one that was never there")
            try journal.reopen()
            try expect(try journal.records(), wanted, "records, later")
            try expect(try journal.record("c"), "6 4", "one of them, later")
        },
        JournalRule("a key is known in its kind only") { journal in
            try journal.keep([.write("a", 5, "1"), .write("a", 6, "2", kind: 200)])
            try expect(try journal.records(), ["a 5 1"], "the records of one kind")
            try expect(try journal.records(kind: 200), ["a 6 2"], "the records of the other kind")
            try journal.keep([.remove("a")])
            try expect(try journal.record("a", kind: 200), "6 2", "the record of the other kind")
            try journal.reopen()
            try expect(try journal.records(kind: 200), ["a 6 2"], "the records of the other kind, later")
        },
        JournalRule("records come in pages, in the order of the bytes of their keys") { journal in
            let names = (0..<25).map { "k\($0)" } + ["", "z", "a", "k", "\u{7F}", "é"]
            for name in names.shuffled() { try journal.keep([.write(name, 1, name)]) }
            try journal.keep([.write("k7", 1, "x", kind: 2)])
            let wanted = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            var found: [KeyedRecord] = []
            while true {
                let page = try journal.journal.records(of: .one, after: found.last?.key.bytes, limit: 4)
                found += page
                guard page.count == 4, found.count < 100 else { break }
            }
            try expect(found.map { String(decoding: $0.key.bytes, as: UTF8.self) }, wanted, "all pages")
        },
        JournalRule("a record is written only if it still is as it was read") { journal in
            let (old, new) = (KeyedRecord.Content(5, "1"), KeyedRecord.Content(6, "1"))
            try expect(try journal.keep([.write("a", 5, "1", if: .isStill(nil))]), [true], "a new record")
            try expect(try journal.keep([.write("a", 5, "2", if: .isStill(nil))]), [false], "a new one in its place")
            try expect(try journal.keep([.write("a", 6, "1", if: .isStill(old))]), [true], "a use of it")
            try expect(try journal.keep([.write("a", 7, "3", if: .isStill(old))]), [false], "a change of the old one")
            try expect(try journal.keep([.remove("a", if: .isStill(old))]), [false], "a removal of the old one")
            try expect(try journal.record("a"), "6 1", "the record")
            try expect(try journal.keep([.remove("a", if: .isStill(new))]), [true], "a removal")
            try expect(try journal.keep([.write("a", 8, "4", if: .isStill(new))]), [false], "a change of a removed one")
            try journal.reopen()
            try expect(try journal.records(), [], "records, later")
        },
        JournalRule("writes of records are compared one after the other, and alone") { journal in
            try journal.keep([.write("a", 1, "1")])
            let (first, second) = (KeyedRecord.Content(1, "1"), KeyedRecord.Content(2, "2"))
            let outcomes = try journal.keep([
                .write("a", 2, "2", if: .isStill(first)), .write("b", 1, "late", if: .isStill(second)),
                .write("a", 3, "3", if: .isStill(first)), .write("c", 1, "1", if: .isStill(nil)),
                .remove("a", if: .isStill(second)), .write("a", 4, "4", if: .isStill(nil)),
            ])
            try expect(outcomes, [true, false, false, true, true, true], "outcomes")
            try expect(try journal.records(), ["a 4 4", "c 1 1"], "records")
            try journal.reopen()
            try expect(try journal.records(), ["a 4 4", "c 1 1"], "records, later")
        },
        JournalRule("no count that two keep in a record is lost") { journal in
            let shared = journal.journal
            let key = KeyedRecord.Key(.one, [1])
            let failures = Locked(0)
            let threads = try (0..<2).map { _ in
                try Thread {
                    for _ in 0..<20 {
                        var isWritten = false
                        for _ in 0..<10_000 where !isWritten {
                            let old = (try? shared.record(key)) ?? nil
                            let new = KeyedRecord.Content(used: 0, value: [(old?.value.first ?? 0) + 1])
                            isWritten = (try? shared.keep([RecordWrite(key, .isStill(old), new)])) == [true]
                        }
                        if !isWritten { failures.withLock { $0 += 1 } }
                    }
                }
            }
            for thread in threads { thread.join() }
            try expect(failures.withLock { $0 }, 0, "counts that could not be written")
            try expect(try shared.record(key)?.value, [40], "the count")
        },
        JournalRule("a record that is too long is refused, with all that come with it") { journal in
            let long = String(repeating: "k", count: KeyedRecord.keyBytesMax)
            let longest = KeyedRecord.Content(used: 1, value: [UInt8](repeating: 7, count: KeyedRecord.valueBytesMax))
            try journal.keep([.write(long, 1, "1"), RecordWrite(KeyedRecord.Key(.one, [0]), .unconditional, longest)])
            var tooLong = longest
            tooLong.value.append(7)
            let refused: [RecordWrite] = [
                .write(long + "k", 1, "1"), .write("a", -1, "1"), .write("a", 1 << 53, "1"),
                RecordWrite(KeyedRecord.Key(.one, [0]), .unconditional, tooLong),
            ]
            for write in refused {
                let error = journalError { try journal.keep([.write("b", 1, "1"), write]) }
                guard case .tooLarge = error else { throw BrokenRule(description: "not refused: \(write.key)") }
            }
            try journal.reopen()
            try expect(try journal.record("b"), nil, "what came with it")
            try expect(try journal.journal.record(KeyedRecord.Key(.one, [0])), longest, "the longest record")
            try expect(try journal.record(long), "1 1", "the longest key")
        },
        JournalRule("a closed journal keeps no record") { journal in
            try journal.keep([.write("a", 1, "1")])
            journal.journal.close()
            try expect(journalError { try journal.keep([.write("a", 2, "2")]) }, .closed, "a write")
            try expect(journalError { _ = try journal.record("a") }, .closed, "a record")
            try expect(journalError { _ = try journal.records() }, .closed, "a page")
            try journal.reopen()
            try expect(try journal.records(), ["a 1 1"], "records, later")
        },
    ]
}

extension JournalHarness {
    @discardableResult
    fileprivate func keep(_ writes: [RecordWrite]) throws -> [Bool] { try journal.keep(writes) }

    fileprivate func record(_ key: String, kind: UInt8 = 1) throws -> String? {
        try journal.record(KeyedRecord.Key(.init(rawValue: kind), Array(key.utf8)))?.text
    }

    fileprivate func records(kind: UInt8 = 1) throws -> [String] {
        try journal.records(of: .init(rawValue: kind), after: nil, limit: .max).map { record in
            "\(String(decoding: record.key.bytes, as: UTF8.self)) \(record.content.text)"
        }
    }
}

extension KeyedRecord.Kind {
    fileprivate static let one = KeyedRecord.Kind(rawValue: 1)
}

extension KeyedRecord.Content {
    fileprivate init(_ used: Int, _ text: String) { self.init(used: used, value: Array(text.utf8)) }

    fileprivate var text: String { "\(used) \(String(decoding: value, as: UTF8.self))" }
}

extension RecordWrite {
    fileprivate static func write(
        _ key: String, _ used: Int, _ text: String, kind: UInt8 = 1, if condition: Condition = .unconditional
    ) -> RecordWrite {
        RecordWrite(KeyedRecord.Key(.init(rawValue: kind), Array(key.utf8)), condition, KeyedRecord.Content(used, text))
    }

    fileprivate static func remove(_ key: String, if condition: Condition = .unconditional) -> RecordWrite {
        RecordWrite(KeyedRecord.Key(.one, Array(key.utf8)), condition, nil)
    }
}
